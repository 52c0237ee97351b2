"""A line at the terminal that says how far a long computation is."""

from __future__ import annotations

import sys
import time

AFTER, EVERY = 2.0, 0.1
"""Seconds before a computation is worth a line, and between two of its lines."""
CLEARED = "\r\x1b[K"
_WIDTH = 30


class Bar:
    """How far the outermost computation is, on standard error, once it takes more than two seconds."""

    def __init__(self) -> None:
        self._what: str | None = None
        self._since = self._last = 0.0

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show a step; what is inside another computation is not shown."""
        now = time.monotonic()
        if self._what is None:
            self._what, self._since, self._last = what, now, 0.0
        if what != self._what:
            return
        if done == total:
            self._what = None
            if self._last:
                self._write("")
        elif now - self._since >= AFTER and now - self._last >= EVERY:
            self._last = now
            self._write(line(what, done, total))

    def _write(self, text: str) -> None:
        sys.stderr.write(f"{CLEARED}{text}")
        sys.stderr.flush()


def line(what: str, done: int, total: int | None) -> str:
    """A bar of what is done, with its numbers."""
    if not total:
        return f"{what}: step {done + 1:,}"
    full = _WIDTH * done // total
    return f"{what} [{'#' * full}{'.' * (_WIDTH - full)}] {done:,} of {total:,}"
