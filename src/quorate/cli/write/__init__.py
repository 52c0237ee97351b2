"""Commands that write for a paper.

- `export`: judgments as another file, plain or for another tool.
- `reproduce`: figures of the papers behind the package, computed again.
- `writeup`: a methods paragraph and the reporting checklist.
"""
