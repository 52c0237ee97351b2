"""Commands that write for a paper.

- `export`: judgments as another file, plain or for another tool.
- `writeup`: a methods paragraph and the reporting checklist.
"""
