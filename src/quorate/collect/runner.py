"""Asking judges what a ledger has planned: as fast as they allow, within a budget, resumable after anything."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from quorate.collect.budget import Budget
from quorate.collect.judge import Judge
from quorate.collect.ledger import Ledger
from quorate.collect.runner_limits import Limits
from quorate.collect.runner_outcome import Outcome
from quorate.collect.runner_work import Build, Clock, Report, Work
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
    clock: Clock = time.time,
    stop: asyncio.Event | None = None,
) -> Outcome:
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
    clock : callable
        Seconds since 1970; the same as that of the ledger.
    stop : asyncio.Event, optional
        Set it to end the run: what is in flight is waited for, the rest goes back to the ledger.

    Returns
    -------
    Outcome
        Why the run ended, and what is left.

    Raises
    ------
    InvalidInput
        If a judge with cells to be asked is not given, a price is not known under a budget in money, or the ledger
        cannot be written. What was recorded before stays.
    """
    _ready(ledger, judges, budget or Budget())
    runner = Work(ledger, judges, build, limits or Limits(), budget or Budget(), on_progress, clock, stop)
    work = asyncio.create_task(runner.ended())
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        runner.abort()
        await work
        raise


def run(main: Callable[[asyncio.Event], Coroutine[Any, Any, T]]) -> T:
    """Run ``main(stop)`` in an event loop; the first Ctrl-C sets ``stop``, the second one cancels.

    Parameters
    ----------
    main : callable
        Takes the event and gives a coroutine, such as one that awaits `collect` with it.
    """
    with asyncio.Runner() as runner:
        loop, stop = runner.get_loop(), asyncio.Event()

        async def watched() -> T:
            task = asyncio.current_task()

            def asked() -> None:
                if stop.is_set() and task is not None:
                    task.cancel()
                stop.set()

            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, asked)
            return await main(stop)

        try:
            return runner.run(watched())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _ready(ledger: Ledger, judges: Mapping[str, Judge], budget: Budget) -> None:
    absent = [name for name in ledger.unfinished() if name not in judges]
    if absent:
        raise InvalidInput(f"judges: cells are planned for {', '.join(absent)}, which is not given; give every judge")
    unpriced = ledger.unpriced() if budget.money is not None else ()
    if unpriced:
        raise InvalidInput(
            f"budget: money cannot be capped, the price of {', '.join(unpriced)} is not known; give it, or cap calls"
        )
