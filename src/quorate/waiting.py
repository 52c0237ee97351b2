"""Progress of long computations: loops tell how far they are, and whoever waits may watch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Watch = Callable[[str, int, int | None], None]

_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Show how far long computations are.

    Parameters
    ----------
    watch : callable
        Called with what is done, how many steps of it are, and of how many in all (None where that is not known).
        A computation inside another is told too; its last call has as many steps as in all.

    Examples
    --------
    >>> from quorate.waiting import each, watched
    >>> with watched(lambda what, done, total: print(what, done, "of", total)):
    ...     total = sum(each("squares", [1, 4]))
    squares 0 of 2
    squares 1 of 2
    squares 2 of 2
    """
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def each(what: str, items: Iterable[Item]) -> Iterator[Item]:
    """Go through the steps of a computation, each of which is told.

    Parameters
    ----------
    what : str
        What is done, a noun in the plural.
    items : iterable
        The steps.
    """
    watch = _WATCH.get()
    if watch is None:
        yield from items
        return
    total, done = len(items) if isinstance(items, Collection) else None, 0
    try:
        for done, item in enumerate(items):
            watch(what, done, total)
            yield item
        done += 1
    finally:
        watch(what, total or done, total or done)
