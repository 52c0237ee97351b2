"""Conversations and pipelines of several agents."""
