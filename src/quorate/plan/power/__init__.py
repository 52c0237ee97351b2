"""Sample sizes and power of comparisons by votes."""
