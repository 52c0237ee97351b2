"""Tables: the one form in which judgments travel. Knows no statistics.

- judgments: judgments by cell, with their facets, statuses and source: what every estimator takes
- votes, pairs: votes between two models, and counts of them by pair
- read: either, from a file or a frame; read_scores, read_votes: each by itself; notes: what reading took for granted
- files, frames: files opened lazily, and frames of the caller's own library
- columns: roles of columns, and what their labels, scores and statuses mean
- collapse: from rows to one row per cell, by every engine
- exchange: ledgers of collected judgments, files of SQLite or schemas of Postgres
- facts: what a table holds: crossings, what is missing or repeated, what hangs together
- families: judges nested in families, by their makers or as said
- arrived: the answers of a ledger in the order in which they came
- chosen: one level of each facet named
- reread: where judgments came from, opened again
- answers, again, long: single answers, further columns and rows read again when they are wanted, and files of rows
- cells, roster, progress: what is to be judged, what may be asked, and how far asking has come
- results: the base of results: rows, dictionary, frame, and what a notebook shows
"""
