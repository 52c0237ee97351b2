"""Paired-comparison models, and intervals for ranks.

- ties: models of ties, one per file
- existence: existence of the maximum of a Bradley-Terry likelihood, with any model of ties
- bradley_terry: Bradley-Terry models by Newton's method on counts of votes
- draws: sandwich covariances of ratings, and refits of resampled counts: how ratings vary with the votes
- leverage: what each unit brings to a difference of ratings, and the degrees of freedom that follow
- own_leverage: the same on large boards, where a vote is taken to tell of its two systems only
- rank_intervals: intervals for ranks, from estimates that depend on each other
"""
