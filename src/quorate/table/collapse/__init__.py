"""Collapse: from rows to one row per cell.

- grouped: what every engine returns, and the judgments made of it
- eager: frames in memory, in numpy
- lazy: lazy frames, in their own engine
- pooled: a facet no longer told apart
- sql: files and relations, in DuckDB
"""
