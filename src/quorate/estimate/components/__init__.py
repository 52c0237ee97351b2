"""Variance components of judgments."""
