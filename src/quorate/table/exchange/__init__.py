"""Formats of others, one file each."""
