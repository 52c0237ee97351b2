"""Machine: a run of the study on this machine, begun and ended from its page.

A run is a process of its own. It goes on when the server ends, and a server that is started again finds it by the
ledger, in which every run that asks judges is named.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Literal

from quorate.collect.ledger import lease, owner
from quorate.collect.ledger.lease import START, under_way
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.owner import process_here
from quorate.errors import InvalidInput
from quorate.study.file import Study
from quorate.study.judges import people
from quorate.study.kinds import PythonSettings

_ENDED = (0, 2, 130)  # all is answered; some is left; ended at once

Read = Callable[[Callable[[Ledger], Any]], Awaitable[Any]]

STARTING = 60.0
"""Seconds that a process may take to begin, and ten times as many that a run may take to read and plan."""

State = Literal["none", "starting", "running", "pausing", "elsewhere", "ended", "failed"]
_LAST, _LINES = 2000, 5  # bytes and lines of what it wrote last


@dataclass(frozen=True)
class Run:
    """How a run is.

    Parameters
    ----------
    state : str
        ``none``: none is under way; ``starting``; ``running`` and ``pausing`` here; ``elsewhere``, on another machine;
        ``ended`` or ``failed``: the one that was begun here is over.
    words : str
        What it wrote last, once it is over.
    """

    state: State
    words: str = ""

    @property
    def going(self) -> bool:
        """Whether one is under way."""
        return self.state in ("starting", "running", "pausing", "elsewhere")


class Machine:
    """Begins and ends runs of a study.

    Parameters
    ----------
    study : Study
        What is run.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._process: asyncio.subprocess.Process | None = None
        self._written: IO[bytes] | None = None
        self._told = False
        self._number: int | None = None

    @property
    def refusal(self) -> str:
        """Why no run can be begun from a page; empty if one can."""
        models = {name: one for name, one in self._study.judges.items() if name not in people(self._study)}
        if not models and not self._study.grows:
            return "All judges of this study are people: they answer by their links, and nothing has to run."
        functions = [name for name, one in models.items() if isinstance(one, PythonSettings)]
        if functions:
            return f"{', '.join(functions)} is a function of Python: run the study with quorate.run."
        return ""

    def look(self, ledger: Ledger) -> Run:
        """How the run is, by its process and by the ledger."""
        every = under_way(ledger.store.connection, ledger.clock())
        names = [name for name in every if not name.startswith(START)]
        here = any(process_here(name) is not None for name in names)
        code = None if self._process is None else self._process.returncode
        if self._process is not None and code is None:
            return Run("pausing" if self._told else "running" if here else "starting")
        if here:
            return Run("pausing" if self._told else "running")
        if names:
            return Run("elsewhere")
        if code is None and every:  # begun by another server
            return Run("starting")
        if code is not None:
            return Run("ended" if code in _ENDED else "failed", self._words())
        return Run("none")

    async def start(self, read: Read) -> None:
        """Begin a run, ``quorate run STUDY --yes`` in a process of its own, unless one is under way or being begun.

        Parameters
        ----------
        read : callable
            Gives what a step with the ledger gives.

        Raises
        ------
        InvalidInput
            If it cannot be begun from a page.
        """
        if self.refusal:
            raise InvalidInput(f"run: {self.refusal}")
        number = await read(self._claimed)
        if number is None:
            return
        await self.close()
        self._process, self._number = None, number
        self._written = tempfile.TemporaryFile()  # noqa: SIM115  (read when it has ended)
        self._told = False
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "quorate", "run", str(self._study.path), "--yes"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._written,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C to the server is none to it
        )
        name = owner.here(self._process.pid)
        await read(lambda ledger: ledger.insist(lambda: self._named(ledger, number, name)))

    def _claimed(self, ledger: Ledger) -> int | None:
        """The record by which this server, and no other, begins a run."""
        over = None if self._process is None or self._process.returncode is None else self._number
        now, here = ledger.clock(), owner.here()
        return ledger.whole(lambda: lease.claim(ledger.store.connection, here, now, now + STARTING, over=over))

    def _named(self, ledger: Ledger, number: int, name: str) -> None:
        lease.begun(ledger.store.connection, number, name, ledger.clock() + 10 * STARTING)

    async def close(self) -> None:
        """Let go of what the run wrote; the run goes on."""
        if self._written is not None:
            self._written.close()
            self._written = None

    def end(self, ledger: Ledger, *, at_once: bool = False) -> None:
        """Tell the runs of this machine to end: what is in flight is waited for, unless it is to be at once."""
        names = set(under_way(ledger.store.connection, ledger.clock())) - {f"{START}{owner.here()}"}
        found = {process_here(name.removeprefix(START)) for name in names} - {None}
        if self._process is not None and self._process.returncode is None:
            found.add(self._process.pid)
        for pid in found:
            for number in (signal.SIGINT, signal.SIGTERM) if at_once else (signal.SIGINT,):  # alike they may be one
                with suppress(ProcessLookupError):  # the first of them may have ended it
                    os.kill(pid, number)  # type: ignore[arg-type]  # None is taken away
        self._told = True

    def _words(self) -> str:
        """The end of what the run wrote."""
        if self._written is None:
            return ""
        size = self._written.seek(0, os.SEEK_END)
        self._written.seek(max(0, size - _LAST))
        lines = self._written.read().decode("utf-8", "replace").strip().splitlines()
        return "\n".join(lines[-_LINES:])
