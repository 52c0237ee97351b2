"""Commands that write for a paper."""
