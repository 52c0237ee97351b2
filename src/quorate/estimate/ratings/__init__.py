"""Rankings of systems, in reading order.

``rank``: one question for scores and votes.
``leaderboard``: systems by mean score.
``pair_errors``: errors of every two systems by themselves, where systems do not vary alike.
``judges``: who is first without each judge, and by their median.
``bradley_terry``, ``ratings``, ``terms``: ratings by votes, their result, and what its model has beside ratings.
``neighbours``: gaps of systems that follow each other, and votes that would tell them apart.
``models``, ``whole_rankings``: models of votes side by side, and that of the rankings they come from.
``categories``: a board for every level of a facet, and their partial pooling.
``linked``: the systems that can be rated together, and where the others stand.
``covariates``, ``moves``: what else the two of a vote differ in, and how far ratings move at equal covariates.
``reweight``: votes weighted by the chances at which they were asked.
``clusters``: how ratings vary with the facets that votes share.
``counts``, ``rankings``: votes counted for the model, and rankings that they come from.
``contrast``, ``ranked``: contrasts of its parameters, what both results share.
``fragile``: how few votes keep the first system first, and in which rows they are.
"""
