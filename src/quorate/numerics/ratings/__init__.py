"""Paired-comparison models, and intervals for ranks."""
