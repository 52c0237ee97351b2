"""Boards of categories, in reading order.

``boards``: a board for every level of a facet.
``pooled``: their ratings shrunk to what they have in common.
"""
