"""Leaderboards by redrawn pipelines of judges, in reading order.

``cells``: margins of battles by cell of judge, prompt and order.
``draws``: leaderboards of redrawn battles and cells.
``pipelines``, ``result``: standard errors that allow for the choice of cells, and their result.
``battles``: battles whose components are known.
"""
