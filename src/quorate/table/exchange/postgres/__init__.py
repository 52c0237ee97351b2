"""Postgres, spoken to as SQLite is.

- address: where a ledger is, without its password
- session: a connection
- text: statements and values as Postgres takes them
"""
