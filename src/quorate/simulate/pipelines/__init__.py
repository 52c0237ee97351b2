"""Leaderboards by redrawn pipelines of judges."""
