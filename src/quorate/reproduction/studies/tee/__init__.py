"""Messing (2026), Hidden Measurement Error in LLM Pipelines."""
