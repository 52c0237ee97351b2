"""Formats of files, one module each, listed in `quorate.table.files.FORMATS`."""
