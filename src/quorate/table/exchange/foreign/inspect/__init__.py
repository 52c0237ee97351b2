"""Logs of Inspect AI: archives (`.eval`) and JSON, one row for each grader of each attempt at a sample."""
