"""Paired differences of two systems, on the cells that both have: shared leniency and difficulty cancel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats, Ints, dense
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.numerics.distributions import t_cdf
from quorate.table.judgments import OK, Judgments, checked
from quorate.wording import brief, listed, plural

_MUCH = 0.1
"""Part of the answered cells that only one system has, above which it is said how many."""
_FEWEST_DF = 2
_CHANCE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class TwoSystems:
    """Answered judgments of two systems, without the facet that tells them apart.

    Parameters
    ----------
    first, second : Judgments
        Those of ``a`` and of ``b``, with the same facets in the same order and the same levels.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.
    missing : int
        Rows of the two systems without a usable score.
    inside : tuple of str
        Facets nested in the systems, whose levels are never shared.
    """

    first: Judgments
    second: Judgments
    a: str
    b: str
    facet: str
    missing: int
    inside: tuple[str, ...] = ()

    @property
    def n_answers(self) -> int:
        """Answers of both."""
        return self.first.n_answers + self.second.n_answers

    @property
    def sides(self) -> tuple[Judgments, Judgments]:
        """The two by themselves: each with the levels that it has, and its cells in the same order."""
        first, second = (side.keep(np.ones(side.n_cells, dtype=bool)) for side in (self.first, self.second))
        return first, second

    @property
    def object(self) -> str:
        """Role of the object of measurement, usually ``item``."""
        return self.first.object

    def shared(self) -> tuple[Ints, Ints]:
        """Cells of either side that the other has too, in the same order."""
        codes = np.vstack([self.first.codes, self.second.codes]).astype(np.int64)
        key = np.zeros(len(codes), dtype=np.int64)
        for position, facet in enumerate(self.first.facets):
            key = dense(key * len(facet.levels) + codes[:, position])
        left, right = np.split(key, [self.first.n_cells])
        _, first, second = np.intersect1d(
            left, right[:0] if self.inside else right, assume_unique=True, return_indices=True
        )
        return first, second


@dataclass(frozen=True, eq=False, repr=False)
class PairedCells:
    """Differences by cell, as judgments of their own.

    Parameters
    ----------
    judgments : Judgments
        One row for every cell that both systems have: mean of ``a`` less mean of ``b``, with the other facets.
    systems : TwoSystems
        What they are differences of.
    left_out : (int, int)
        Answered cells that only ``a`` has, and only ``b``.
    caveats : tuple of Caveat
        What was left out, and what differs between the systems.
    """

    judgments: Judgments
    systems: TwoSystems
    left_out: tuple[int, int]
    caveats: tuple[Caveat, ...]

    def __repr__(self) -> str:
        return brief("PairedCells", f"{self.systems.a} less {self.systems.b}: {self.judgments!r}")


def pairs(judgments: Judgments, a: str, b: str, *, facet: str = "system") -> PairedCells:
    """The difference of two systems in every cell that both have: same item, judge, prompt and so on.

    Replicates of a cell are averaged first, for it is arbitrary which of them to pair. What both systems share, such as
    how lenient a judge is, cancels; what is left of a judge is by how much it favours one of the two.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    a, b : str
        The two systems.
    facet : str
        Role of the systems.

    Returns
    -------
    PairedCells

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both are the same, or the systems are the object of measurement.
    NotEstimable
        If they have no cells in common, or a single item each.

    Notes
    -----
    A cell with n answers of ``a`` and m of ``b`` counts as the whole part of their harmonic mean, which is right where
    they are equal and makes the noise of a cell up to twice too large where they are not.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> rows = {"system": list("xxxyyy"), "item": [1, 2, 3, 1, 2, 3], "score": [4, 5, 3, 2, 4, 3]}
    >>> pairs(q.read(polars.DataFrame(rows), announce=False), "x", "y").judgments.mean
    array([2., 1., 0.])
    """
    return paired(two_systems(judgments, a, b, facet=facet))


def two_systems(judgments: Judgments, a: str, b: str, *, facet: str = "system") -> TwoSystems:
    """The judgments of two systems apart, without facets that only say again which system it is.

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both are the same, or the systems are the object of measurement.
    """
    checked(judgments).facet(facet)
    if facet == judgments.object:
        raise InvalidInput(f'facet: "{facet}" is the object of measurement; read with object= as what it is judged on')
    if a == b:
        raise InvalidInput(f'b: two different levels of {facet} are compared, got "{a}" twice')
    for name in (a, b):
        if name not in judgments.facet(facet).levels:
            raise UnknownTerm(name, judgments.facet(facet).levels, facet)
    answered = judgments.keep(judgments.n > 0)
    column = answered.column(facet)
    levels = answered.facet(facet).levels
    for name in (a, b):
        if name not in levels:
            raise NotEstimable(f"{facet} {name}: none of its judgments has a usable score", {facet})
    masks = [np.asarray(column == levels.index(name)) for name in (a, b)]
    dropped = {facet, *answered.ancestors(facet), *_same_again(answered, masks)}
    kept = [i for i, other in enumerate(answered.facets) if other.name not in dropped]
    first, second = (_without(answered, mask, kept) for mask in masks)
    asked = np.isin(judgments.column(facet), [judgments.level_index(facet, name) for name in (a, b)])
    missing = int(judgments.rows[asked].sum() - judgments.n[asked].sum())
    inside = tuple(name for name in first.names if dropped & set(answered.ancestors(name)))
    return TwoSystems(first, second, a, b, facet, missing, inside)


def paired(apart: TwoSystems) -> PairedCells:
    """The differences of two systems, given apart; see `pairs`.

    Raises
    ------
    NotEstimable
        If they have no cells in common.
    """
    one, two = apart.first, apart.second
    first, second = apart.shared()
    if not len(first):
        others = listed(map(plural, one.names)) if one.names else "facets"
        raise NotEstimable(
            f"{apart.a} and {apart.b} have no cell in common (same {others}): they cannot be paired; "
            "compare their means by " + argument("method", "joint")
        )
    counts = one.n[first], two.n[second]
    n = np.floor(2 / (1 / counts[0] + 1 / counts[1]) + 1e-9).astype(np.int64)
    repeated = _repeated(one)[first] + _repeated(two)[second]
    difference = replace(
        one,
        codes=one.codes[first],
        n=n,
        mean=one.mean[first] - two.mean[second],
        ss=(n - 1) * (_variance(one, first) + _variance(two, second)),
        low=one.low[first] - two.high[second],
        high=one.high[first] - two.low[second],
        status={OK: n},
        distinct=n - repeated,
        origin=None,
    )
    left = one.n_cells - len(first), two.n_cells - len(second)
    names, unequal = (apart.a, apart.b), int((counts[0] != counts[1]).sum())
    cautions = [caveats.missing(apart.missing, apart.missing + apart.n_answers)] if apart.missing else []
    if any(count > _MUCH * (count + len(first)) for count in left):
        cautions.append(caveats.unpaired_cells(names, left, len(first)))
    if unequal:
        cautions.append(caveats.unequal_answers(names, unequal, len(n)))
    return PairedCells(difference.keep(np.ones(len(n), dtype=bool)), apart, left, tuple(cautions))


def _same_again(judgments: Judgments, masks: list[NDArray[np.bool_]]) -> set[str]:
    """Facets that have one level in either system, another one in each."""
    out = set()
    for name in judgments.names:
        column = judgments.column(name)
        first, second = (np.unique(column[mask]) for mask in masks)
        if len(first) == len(second) == 1 and first[0] != second[0]:
            out.add(name)
    if judgments.object in out:
        item = judgments.object
        raise NotEstimable(
            f"{item}: either system has 1 {item}; at least 2 of one are needed for a standard error", {item}
        )
    return out


def _without(judgments: Judgments, mask: NDArray[np.bool_], kept: list[int]) -> Judgments:
    """Some cells of a table with some of its facets."""
    names = {judgments.facets[i].name for i in kept}
    facets = [judgments.facets[i] for i in kept]
    facets = [replace(facet, parent=None) if facet.parent not in names else facet for facet in facets]
    arrays = {name: getattr(judgments, name)[mask] for name in ("n", "mean", "ss", "low", "high")}
    codes = judgments.codes[mask][:, kept]
    status = {name: counts[mask] for name, counts in judgments.status.items()}
    distinct = None if judgments.distinct is None else judgments.distinct[mask]
    return replace(judgments, facets=tuple(facets), codes=codes, status=status, distinct=distinct, **arrays)


def _variance(side: Judgments, cells: Ints) -> Floats:
    """Variance within each cell; 0 where it has one answer, which then counts for no variance."""
    out: Floats = side.ss[cells] / np.maximum(side.n[cells] - 1, 1)
    return out


def _repeated(side: Judgments) -> Ints:
    """Rows of each cell that repeat the key of another; a fit refuses them."""
    return np.zeros(side.n_cells, dtype=np.int64) if side.distinct is None else side.rows - side.distinct


def follow_scores(apart: TwoSystems) -> bool:
    """Whether the scores of a system show which of its cells the other has, beyond chance (p at most .01).

    Pairs are then of cells that were chosen by a score, and their differences are biased.

    Notes
    -----
    Two of Student's t tests for each system, Bonferroni: of items without a shared cell against the others, and of
    shared against other cells within the items that have both.
    """
    tests: list[float] = []
    for side, rows in zip((apart.first, apart.second), apart.shared(), strict=True):
        has = np.zeros(side.n_cells, dtype=bool)
        has[rows] = True
        item = np.unique(side.column(side.object), return_inverse=True)[1]
        count = np.bincount(item)
        of_shared, of_rest = (np.bincount(item[part], minlength=len(count)) for part in (has, ~has))
        mean = np.bincount(item, side.mean) / count
        both = (of_shared > 0) & (of_rest > 0)
        total = np.bincount(item, side.mean * has)
        within = total[both] / of_shared[both] - (mean * count - total)[both] / of_rest[both]
        found = _t_test(mean[of_shared > 0], mean[of_shared == 0]), _t_test(within)
        tests += [p for p in found if p is not None]
    return min(tests, default=1.0) <= _CHANCE / max(len(tests), 1)


def _t_test(*groups: Floats) -> float | None:
    """Student's, of two means that are equal or one that is 0; None where there are too few values or none varies."""
    df = sum(len(group) - 1 for group in groups)
    if df < _FEWEST_DF or min(len(group) for group in groups) == 0:
        return None
    square = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / df
    off = groups[0].mean() - (groups[1].mean() if len(groups) > 1 else 0.0)
    error = float(np.sqrt(square * sum(1 / len(group) for group in groups)))
    return 2 * t_cdf(df, -abs(off) / error) if error > 0 else None
