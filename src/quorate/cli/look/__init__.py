"""Commands that look at a file.

- `doctor`: what it supports.
- `analyze`: its error bars, and what to buy next.
- `analysis` prints them and writes the report; `votes` prints those of votes.
- `demo`: the same on data whose truth is known.
"""
