"""Leverage: what each unit brings to a difference of ratings, and the degrees of freedom that follow.

A system seen in few clusters is known as well as these few tell, however many clusters there are. The part of a unit in
the information on a contrast says how much smaller its residuals are for having been fitted, and how many units the
standard error of that contrast is worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import MANY, Design, Fit, Likelihood, Told, anchored, vote_slopes
from quorate.numerics.ratings.draws import Units, inverse_information
from quorate.numerics.ratings.freedom import Freedom, spent
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.ties import summary

# Leverage on large boards: what each unit brings to the ratings of the systems that it has votes on.
#
# A vote tells most of its two systems, and little of others. With the votes of a unit taken to tell of the systems they
# are on and of no other, its part in a difference of two ratings is a sum of two terms, and parts of all units in all
# differences are products of sparse matrices (``docs/methods/ratings.md``).


_MOST = 1 - 1e-9
_SPARSE = 0.1  # part of all pairs that some unit has both of, from which on a matrix of all is kept
_ROWS = 2**17  # entries of a block of rows: what a processor keeps at hand


@dataclass(frozen=True, eq=False)
class PerVote:
    """The information of a vote of every order and cell, on average over its votes, and rows of the design.

    Parameters
    ----------
    rows, tie_rows : sparse array, shape (cells, parameters)
        What the gap, and the parameter of ties, are of the parameters.
    curvature, cross, tie : array, shape (cells,)
        Information on the gap, on both, on the parameter of ties.
    tied : bool
        Whether there is one.
    """

    rows: Any
    tie_rows: Any
    curvature: Floats
    cross: Floats
    tie: Floats
    tied: bool

    @property
    def size(self) -> int:
        """Orders and cells."""
        return int(self.rows.shape[0])

    @property
    def cell(self) -> Ints:
        """The cell of every entry of the counts."""
        return np.arange(3 * self.size) // 3

    def trace(self, inverse: Floats) -> Floats:
        """Leverage of a vote of each cell on all contrasts together: no contrast has more."""
        total = self.curvature * _through(self.rows, self.rows, inverse)
        if self.tied:
            total += 2 * self.cross * _through(self.rows, self.tie_rows, inverse)
            total += self.tie * _through(self.tie_rows, self.tie_rows, inverse)
        return np.asarray(total)

    def some(self, cells: Ints | Bools) -> PerVote:
        """The same of some cells."""
        known = self.curvature[cells], self.cross[cells], self.tie[cells]
        return PerVote(self.rows[cells], self.tie_rows[cells], *known, self.tied)

    def along(self, x: Floats) -> Floats:
        """What a vote of each cell says of each column."""
        gap = self.rows @ x
        told = self.curvature[:, None] * gap**2
        if self.tied:
            even = self.tie_rows @ x
            told += 2 * self.cross[:, None] * gap * even + self.tie[:, None] * even**2
        return np.asarray(told)

    def roots(self, votes: Floats) -> Floats:
        """A row for the gap of every cell and, with ties, one for their parameter."""
        curvature, cross, tie = (votes * column for column in (self.curvature, self.cross, self.tie))
        root = np.sqrt(curvature)
        factor: Floats = root[:, None] * self.rows.toarray()
        if not self.tied:
            return factor
        even = self.tie_rows.toarray()
        factor += (cross / root)[:, None] * even
        return np.append(factor, np.sqrt(np.maximum(tie - cross**2 / curvature, 0.0))[:, None] * even, axis=0)


def per_vote(design: Design, units: Units, theta: Floats) -> PerVote:
    """Rows of the design for every order and cell, and the information of a vote of each."""
    counts = units.size if units.matrix is None else units.size @ units.matrix
    known = summary(np.asarray(counts).reshape(*design.shape, 1))
    at = design.cells(known, theta)
    votes = np.where(known.votes > 0, known.votes, np.inf)
    curvature, cross, tie = (np.ravel(total / votes) for total in (at.curvature, at.cross, at.tie_curvature))
    return PerVote(design.rows, design.tie_rows, curvature, cross, tie, design.tied)


class OwnGaps(NamedTuple):
    """Row of the design of every order and cell times the inverse information.

    Parameters
    ----------
    a, b : array, shape (orders * cells,)
        At the two systems of the cell.
    tie_a, tie_b : array, shape (orders * cells,)
        The row of its ties, at the two systems.
    """

    a: Floats
    b: Floats
    tie_a: Floats
    tie_b: Floats


def own_gaps(design: Design, inverse: Floats) -> OwnGaps:
    """The gap of every order and cell, by the inverse information, at its own systems."""
    a, b = (np.tile(side, len(design.sign)) for side in (design.a, design.b))
    none = np.zeros(len(a))
    ties = [_at(design.tie_rows, side, inverse) for side in (a, b)] if design.tied else [none, none]
    return OwnGaps(_at(design.rows, a, inverse), _at(design.rows, b, inverse), *ties)


def _at(rows: Any, column: Ints, inverse: Floats) -> Floats:
    """Every row times the inverse information, in one column for each."""
    row = np.repeat(np.arange(len(column)), np.diff(rows.indptr))
    found = np.bincount(row, rows.data * inverse[rows.indices, column[row]], len(column))
    return found.astype(np.float64, copy=False)


def _through(rows: Any, others: Any, inverse: Floats) -> Floats:
    """Every row times the inverse information times the same row of the others."""
    size = np.diff(others.indptr)
    total = np.zeros(len(size))
    for entry in range(int(size.max(initial=0))):  # of each row its first entry, then its second, and so on
        place = np.minimum(others.indptr[:-1] + entry, len(others.indices) - 1)
        value = np.where(size > entry, others.data[place], 0.0)
        total += value * _at(rows, others.indices[place], inverse)
    return total


def _by_ends(
    design: Design,
    cells: PerVote,
    ends: OwnGaps,
    units: Units,
    heavy: Ints,
    votes: Any,
    votes_of_all: Floats,
    slopes: tuple[Floats, Floats],
) -> tuple[Floats, Floats | Freedom]:
    """Excess variance of each rating by itself, shape (parameters,), and degrees of freedom of all differences.

    ``heavy`` units are taken by their leverage, with ``votes`` by cell; ``slopes`` are derivatives of the log
    likelihood of a vote of every cell and outcome in its gap and its parameter of ties.
    """
    s, size = design.systems, units.size[heavy]
    a, b = (np.tile(side, len(design.sign)) for side in (design.a, design.b))

    def brought(x: Floats, y: Floats, at_x: Floats, at_y: Floats) -> Floats:
        return cells.curvature * x * y + cells.cross * (x * at_y + y * at_x) + cells.tie * at_x * at_y

    of_a, of_b = brought(ends.a, ends.a, ends.tie_a, ends.tie_a), brought(ends.b, ends.b, ends.tie_b, ends.tie_b)
    # Part of a unit in each rating, and what its votes between two systems add to the difference of these.
    at_ends, across = _at_ends(of_a, of_b, a, b, s), -2 * brought(ends.a, ends.b, ends.tie_a, ends.tie_b)
    told, both = (votes @ at_ends).tocsr(), _by_pair(design, votes, across)
    # What all votes tell of the systems that they are on, by which parts are parts of a whole.
    of_all = votes_of_all @ at_ends
    all_direct = _between(design, np.tile(np.arange(len(design.a)), len(design.sign)), votes_of_all * across)
    excess = np.zeros(design.parameters)
    excess[:s] = _excess(units, heavy, told, of_all, _moved(design, ends, units, heavy, slopes))
    sums = np.asarray(size @ told).ravel()
    gram = (told.multiply(size[:, None]).T @ told).tocsr()
    unit, pair = both.coords
    around = np.asarray(told[unit, design.a[pair]] + told[unit, design.b[pair]]).ravel()
    squares = _between(design, pair, size[unit] * (2 * both.data * around + both.data**2))
    direct = _between(design, pair, size[unit] * both.data)
    even = units.evenness(heavy)
    alone, free, matrices = gram.diagonal(), max(units.effective - 1, 1.0), (all_direct, gram, squares, direct)

    def between(rows: Ints, columns: Ints, direct_of_all: Any, together: Any, squares: Any, direct: Any) -> Floats:
        two = rows != columns  # on the diagonal, a rating by itself
        known, square, part = (one[rows] + two * one[columns] for one in (of_all, alone, sums))
        known = known + direct_of_all
        return spent((square + two * (2 * together + squares)) / known**2, (part + direct) / known, even)

    if s > MANY and gram.nnz <= _SPARSE * s**2:
        from scipy.sparse import eye_array

        met = (abs(gram) + abs(all_direct) + eye_array(s)).tocsr()
        i, j = np.repeat(np.arange(s), np.diff(met.indptr)), met.indices
        met.data = between(i, j, *(np.asarray(one[i, j]).ravel() for one in matrices)).astype(np.float32)
        single: list[Any] = [one.astype(np.float32) for one in (of_all, alone, sums)]
        known, square, part = single
        return excess, Freedom(known, square, part, even, met, np.full(design.parameters - s, free), free)
    df: Any = np.full((design.parameters, design.parameters), free, dtype=np.float32)
    for start in range(0, s, max(1, _ROWS // s)):
        rows = np.arange(start, min(start + max(1, _ROWS // s), s))
        df[rows, :s] = between(
            rows[:, None], np.arange(s), *(one[rows[0] : rows[-1] + 1].toarray() for one in matrices)
        )
    return excess, df


def _at_ends(of_a: Floats, of_b: Floats, a: Ints, b: Ints, systems: int) -> Any:
    """Sparse, shape (rows, systems): one number at each of two systems."""
    from scipy.sparse import csr_array

    rows = np.arange(0, 2 * len(of_a) + 1, 2)
    data, place = (np.stack(both, axis=1).ravel() for both in ((of_a, of_b), (a, b)))
    return csr_array((data, place, rows), shape=(len(of_a), systems))


def _by_pair(design: Design, votes: Any, value: Floats) -> Any:
    """What the votes of each unit between two systems add to their difference, by unit and pair, sparse."""
    from scipy.sparse import csr_array

    pairs = len(design.a)
    place = np.tile(np.arange(pairs), len(design.sign))
    to_pairs = csr_array((value, place, np.arange(len(value) + 1)), shape=(len(value), pairs))
    return (votes @ to_pairs).tocoo()


def _between(design: Design, pair: Ints, value: Floats) -> Any:
    """Sums by pair as a symmetric sparse matrix of systems."""
    from scipy.sparse import coo_array

    total = np.bincount(pair, value, len(design.a))
    place = np.append(design.a, design.b), np.append(design.b, design.a)
    return coo_array((np.append(total, total), place), shape=(design.systems,) * 2).tocsr()


def _moved(design: Design, ends: OwnGaps, units: Units, heavy: Ints, slopes: tuple[Floats, Floats]) -> Any:
    """How far each unit moves the ratings of its systems, sparse."""
    left, even = (part.ravel() for part in slopes)
    a, b = (np.repeat(np.tile(side, len(design.sign)), 3) for side in (design.a, design.b))
    of_a = left * np.repeat(ends.a, 3) + even * np.repeat(ends.tie_a, 3)
    of_b = left * np.repeat(ends.b, 3) + even * np.repeat(ends.tie_b, 3)
    moved = _at_ends(of_a, of_b, a, b, design.systems)
    return moved[heavy] if units.matrix is None else units.matrix[heavy] @ moved


def _excess(units: Units, heavy: Ints, told: Any, of_all: Floats, moved: Any) -> Floats:
    """Excess variance of each rating, as against a system of which as much is known as of others."""
    entries = told.tocoo()
    unit, system = entries.coords
    typical = np.asarray(told.sum(axis=1)).ravel() / told.shape[1]
    part = (entries.data + typical[unit]) / (of_all[system] + of_all.mean())
    divisor = 1 / (1 - np.minimum(part, _MOST)) - 1 / (1 - units.share[heavy])[unit]
    moved2 = np.asarray(moved[unit, system]).ravel() ** 2
    return np.asarray(np.bincount(system, units.size[heavy][unit] * moved2 * divisor, told.shape[1]), dtype=np.float64)


SMALL = 0.01
"""A unit with no more of the information on any contrast than this is taken by its part of the votes."""

_BLOCK = 2**21
_EXACT = 2**28  # cells times contrasts: a few seconds
_WHOLE = 1 - 1e-9


class Leverage(NamedTuple):
    """What the units tell of each parameter (on the diagonal; ratings about their mean) and of each difference of two.

    Parameters
    ----------
    excess : array, shape (parameters, parameters) or (parameters,)
        What leverage adds to the variance that the parts of all votes give; or to that of each parameter by itself.
    df : array, shape (parameters, parameters)
        ``1 / sum h_g^2 - 1`` over units with parts h of the information; at least 1.
    whole : bool
        Whether something is known from one unit only: without it the information is singular.
    """

    excess: Floats
    df: Floats | Freedom
    whole: bool


def leverage(design: Design | Choices, at: Fit, ridge: float, units: Units, inverse: Floats | None = None) -> Leverage:
    """Leverage of units on the parameters and on differences of ratings.

    On a board so large that this would take longer than all else, a vote is taken to tell of its two systems only
    (`quorate.numerics.ratings.leverage`).

    Parameters
    ----------
    design : Design or Choices
        What the counts compare.
    at : Fit
        A single fit.
    ridge : float
        Its ridge.
    units : Units
        What is independent.
    inverse : array, shape (parameters, parameters), optional
        `inverse_information` of the fit, if it is at hand.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181. Carter, Schnepel and Steigerwald (2017), Review of
    Economics and Statistics 99, 698-709: the effective number of clusters of a coefficient.
    """
    p = design.parameters
    df: Any
    inverse = inverse_information(design, at, ridge) if inverse is None else inverse
    cells = design.told(at.theta) if isinstance(design, Choices) else per_vote(design, units, at.theta)
    votes = _votes(units, cells)
    most = votes @ cells.trace(inverse)
    heavy = np.flatnonzero((most > SMALL) & (units.size > 0))
    free = np.broadcast_to(max(units.effective - 1, 1.0), (p, p))
    if not len(heavy):
        return Leverage(np.zeros(p), free, False)
    told = votes[heavy]
    used = np.unique(told.indices)
    few, brought = cells.some(used), told[:, used]
    theta = at.theta[:, 0]
    each = design.gradients(theta)[heavy] if units.matrix is None else design.gradients(theta, units.matrix[heavy])
    # Contrasts: differences of two ratings, and every parameter by itself.
    pairs = design.systems * (design.systems - 1) // 2
    if isinstance(design, Choices) or (len(used) * pairs <= _EXACT and design.systems <= MANY):
        first, second = (np.append(side, np.arange(p)) for side in np.triu_indices(design.systems, 1))
        excess, df = np.zeros((p, p)), np.array(free)
        added, left = _of_contrasts(design, few, inverse, units, heavy, brought, each, first, second)
        excess[first, second] = excess[second, first] = added
        df[first, second] = df[second, first] = left
    else:
        own, ends = per_vote(design, units, at.theta), own_gaps(design, inverse)
        slopes = vote_slopes(design, theta)
        excess, df = _by_ends(design, own, ends, units, heavy, told, units.size @ votes, slopes)
        others = np.arange(design.systems, p)
        excess[others], left = _of_contrasts(design, few, inverse, units, heavy, brought, each, others, others)
        if isinstance(df, Freedom):
            df = replace(df, other=left)
        else:
            df[others, others] = left
    alone = np.flatnonzero(most[heavy] > _WHOLE)
    whole = any(_tells_alone(design, few, brought[[g]], inverse, at, ridge) for g in alone)
    return Leverage(excess, df, whole)


def _of_contrasts(
    design: Likelihood,
    cells: Told,
    inverse: Floats,
    units: Units,
    heavy: Ints,
    votes: Any,
    each: Any,
    first: Ints,
    second: Ints,
) -> tuple[Floats, Floats]:
    """Excess variance, and degrees of freedom, of differences of two ratings, and of single parameters."""
    parts = []
    size, share = units.size[heavy], units.share[heavy]
    even = units.evenness(heavy)
    block = max(1, _BLOCK // max(len(heavy), len(cells.cell) // 3))
    for start in range(0, len(first), block):
        i, j = first[start : start + block], second[start : start + block]
        x, known = contrasts(inverse, i, j, design.systems)
        part, moved = votes @ cells.along(x) / known, each @ x
        divisor = 1 / (1 - np.minimum(part, _WHOLE)) - 1 / (1 - share)[:, None]
        rest = 1 - size @ part
        df = np.maximum(1 / (size @ part**2 + rest**2 * even) - 1, 1.0)
        parts.append((size @ (moved**2 * divisor), df))
    if not parts:
        return np.zeros(0), np.zeros(0)
    added, free = (np.concatenate(column) for column in zip(*parts, strict=True))
    return added, free


def contrasts(inverse: Floats, i: Ints, j: Ints, systems: int) -> tuple[Floats, Floats]:
    """The inverse information times contrasts, and their model-based variances.

    Contrasts are differences of two parameters; where both are one, a rating about the mean of all, or a parameter.
    """
    x = inverse[:, i] - np.where(i == j, 0.0, inverse[:, j])
    rating, column = (i == j) & (i < systems), np.arange(len(i))
    x[:, rating] -= inverse[:, :systems].mean(axis=1, keepdims=True)
    known = x[i, column] - np.where(i == j, 0.0, x[j, column]) - rating * x[:systems].mean(axis=0)
    return np.asarray(x), np.asarray(known)


def widened(covariance: Floats, excess: Floats, systems: int) -> Floats:
    """A covariance whose variances of parameters and of differences of ratings are larger by ``excess``.

    Variances of all differences may fit no covariance; then the nearest one above is taken, which only widens.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings about their mean, then other parameters; changed in place where ``excess`` is of each parameter.
    excess : array, shape (parameters, parameters) or (parameters,)
        Between two ratings what is added to the variance of their difference, on the diagonal to that of other
        parameters; or what is added to the variance of each parameter by itself.
    systems : int
        Ratings.
    """
    if not excess.any():
        return covariance
    s = systems
    if excess.ndim == 1:
        own = np.maximum(excess[:s], 0.0)
        out = covariance
        out[:s, :s] -= own[:, None] / s
        out[:s, :s] += own.mean() / s - own / s
        np.einsum("ii->i", out)[:] += np.append(own, np.maximum(excess[s:], 0.0))
        return out
    added = np.zeros_like(covariance)
    between = excess[:s, :s] - np.diag(np.diag(excess)[:s])
    between = between - between.mean(axis=0)
    added[:s, :s] = -(between - between.mean(axis=1, keepdims=True)) / 2
    added[range(s, len(added)), range(s, len(added))] = np.diag(excess)[s:]
    values, vectors = np.linalg.eigh(covariance + added)
    return np.asarray(covariance + added - (vectors * np.minimum(values, 0.0)) @ vectors.T)


def variances(covariance: Floats, systems: int) -> Floats:
    """Variances of differences of ratings, and on the diagonal of the parameters.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings, then other parameters.
    systems : int
        Ratings.
    """
    variance = np.diag(covariance)
    out = np.diag(variance)
    between = variance[:systems, None] + variance[None, :systems] - 2 * covariance[:systems, :systems]
    out[:systems, :systems] += np.maximum(between, 0.0)
    return out


def _votes(units: Units, cells: Told) -> Any:
    """Votes of each unit by cell, sparse."""
    from scipy.sparse import csr_array

    if units.matrix is None:
        n = len(units.size)
        return csr_array((np.ones(n), cells.cell, np.arange(n + 1)), shape=(n, cells.size))
    kept = units.matrix.tocsr()
    return csr_array((kept.data, cells.cell[kept.indices], kept.indptr), shape=(kept.shape[0], cells.size))


def _tells_alone(design: Likelihood, cells: Told, votes: Any, inverse: Floats, at: Fit, ridge: float) -> bool:
    """Whether all that is known of some contrast is from these votes, shape (1, cells)."""
    factor = cells.some(votes.indices).roots(votes.data)
    if len(factor) <= len(inverse):
        return bool(np.linalg.eigvalsh(factor @ inverse @ factor.T)[-1] > _WHOLE)
    try:
        np.linalg.cholesky(_WHOLE * anchored(design, at.information, ridge)[0] - factor.T @ factor)
    except np.linalg.LinAlgError:
        return True
    return False
