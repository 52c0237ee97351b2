"""Leverage: what each unit brings to a difference of ratings, and the degrees of freedom that follow.

A system seen in few clusters is known as well as these few tell, however many clusters there are. The part of a unit in
the information on a contrast says how much smaller its residuals are for having been fitted, and how many units the
standard error of that contrast is worth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, Fit, vote_slopes
from quorate.numerics.ratings.draws import Units
from quorate.numerics.ratings.inverses import inverse_information
from quorate.numerics.ratings.likelihood import Likelihood, Told
from quorate.numerics.ratings.own_leverage import by_ends, own_gaps, per_vote
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.steps import MANY, anchored

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
    df: Floats
    whole: bool


def leverage(design: Design | Choices, at: Fit, ridge: float, units: Units, inverse: Floats | None = None) -> Leverage:
    """Leverage of units on the parameters and on differences of ratings.

    On a board so large that this would take longer than all else, a vote is taken to tell of its two systems only
    (`quorate.numerics.ratings.own_leverage`).

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
        excess, df = by_ends(design, own, ends, units, heavy, told, units.size @ votes, slopes)
        others = np.arange(design.systems, p)
        excess[others], df[others, others] = _of_contrasts(
            design, few, inverse, units, heavy, brought, each, others, others
        )
    alone = np.flatnonzero(most[heavy] > _WHOLE)
    whole = any(tells_alone(design, few, brought[[g]], inverse, at, ridge) for g in alone)
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
    light = np.ones(len(units.size), dtype=np.bool_)
    light[heavy] = False
    weight = units.size[light] @ units.share[light]
    evenly = (units.size[light] @ units.share[light] ** 2) / weight**2 if weight else 0.0
    block = max(1, _BLOCK // max(len(heavy), len(cells.cell) // 3))
    for start in range(0, len(first), block):
        i, j = first[start : start + block], second[start : start + block]
        # The inverse information times each contrast, and the contrast's model-based variance.
        x = inverse[:, i] - np.where(i == j, 0.0, inverse[:, j])
        rating = (i == j) & (i < design.systems)
        x[:, rating] -= inverse[:, : design.systems].mean(axis=1, keepdims=True)
        column = np.arange(len(i))
        known = x[i, column] - np.where(i == j, 0.0, x[j, column]) - rating * x[: design.systems].mean(axis=0)
        part, moved = votes @ cells.along(x) / known, each @ x
        divisor = 1 / (1 - np.minimum(part, _WHOLE)) - 1 / (1 - share)[:, None]
        rest = 1 - size @ part
        df = np.maximum(1 / (size @ part**2 + rest**2 * evenly) - 1, 1.0)
        parts.append((size @ (moved**2 * divisor), df))
    if not parts:
        return np.zeros(0), np.zeros(0)
    added, free = (np.concatenate(column) for column in zip(*parts, strict=True))
    return added, free


def widened(covariance: Floats, excess: Floats, systems: int) -> Floats:
    """A covariance whose variances of parameters and of differences of ratings are larger by ``excess``.

    Variances of all differences may fit no covariance; then the nearest one above is taken, which only widens.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings about their mean, then other parameters.
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
        out = covariance.copy()
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


def tells_alone(design: Likelihood, cells: Told, votes: Any, inverse: Floats, at: Fit, ridge: float) -> bool:
    """Whether all that is known of some contrast is from these votes, shape (1, cells)."""
    factor = cells.some(votes.indices).roots(votes.data)
    if len(factor) <= len(inverse):
        return bool(np.linalg.eigvalsh(factor @ inverse @ factor.T)[-1] > _WHOLE)
    try:
        np.linalg.cholesky(_WHOLE * anchored(design, at.information, ridge)[0] - factor.T @ factor)
    except np.linalg.LinAlgError:
        return True
    return False
