"""Votes to buy: how many a gap of two ratings takes, and which pair is to get the next."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile, t_quantile
from quorate.numerics.roots import root

# Votes that a gap of two ratings takes: for an interval of some half-width, or to tell the two apart.


_MOST_BATTLES = 1e9


@dataclass(frozen=True)
class GapVotes:
    """What is asked of one gap.

    Parameters
    ----------
    variance : float
        Of the gap by one vote: it goes down with 1 over votes.
    freedom : float
        Degrees of freedom that a vote brings.
    level : float
        Coverage of the interval of the gap.
    target : float
        The gap, or the half-width of its interval.
    power : float or None
        Chance that the interval leaves out 0; None where a half-width is asked for.
    """

    variance: float
    freedom: float
    level: float
    target: float
    power: float | None

    def needed(self, explained: float, battles: int) -> int | None:
        """Votes of people on so many battles; where all are not enough, on more, all of them voted on by people.

        None where a thousand million are not enough. With ``explained`` 0 it is the votes that the gap takes.
        """
        said, residual = explained / battles, 1 - explained

        def found(n: float) -> float:
            """Votes that are enough by the quantile of n of them."""
            quantile = t_quantile(max(self.freedom * n, 1.0), (1 + self.level) / 2)
            quantile += 0.0 if self.power is None else normal_quantile(self.power)
            allowed = (self.target / quantile) ** 2 / self.variance
            enough = residual / (allowed - said) if allowed > said else math.inf
            return enough if enough <= battles else 1 / allowed if allowed > 1 / _MOST_BATTLES else math.inf

        # More votes have more degrees of freedom and so take fewer: the two meet once.
        least = 2.0
        if any(found(n) > _MOST_BATTLES for n in (math.inf, _MOST_BATTLES)):  # of the normal law, which is quick, first
            return None
        if found(least) <= least:
            return math.ceil(least)
        most = least
        while found(most) > most:
            least, most = most, 2 * most
        n = root(lambda n: min(found(n), 2 * _MOST_BATTLES) - n, least, most, xtol=1e-6)
        return math.ceil(n - 1e-6)


# Next vote: what one more vote on each pair tells of the ratings, and in which proportions pairs are to get the next.
#
# A vote on systems a and b has the information ``w x x'`` on the ratings, with ``x`` their contrast and ``w`` the
# variance of a vote (1/2, -1/2, or 0 for a tie), largest between equals. Boards may be many at once: leading axes.


Criterion = Literal["A", "D"]
"""Sum of the variances of the ratings about their mean, or log determinant of their covariance."""

RIDGE = 0.5
"""Weight of half the sum of squared ratings before there are votes: they vary by some 1.4 log odds."""

_STEPS = 60
_EQUAL = 1e-4
"""Variance of ratings below which systems are taken as equal."""


def information(weight: Floats, a: Ints, b: Ints, systems: int) -> Floats:
    """Information on the ratings, shape (..., systems, systems), by the weight of votes on each pair, (..., pairs)."""
    out = np.zeros((*weight.shape[:-1], systems, systems))
    out[..., a, b] = out[..., b, a] = -weight
    every = np.arange(systems)
    out[..., every, every] = -out.sum(axis=-1)
    return out


def covariance(held: Floats, ridge: float = RIDGE) -> Floats:
    """Covariance of ratings about their mean, by the information of votes and a ridge."""
    systems = held.shape[-1]
    mean = np.full((systems, systems), 1 / systems)
    return np.asarray(np.linalg.inv(held + ridge * (np.eye(systems) - mean) + mean) - mean)


def shrunk(rating: Floats, held: Floats, ridge: float = RIDGE) -> Floats:
    """Ratings that were fitted with a ridge, shrunk by as much as they vary by chance, shape (..., systems).

    Their spread is that which makes the votes likeliest; systems that may as well be equal are taken to be so, else
    pairs that are close by luck would get votes for it.

    References
    ----------
    MacKay (1992), Neural Computation 4, 415-447.
    """
    size, axes = np.linalg.eigh(held)
    size = np.maximum(size, 0.0)
    along = np.einsum("...ij,...i->...j", axes, rating) * (size + ridge)
    own = np.full((*rating.shape[:-1], 1), ridge)
    for _ in range(_STEPS):
        told = np.maximum((size / (size + own)).sum(axis=-1, keepdims=True), _EQUAL)
        own = told / np.maximum(np.square(along / (size + own)).sum(axis=-1, keepdims=True), _EQUAL * told)
    return np.asarray(np.einsum("...ij,...j->...i", axes, along / (size + own)))


def spread(matrix: Floats, a: Ints, b: Ints) -> Floats:
    """``x' M x`` of the contrast of every pair, shape (..., pairs)."""
    own = np.diagonal(matrix, axis1=-2, axis2=-1)
    return np.asarray(own[..., a] + own[..., b] - 2 * matrix[..., a, b])


def gains(weight: Floats, law: Floats, a: Ints, b: Ints, criterion: Criterion) -> Floats:
    """What one more vote on every pair is worth, shape (..., pairs), by an update of rank one.

    Parameters
    ----------
    weight : array, shape (..., pairs)
        Information of a vote on the gap of its pair.
    law : array, shape (..., systems, systems)
        Covariance of the ratings.
    a, b : array of int, shape (pairs,)
        The two systems of every pair.
    criterion : {"A", "D"}
        ``A``: fall of the trace; ``D``: fall of the log determinant, ``log(1 + w x' V x)``.
    """
    told = weight * spread(law, a, b)
    return np.log1p(told) if criterion == "D" else weight * spread(law @ law, a, b) / (1 + told)


def proportions(
    weight: Floats, held: Floats, votes: float, a: Ints, b: Ints, criterion: Criterion, ridge: float = RIDGE
) -> Floats:
    """Shares of the next votes, shape (..., pairs), by which the ratings are known best when they are there.

    By multiplicative steps, each share times what a vote on its pair then is worth; for ``A`` times its root.

    Parameters
    ----------
    weight : array, shape (..., pairs)
        Information of a vote on the gap of its pair.
    held : array, shape (..., systems, systems)
        Information of the votes that are there.
    votes : float
        Votes to come.
    a, b : array of int, shape (pairs,)
        The two systems of every pair that can be asked.
    criterion : {"A", "D"}
        What is made small.
    ridge : float
        What is known without votes.

    References
    ----------
    Silvey, Titterington and Torsney (1978), Communications in Statistics A 7, 1379-1389. Kiefer (1974), Annals of
    Statistics 2, 849-879.
    """
    share = np.full(weight.shape, 1 / len(a))
    for _ in range(_STEPS):
        law = covariance(held + information(votes * weight * share, a, b, held.shape[-1]), ridge)
        worth = weight * spread(law, a, b) if criterion == "D" else np.sqrt(weight * spread(law @ law, a, b))
        share = share * worth
        share /= share.sum(axis=-1, keepdims=True)
    return share


def equal_votes(
    weight: Floats, held: Floats, votes: float, share: Floats, a: Ints, b: Ints, criterion: Criterion
) -> float:
    """Votes with equal chances for all pairs that would tell as much of one board as these with these shares."""
    equal, systems = np.full(len(a), 1 / len(a)), len(held)

    def left(count: float, shares: Floats) -> float:
        law = covariance(held + information(count * weight * shares, a, b, systems))
        return float(np.trace(law)) if criterion == "A" else float(np.linalg.slogdet(law + 1 / systems)[1])

    aim, low, high = left(votes, share), 0.0, float(votes)
    while left(high, equal) > aim and high < _MOST_TIMES * votes:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle, equal) > aim else (low, middle)
    return high


_MOST_TIMES, _HALVINGS = 1000, 30


def drawn(chance: Floats, votes: int, rng: np.random.Generator) -> Ints:
    """Pairs of so many votes, shape (votes,), in the order of asking: each vote has these chances, shape (pairs,).

    Systematic draws from pairs in a random order: every pair gets its expected number of votes, to less than one.

    References
    ----------
    Madow (1949), Annals of Mathematical Statistics 20, 333-354.
    """
    order = rng.permutation(len(chance))
    ends = np.cumsum(chance[order])
    places = (np.arange(votes) + rng.random()) * (ends[-1] / votes)
    found = order[np.minimum(np.searchsorted(ends, places, side="right"), len(order) - 1)]
    return np.asarray(rng.permutation(found), dtype=np.int64)
