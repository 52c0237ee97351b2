"""Bradley-Terry and Davidson models by Newton's method on counts of votes, for many resamples at once.

Votes enter as counts, shape (orders, pairs, 3, fits): for each order in which two systems were shown, each pair of
systems, and each outcome (first, second, tie), the votes of each fit. Parameters are ratings, then the position effect
if there are two orders, then the log of the tie parameter if ties are modelled; shape (parameters, fits). The log
likelihoods are derived in ``docs/methods/ratings.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints

_ROUNDING = 1e-10
_MOST_STEPS = 200


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
    ties : bool
        Whether ties are modelled (Davidson). Otherwise a tie is half a win for each.
    """

    systems: int
    a: Ints
    b: Ints
    sign: Floats
    ties: bool

    @property
    def position(self) -> bool:
        """Whether there is a position effect."""
        return len(self.sign) > 1

    @property
    def parameters(self) -> int:
        """Ratings, position effect and log tie parameter."""
        return self.systems + self.position + self.ties

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

    def log_tie(self, theta: Floats) -> Floats:
        """Log of the tie parameter, minus infinity where ties are not modelled; shape (fits,)."""
        return theta[-1] if self.ties else np.full(theta.shape[1], -np.inf)


class Expectations(NamedTuple):
    """Expectations at given parameters; a vote is 1/2 for the first, -1/2 for the second, 0 for a tie.

    Parameters
    ----------
    mean, variance : array, shape (orders, pairs, fits)
        Of a vote.
    tie : array, shape (orders, pairs, fits)
        Chance of a tie; 0 where ties are not modelled.
    normaliser : array, shape (orders, pairs, fits)
        Log of the sum of the three weights.
    """

    mean: Floats
    variance: Floats
    tie: Floats
    normaliser: Floats


def moments(design: Design, theta: Floats) -> Expectations:
    """Mean and variance of a vote, chance of a tie and normaliser, without overflow or cancellation."""
    gap = design.gap(theta)
    distance = np.abs(gap)
    z = np.exp(-distance / 2)
    square = z * z
    weight = np.exp(design.log_tie(theta)) * z if design.ties else np.zeros(1)
    total = 1 + square + weight
    mean = np.copysign((1 - square) / (2 * total), gap)
    variance = (4 * square + weight * (1 + square)) / (4 * total * total)
    return Expectations(mean, variance, weight / total, distance / 2 + np.log(total))


@dataclass(frozen=True, eq=False)
class Summary:
    """What the likelihood needs of the counts: wins less losses over two, votes, and ties.

    Parameters
    ----------
    lead, votes : array, shape (orders, pairs, fits)
        ``(A - B) / 2`` and ``A + B + T``.
    ties : array, shape (fits,)
        Ties over all pairs.
    decisive : array, shape (fits,)
        Votes that are none.
    """

    lead: Floats
    votes: Floats
    ties: Floats
    decisive: Floats


def summary(counts: Floats) -> Summary:
    """Sufficient statistics of counts, shape (orders, pairs, 3, fits)."""
    a, b, tie = (counts[:, :, k] for k in range(3))
    decisive = a + b
    return Summary((a - b) / 2, decisive + tie, tie.sum(axis=(0, 1)), decisive.sum(axis=(0, 1)))


class Fit(NamedTuple):
    """Maximum of the likelihood.

    Parameters
    ----------
    theta : array, shape (parameters, fits)
        Ratings that sum to 0, position effect, log tie parameter.
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
    Bradley and Terry (1952), Biometrika 39, 324-345. Davidson (1970), Journal of the American Statistical Association
    65, 317-328; with an order effect, Davidson and Beaver (1977), Biometrics 33, 693-702. In R: ``BradleyTerry2::BTm``.
    """
    known = summary(counts)
    theta = np.zeros((design.parameters, counts.shape[-1]))
    if start is not None:
        theta += start[:, None]
    elif design.ties:  # equal ratings, and the tie parameter that then fits best
        theta[-1] = np.log(2 * known.ties / known.decisive)
    step, value = np.zeros_like(theta), np.full(counts.shape[-1], -np.inf)
    small = np.zeros(counts.shape[-1], dtype=np.bool_)
    information = np.zeros((0, 0, 0))
    for _ in range(_MOST_STEPS):
        trial = theta + step
        reached, gradient, information = _derivatives(design, known, trial, ridge)
        up = reached >= value - _ROUNDING * (1 + np.abs(value))
        theta, value = np.where(up, trial, theta), np.where(up, reached, value)
        newton = np.linalg.solve(anchored(design, information, ridge), gradient.T[:, :, None])[:, :, 0].T
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


def _derivatives(design: Design, known: Summary, theta: Floats, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Log likelihood, gradient and information."""
    at = moments(design, theta)
    ratings = theta[: design.systems]
    value = (known.lead * design.gap(theta) - known.votes * at.normaliser).sum(axis=(0, 1))
    left = known.lead - known.votes * at.mean
    parts = [design.incidence @ left.sum(axis=0) - ridge * ratings]
    if design.position:
        parts.append(np.einsum("o,opr->r", design.sign, left)[None])
    if design.ties:
        value = value + known.ties * theta[-1]
        parts.append((known.ties - (known.votes * at.tie).sum(axis=(0, 1)))[None])
    value = value - ridge / 2 * np.square(ratings).sum(axis=0)
    return value, np.concatenate(parts), information_of(design, known.votes, at)


def information_of(design: Design, votes: Floats, at: Expectations) -> Floats:
    """Fisher information, shape (fits, parameters, parameters).

    Parameters
    ----------
    design : Design
        What the counts compare.
    votes : array, shape (orders, pairs, fits)
        Votes.
    at : Expectations
        Expectations.
    """
    s, fits = design.systems, votes.shape[-1]
    weight = votes * at.variance
    out = np.zeros((design.parameters, design.parameters, fits))
    out[design.a, design.b] = out[design.b, design.a] = -weight.sum(axis=0)
    out[np.arange(s), np.arange(s)] = -out[:s, :s].sum(axis=1)
    borders = []
    if design.position:
        signed = design.sign[:, None, None] * weight
        borders.append((s, signed.sum(axis=0), (design.sign[:, None, None] * signed).sum(axis=(0, 1))))
    if design.ties:
        joint = -votes * at.mean * at.tie
        borders.append((-1, joint.sum(axis=0), (votes * at.tie * (1 - at.tie)).sum(axis=(0, 1))))
        if design.position:
            out[s, -1] = out[-1, s] = np.einsum("o,opr->r", design.sign, joint)
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

    at = moments(design, theta[:, None])
    shape = (len(design.sign), len(design.a), 3)
    left = np.array([0.5, -0.5, 0.0]) - at.mean
    parts, columns = [left, -left], [design.a[:, None], design.b[:, None]]
    if design.position:
        parts.append(design.sign[:, None, None] * left)
        columns.append(np.array(design.systems))
    if design.ties:
        parts.append(np.array([0.0, 0.0, 1.0]) - at.tie)
        columns.append(np.array(design.parameters - 1))
    data = np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1)
    place = np.stack([np.broadcast_to(column, shape) for column in columns], axis=-1)
    rows = np.arange(0, data.size + 1, len(parts))
    return csr_array((data.ravel(), place.ravel(), rows), shape=(data.size // len(parts), design.parameters))
