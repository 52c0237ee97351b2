"""Scores of two systems: the verdict, and what would decide."""
