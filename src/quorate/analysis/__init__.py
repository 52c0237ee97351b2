"""Analyses: what a command or a page says about one table, as values; the layers above print them.

analyze     one question for scores and votes (`quorate.analyze`)
judgments   a table of scores: mean, intervals, sources of uncertainty, what to buy next (`analyze_judgments`)
views       the mean for these judges and for judges like these, known as asked or not; the check on the log odds
nominal     labels that are no numbers: shares, agreement, confusion, items for people (`quorate.scores.labels`)
panel       the panel of judges
votes       votes on all pairs of systems, and on two
designs     what facets of a design stand for, a design in words, the best design and how sure the choice is
ratings     leaderboards
agreement   agreement with people
allocation  replays of adaptive allocation
interim     studies that are still being filled, looked at as answers come in (`quorate.interim`)
goals       what to expect of a study with a goal, and how one came to its end
replay      what smaller studies of the votes at hand would have found
certify     what intervals made as an answer's was do in studies drawn like its own (`quorate.certify`)
demo        intervals of the demonstration against its truth
words       numbers and sentences, and plain values of which nothing is shown that must not be
"""
