"""Verdicts on systems that were voted on."""
