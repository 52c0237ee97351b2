"""Judgments in the formats of others."""
