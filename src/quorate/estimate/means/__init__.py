"""Means of judgments."""
