"""Unsaved answers: what a ledger could not take when a run ended, in a file until the next run records it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.errors import InvalidInput
from quorate.wording import counted

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
