"""Shared levels too many for the inverse of their system.

- levels: solutions by products, and the inverse as an average of outer products over random signs
- traces: traces with that average, and how far other signs would move an estimate
- conjugate: conjugate gradients for many right-hand sides at once
"""
