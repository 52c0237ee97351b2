"""Votes on all pairs of systems."""
