"""Votes on two systems: the verdict, and what would decide.

In reading order:

- `verdict`: better, worse, equivalent or undecided.
- `next_step`: what would decide; `study_size` and `clustered_study`: votes that a new study takes.
"""
