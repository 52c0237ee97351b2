"""Panels: which judges of a pool to use, and how to share the calls out."""
