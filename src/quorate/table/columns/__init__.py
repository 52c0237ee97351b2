"""Columns: the role that each plays, and what stands in it."""
