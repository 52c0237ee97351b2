"""Reproduction: the figures of the papers behind this package, computed again and compared."""
