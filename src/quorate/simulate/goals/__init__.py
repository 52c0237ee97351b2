"""Studies with a goal, simulated: what they spend and how often they are right.

- `world`: scores of everything that may be bought, drawn from known components
- `votes`: votes on everything that may be bought, drawn from shares, ties and how much judges agree
- `goal`: studies carried out on such answers, from the pilot to the end
- `fixed`: the best study of a fixed size in hindsight, and the usual one, to compare with
- `fixed_votes`: the same of votes
- `scenarios`, `vote_scenarios`: kinds of studies by which what goals promise is measured
"""
