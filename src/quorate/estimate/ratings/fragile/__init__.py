"""Votes that decide who is first, in reading order.

``fragility``: how few votes keep the first system first.
``dropped``: in which rows they are.
"""
