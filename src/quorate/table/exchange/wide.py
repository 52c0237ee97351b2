"""Tables with a column for each judge, prompt or criterion, as one row for each judgment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.exchange.format import Opened, literal, quoted
from quorate.table.notes import Note

SCORE = "score"
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE")


def checked_wide(wide: Mapping[str, Sequence[str]] | None) -> tuple[str, tuple[str, ...]] | None:
    """The role and its columns, if one role is named with two columns or more.

    Raises
    ------
    InvalidInput
        If it is anything else.
    """
    if wide is None:
        return None
    if len(wide) != 1:
        raise InvalidInput(f'wide: expects one role with its columns, such as {{"judge": ["a", "b"]}}, got {wide!r}')
    ((role, columns),) = wide.items()
    if isinstance(columns, str) or len(set(columns)) < 2 or not role:
        raise InvalidInput(f'wide: "{role}" needs two columns or more, each once, got {columns!r}')
    return str(role), tuple(dict.fromkeys(columns))


def beside_wide(names: Sequence[str], role: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns beside those that hold scores, if all are there and none has a name that these become.

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If the table has a column of the role's name, or of scores, already.
    """
    for name in columns:
        if name not in names:
            raise UnknownColumn("wide", name, names)
    others = tuple(name for name in names if name not in columns)
    for name in {role, SCORE} & set(others):
        raise InvalidInput(f'wide: the table has a column "{name}" already, which its columns would become; rename it')
    return others


def note_of(role: str, columns: Sequence[str]) -> Note:
    """The note that columns were read as levels of a role."""
    return Note(f"{len(columns)} columns are {role}s: one row for each judgment", role, columns)


def lengthened(opened: Opened, wide: tuple[str, tuple[str, ...]] | None) -> Opened:
    """A row for each of the columns that hold scores: its name under the role, its value as the score.

    Raises
    ------
    UnknownColumn
        If a column is not there.
    InvalidInput
        If the table has a column of the role's name, or of scores, already.
    """
    if wide is None:
        return opened
    role, columns = wide
    others = beside_wide(opened.columns, role, columns)
    inside = dict(zip(opened.columns, opened.relation.columns, strict=True))
    kinds = dict(zip(opened.columns, map(str, opened.relation.types), strict=True))
    kind = "DOUBLE" if all(kinds[name] in _NUMBERS for name in columns) else "VARCHAR"
    names = ", ".join(map(literal, columns))
    values = ", ".join(f"{quoted(inside[name])}::{kind}" for name in columns)
    # lists of one length side by side become rows together
    parts = [*(quoted(inside[name]) for name in others), f"unnest([{names}]) AS {quoted(role)}"]
    long = opened.relation.project(", ".join([*parts, f"unnest([{values}]) AS {SCORE}"]))
    return replace(
        opened,
        relation=long,
        columns=(*others, role, SCORE),
        notes=(*opened.notes, note_of(role, columns)),
    )
