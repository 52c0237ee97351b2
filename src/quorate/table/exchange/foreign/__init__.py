"""Logs of other tools, a module for each format, of which `table/files.py` makes a list.

Each says by `Format.claims` what is its own, and opens a file as rows under the names of our roles: one row for each
judgment or vote, none for an average; a judge that failed has no score.
"""
