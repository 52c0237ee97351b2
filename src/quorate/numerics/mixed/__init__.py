"""Linear mixed models: REML by patterns, and what follows from a fit."""
