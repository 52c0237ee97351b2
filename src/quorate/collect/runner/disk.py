"""Steps of a runner in its ledger, off the event loop where they wait: for a disk, or for a server."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, TypeVar

from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.schema import HELD, PATIENCE
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.session import Held
from quorate.wording import counted

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


# Unsaved answers: what a ledger could not take when a run ended, in a file until the next run records it.


_NAME = 16  # digits of a ledger's name: no two ledgers of one folder share them


class Unsaved(NamedTuple):
    """An answer that is not in the ledger.

    Parameters
    ----------
    runner : int
        The number that held its cell.
    result : Settled
        The answer, and what becomes of its cell.
    """

    runner: int
    result: Settled


def set_aside(folder: Path, ledger: str, answers: Iterable[Unsaved]) -> str:
    """Write answers to a new file in a folder, or where temporary files are; where they are now, in words.

    Parameters
    ----------
    folder : Path
        Where the next run looks for them.
    ledger : str
        Name of the ledger.
    answers : iterable of Unsaved
        At least one.
    """
    rows = [
        {"runner": held, **result._asdict(), "cell": asdict(result.cell), "reply": asdict(result.reply)}
        for held, result in answers
    ]
    name = f"unsaved-{ledger[:_NAME]}-{rows[0]['runner']}.jsonl"
    many = counted(len(rows), "answer")
    for place in (folder, Path(tempfile.gettempdir())):
        try:
            with (place / name).open("x", encoding="utf-8") as stream:
                stream.writelines(f"{json.dumps(row)}\n" for row in rows)
                stream.flush()
                os.fsync(stream.fileno())
        except FileExistsError:
            continue
        except OSError:
            (place / name).unlink(missing_ok=True)
            continue
        there = "" if place == folder else f", once it is moved to {folder}"
        return f"{many} that it could not take: see {place / name}, which the next run records{there}"
    return f"{many} that it could not take are lost, for no file can be written either"


def found(folder: Path, ledger: str) -> Iterator[tuple[Path, list[Unsaved]]]:
    """Files of answers that earlier runs on a ledger left in a folder, with what is in them.

    Raises
    ------
    InvalidInput
        If a file is damaged.
    """
    for path in sorted(folder.glob(f"unsaved-{ledger[:_NAME]}-*.jsonl")):
        try:
            with path.open(encoding="utf-8") as stream:
                rows = [json.loads(line) for line in stream]
            read = [row | {"cell": LeasedCell(**row["cell"]), "reply": Reply(**row["reply"])} for row in rows]
            yield path, [Unsaved(row.pop("runner"), Settled(**row)) for row in read]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, InvalidInput) as error:
            raise InvalidInput(
                f"{path}: answers of an earlier run cannot be read ({error}); move it elsewhere to pay for them again"
            ) from error
