"""Replays of adaptive allocation."""
