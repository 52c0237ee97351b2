"""Rows behind judgments again: opened where they were read from, and their cells found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import InvalidData, NotEstimable
from quorate.table.collapse.grouped import Grouped, Long, Ungrouped, places
from quorate.table.collapsed import Origin
from quorate.table.columns.labels import ABSENT, Coded
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import NOTHING, Missing
from quorate.table.exchange.format import Opened, quoted
from quorate.table.exchange.postgres.address import is_place
from quorate.table.judgments import Judgments, table_of

_CLOSE = 1e-9


class Engine(Protocol):
    """What reads rows: in a file, in a frame, or in a frame that is not in memory."""

    def collapse(self, source: Any, roles: Roles, missing: Missing, /) -> Grouped:
        """One row per cell."""

    def ungroup(self, source: Any, roles: Roles, missing: Missing, /) -> Ungrouped:
        """Every usable answer."""

    def long(self, source: Any, roles: Roles, missing: Missing, /) -> Long:
        """Every row."""


class Reopened(NamedTuple):
    """Where judgments came from, open again.

    Parameters
    ----------
    source : Opened or frame
        What the engine reads.
    columns : tuple of str
        Names of its columns.
    engine : Engine
        That reads it.
    roles : Roles
        Columns by role, as they were read.
    missing : Missing
        Scores that stand for no score.
    own : Missing
        The same in the column of scores, where words may have been made numbers.
    """

    source: Any
    columns: tuple[str, ...]
    engine: Engine
    roles: Roles
    missing: Missing
    own: Missing

    def cells(self, score: str) -> Grouped:
        """One row per cell, with another column as the score, whatever the status of its rows."""
        return self.engine.collapse(
            self.source, replace(self.roles, score=score, status=None, replicate=None), self.missing
        )

    def with_few(self, names: Sequence[str], most: int) -> tuple[Reopened, list[str]]:
        """What has a role, and those of other columns that have few labels, at most about so many.

        Of a file they are in memory then, which is not scanned again for each of them; rows of the caller stay.
        """
        file, roles = self.source, self.roles
        if not names or not isinstance(file, Opened) or file.stays:
            return self, [*names]
        inside = file.inside
        counted = ", ".join(f"approx_count_distinct({quoted(inside[name])})" for name in names)
        (labels,) = file.relation.aggregate(counted).fetchall()
        few = [name for name, count in zip(names, labels, strict=True) if count <= 2 * most]
        facets = [facet.column for facet in roles.facets]
        kept = [name for name in (*facets, roles.score, roles.status, roles.replicate, *few) if name]
        columns = tuple(dict.fromkeys(kept))
        held = replace(file, relation=file.only(columns).materialize(), columns=columns, across=None)
        return self._replace(source=held, columns=columns), few

    def answers(self) -> Ungrouped:
        """Every usable answer."""
        return self.engine.ungroup(self.source, self.roles, self.own)

    def rows(self) -> Long:
        """Every row."""
        return self.engine.long(self.source, self.roles, self.own)


def origin_of(judgments: Judgments) -> Origin:
    """Where judgments were read from.

    Raises
    ------
    NotEstimable
        If they were not read from rows, or their facets are others than those that were read and what these tell,
        such as families of judges.
    """
    origin = table_of(judgments).origin
    if origin is None:
        raise NotEstimable("judgments: hold means, not answers; read them from rows")
    read = tuple(facet.name for facet in origin.roles.facets)
    more = len(judgments.names) > len(read)
    told = not more or len(np.unique(judgments.codes[:, : len(read)], axis=0)) == judgments.n_cells
    if judgments.names[: len(read)] != read or not told:
        raise NotEstimable("judgments: facets are not those that were read; pass the table as quorate.read returned it")
    return origin


@contextmanager
def reopened(judgments: Judgments) -> Iterator[Reopened]:
    """The file or frame that judgments were read from.

    Raises
    ------
    NotEstimable
        As `origin_of` does.
    InvalidInput
        If the file is gone.
    InvalidData
        If the file has changed since.
    """
    import narwhals as nw

    from quorate.table.collapse import eager, lazy, sql
    from quorate.table.columns.words import words_in_frame
    from quorate.table.files import explained, located, opened, sha256

    origin = origin_of(judgments)
    own = origin.missing if origin.rows.words is None else NOTHING
    read_as = origin.roles, origin.missing, own
    if is_place(origin.source):
        located(origin.source, origin.rows)  # says in one line that it is gone
        if sha256(origin.source, origin.rows) != judgments.source.sha256:
            raise changed(judgments)
        with opened(origin.source, origin.rows) as file:
            yield Reopened(file, file.columns, sql, *read_as)
        return
    frame = nw.from_native(origin.source)
    columns = tuple(frame.collect_schema().names())
    if frame.implementation.is_duckdb():
        with explained(judgments.source.name):
            held = origin.rows.of(Opened(frame.to_native(), columns, typed=True, stays=True))
            yield Reopened(held, columns, sql, *read_as)
        return
    frame = words_in_frame(frame, origin.rows.words)
    engine: Engine = lazy if isinstance(frame, nw.LazyFrame) else eager
    yield Reopened(frame, columns, engine, *read_as)


def cells_of(judgments: Judgments, facets: Sequence[Coded]) -> Ints:
    """Cell of the judgments for the labels of every row, in the order of the facets; -1 where it is none of them.

    Facets of the judgments beyond those that were read tell no cells apart.
    """
    known = {facet.name for facet in judgments.facets[: len(facets)]}
    read = [replace(f, parent=f.parent if f.parent in known else None) for f in judgments.facets[: len(facets)]]
    columns = []
    for facet, coded in zip(read, facets, strict=True):
        index = {level: code for code, level in enumerate(facet.levels)}
        lookup = [index.get(level, -1) for level in (*coded.levels, ABSENT)]
        columns.append(np.array(lookup, dtype=np.int64)[coded.codes])
    return places(judgments.codes[:, : len(read)], np.column_stack(columns), read)


def refuse_changed(judgments: Judgments, cell: Ints, values: Floats) -> None:
    """Refuse answers, of their cells, that are not those that were counted.

    Raises
    ------
    InvalidData
        If a cell has more or fewer of them, or another sum.
    """
    n = np.bincount(cell, minlength=judgments.n_cells)
    if not np.array_equal(n, judgments.n):
        raise changed(judgments)
    total = np.bincount(cell, values, minlength=judgments.n_cells)
    expected = np.where(n > 0, judgments.mean, 0.0) * n
    scale = np.maximum(np.abs(judgments.low), np.abs(judgments.high)) * n
    if not (np.abs(total - expected) <= _CLOSE * np.nan_to_num(scale)).all():  # false for nan too
        raise changed(judgments)


def changed(judgments: Judgments) -> InvalidData:
    """That the source is not what it was."""
    return InvalidData(f"{judgments.source.name}: has changed since it was read; read it again")


# Answers, every single one, by cell: read again from where judgments came from, when means are not enough.


class Answers(NamedTuple):
    """The usable answers of judgments.

    Parameters
    ----------
    values : array of float64, shape (answers,)
        Cell after cell, in a cell by replicate: numbers by size, then text; without replicates, and among equal ones,
        by value.
    offsets : array of int64, shape (cells + 1,)
        Cell ``c`` has ``values[offsets[c]:offsets[c + 1]]``.
    """

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]


def answers(judgments: Judgments) -> Answers:
    """The single answers behind judgments, read again from their file or frame.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, whole or a part; nothing of its source is held, so the file must still be there.

    Returns
    -------
    Answers
        In the order of the cells, as many as were counted.

    Raises
    ------
    NotEstimable
        If the judgments were not read from rows, or their facets are not those that were read.
    InvalidInput
        If the file is gone.
    InvalidData
        If the file or frame has changed since.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read import read
    >>> frame = polars.DataFrame({"item": ["b", "a", "a"], "rep": [1, 2, 1], "score": [3, 5, 4]})
    >>> values, offsets = answers(read(frame, facets={"item": "item", "replicate": "rep"}))
    >>> values.tolist(), offsets.tolist()
    ([4.0, 5.0, 3.0], [0, 2, 3])
    """
    with reopened(judgments) as source:
        ungrouped = source.answers()
    place = np.append(cells_of(judgments, ungrouped.facets), -1)
    cell = place[ungrouped.cell]
    kept = cell >= 0
    cell, values = cell[kept], ungrouped.values[kept]
    refuse_changed(judgments, cell, values)
    offsets = np.append(0, np.cumsum(judgments.n))
    return Answers(values[np.argsort(cell, kind="stable")], offsets)
