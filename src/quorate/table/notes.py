"""Notes of reading: what was taken for granted of a table, as text that knows its columns."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Self

from quorate.roles import SAME

LOG = logging.getLogger("quorate")


class Note(str):
    """What reading took for granted, in words, with the columns that it is about.

    Parameters
    ----------
    text : str
        The note.
    role : str
        The role that ``columns`` were read as; empty where they are not used.
    columns : sequence of str
        Columns that it is about; none where it is about something else.
    """

    __slots__ = ("columns", "role")

    role: str
    columns: tuple[str, ...]

    def __new__(cls, text: str, role: str = "", columns: Sequence[str] = ()) -> Self:  # noqa: D102  the class says it
        note = super().__new__(cls, text)
        note.role, note.columns = role, tuple(columns)
        return note

    @property
    def brief(self) -> str:
        """The note without the word column, and without a column that is called what it was read as."""
        if (self.role,) == self.columns:
            return self.replace(f" = column {self.role}", "", 1)
        return self.replace(" = column ", " = ", 1) if self.role else self


def read_as(role: str, columns: Sequence[str], parent: str | None = None) -> Note:
    """The note that a column, or several, were read as a role, which may be nested in another.

    Examples
    --------
    >>> read_as("item", ["Item ID"], "category"), read_as("wins", ["a", "b"])
    ('item = column Item ID, item in category', 'wins = columns a, b')
    """
    if len(columns) == 1 and columns[0].startswith(SAME):
        return Note(f"{role} is {columns[0].removeprefix(SAME)} in every row", role, columns)
    noun = "column" if len(columns) == 1 else "columns"
    within = "" if parent is None else f", {role} in {parent}"
    return Note(f"{role} = {noun} {', '.join(columns)}{within}", role, columns)


def left_unused(columns: Sequence[str]) -> tuple[Note, ...]:
    """The note that columns are not used; none if there are no such columns.

    Examples
    --------
    >>> left_unused(["language", "time"])
    ('not used: language, time',)
    """
    return (Note(f"not used: {', '.join(columns)}", columns=columns),) if columns else ()


def not_used(notes: Iterable[Note]) -> list[str]:
    """Columns that a note says are not used."""
    return [column for note in notes if not note.role for column in note.columns]


def log(notes: Sequence[Note], caveats: Iterable[object]) -> None:
    """Log what a table was read as, and as warnings what its reader must know."""
    LOG.info("; ".join(notes))
    for caveat in caveats:
        LOG.warning(str(caveat))
