"""Steps of a runner in its ledger, off the event loop where they wait: for a disk, or for a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.store import HELD, PATIENCE
from quorate.table.exchange.postgres.session import Held

T = TypeVar("T")

_LEAVE = 5.0
_LOCKED = 0.002


class Disk:
    """Steps in a ledger, one after the other. For a server, all of a step is done on another thread.

    Parameters
    ----------
    ledger : Ledger
        Which nothing else uses meanwhile.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="quorate-ledger")
        self._waits = self._aborted = False

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    def abort(self) -> None:
        """Wait no more for a server that does not answer, and only some seconds in whatever follows."""
        self._aborted = True
        if self._waits:
            self._ledger.cut()

    async def written(self, step: Callable[[], T]) -> T:
        """What a step gives, all of it one transaction; nothing of it if it fails."""
        if self._ledger.remote:
            return await self._apart(lambda: self._ledger.whole(step))
        try:
            await self._begun()
            result = step()
            await self._apart(self._ledger.end)
        except BaseException:
            self._ledger.undo()
            raise
        return result

    async def looked(self, step: Callable[[], T]) -> T:
        """What a step gives."""
        return await self._apart(step) if self._ledger.remote else step()

    async def _begun(self) -> None:
        """Begin a transaction; while another process writes, requests go on."""
        until = time.monotonic() + PATIENCE
        while not self._ledger.begins():
            if time.monotonic() > until:
                raise Held(f"ledger: {self._ledger.path}: {HELD}")
            await asyncio.sleep(_LOCKED)

    async def _apart(self, step: Callable[[], T]) -> T:
        """Do a step on the thread, to its end whatever happens here, for another one may not begin before."""
        loop, self._waits = asyncio.get_running_loop(), True
        done = loop.run_in_executor(self._thread, step)
        leave = loop.call_later(_LEAVE, self._ledger.cut) if self._aborted else None
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            self._ledger.cut()
            await asyncio.wait([done])
            raise
        finally:
            self._waits = False
            if leave is not None:
                leave.cancel()
