"""Pages: what each result says, one function per exhibit: rows, finding, chart and headers in this order.

judgments  a table of scores, by section
nominal    labels that are no numbers
panel      judges as a panel
mean_from  the mean of scores whose uncertainty a pilot knows
verdict    two systems, by votes or by scores; `pair` adds all votes on two systems
all_pairs  verdicts on all pairs of systems
votes      votes on all pairs
ratings    leaderboards, one for every level of a facet, and at equal covariates
people     judges beside people: agreement, means corrected by labels
agents     conversations, and pipelines of several agents
interim    a study that is still being filled
pipelines  leaderboards by pipelines of judges
posterior  components and the mean as draws have them, beside the prior, and whether such draws hold the truth
gaming     what submitting many times is worth
allocation replays of adaptive allocation; `replays` has other constants, people and whole cycles
validated  plans that were drawn from a table again and again
papers     published figures beside ours
designs    a planned design, and the best of many; `frontier` draws those that nothing beats
certificate  what intervals do in studies drawn alike; `demo` holds those of the demonstration against its truth
doctor     what a file holds and supports
table      every other result, from its own sentence, rows and caveats
"""
