"""Prompt variants drafted by paraphrase."""
