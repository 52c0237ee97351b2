"""Statistics on arrays: arrays in, arrays out. Knows no tables."""
