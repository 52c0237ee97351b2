"""Logs of verdicts on two models, and what the same tools write of one.

- arena_hard: against a baseline, in both orders
- mt_bench: in both orders, ratings, people's votes
- alpaca_eval: preferences between a baseline and a model
- arena: votes of a crowd
- judgebench: on responses of which one is right, in both orders
"""
