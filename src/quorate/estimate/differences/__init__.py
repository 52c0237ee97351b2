"""Differences of systems and other contrasts of means."""
