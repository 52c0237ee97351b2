"""Runs: judges are asked what a ledger has planned, as fast as they allow, within a budget, and resumable."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from quorate.collect.budget import Budget
from quorate.collect.judge import Judge
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Limits, RunOutcome
from quorate.collect.runner.work import Build, Clock, Report, Work
from quorate.errors import InvalidInput

T = TypeVar("T")


async def collect(
    ledger: Ledger,
    judges: Mapping[str, Judge],
    build: Build,
    *,
    limits: Limits | None = None,
    budget: Budget | None = None,
    on_progress: Report | None = None,
    clock: Clock | None = None,
    stop: asyncio.Event | None = None,
    beside: Path | None = None,
    people: Collection[str] = (),
) -> RunOutcome:
    """Ask judges everything that is planned in a ledger and not finished.

    Cells are leased in blocks, so that what a runner asks is reserved on the disk before it is sent; answers are
    committed together, every 20 ms unless ``limits`` say otherwise. Any number of runners may work on one ledger.

    Parameters
    ----------
    ledger : Ledger
        With cells planned. Nothing else may use this object meanwhile; another process may open the same file.
    judges : mapping of str to Judge
        By their label in the facet ``judge``; all that have cells to be asked. They are not closed.
    build : callable
        Makes the request for a cell.
    limits : Limits, optional
        How hard judges are asked, and how long to wait for them.
    budget : Budget, optional
        The most that may be spent on this ledger in all.
    on_progress : callable, optional
        Called with an `Update` about twice a second.
    clock : callable, optional
        Seconds since 1970; that of the ledger unless given.
    stop : asyncio.Event, optional
        Set it to end the run: what is in flight is waited for, the rest goes back to the ledger.
    beside : Path, optional
        Folder in which answers are left that the ledger cannot take in the end, for the next run to record; that of
        the ledger's file, or the current one, unless given.
    people : collection of str
        Judges who are asked elsewhere, on a page: their cells are left alone.

    Returns
    -------
    RunOutcome
        Why the run ended, and what is left.

    Raises
    ------
    InvalidInput
        If a judge with cells to be asked is not given, a price is not known under a budget in money, or the ledger
        cannot be written. What was recorded before stays.
    """
    budget = budget or Budget()
    absent = [name for name in ledger.unfinished() if name not in judges and name not in people]
    if absent:
        raise InvalidInput(f"judges: cells are planned for {', '.join(absent)}, which is not given; give every judge")
    unpriced = ledger.unpriced() if budget.money is not None else ()
    if unpriced:
        raise InvalidInput(
            f"budget: money cannot be capped, the price of {', '.join(unpriced)} is not known; give it, or cap calls"
        )
    beside = beside or (ledger.path.parent if isinstance(ledger.path, Path) else Path.cwd())
    hard, tick, others = limits or Limits(), clock or ledger.clock, frozenset(people)
    runner = Work(ledger, judges, build, hard, budget, on_progress, tick, stop, beside, others)
    work = asyncio.create_task(runner.ended())
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        runner.abort()
        await work
        raise


def run(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    """Run ``main(stop)`` in an event loop; the first Ctrl-C sets ``stop``, the second one cancels.

    Where a loop runs already, as in a notebook, a second one runs in a thread of its own, and this one waits.

    Parameters
    ----------
    main : callable
        Takes the event and gives a coroutine, such as one that awaits `collect` with it.

    Raises
    ------
    KeyboardInterrupt
        After the second Ctrl-C.
    """
    brake = _Brake()
    with brake.listening():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return brake.run(main)
        with ThreadPoolExecutor(1, thread_name_prefix="quorate-run") as apart:
            return apart.submit(brake.run, main).result()


class _Brake:
    """What Ctrl-C pulls, from whichever thread: once to stop, twice to cancel."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stop = asyncio.Event()
        self._pulled = 0

    def run(self, main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
        """Run ``main`` in a new loop."""

        async def watched() -> T:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self._brake()
            return await main(self._stop)

        try:
            return asyncio.run(watched())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    def pull(self, *_: object) -> None:
        """A signal has come."""
        self._pulled += 1
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._brake)

    def _brake(self) -> None:
        if self._pulled:
            self._stop.set()
        if self._pulled > 1 and self._task is not None:
            self._task.cancel()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Let signals pull it, where they can be heard: only the main thread hears any."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.pull) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
