"""Regressions on labels that judges gave."""
