"""Bradley-Terry models, with any model of ties, by Newton's method on counts of votes, for many resamples at once.

Votes enter as counts, shape (orders, pairs, 3, fits): for each order in which two systems were shown, each pair of
systems, and each outcome (first, second, tie), the votes of each fit. Parameters are ratings, then the position effect
if there are two orders, then that of the model of ties if it has one; shape (parameters, fits). The log
likelihoods are derived in ``docs/methods/ratings.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.numerics.ratings.ties.model import Cells, Summary, TieModel, summary

_ROUNDING = 1e-10
_MOST_STEPS = 200
_LARGE = 1000


@dataclass(frozen=True, eq=False)
class Design:
    """What the counts compare.

    Parameters
    ----------
    systems : int
        Systems.
    a, b : array of int, shape (pairs,)
        The two systems of each pair.
    sign : array, shape (orders,)
        ``[0]`` without a position effect; ``[1, -1]`` where the first of the pair, then the second, was shown first.
    ties : TieModel
        What a tie says of the ratings.
    """

    systems: int
    a: Ints
    b: Ints
    sign: Floats
    ties: TieModel

    @property
    def position(self) -> bool:
        """Whether there is a position effect."""
        return len(self.sign) > 1

    @property
    def tied(self) -> bool:
        """Whether ties have a parameter."""
        return self.ties.modelled

    @property
    def parameters(self) -> int:
        """Ratings, position effect and the parameter of ties."""
        return self.systems + self.position + self.tied

    @cached_property
    def incidence(self) -> Any:
        """Sparse, shape (systems, pairs): 1 for the first of the pair, -1 for the second."""
        from scipy.sparse import coo_array

        pairs = np.arange(len(self.a))
        entry = np.repeat([1.0, -1.0], len(self.a))
        place = np.append(self.a, self.b), np.append(pairs, pairs)
        return coo_array((entry, place), shape=(self.systems, len(self.a))).tocsr()

    def gap(self, theta: Floats) -> Floats:
        """Log odds of the first of every pair, shape (orders, pairs, fits)."""
        gap: Floats = (theta[self.a] - theta[self.b])[None]
        return gap + self.sign[:, None, None] * theta[self.systems] if self.position else gap

    def cells(self, known: Summary, theta: Floats) -> Cells:
        """Log likelihood of the votes of every order and pair, with its derivatives."""
        return self.ties.cells(known, self.gap(theta), theta[-1])


class Fit(NamedTuple):
    """Maximum of the likelihood.

    Parameters
    ----------
    theta : array, shape (parameters, fits)
        Ratings that sum to 0, position effect, parameter of ties.
    information : array, shape (fits, parameters, parameters)
        Minus the second derivative, without the ridge; singular in the direction of equal ratings.
    value : array, shape (fits,)
        Log likelihood, less the ridge.
    converged : array of bool, shape (fits,)
        Whether the last step was small.
    """

    theta: Floats
    information: Floats
    value: Floats
    converged: NDArray[np.bool_]


def fit(design: Design, counts: Floats, ridge: float = 0.0, start: Floats | None = None, tol: float = 1e-9) -> Fit:
    """Newton's method, with steps halved where the likelihood would fall; it is concave.

    Parameters
    ----------
    design : Design
        What the counts compare.
    counts : array, shape (orders, pairs, 3, fits)
        Votes; the maximum must exist (`quorate.numerics.ratings.existence`).
    ridge : float
        Weight of half the sum of squared ratings, taken off the log likelihood.
    start : array, shape (parameters,), optional
        Where to start.
    tol : float
        A step smaller than this in every parameter is the last.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345. In R: ``BradleyTerry2::BTm``.
    """
    known = summary(counts)
    theta = np.zeros((design.parameters, counts.shape[-1]))
    if start is not None:
        theta += start[:, None]
    elif design.tied:  # equal ratings, and the tie parameter that then fits best
        ties = known.ties.sum(axis=(0, 1))
        theta[-1] = design.ties.parameter(2 * ties / (known.votes.sum(axis=(0, 1)) - ties))
    step, value = np.zeros_like(theta), np.full(counts.shape[-1], -np.inf)
    small = np.zeros(counts.shape[-1], dtype=np.bool_)
    information = np.zeros((0, 0, 0))
    for _ in range(_MOST_STEPS):
        trial = theta + step
        reached, gradient, information = _derivatives(design, known, trial, ridge)
        up = reached >= value - _ROUNDING * (1 + np.abs(value))
        theta, value = np.where(up, trial, theta), np.where(up, reached, value)
        newton = _solved(anchored(design, information, ridge), gradient)
        step = np.where(up, newton, step / 2)
        small = np.abs(step).max(axis=0) < tol
        if small.all():
            break
    return Fit(theta + np.where(small, step, 0.0), information, value, small)


def anchored(design: Design, information: Floats, ridge: float) -> Floats:
    """The information with the ridge, and with the direction of equal ratings filled in so that it can be solved."""
    out = information.copy()
    s = design.systems
    out[:, :s, :s] += (np.einsum("rii->r", out[:, :s, :s]) / s**2)[:, None, None]
    out[:, np.arange(s), np.arange(s)] += ridge
    return out


def _solved(information: Floats, gradient: Floats) -> Floats:
    """A step of Newton's method for every fit; a single large one in the place of its information."""
    if len(information) > 1 or len(gradient) < _LARGE:
        return np.asarray(np.linalg.solve(information, gradient.T[:, :, None])[:, :, 0].T)
    from scipy.linalg import solve

    return np.asarray(solve(information[0].T, gradient, overwrite_a=True, assume_a="pos", check_finite=False))


def _derivatives(design: Design, known: Summary, theta: Floats, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Log likelihood, gradient and information."""
    at = design.cells(known, theta)
    ratings = theta[: design.systems]
    parts = [design.incidence @ at.slope.sum(axis=0) - ridge * ratings]
    if design.position:
        parts.append(np.einsum("o,opr->r", design.sign, at.slope)[None])
    if design.tied:
        parts.append(at.tie_slope.sum(axis=(0, 1))[None])
    value = at.value.sum(axis=(0, 1)) - ridge / 2 * np.square(ratings).sum(axis=0)
    return value, np.concatenate(parts), information(design, at)


def information(design: Design, at: Cells) -> Floats:
    """Minus the second derivative of the log likelihood, shape (fits, parameters, parameters)."""
    s, fits = design.systems, at.curvature.shape[-1]
    out = np.zeros((design.parameters, design.parameters, fits))
    out[design.a, design.b] = out[design.b, design.a] = -at.curvature.sum(axis=0)
    out[np.arange(s), np.arange(s)] = -out[:s, :s].sum(axis=1)
    borders = []
    if design.position:
        signed = design.sign[:, None, None] * at.curvature
        borders.append((s, signed.sum(axis=0), (design.sign[:, None, None] * signed).sum(axis=(0, 1))))
    if design.tied:
        borders.append((-1, at.cross.sum(axis=0), at.tie_curvature.sum(axis=(0, 1))))
        if design.position:
            out[s, -1] = out[-1, s] = np.einsum("o,opr->r", design.sign, at.cross)
    for row, pairs, corner in borders:
        out[row, :s] = out[:s, row] = design.incidence @ pairs
        out[row, row] = corner
    return np.ascontiguousarray(np.moveaxis(out, -1, 0))


def scores(design: Design, theta: Floats) -> Any:
    """Derivative of the log likelihood of one vote, for every order, pair and outcome.

    Parameters
    ----------
    design : Design
        What the votes compare.
    theta : array, shape (parameters,)
        Parameters.

    Returns
    -------
    sparse array, shape (orders * pairs * 3, parameters)
        Rows in the order of the counts.
    """
    from scipy.sparse import csr_array

    shape = (len(design.sign), len(design.a), 3)
    left, tie = (one[:, :, 0] for one in design.ties.scores(design.gap(theta[:, None]), theta[-1:]))
    parts, columns = [left, -left], [design.a[:, None], design.b[:, None]]
    if design.position:
        parts.append(design.sign[:, None, None] * left)
        columns.append(np.array(design.systems))
    if design.tied:
        parts.append(tie)
        columns.append(np.array(design.parameters - 1))
    data = np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1)
    place = np.stack([np.broadcast_to(column, shape) for column in columns], axis=-1)
    rows = np.arange(0, data.size + 1, len(parts))
    return csr_array((data.ravel(), place.ravel(), rows), shape=(data.size // len(parts), design.parameters))
