"""Rankings of systems, in reading order.

``rank``: one question for scores and votes.
``leaderboard``: systems by mean score.
``bradley_terry``, ``ratings``: ratings by votes, and their result.
``counts``, ``contrast``, ``ranked``: votes counted for the model, contrasts of its parameters, what both results share.
``fragility``: how few votes keep the first system first.
"""
