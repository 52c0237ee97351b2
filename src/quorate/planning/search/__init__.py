"""Search: the best of all allowed designs, and what a few changes would give."""
