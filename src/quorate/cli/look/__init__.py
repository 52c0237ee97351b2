"""Commands that look at a file."""
