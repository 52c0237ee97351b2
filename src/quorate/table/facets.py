"""Facets of a table, the statuses of its rows, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.errors import UnknownTerm
from quorate.frozen import dataclass
from quorate.wording import Brief, brief, counted

if TYPE_CHECKING:
    from quorate.caveats import Caveat

OK = "ok"
STATUSES = (OK, "unparsed", "refused", "error", "truncated", "missing")
"""Status of a row. ``missing`` is a score that is absent for an unstated reason."""


@dataclass(frozen=True)
class Facet:
    """A facet of the measurement: its role, its column and its levels.

    Parameters
    ----------
    name : str
        Role, such as ``item`` or ``judge``.
    column : str
        Column of the source.
    levels : tuple of str
        Labels in order: ascending for numeric columns, lexicographic otherwise.
    fixed : bool
        Whether the levels are chosen (fixed) rather than drawn (random).
    parent : str, optional
        Role of the facet this one is nested in.
    values : array of float, shape (levels,), optional
        The levels as numbers, where the column is numeric.
    """

    name: str
    column: str
    levels: tuple[str, ...]
    fixed: bool = False
    parent: str | None = None
    values: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        return brief(
            "Facet", f"{self.name}, {'fixed' if self.fixed else 'random'}, {counted(len(self.levels), 'level')}"
        )


@dataclass(frozen=True)
class Source(Brief):
    """Where judgments came from.

    Parameters
    ----------
    name : str
        Path, or the kind of frame.
    sha256 : str, optional
        Hash of the file's bytes.
    backend : str, optional
        Frame library of the caller, so that answers come back in the same kind.
    caveats : tuple of Caveat
        What a reader of any result must know of the source, such as cells of a ledger that are not answered.
    paid : str
        What was paid for it, in words, where the source says so, as a ledger does.
    instead : str
        The ``part`` that reads votes out of the same log of scores, or scores out of one of votes, where there is one.
    files : tuple of str
        Paths, where several files were named.
    """

    name: str
    sha256: str | None = None
    backend: str | None = None
    caveats: tuple[Caveat, ...] = ()
    paid: str = ""
    instead: str = ""
    files: tuple[str, ...] = ()


class Faceted:
    """A table that says of each row which level of every facet it is at."""

    facets: tuple[Facet, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Roles of the facets."""
        return tuple(facet.name for facet in self.facets)

    def facet(self, name: str) -> Facet:
        """The facet with this role.

        Raises
        ------
        UnknownTerm
            If there is none.
        """
        return self.facets[self._position(name)]

    def level_index(self, name: str, level: str) -> int:
        """Index of a level's label.

        Raises
        ------
        UnknownTerm
            If the facet has no such level.
        """
        levels = self.facet(name).levels
        if level not in levels:
            raise UnknownTerm(level, levels, name)
        return levels.index(level)

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise UnknownTerm(name, self.names, "facet")
        return self.names.index(name)


MEMORY = Source("memory")
"""Of a table that was read from nowhere."""


def used_levels(
    levels: Sequence[str], *columns: NDArray[np.int32]
) -> tuple[tuple[NDArray[np.int32], ...], NDArray[np.int64]]:
    """Columns of codes without the levels that do not occur, and the places of those that do.

    Parameters
    ----------
    levels : sequence of str
        Labels of all columns.
    columns : array of int32, shape (rows,)
        Codes, -1 where there is no label.
    """
    seen = np.zeros(len(levels) + 1, dtype=np.bool_)
    for column in columns:
        seen[column] = True
    if seen[:-1].all():
        return columns, np.arange(len(levels))
    place = np.cumsum(seen[:-1]) - 1
    place = np.append(place, -1).astype(np.int32)  # a row without a label keeps its -1
    return tuple(place[column] for column in columns), np.flatnonzero(seen[:-1])


def narrowed(facet: Facet, used: NDArray[np.int64]) -> Facet:
    """The facet with the levels at these places alone."""
    if len(used) == len(facet.levels):
        return facet
    values = None if facet.values is None else facet.values[used]
    return replace(facet, levels=tuple(facet.levels[i] for i in used.tolist()), values=values)
