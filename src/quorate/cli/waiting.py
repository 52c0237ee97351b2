"""A bar at the terminal that says how far a long computation is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

AFTER, EVERY = 2.0, 0.1
"""Seconds before a computation is worth a bar, and between two states of it."""


class Bar:
    """How far the outermost computation is, on standard error, once it takes more than two seconds."""

    def __init__(self) -> None:
        self._what: str | None = None
        self._since = self._last = 0.0
        self._shown: Progress | None = None

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show a step; what is inside another computation is not shown."""
        now = time.monotonic()
        if self._what is None:
            self._what, self._since, self._last = what, now, 0.0
        if what != self._what:
            return
        if done == total:
            self._what = None
            if self._shown is not None:
                self._shown.stop()  # and is cleared
            self._shown = None
        elif now - self._since >= AFTER and now - self._last >= EVERY:
            self._last = now
            if self._shown is None:
                self._shown = _started(what, done, total)
            self._shown.update(self._shown.task_ids[0], completed=done, refresh=True)


def _started(what: str, done: int, total: int | None) -> Progress:
    """A bar that moves when it is told to, and leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    progress.add_task(what, completed=done, total=total)
    progress.start()
    return progress
