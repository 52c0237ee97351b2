"""Printers: a page as a file of each format, and on a terminal.

`cells` prints tables, `html`, `markdown` and `json` whole pages, `charts` drawings, and `files` writes them;
`terminal` prints a screen, of `lines`.
"""
