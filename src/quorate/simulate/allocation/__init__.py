"""Replays of adaptive allocation, in reading order.

``arms``: what is pulled, from judgments or from arrays.
``runs``, ``saving``: every policy on the same draws, and the budget that one saves.
``allocation``, ``result``: the replay, and its result.
``sweep``, ``cycles``: the replay with several constants, and with whole cycles of a panel.
"""
