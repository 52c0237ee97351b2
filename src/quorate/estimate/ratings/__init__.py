"""Leaderboards: Bradley-Terry ratings of votes, means of scores, and their ranks."""
