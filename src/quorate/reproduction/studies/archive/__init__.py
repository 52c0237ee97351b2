"""Studies of the files that Messing (2026) archived."""
