"""Decisions: from evidence to a verdict that two systems differ, are equivalent, or that it is undecided."""
