"""Judges: models behind endpoints, batches, on this machine, functions, recordings."""
