"""Partial pooling: ratings of several categories, shrunk to what they have in common.

The ratings of a category are those of all, with deviations that are normal, independent and equally spread for every
system, and an error of estimation whose covariance is known. Everything is about the mean of the systems of a category.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_quantile, chi_square_tail
from quorate.numerics.roots import root
from quorate.wording import Brief

_NODES = 40
_FAR = 15.0  # below the largest log likelihood: what is left weighs nothing
_LEAST, _MOST = 1e-2, 1e2  # of the scale of errors, and of that of ratings


@dataclass(frozen=True, eq=False)
class Category:
    """Ratings of a category in coordinates in which their errors are independent.

    Parameters
    ----------
    values, variances : array, shape (systems of it - 1,)
        Coordinates, and variances of their errors.
    overall : array, shape (systems of it - 1, systems - 1)
        The same coordinates of the ratings of all categories.
    back : array, shape (systems of it, systems of it - 1)
        Ratings about their mean from coordinates.
    """

    values: Floats
    variances: Floats
    overall: Floats
    back: Floats


@dataclass(frozen=True, eq=False)
class At:
    """What follows for one spread of the deviations.

    Parameters
    ----------
    log_likelihood : float
        Restricted, up to a constant.
    q : float
        Weighted sum of squares about the overall ratings.
    overall, covariance : array
        Overall ratings in coordinates: generalised least squares.
    """

    log_likelihood: float
    q: float
    overall: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Pooled(Brief):
    """Ratings of the systems of a category, or of all: each about the mean of these.

    Parameters
    ----------
    rating, se : array, shape (systems,)
        Means and standard deviations, what is not known of the spread included.
    shrunk : array, shape (systems,)
        Part of the way from the own rating to the overall one, from 0 to 1; of the overall ratings 0.
    """

    rating: Floats
    se: Floats
    shrunk: Floats


@dataclass(frozen=True, eq=False)
class PartialPooling(Brief):
    """Categories by one random-effects model.

    Parameters
    ----------
    systems : int
        Systems of all categories.
    categories : tuple of Category
        Their ratings.
    """

    systems: int
    categories: tuple[Category, ...]

    @property
    def df(self) -> int:
        """Degrees of freedom of the spread: contrasts of all categories, less those of the overall ratings."""
        return sum(len(one.values) for one in self.categories) - (self.systems - 1)

    @cached_property
    def linked(self) -> bool:
        """Whether the categories have so many systems in common that all are on one scale."""
        return int(np.linalg.matrix_rank(np.concatenate([one.overall for one in self.categories]))) == self.systems - 1

    def at(self, tau: float) -> At:
        """Overall ratings and restricted likelihood if deviations have this standard deviation."""
        information = np.zeros((self.systems - 1, self.systems - 1))
        score, logs = np.zeros(self.systems - 1), 0.0
        for one in self.categories:
            weight = 1 / (tau**2 + one.variances)
            information += (one.overall.T * weight) @ one.overall
            score += one.overall.T @ (weight * one.values)
            logs -= float(np.log(weight).sum())
        covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
        overall = covariance @ score
        q = sum(
            float(((one.values - one.overall @ overall) ** 2 / (tau**2 + one.variances)).sum())
            for one in self.categories
        )
        return At(-(logs + float(np.linalg.slogdet(information)[1]) + q) / 2, q, overall, covariance)

    @cached_property
    def tau(self) -> float:
        """Standard deviation of the deviations: the largest restricted likelihood."""
        from scipy.optimize import minimize_scalar

        grid, logs = self._coarse
        peak = int(np.argmax(logs))
        low, high = (0.0 if peak < 1 else grid[peak - 1]), grid[min(peak + 1, len(grid) - 1)]
        found = minimize_scalar(lambda tau: -self.at(tau).log_likelihood, (low, high), (low, high), method="bounded")
        return 0.0 if self.at(0.0).log_likelihood >= -found.fun else float(found.x)

    @property
    def p_value(self) -> float:
        """Of Cochran's test that categories do not differ: the sum of squares at 0 is chi-square."""
        return chi_square_tail(self.df, self.at(0.0).q)

    def tau_interval(self, level: float) -> tuple[float, float]:
        """Values at which the weighted sum of squares is between its chi-square quantiles (Viechtbauer 2007).

        Where it is so small that no spread has it, the upper end is the one below which the restricted likelihood has
        so much of its weight: ratings that happen to agree do not show that there is no spread.
        """
        ends = []
        for tail in ((1 - level) / 2, (1 + level) / 2):
            limit, high = chi_square_quantile(self.df, tail), float(self._coarse[0][-1])
            while self.at(high).q > limit:
                high *= 10
            ends.append(0.0 if self.at(0.0).q <= limit else root(partial(self._above, limit), 0.0, high))
        if ends[1] == 0:
            weights, taus = self._likely
            ends[1] = float(taus[np.searchsorted(np.cumsum(weights), level)])
        return ends[0], ends[1]

    def _above(self, limit: float, tau: float) -> float:
        """How much the weighted sum of squares is above a limit."""
        return self.at(tau).q - limit

    def averaged(self) -> tuple[Pooled, list[Pooled]]:
        """Overall ratings and those of every category, over the spreads that the restricted likelihood allows."""
        weights, taus = self._likely
        return self.pooled(taus, weights)

    def pooled(self, taus: Floats, weights: Floats) -> tuple[Pooled, list[Pooled]]:
        """The same over given spreads, each with its weight: mean, and variance within and between them."""
        found = [self.at(tau) for tau in taus.tolist()]
        basis = contrasts(self.systems)
        overall = [(basis @ one.overall, _square(basis, one.covariance), np.zeros(self.systems)) for one in found]
        every = [[given(one, at, tau) for at, tau in zip(found, taus.tolist(), strict=True)] for one in self.categories]
        return _mixed(overall, weights), [_mixed(each, weights) for each in every]

    @cached_property
    def _coarse(self) -> tuple[Floats, Floats]:
        """Spreads from next to nothing to far too large, and their log likelihoods."""
        errors = np.concatenate([one.variances for one in self.categories])
        values = np.concatenate([one.values for one in self.categories])
        largest = max(float(np.abs(values).max()), math.sqrt(float(errors.max())))
        return self._between(_LEAST * math.sqrt(float(errors.min())), _MOST * largest)

    @cached_property
    def _likely(self) -> tuple[Floats, Floats]:
        """Weights and values of the spread: its restricted likelihood, each value of it being as likely before."""
        grid, logs = self._coarse
        inside = np.flatnonzero(logs + np.log(grid) > (logs + np.log(grid)).max() - _FAR)
        ends = grid[max(inside[0] - 1, 0)], grid[min(inside[-1] + 1, len(grid) - 1)]
        taus, logs = self._between(*map(float, ends))
        weights = taus * np.exp(logs - logs.max())  # nodes are as far apart as they are large
        return weights / weights.sum(), taus

    def _between(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Spreads by equal ratios, and their log likelihoods."""
        taus = np.geomspace(low, high, _NODES)
        return taus, np.array([self.at(tau).log_likelihood for tau in taus.tolist()])


def contrasts(systems: int) -> Floats:
    """Orthonormal contrasts of so many systems, shape (systems, systems - 1)."""
    return np.linalg.qr(np.eye(systems)[:, :-1] - 1 / systems)[0]


def category(systems: int, members: Ints, rating: Floats, covariance: Floats) -> Category:
    """Ratings of some of the systems, with the covariance of their errors, in coordinates.

    Parameters
    ----------
    systems : int
        Systems of all categories.
    members : array of int, shape (systems of it,)
        Which of them it has.
    rating, covariance : array
        Of these, about their mean.
    """
    basis = contrasts(len(members))
    variances, turned = np.linalg.eigh(basis.T @ covariance @ basis)
    back = basis @ turned
    return Category(back.T @ rating, variances, back.T @ contrasts(systems)[members], back)


def given(one: Category, at: At, tau: float) -> tuple[Floats, Floats, Floats]:
    """Best linear prediction of a category for one spread: ratings, their variances, and how far they are shrunk."""
    shrunk = one.variances / (tau**2 + one.variances)
    ratings = one.back @ (one.values - shrunk * (one.values - one.overall @ at.overall))
    own = tau**2 * shrunk
    variance = (one.back**2) @ own + _square((one.back * shrunk) @ one.overall, at.covariance)
    return ratings, variance, (one.back**2) @ shrunk / (1 - 1 / len(one.back))


def _square(rows: Floats, covariance: Floats) -> Floats:
    """Variances of combinations, one per row."""
    return np.asarray(((rows @ covariance) * rows).sum(axis=1))


def _mixed(parts: Sequence[tuple[Floats, Floats, Floats]], weights: Floats) -> Pooled:
    """Mean over spreads, and standard deviation within and between them."""
    ratings, variances, shrunk = (np.array(column) for column in zip(*parts, strict=True))
    mean = weights @ ratings
    return Pooled(mean, np.sqrt(weights @ (variances + (ratings - mean) ** 2)), weights @ shrunk)
