"""Gaming: what submitting many times and reporting the best is worth.

In reading order:

- `gaming`: the prize of every design, and what lowers it.
- `attempts`: the standard error of one attempt, and changes to its design.
- `resampled`: the prize by drawing from the judgments themselves.
"""
