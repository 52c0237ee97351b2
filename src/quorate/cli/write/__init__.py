"""Commands that write for a paper.

- `writeup`: a methods paragraph and the reporting checklist.
"""
