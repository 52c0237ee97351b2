"""Adaptive allocation of calls.

In reading order:

- `adaptive`: the policy for some arms, a budget and a goal.
- `policy`: the next cells, given the progress.
- `arms`: what is measured, and how it stands; `options`: what is told of the arms.
- `stop`: when it has what was asked for.
"""
