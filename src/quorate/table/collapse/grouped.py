"""Rows grouped by cell: what every engine returns from its pass over the rows, and the judgments made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.arrays import Floats, dense, in_order, one_of_each
from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.columns.labels import ABSENT, STATUS_WORDS, Coded, statuses_of
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import not_numbers, number
from quorate.table.exchange.format import quoted
from quorate.table.facets import OK, Facet, Source
from quorate.table.judgments import Judgments
from quorate.table.notes import Note
from quorate.wording import counted

Moments = tuple[NDArray[np.int64], Floats, Floats, Floats, Floats]


@dataclass(frozen=True)
class Grouped:
    """The pass over the rows: one entry per cell, in any order.

    Parameters
    ----------
    facets : tuple of Coded
        In the order of the roles.
    rows, n : array of int64, shape (cells,)
        Rows, and rows with a usable score.
    mean, ss, low, high : array of float64, shape (cells,)
        Mean, sum of squares about it, least and greatest of the usable scores; anything where ``n`` is 0.
    status : mapping of str to array of int64, shape (cells,), optional
        Rows per status of the status column; None without one.
    distinct : array of int64, shape (cells,), optional
        Distinct replicate ids, a null one included.
    """

    facets: tuple[Coded, ...]
    rows: NDArray[np.int64]
    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    ss: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    status: Mapping[str, NDArray[np.int64]] | None = None
    distinct: NDArray[np.int64] | None = None

    @property
    def has_unknown(self) -> bool:
        """Whether some row has a status that is not known."""
        return self.status is not None and bool((self.rows > np.sum(list(self.status.values()), axis=0)).any())


@dataclass(frozen=True)
class Ungrouped:
    """Every usable answer: cells in any order, and the answers of each in the order of their replicates.

    Parameters
    ----------
    facets : tuple of Coded
        Labels of every cell, in the order of the roles.
    cell : array of int64, shape (answers,)
        Cell of each answer, -1 where it is in none; the answers of a cell need not follow each other.
    values : array of float64, shape (answers,)
        The answers.
    """

    facets: tuple[Coded, ...]
    cell: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Long:
    """Every row as it was read.

    Parameters
    ----------
    facets : tuple of Coded
        Labels of every row, in the order of the roles.
    score : array of float64, shape (rows,)
        Nan where there is none.
    status : array of str, shape (rows,)
        As it stands there, ``ok`` where no column says it.
    replicate : array of str or None, shape (rows,), optional
        Labels of the replicate.
    """

    facets: tuple[Coded, ...]
    score: NDArray[np.float64]
    status: NDArray[np.object_]
    replicate: NDArray[np.object_] | None


@dataclass(frozen=True)
class Scores:
    """The scores of all rows.

    Parameters
    ----------
    values : array of float64, shape (rows,)
        The numbers; anything where ``present`` is false.
    present : array of bool, shape (rows,)
        Where a score is given and does not stand for none.
    given : array or series
        As it stands there.
    """

    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    given: Any


@dataclass(frozen=True)
class Held:
    """Rows in memory.

    Parameters
    ----------
    facets : tuple of Coded
        Levels and codes of every row, in the order of the roles.
    scores : Scores
    status : Coded, optional
        Without blanks and in lower case.
    replicate : Coded, optional
    """

    facets: tuple[Coded, ...]
    scores: Scores
    status: Coded | None
    replicate: Coded | None


def grouped(held: Held, roles: Roles) -> Grouped:
    """Rows in memory by cell.

    Raises
    ------
    InvalidData
        If a score is not a finite number or a status is not known.
    """
    facets, scores, status, replicate = held.facets, held.scores, held.status, held.replicate
    cell = dense(cell_key([facet.last_if_absent() for facet in facets], [facet.size for facet in facets], roles.facets))
    said = None if status is None else statuses(status, str(roles.status))
    usable = scores.present if said is None else scores.present & said[OK]
    bad = usable & ~np.isfinite(scores.values)
    if bad.any():
        first = int(bad.argmax())
        raise not_numbers(roles.score, int(bad.sum()), scores.given[first], first + 1, int(usable.sum()))
    distinct = None
    if replicate is not None:
        distinct = np.bincount(one_of_each(dense(cell * replicate.size + replicate.last_if_absent()), cell))
    every = np.bincount(cell)
    some = one_of_each(cell, np.arange(len(cell)))
    at, x = (cell, scores.values) if usable.all() else (cell[usable], scores.values[usable])
    n, mean, ss, low, high = moments(at, x, len(every))
    return Grouped(
        facets=tuple(Coded(facet.levels, facet.values, facet.codes[some]) for facet in facets),
        rows=every,
        n=n,
        mean=mean,
        ss=ss,
        low=low,
        high=high,
        status=None if said is None else {s: np.bincount(cell[at], minlength=len(every)) for s, at in said.items()},
        distinct=distinct,
    )


def ungrouped(held: Held, roles: Roles) -> Ungrouped:
    """Every usable answer of rows in memory, as `grouped` finds them."""
    usable = held.scores.present
    if held.status is not None:
        usable = usable & statuses(held.status, str(roles.status))[OK]
    facets = [replace(facet, codes=facet.codes[usable]) for facet in held.facets]
    cell = dense(cell_key([facet.last_if_absent() for facet in facets], [facet.size for facet in facets], roles.facets))
    values = held.scores.values[usable]
    rank = np.zeros(len(values), dtype=np.int64)
    if held.replicate is not None:  # those that are numbers by their size, then others as text, then those without
        numbers = [(level, number(level)) for level in held.replicate.levels]
        keys = [(0, x, level) if x is not None and math.isfinite(x) else (1, 0.0, level) for level, x in numbers]
        place = np.full(len(keys) + 1, len(keys), dtype=np.int64)
        place[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        rank = place[held.replicate.codes][usable]
    order = np.lexsort((values, rank))
    some = one_of_each(cell, np.arange(len(cell)))
    return Ungrouped(tuple(replace(f, codes=f.codes[some]) for f in facets), cell[order], values[order])


def in_rows(held: Held, roles: Roles) -> Long:
    """Every one of the rows in memory as it was read: its labels, replicate, score and status."""
    usable, words = held.scores.present, np.full(len(held.scores.values), OK, dtype=object)
    if held.status is not None:
        for name, rows in statuses(held.status, str(roles.status)).items():
            words[rows] = name
        usable = usable & (words == OK)
    labels = None
    if held.replicate is not None:
        labels = np.array([*held.replicate.levels, None], dtype=object)[held.replicate.codes]
    return Long(held.facets, np.where(usable, held.scores.values, np.nan), words, labels)


def statuses(column: Coded, name: str) -> dict[str, NDArray[np.bool_]]:
    """Whether each row has a status, for those that occur and ok."""
    known = statuses_of(column, name)
    occurring = [status for status in STATUS_WORDS if status == OK or status in known]
    return {status: np.array([word == status for word in known], dtype=np.bool_)[column.codes] for status in occurring}


MOST_SCORE = 1e75
"""Beyond it powers of scores, up to the fourth, are no numbers any more."""


def judgments(grouped: Grouped, roles: Roles, source: Source) -> Judgments:
    """The judgments of a pass over rows, cells in the order of their levels.

    Raises
    ------
    InvalidData
        If there are no rows, an object has no label, or squares of scores overflow.
    """
    if not len(grouped.rows):
        raise InvalidData(f"{source.name}: has no rows; of the ledger of a study, quorate status STUDY says why")
    notes = list(roles.notes)
    both = zip(roles.facets, grouped.facets, strict=True)
    pairs = [_complete(facet, coded, grouped.rows, roles, notes) for facet, coded in both]
    facets = tuple(facet for facet, _ in pairs)
    columns = [codes for _, codes in pairs]
    key = cell_key(columns, [len(facet.levels) for facet in facets], facets)
    order: NDArray[np.int64] | slice = slice(None) if (key[1:] > key[:-1]).all() else in_order(key)[1]
    n, low, high = grouped.n[order], grouped.low[order], grouped.high[order]
    mean = np.where(low == high, low, grouped.mean[order])
    ss = np.where((low == high) | (n == 0), 0.0, grouped.ss[order])
    most = float(max(low[n > 0].min(initial=0), high[n > 0].max(initial=0), key=abs))
    if abs(most) > MOST_SCORE or not np.isfinite(ss).all():
        raise InvalidData(
            f'column "{roles.score}" has scores such as {most:g}, whose squares overflow; if that is no score, say '
            + argument("missing", f"{most:g}")
        )
    status = dict(grouped.status) if grouped.status is not None else {OK: grouped.rows}
    status |= {OK: grouped.n, "missing": status[OK] - grouped.n}
    table = Judgments(
        facets=facets,
        object=roles.object,
        score=roles.score,
        codes=np.column_stack([codes[order].astype(np.int32) for codes in columns]),
        n=n,
        mean=mean,
        ss=ss,
        low=low,
        high=high,
        status={name: count[order] for name, count in status.items() if count.any()},
        replicate=roles.replicate,
        distinct=None if grouped.distinct is None else grouped.distinct[order],
        source=source,
        notes=(),
    )
    return replace(table, notes=(*notes, *_notes(table, roles)))


def cell_key(codes: Sequence[NDArray[np.int64]], sizes: Sequence[int], facets: Sequence[Facet]) -> NDArray[np.int64]:
    """One integer per row for its combination of levels, ascending in the order that cells have.

    That order goes by the first facet and those it is nested in, then by the next. The integers are kept small by
    counting only the combinations that occur, so that finding them again takes linear time.
    """
    place = {facet.name: position for position, facet in enumerate(facets)}
    parents = {facet.name: facet.parent for facet in facets}
    sequence: dict[str, None] = {}
    for facet in facets:
        name: str | None = facet.name
        while name is not None:
            sequence.setdefault(name)
            name = parents[name]
    first, *rest = (place[name] for name in sequence)
    key, span = codes[first], sizes[first]
    for position in rest:
        if span * sizes[position] > 4 * len(key):
            key = dense(key)
            span = int(key.max(initial=0)) + 1
        key, span = key * sizes[position] + codes[position], span * sizes[position]
    return key


def places(known: NDArray[Any], wanted: NDArray[Any], facets: Sequence[Facet]) -> NDArray[np.int64]:
    """Row of ``known`` that has the same codes as each row of ``wanted``; -1 where there is none, or a code is -1.

    Parameters
    ----------
    known, wanted : array of int, shape (rows, facets)
        Codes into the levels of the facets; no row of ``known`` comes twice.
    facets : sequence of Facet
        With their levels.
    """
    labelled = (wanted >= 0).all(axis=1)
    both = np.concatenate([known, wanted[labelled]]).astype(np.int64)
    key = dense(cell_key(list(both.T), [len(facet.levels) for facet in facets], facets))
    place = np.full(int(key.max(initial=-1)) + 1, -1, dtype=np.int64)
    place[key[: len(known)]] = np.arange(len(known))
    out = np.full(len(wanted), -1, dtype=np.int64)
    out[labelled] = place[key[len(known) :]]
    return out


def squares(variance: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums of squares about the mean from sample variances; 0 for one answer or none."""
    return np.where(n > 1, variance * np.maximum(n - 1, 0), 0.0) if n.max(initial=0) > 1 else np.zeros(len(n))


def moments(cell: NDArray[np.int64], x: NDArray[np.float64], cells: int) -> Moments:
    """Count, mean, sum of squares about the mean, least and greatest of ``x`` in each cell; nan where there is none."""
    n = np.bincount(cell, minlength=cells).astype(np.int64, copy=False)
    if int(n.max(initial=0)) <= 1:
        alone = np.full(cells, np.nan)
        alone[cell] = x
        return n, alone, np.where(n > 0, 0.0, np.nan), alone, alone
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean: Floats = np.bincount(cell, x, minlength=cells) / n
        ss: Floats = np.bincount(cell, (x - mean[cell]) ** 2, minlength=cells).astype(np.float64, copy=False)
    low, high = np.full(cells, np.inf), np.full(cells, -np.inf)
    np.minimum.at(low, cell, x)
    np.maximum.at(high, cell, x)
    return n, mean, ss, np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def _complete(
    facet: Facet, coded: Coded, rows: NDArray[np.int64], roles: Roles, notes: list[Note]
) -> tuple[Facet, NDArray[np.int64]]:
    if not coded.absent:
        return replace(facet, levels=coded.levels, values=coded.values), coded.codes
    count = int(rows[coded.codes < 0].sum())
    empty = counted(count, "row")
    if facet.name == roles.object:
        fix = argument("where", f"{quoted(facet.column)} IS NOT NULL") + ", or name another column with "
        raise InvalidData(
            f'column "{facet.column}" is empty in {empty}; every row needs its {facet.name}: leave these out, '
            + fix
            + argument("facets", {facet.name: ...})
        )
    if ABSENT in coded.levels:
        raise InvalidData(
            f'column "{facet.column}" has rows labelled "{ABSENT}" and {empty} without one: leave these out, '
            + argument("where", f"{quoted(facet.column)} IS NOT NULL")
        )
    notes.append(without_label(facet.name, count))
    values = None if coded.values is None or not coded.levels else np.append(coded.values, np.nan)
    return replace(facet, levels=(*coded.levels, ABSENT), values=values), coded.last_if_absent()


def without_label(name: str, count: int) -> Note:
    """The note that rows do not say which level of a facet they are of."""
    return Note(f'{name}: {counted(count, "row")} without a label: level "{ABSENT}"')


def _notes(table: Judgments, roles: Roles) -> list[Note]:
    notes = []
    for facet in table.facets:
        if facet.parent is None or table.n_levels(facet.name) == len(facet.levels):
            continue
        if facet.name == roles.object and roles.guessed is not None:
            raise InvalidData(
                f'column "{roles.guessed}": some labels of {facet.name} occur under several; say which it is: '
                + argument("nested", {facet.name: roles.guessed})
                + " if labels start again in each, or name the facets"
            )
        text = f"{facet.name}: labels occur under several levels of {facet.parent} and are counted within them"
        notes.append(Note(text))
    if table.replicate is None and (table.rows > 1).any():
        notes.append(Note("no replicate column: rows that repeat a cell are taken as its replicates"))
    return notes


# Judgments pooled over a facet: as if it had not been told apart.


def pooled(judgments: Judgments, name: str) -> Judgments:
    """The same answers without a facet: cells that differ in it alone are one.

    Parameters
    ----------
    judgments : Judgments
        None of whose facets is nested in this one.
    name : str
        The facet.

    Raises
    ------
    UnknownTerm
        If there is no such facet.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": [1, 1, 2, 2], "day": ["mon", "tue"] * 2, "score": [1, 3, 2, 2]}
    >>> table = pooled(q.read(polars.DataFrame(rows), facets={"item": "item", "day": "day"}), "day")
    >>> table.n.tolist(), table.mean.tolist(), table.ss.tolist()
    ([2, 2], [2.0, 2.0], [2.0, 0.0])
    """
    place = judgments.names.index(judgments.facet(name).name)
    others = [other for other in judgments.names if other != name]
    cell = judgments.level_codes(others)
    size = int(cell.max(initial=-1)) + 1
    n = np.bincount(cell, judgments.n, size)
    mean = np.nan_to_num(judgments.mean)
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = np.bincount(cell, judgments.n * mean, size) / n
    shift = np.where(judgments.n > 0, mean - whole[cell], 0.0)
    ss: NDArray[np.float64] = np.bincount(cell, judgments.ss + judgments.n * shift**2, size).astype(np.float64)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.fmin.at(low, cell, judgments.low)
    np.fmax.at(high, cell, judgments.high)
    first = np.zeros(size, dtype=np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    status = {key: np.bincount(cell, count, size).astype(np.int64) for key, count in judgments.status.items()}
    return replace(
        judgments,
        facets=tuple(facet for facet in judgments.facets if facet.name != name),
        codes=np.delete(judgments.codes[first], place, axis=1),
        n=n.astype(np.int64),
        mean=whole,
        ss=ss,
        low=np.where(n > 0, low, np.nan),
        high=np.where(n > 0, high, np.nan),
        status=status,
        distinct=None,
        origin=None,
    )
