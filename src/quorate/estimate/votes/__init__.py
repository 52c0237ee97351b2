"""Pairwise votes."""
