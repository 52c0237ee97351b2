"""A panel of judges: bias, reversals, self-preference."""
