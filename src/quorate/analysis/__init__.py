"""Analyses: what a command or a page says about one table, as values; the layers above print them.

analyze       one question for scores and votes (`quorate.analyze`)
judgments     a table of scores: mean, intervals, sources of uncertainty, what to buy next (`analyze_judgments`)
views         the mean for these judges and for judges like these, known as asked or not; the check on the log odds
contributions what every component brings to the uncertainty of a mean
content       the analysis of judgments as plain values
nominal       labels that are no numbers: shares, agreement, confusion, items for people (`quorate.scores.labels`)
panel         the panel of judges
votes         votes on all pairs of systems
pair          votes on two systems
designs       what facets of a design stand for, a design in words
optimum       the best design in words: what was allowed, how sure the choice is
ratings       leaderboards
agreement     agreement with people
allocation    replays of adaptive allocation
allocation_words  replays in words
interim       studies that are still being filled, looked at as answers come in
replay        what smaller studies of the votes at hand would have found
certificates  what intervals made as an answer's was do in studies drawn like its own (`quorate.certify`)
demo          intervals of the demonstration against its truth
words         numbers and sentences
labels        labels fit to be shown
credentials   what must not be shown
"""
