"""Verdicts on systems that were scored."""
