"""Formats of files, one module each, listed in `quorate.table.files.FORMATS`.

- format: what a format is: how it is told from others, and opened
- csv_text, json_lines, parquet: files of rows
- ledger: a ledger of collected judgments, on SQLite or Postgres
- postgres: Postgres, spoken to as SQLite is
"""
