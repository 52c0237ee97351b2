"""Commands that decide between systems, and on whom to trust in that."""
