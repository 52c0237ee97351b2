"""Pages: what each result says, one function per exhibit: rows, finding, chart and headers in this order.

judgments  a table of scores, by section
nominal    labels that are no numbers
panel      judges as a panel
means      the mean of scores whose uncertainty a pilot knows, and scores against a baseline
verdict    two systems and all pairs of them, by votes or by scores
votes      votes on all pairs, or on two systems; protocols and standings
ratings    leaderboards, one for every level of a facet, and at equal covariates
people     judges beside people: agreement, means corrected by labels
agents     conversations, and pipelines of several agents
interim    a study that is still being filled
pipelines  leaderboards by pipelines of judges
posterior  components and the mean as draws have them, beside the prior, and whether such draws hold the truth
gaming     what submitting many times is worth
allocation replays of adaptive allocation
validated  plans that were drawn from a table again and again, and intervals against a truth that is known
papers     published figures beside ours
designs    a planned design, and the best of many
doctor     what a file holds and supports
table      every other result, from its own sentence, rows and caveats
"""
