"""Boards by the votes of people on some battles and of judges on all, in reading order.

``corrected_ratings``: ratings as people would have them.
``battles``: votes of people and judges on the same battles, as counts.
``result``: the board, beside that of people alone.
"""
