"""Differences of systems' mean scores."""
