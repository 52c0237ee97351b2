"""Facts about tables. No statistics."""
