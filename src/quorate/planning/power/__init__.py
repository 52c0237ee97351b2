"""Power: how many votes a comparison needs, and what a number of them can decide."""
