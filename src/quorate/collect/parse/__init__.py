"""Parsing: what the words of a judge amount to."""
