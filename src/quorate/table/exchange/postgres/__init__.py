"""Postgres, spoken to as SQLite is."""
