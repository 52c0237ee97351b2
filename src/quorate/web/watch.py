"""Watch: a study as its owner sees it: sums at once, and the estimate as often as it costs little."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.study.file import Study
from quorate.study.status import Status, counted_in

T = TypeVar("T")
FRESH = 1.0
"""Seconds for which sums are shown again."""

REST = 5.0
SHARE = 0.1
"""After an estimate some seconds of rest, and more where it would take more than this share of a processor."""

_LINE = 64 * 1024 * 1024  # charts and tables of an estimate in one line


class Watch:
    """What is known of a study, on a connection of its own and in a process of its own.

    Parameters
    ----------
    study : Study
        Whose ledger is there.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="quorate-watch")
        self._ledger: Ledger | None = None
        self._status: tuple[float, Status] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._one = asyncio.Lock()
        self._making: asyncio.Task[None] | None = None
        self._due = 0.0
        self.estimate: Mapping[str, Any] = {"sentence": "", "finished": 0, "looks": 0, "seconds": 0.0, "charts": {}}
        self.problem = ""

    async def status(self) -> Status:
        """How far the study is, or was a second ago, from sums; a new estimate is made if one is due."""
        if self._status is None or time.monotonic() - self._status[0] > FRESH:
            self._status = time.monotonic(), await self.read(lambda ledger: counted_in(ledger, self._study))
        status = self._status[1]
        making = self._making is not None and not self._making.done()
        known = self.estimate["finished"], self.estimate["looks"]
        if not making and time.monotonic() >= self._due and (status.finished, len(status.looks)) != known:
            self._making = asyncio.create_task(self._estimate())
        return status

    def forget(self) -> None:
        """Ask for sums again the next time: something was done."""
        self._status = None

    async def read(self, step: Callable[[Ledger], T]) -> T:
        """What a step gives that reads the ledger, which no answer waits for."""

        def opened() -> T:
            if self._ledger is None:
                self._ledger = Ledger.open(self._study.database)
            return step(self._ledger)

        return await asyncio.get_running_loop().run_in_executor(self._thread, opened)

    async def estimated(self) -> None:
        """Wait for the estimate that is being made, if one is."""
        if self._making is not None:
            await self._making

    async def _estimate(self) -> None:
        try:
            self.estimate, self.problem = await self.order("estimate"), ""
        except InvalidInput as error:
            self.problem = str(error)
        self._due = time.monotonic() + max(REST, self.estimate["seconds"] / SHARE)

    async def order(self, do: str, **more: str) -> dict[str, Any]:
        """What the estimator gives; one order after the other.

        Raises
        ------
        InvalidInput
            If it could not, in its words.
        """
        async with self._one:
            process = await self._started()
            orders, answers = process
            line = b""
            with contextlib.suppress(OSError):  # it has ended meanwhile
                orders.write(json.dumps({"do": do, **more}).encode() + b"\n")
                await orders.drain()
                line = await answers.readline()
        if not line:
            raise InvalidInput("estimate: its process has ended; what it wrote last is where the server writes")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise InvalidInput(found["error"])
        return found

    async def _started(self) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
        process = self._process
        if process is None or process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            command = (sys.executable, "-m", "quorate.web.estimator", str(self._study.path))
            process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=_LINE)
            self._process = process
        return cast("asyncio.StreamWriter", process.stdin), cast("asyncio.StreamReader", process.stdout)

    async def close(self) -> None:
        """End the process and let go of the ledger."""
        if self._making is not None:
            self._making.cancel()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._ledger is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._ledger.close)
            self._ledger = None
        self._thread.shutdown()
