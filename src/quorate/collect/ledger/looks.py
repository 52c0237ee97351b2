"""Looks of a ledger: what a study with a goal saw each time that all it had asked was answered, and did then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.schema import Connection


class HeldLook(NamedTuple):
    """A look as the ledger holds it.

    Parameters
    ----------
    number : int
        From 1.
    last : int
        Number of the last cell that was planned before it: what it rests on.
    at : float
        When, in seconds since 1970.
    content : dict
        What was seen and done, as plain values.
    """

    number: int
    last: int
    at: float
    content: dict[str, Any]


class Looks:
    """The looks of a ledger, which are only ever added; every method is part of a transaction as those of `Ledger`."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @property
    def _connection(self) -> Connection:
        return self._ledger.store.connection

    def held(self) -> tuple[HeldLook, ...]:
        """All of them, in their order."""
        rows = self._connection.execute("SELECT number, last, at, content FROM looks ORDER BY number")
        return tuple(HeldLook(number, last, at, json.loads(content)) for number, last, at, content in rows.fetchall())

    def add(self, content: Mapping[str, Any]) -> None:
        """Record what was seen and done now; all cells that are planned so far are what it rests on."""
        self._ledger.whole(lambda: self._add(json.dumps(content, ensure_ascii=False, allow_nan=False)))

    def _add(self, content: str) -> None:
        ((count,),) = self._connection.execute("SELECT count(*) FROM looks").fetchall()
        row = (count + 1, self._ledger.last, self._ledger.clock(), content)
        self._connection.execute("INSERT INTO looks VALUES (?, ?, ?, ?)", row)

    def begun(self) -> bool:
        """Whether the ledger was planned for a goal."""
        found = "SELECT 1 FROM parts WHERE kind = 'setting' AND name = 'goal'"
        return self._connection.execute(found).fetchone() is not None
