"""Formats of others, one file each.

- ledger: a ledger of collected judgments, on SQLite or Postgres
- postgres: Postgres, spoken to as SQLite is
"""
