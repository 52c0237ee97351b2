"""Printers: a page as a file of each format.

`text` makes labels fit to be shown, `cells` prints tables, `html`, `markdown` and `json` whole pages, `charts`
drawings,
and `files` writes them.
"""
