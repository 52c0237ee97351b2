"""Judgments in the formats of others.

- export: which there are
- every_eval_ever: a summary for each system with its interval, and its samples
- inspect_scores: ratings that Inspect AI puts into a log
"""
