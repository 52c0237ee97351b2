"""Collapse: from rows to one row per cell."""
