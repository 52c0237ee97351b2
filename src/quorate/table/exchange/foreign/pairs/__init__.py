"""Logs of verdicts on two models, and what the same tools write of one."""
