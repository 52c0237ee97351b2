"""Votes on two systems: the verdict, and what would decide."""
