"""Conversations and pipelines of several agents, in reading order.

``hazard``: at which turn a conversation crosses a threshold, and the chance that it never does.
``runs``: how often all or any of k runs pass, which items flip, and whether runs or judges do it.
``ensemble``: what the mean of several agents is worth, whose errors go together.
``chain``: which agent of a chain the variance of the last one's scores comes from.
"""
