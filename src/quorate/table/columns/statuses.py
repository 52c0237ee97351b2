"""Statuses of rows: the words of a status column, and what each of them means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorate.arguments import argument
from quorate.errors import InvalidData
from quorate.table.columns.labels import Coded
from quorate.table.judgments import OK

STATUS_WORDS: Mapping[str, tuple[str, ...]] = {
    OK: ("ok", "success", "valid", "succeeded"),
    "unparsed": ("unparsed", "parse_error", "invalid"),
    "refused": ("refused", "refusal"),
    "error": ("error", "failed", "failure"),
    "truncated": ("truncated", "length"),
}
"""Words of a status column, in lower case, by the status they mean."""


def status_of(word: str) -> str | None:
    """The status that a word in lower case means; None if it is not known."""
    return next((status for status, words in STATUS_WORDS.items() if word in words), None)


def statuses_of(column: Coded, name: str) -> list[str]:
    """The status of every level of a column of this name.

    Raises
    ------
    InvalidData
        If one is not known, or a row has none.
    """
    known = {level: status_of(level.strip().lower()) for level in column.levels}
    unknown: list[str | None] = [level for level, status in known.items() if status is None]
    if unknown or column.absent:
        raise unknown_statuses(name, [*unknown, *([None] if column.absent else [])])
    return [status for status in known.values() if status is not None]


def unknown_statuses(column: str, words: Sequence[str | None]) -> InvalidData:
    """The error for words of a status column that are not known, None for an empty one."""
    listed = ", ".join("(empty)" if word is None else f'"{word}"' for word in words[:5])
    more = f" and {len(words) - 5} more" if len(words) > 5 else ""
    known = ", ".join(STATUS_WORDS)
    return InvalidData(
        f'column "{column}" has statuses that are not known: {listed}{more}; use one of {known}, or '
        + argument("status", "")
        + " to ignore the column"
    )
