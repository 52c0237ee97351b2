"""Paired-comparison models, and intervals for ranks.

- ties: models of ties, one per file
- existence: existence of the maximum of a Bradley-Terry likelihood, with any model of ties
- likelihood: what a model is to what follows
- steps: steps of Newton's method, of large boards by conjugate gradients
- bradley_terry: one design for every model, fitted by Newton's method on counts of votes
- discrimination: the same with a slope for every judge
- plackett_luce: rankings as choices of who is first of those that are left
- inverses: inverse of the information, and products with it: on a large board in single precision
- draws: sandwich covariances of ratings, and refits of resampled counts: how ratings vary with the votes
- leverage: what each unit brings to a difference of ratings, and the degrees of freedom that follow
- own_leverage: the same on large boards, where a vote is taken to tell of its two systems only
- next_vote: what one more vote on each pair tells, and in which proportions pairs are to get the next
- labelled_battles: votes of people on some battles and of judges on all
- judge_weights: what the votes of every judge count beside those of people
- rectified: ratings by votes of people on some battles, corrected by those of judges on all
- gap_votes: votes that a gap of two ratings takes to be told from 0
- partial_pooling: ratings of several categories, shrunk to what they have in common
- rank_intervals: intervals for ranks, from estimates that depend on each other
"""
