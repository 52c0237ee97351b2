"""Panels: which judges of a pool to use, and how to share the calls out.

In reading order:

- `panel`: a panel of judges in one view; `strategies`: ways to spend its calls, at the same calls.
- `groups`: tiers or makers of judges side by side, and what panels out of one are worth.
- `screening`: `screen`, which judges of a pool should judge the rest, by a small crossed pilot.
- `shortlist`: the main studies that such a pilot allows; `candidates`: every judge of the pool.
"""
