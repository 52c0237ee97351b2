"""Description of judgments: what is there, what is missing, how it is laid out. No statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.frozen import dataclass
from quorate.table.results import plain
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.arrays import Ints
    from quorate.table.collapsed import Collapsed
    from quorate.table.facets import Facet


# Crossings of facets: crossed, nested, or in between.


COMPLETE, PARTIAL, NESTED, ONE_TO_ONE, ONE_LEVEL = "complete", "partial", "nested", "one-to-one", "one level"


@dataclass(frozen=True)
class Crossing:
    """How two facets meet in the cells.

    Parameters
    ----------
    a, b : str
        Roles. Where one is nested in the other, ``a`` is the inner one.
    kind : str
        ``complete``: every pair of levels occurs; ``nested``: each level of ``a`` occurs with one level of ``b``;
        ``one-to-one``: each is nested in the other; ``one level``: nothing to cross; ``partial``: in between.
    pairs : int
        Pairs of levels that occur.
    share : float
        Of all pairs of levels, those that occur.
    """

    a: str
    b: str
    kind: str
    pairs: int
    share: float


@dataclass(frozen=True)
class FullCrossing:
    """The design if every combination were judged, given the nesting that was declared.

    Parameters
    ----------
    cells : float
        Number of cells; a float because it can be beyond any integer type.
    by_label : mapping of str to array of float, shape (levels,)
        Cells at each label, per facet.
    """

    cells: float
    by_label: dict[str, NDArray[np.float64]]


def crossing(layout: Collapsed, a: str, b: str) -> Crossing:
    """How two facets meet."""
    n_a, n_b = layout.n_levels(a), layout.n_levels(b)
    pairs = int(layout.level_codes([a, b]).max(initial=-1)) + 1
    share = pairs / (n_a * n_b)
    if n_a == 1 or n_b == 1:
        return Crossing(a, b, ONE_LEVEL, pairs, share)
    if pairs == n_a == n_b:
        return Crossing(a, b, ONE_TO_ONE, pairs, share)
    if pairs == n_a:
        return Crossing(a, b, NESTED, pairs, share)
    if pairs == n_b:
        return Crossing(b, a, NESTED, pairs, share)
    return Crossing(a, b, COMPLETE if pairs == n_a * n_b else PARTIAL, pairs, share)


def crossings(layout: Collapsed) -> tuple[Crossing, ...]:
    """How every two facets meet."""
    names = [facet.name for facet in layout.facets]
    return tuple(crossing(layout, a, b) for a, b in combinations(names, 2))


def full_crossing(layout: Collapsed) -> FullCrossing:
    """Cells of the design if every combination of levels were judged."""
    codes = {facet.name: layout.level_codes([facet.name]) for facet in layout.facets}
    above = {f.name: _one_per_level(codes[f.name], codes[f.parent]) for f in layout.facets if f.parent is not None}
    outward = sorted(layout.facets, key=lambda facet: -len(layout.ancestors(facet.name)))
    size = {facet.name: np.ones(layout.n_levels(facet.name)) for facet in layout.facets}
    for facet in outward:
        if facet.parent is not None:
            size[facet.parent] *= np.bincount(above[facet.name], weights=size[facet.name])
    cells = float(np.prod([size[facet.name].sum() for facet in layout.facets if facet.parent is None]))
    share: dict[str, NDArray[np.float64]] = {}
    by_label: dict[str, NDArray[np.float64]] = {}
    for facet in reversed(outward):
        own = size[facet.name]
        if facet.parent is None:
            share[facet.name] = own / float(own.sum())
        else:
            parent = above[facet.name]
            siblings = np.bincount(parent, weights=own).astype(np.float64)
            share[facet.name] = share[facet.parent][parent] * own / siblings[parent]
        label = _one_per_level(codes[facet.name], layout.column(facet.name).astype(np.int64))
        labelled = np.bincount(label, weights=share[facet.name], minlength=len(facet.levels))
        by_label[facet.name] = cells * labelled.astype(np.float64)
    return FullCrossing(cells, {facet.name: by_label[facet.name] for facet in layout.facets})


def _one_per_level(codes: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    out[codes] = values
    return out


@dataclass(frozen=True)
class FacetFacts:
    """One facet: role, column, levels (counted within parents), whether fixed, and what it is nested in."""

    name: str
    column: str
    levels: int
    fixed: bool
    parent: str | None


@dataclass(frozen=True)
class StatusCount:
    """Rows with one status, and their share of all rows."""

    name: str
    rows: int
    share: float


@dataclass(frozen=True)
class Balance:
    """How evenly the answers are spread.

    Parameters
    ----------
    least, median, most : float
        Answers per cell, over the cells that occur.
    full : float
        Cells of the full crossing of the levels, given the nesting that was declared.
    share : float
        Of those, the cells that occur.
    complete : bool
        Whether all of them occur.
    balanced : bool
        Whether all of them occur with equally many answers.
    """

    least: int
    median: float
    most: int
    full: float
    share: float
    complete: bool
    balanced: bool


@dataclass(frozen=True)
class MissingByLevel(Brief):
    """What is missing at each level of one facet.

    Parameters
    ----------
    facet : str
        Role.
    levels : tuple of str
        Labels.
    rows, missing : array of int64, shape (levels,)
        Rows, and those without a usable score.
    cells : array of int64, shape (levels,)
        Cells that occur.
    absent : array of int64, shape (levels,), optional
        Cells of the full crossing that do not occur; None unless every two facets are crossed or declared nested.
    """

    facet: str
    levels: tuple[str, ...]
    rows: NDArray[np.int64]
    missing: NDArray[np.int64]
    cells: NDArray[np.int64]
    absent: NDArray[np.int64] | None

    @property
    def share(self) -> NDArray[np.float64]:
        """Of the rows at each level, those without a usable score."""
        return self.missing / self.rows


@dataclass(frozen=True)
class Duplicates(Brief):
    """Rows that repeat the key of another row.

    Parameters
    ----------
    rows : int
        Rows beyond the first with the same facets and replicate.
    first : mapping of str to str, optional
        Labels of the first cell that has such rows.
    """

    rows: int
    first: Mapping[str, str] | None


@dataclass(frozen=True)
class Constancy:
    """Where scores do not vary.

    Parameters
    ----------
    all : bool
        Whether every score is the same.
    cells, constant_cells : int
        Cells with more than one answer, and those of them whose answers are all equal.
    objects, constant_objects : int
        Objects with more than one answer, and those of them whose answers are all equal.
    """

    all: bool
    cells: int
    constant_cells: int
    objects: int
    constant_objects: int


@dataclass(frozen=True)
class ScoreFacts:
    """The scores: range (nan without any), and whether they take two values or whole values only.

    ``integers`` is judged by the sums and sums of squares of each cell.
    """

    low: float
    high: float
    binary: bool
    integers: bool


@dataclass(frozen=True)
class Description(Brief):
    """Facts about judgments.

    Parameters
    ----------
    object : str
        Role of the object of measurement.
    rows, answers, cells : int
        Rows, rows with a usable score, and combinations of levels that occur.
    facets : tuple of FacetFacts
    statuses : tuple of StatusCount
        Those that occur.
    crossings : tuple of Crossing
        One per pair of facets, judged by the cells that occur, answered or not.
    balance : Balance
    missing : tuple of MissingByLevel
        One per facet.
    duplicates : Duplicates, optional
        None without a replicate column, when repeated rows are replicates.
    constancy : Constancy
    scores : ScoreFacts
    """

    object: str
    rows: int
    answers: int
    cells: int
    facets: tuple[FacetFacts, ...]
    statuses: tuple[StatusCount, ...]
    crossings: tuple[Crossing, ...]
    balance: Balance
    missing: tuple[MissingByLevel, ...]
    duplicates: Duplicates | None
    constancy: Constancy
    scores: ScoreFacts

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON; nan becomes None."""
        return {part.name: plain(getattr(self, part.name)) for part in fields(self)}


def describe(table: Collapsed, scores: ScoreFacts) -> Description:
    """What a table of judgments holds: facets, crossing, balance, what is missing, repeated or constant.

    Examples
    --------
    >>> import polars
    >>> from quorate.table.read import read
    >>> frame = polars.DataFrame({"item": ["a", "a", "b"], "judge": ["x", "y", "x"], "score": [1, 2, 3]})
    >>> read(frame).describe().crossings[0].share
    0.75
    """
    pairs, full = crossings(table), full_crossing(table)
    rows = int(table.rows.sum())
    declared = {(facet.name, above) for facet in table.facets for above in table.ancestors(facet.name)}
    crossed = all(
        pair.kind in (COMPLETE, ONE_LEVEL) or {(pair.a, pair.b), (pair.b, pair.a)} & declared for pair in pairs
    )
    least, most, complete = int(table.n.min()), int(table.n.max()), table.n_cells == full.cells
    return Description(
        object=table.object,
        rows=rows,
        answers=int(table.n.sum()),
        cells=table.n_cells,
        facets=tuple(FacetFacts(f.name, f.column, table.n_levels(f.name), f.fixed, f.parent) for f in table.facets),
        statuses=tuple(StatusCount(name, int(n.sum()), int(n.sum()) / rows) for name, n in table.status.items()),
        crossings=pairs,
        balance=Balance(
            least=least,
            median=float(np.median(table.n)),
            most=most,
            full=full.cells,
            share=table.n_cells / full.cells,
            complete=complete,
            balanced=complete and least == most,
        ),
        missing=tuple(_missing_by_level(table, facet, full, crossed=crossed) for facet in table.facets),
        duplicates=duplicates(table),
        constancy=constancy(table),
        scores=scores,
    )


def duplicates(table: Collapsed) -> Duplicates | None:
    """Rows that repeat the facets and replicate of another row; None without a replicate column."""
    if table.distinct is None:
        return None
    extra = table.rows - table.distinct
    if not extra.any():
        return Duplicates(0, None)
    cell = int(np.argmax(extra > 0))
    first = {facet.name: facet.levels[table.column(facet.name)[cell]] for facet in table.facets}
    return Duplicates(int(extra.sum()), first)


def _missing_by_level(table: Collapsed, facet: Facet, full: FullCrossing, *, crossed: bool) -> MissingByLevel:
    """What is missing at each level of a facet; of absent cells only where all facets are ``crossed`` or nested."""
    column, levels = table.column(facet.name), len(facet.levels)
    cells = np.bincount(column, minlength=levels)
    sums = (np.bincount(column, weights=counts, minlength=levels) for counts in (table.rows, table.n))
    rows, answers = (np.rint(total).astype(np.int64) for total in sums)
    expected = np.rint(full.by_label[facet.name]).astype(np.int64) if crossed else None
    absent = None if expected is None else expected - cells
    return MissingByLevel(facet.name, facet.levels, rows, rows - answers, cells, absent)


def constancy(table: Collapsed) -> Constancy:
    """Where the answers of a cell, or of an object, are all equal."""
    code = table.level_codes([table.object])
    n = np.bincount(code, weights=table.n)
    answered = table.n > 0
    low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
    np.minimum.at(low, code[answered], table.low[answered])
    np.maximum.at(high, code[answered], table.high[answered])
    several = table.n > 1
    return Constancy(
        all=bool(answered.any()) and float(low.min()) == float(high.max()),
        cells=int(several.sum()),
        constant_cells=int((several & (table.low == table.high)).sum()),
        objects=int((n > 1).sum()),
        constant_objects=int(((n > 1) & (low == high)).sum()),
    )


_SOME = 2**14
"""Cells looked at together: what a processor keeps at hand."""


def score_facts(table: Collapsed) -> ScoreFacts:
    """Range of the scores, and what values they take, by the moments of each cell; nothing is known of labels."""
    some = table.n > 0
    if table.labels or not some.any():
        return ScoreFacts(math.nan, math.nan, binary=False, integers=False)
    low, high = (
        float(np.min(table.low, where=some, initial=math.inf)),
        float(np.max(table.high, where=some, initial=-math.inf)),
    )
    cells, binary, integers = np.flatnonzero(some), True, True
    for start in range(0, len(cells), _SOME):
        ends, whole = _marks(table, cells[start : start + _SOME], low, high)
        binary, integers = binary and ends, integers and whole
        if not (binary or integers):  # mostly the first cells tell that there are other values
            break
    return ScoreFacts(low, high, binary=binary, integers=integers)


def _marks(table: Collapsed, some: Ints, low: float, high: float) -> tuple[bool, bool]:
    """Whether scores of some cells are all at one of two ends, and whether they are all whole numbers."""
    n, mean, ss = table.n[some], table.mean[some], table.ss[some]
    upper = (mean - low) / (high - low) if high > low else np.zeros(len(mean))
    # of all scores in a range with a given mean, those at its two ends vary most
    most = n * upper * (1 - upper) * (high - low) ** 2
    at_ends = np.abs(ss - most) <= 1e-12 * (high - low) ** 2 + 1e-9 * np.abs(most)
    more = n > 2  # two scores are at the ends of their cell
    ends = (table.low[some], table.high[some], (n * mean)[more], (ss + n * mean**2)[more])
    integers = all(bool((np.abs(x - np.rint(x)) <= 1e-7 + 1e-12 * np.abs(x)).all()) for x in ends)
    return high > low and bool(at_ends.all()), integers
