"""The formats of other tools that are read."""

from __future__ import annotations

from quorate.table.exchange.foreign import arena_hard

TOOLS = (arena_hard.FORMAT,)
"""In the order in which they are asked; one more is one file beside this one and its ``FORMAT`` in this list."""
