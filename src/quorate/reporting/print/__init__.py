"""Printers: `files` prints a page as HTML, Markdown or JSON, `terminal` as a screen, both of `cells`."""
