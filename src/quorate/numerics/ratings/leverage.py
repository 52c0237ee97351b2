"""Leverage: what each unit brings to a difference of ratings, and the degrees of freedom that follow.

A system seen in few clusters is known as well as these few tell, however many clusters there are. The part of a unit in
the information on a contrast says how much smaller its residuals are for having been fitted, and how many units the
standard error of that contrast is worth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, Fit, anchored, scores
from quorate.numerics.ratings.draws import Units
from quorate.numerics.ratings.ties.model import summary

SMALL = 0.01
"""A unit with no more of the information on any contrast than this is taken by its part of the votes."""

_BLOCK = 2**21
_WHOLE = 1 - 1e-9


class Leverage(NamedTuple):
    """What the units tell of each parameter (on the diagonal; ratings about their mean) and of each difference of two.

    Parameters
    ----------
    excess : array, shape (parameters, parameters)
        What leverage adds to the variance that the parts of all votes give.
    df : array, shape (parameters, parameters)
        ``1 / sum h_g^2 - 1`` over units with parts h of the information; at least 1.
    whole : bool
        Whether something is known from one unit only: without it the information is singular.
    """

    excess: Floats
    df: Floats
    whole: bool


class _PerVote(NamedTuple):
    """Orders and pairs: a row of the design each, and the information of a vote, on average over its votes."""

    rows: Any
    curvature: Floats
    cross: Floats
    tie: Floats


def leverage(design: Design, at: Fit, ridge: float, units: Units) -> Leverage:
    """Leverage of units on the parameters and on differences of ratings.

    Parameters
    ----------
    design : Design
        What the counts compare.
    at : Fit
        A single fit.
    ridge : float
        Its ridge.
    units : Units
        What is independent.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181. Carter, Schnepel and Steigerwald (2017), Review of
    Economics and Statistics 99, 698-709: the effective number of clusters of a coefficient.
    """
    p = design.parameters
    inverse = np.linalg.inv(anchored(design, at.information, ridge)[0])
    cells = _cells(design, units, at.theta)
    votes = _votes(units, cells.rows.shape[0])
    # Leverage of a vote of each cell on all contrasts together: no contrast has more.
    spread = cells.rows @ inverse
    trace = cells.curvature * np.asarray(cells.rows.multiply(spread).sum(axis=1)).ravel()
    if design.tied:
        trace += 2 * cells.cross * spread[:, -1] + cells.tie * inverse[-1, -1]
    most = votes @ trace
    heavy = np.flatnonzero((most > SMALL) & (units.size > 0))
    excess, df = np.zeros((p, p)), np.full((p, p), max(units.effective - 1, 1.0))
    if len(heavy):
        vote = scores(design, at.theta[:, 0])
        each = vote[heavy] if units.matrix is None else units.matrix[heavy] @ vote
        # Contrasts: differences of two ratings, and every parameter by itself.
        first, second = (np.append(side, np.arange(p)) for side in np.triu_indices(design.systems, 1))
        block = max(1, _BLOCK // max(len(heavy), cells.rows.shape[0]))
        for start in range(0, len(first), block):
            i, j = first[start : start + block], second[start : start + block]
            x, known = _directions(design, inverse, i, j)
            gap = cells.rows @ x
            told = cells.curvature[:, None] * gap**2  # by a vote of each cell on each contrast
            if design.tied:
                told += 2 * cells.cross[:, None] * gap * x[-1] + cells.tie[:, None] * x[-1] ** 2
            part = votes[heavy] @ told / known
            added, free = _summed(units, heavy, part, each @ x)
            excess[i, j] = excess[j, i] = added
            df[i, j] = df[j, i] = free
    alone = heavy[most[heavy] > _WHOLE]
    whole = any(_largest(cells, np.asarray(votes[[g]].toarray())[0], inverse, design.tied) > _WHOLE for g in alone)
    return Leverage(excess, df, whole)


def widened(covariance: Floats, excess: Floats, systems: int) -> Floats:
    """A covariance whose variances of parameters and of differences of ratings are larger by ``excess``.

    Variances of all differences may fit no covariance; then the nearest one above is taken, which only widens.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings about their mean, then other parameters.
    excess : array, shape (parameters, parameters)
        Between two ratings what is added to the variance of their difference, on the diagonal to that of other
        parameters.
    systems : int
        Ratings.
    """
    if not excess.any():
        return covariance
    s = systems
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


def _cells(design: Design, units: Units, theta: Floats) -> _PerVote:
    """Rows of the design for every order and pair."""
    from scipy.sparse import coo_array, csr_array, hstack

    orders, pairs = len(design.sign), len(design.a)
    row = np.arange(orders * pairs)
    place = np.append(row, row), np.append(np.tile(design.a, orders), np.tile(design.b, orders))
    value = np.repeat([1.0, -1.0], len(row))
    rows = coo_array((value, place), shape=(len(row), design.systems)).tocsr()
    extra = np.zeros((len(row), design.parameters - design.systems))
    if design.position:
        extra[:, 0] = np.repeat(design.sign, pairs)
    rows = hstack([rows, csr_array(extra)]).tocsr() if extra.size else rows
    counts = units.size if units.matrix is None else units.size @ units.matrix
    known = summary(np.asarray(counts).reshape(orders, pairs, 3, 1))
    at = design.cells(known, theta)
    votes = np.where(known.votes > 0, known.votes, np.inf)
    return _PerVote(rows, *(np.ravel(total / votes) for total in (at.curvature, at.cross, at.tie_curvature)))


def _votes(units: Units, cells: int) -> Any:
    """Votes of each unit by order and pair, sparse."""
    from scipy.sparse import csr_array

    if units.matrix is None:
        n = len(units.size)
        return csr_array((np.ones(n), np.arange(n) // 3, np.arange(n + 1)), shape=(n, cells))
    kept = units.matrix.tocsr()
    return csr_array((kept.data, kept.indices // 3, kept.indptr), shape=(kept.shape[0], cells))


def _largest(cells: _PerVote, votes: Floats, inverse: Floats, tied: bool) -> float:
    """Largest leverage of a unit on any contrast."""
    rows = cells.rows.toarray()
    brought = rows.T @ ((votes * cells.curvature)[:, None] * rows)
    if tied:
        brought[-1] = brought[:, -1] = (votes * cells.cross) @ rows
        brought[-1, -1] = votes @ cells.tie
    return float(np.linalg.eigvals(brought @ inverse).real.max())


def _directions(design: Design, inverse: Floats, i: Ints, j: Ints) -> tuple[Floats, Floats]:
    """The inverse information times each contrast, shape (parameters, contrasts), and its model-based variance."""
    x = inverse[:, i] - np.where(i == j, 0.0, inverse[:, j])
    rating = (i == j) & (i < design.systems)
    x[:, rating] -= inverse[:, : design.systems].mean(axis=1, keepdims=True)
    column = np.arange(len(i))
    variance = x[i, column] - np.where(i == j, 0.0, x[j, column])
    return x, np.asarray(variance - rating * x[: design.systems].mean(axis=0))


def _summed(units: Units, heavy: Ints, part: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Excess variance, and degrees of freedom, of each contrast."""
    size, share = units.size[heavy], units.share[heavy]
    divisor = 1 / (1 - np.minimum(part, _WHOLE)) - 1 / (1 - share)[:, None]
    added = size @ (moved**2 * divisor)
    light = np.ones(len(units.size), dtype=np.bool_)
    light[heavy] = False
    weight, rest = units.size[light] @ units.share[light], 1 - size @ part
    even = (units.size[light] @ units.share[light] ** 2) / weight**2 if weight else 0.0
    return added, np.maximum(1 / (size @ part**2 + rest**2 * even) - 1, 1.0)
