"""Statements and values as Postgres takes them: numbered parameters, arrays for many rows, and text for every value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any


def for_many(sql: str, types: Sequence[str]) -> str:
    """An ``INSERT ... VALUES`` or ``UPDATE ... WHERE`` of one row as a statement over arrays.

    Examples
    --------
    >>> for_many("UPDATE t SET a = a + ? WHERE id = ?", ["text", "bigint"])
    'UPDATE t SET a = a + v.p1 FROM unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS v(p1, p2) WHERE id = v.p2'
    """
    arrays = ", ".join(f"CAST(? AS {one}[])" for one in types)
    source = f"FROM unnest({arrays}) AS v({', '.join(f'p{at}' for at in range(1, len(types) + 1))})"
    one = " ".join(numbered(sql, "v.p{}".format).split())
    if one.startswith("UPDATE"):
        return one.replace(" WHERE ", f" {source} WHERE ", 1)
    head, _, values = one.partition(" VALUES (")
    values, _, rest = values.rpartition(")")
    return f"{head} SELECT {values} {source}{rest}"


def numbered(sql: str, name: Callable[[int], str]) -> str:
    """A statement with a name for every ``?``, made from its number."""
    numbers = iter(range(1, sql.count("?") + 1))
    return re.sub(r"\?", lambda _: name(next(numbers)), sql)


def columns(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Rows as one array for each column."""

    def element(value: Any) -> str:
        if isinstance(value, str):
            return '"' + _storable(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
        return "NULL" if value is None else _digits(value)

    return ["{" + ",".join(map(element, column)) + "}" for column in zip(*rows, strict=True)]


def text(value: Any) -> str | None:
    """A value as Postgres reads it: text, a number of any kind or nothing."""
    if value is None:
        return None
    return _storable(value) if isinstance(value, str) else _digits(value)


def _digits(value: Any) -> str:
    """A number of any kind, NumPy's included, in digits."""
    return repr(int(value) if isinstance(value, Integral) else float(value))


def _storable(said: str) -> str:
    """Postgres holds every character but the one of number zero."""
    return said.replace("\0", "\ufffd")


def number(said: str) -> int | float:
    """Sums of whole numbers are whole numbers, as in SQLite."""
    return float(said) if "." in said else int(said)
