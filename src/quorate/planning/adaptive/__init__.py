"""Adaptive allocation of calls."""
