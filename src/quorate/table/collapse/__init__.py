"""From rows to one row per cell."""
