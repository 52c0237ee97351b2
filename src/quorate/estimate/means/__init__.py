"""Means and effects of levels, each for a stated target."""
