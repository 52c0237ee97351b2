"""Reach: how far a sum of scores may be from what it stands for, and what every item brings to it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.roots import root

# What every item brings to weighted sums of scores: their variance over items, and its degrees of freedom.


_OWN = 1e-9
"""Part of an item's sum that must be free of the estimated effects for its residual to say something."""


@dataclass(frozen=True, eq=False)
class ItemScores:
    """What each item brings to some weighted sums of scores.

    Parameters
    ----------
    each : array, shape (items, sums)
        Contributions, so scaled that products summed over items estimate covariances of the sums without bias if scores
        of an item are alike as was taken.
    df : array, shape (sums,)
        Degrees of freedom of each variance: of every stratum Satterthwaite's, put together as by Welch.
    """

    each: Floats
    df: Floats

    @property
    def covariance(self) -> Floats:
        """Covariance of the sums, shape (sums, sums)."""
        return self.each.T @ self.each


@dataclass(frozen=True, eq=False)
class ItemModel:
    """Scores of items that are drawn, within strata, with everything else about them taken as it is.

    Effects of the setup are estimated by generalised least squares in which scores of an item share a variance
    ``ratio`` times that of the rest. Only efficiency rests on the ratio: variances come from residuals of whole items.

    Parameters
    ----------
    score : array, shape (cells,)
        Means of cells.
    item : array of int, shape (cells,)
        Dense codes of items.
    setup : array of int, shape (parts, cells)
        Dense codes of what a cell belongs to, such as its judge and its prompt; each level of a part has an effect.
    stratum : array of int, shape (items,)
        Dense codes; items of a stratum vary alike.
    ratio : float
        Variance that cells of an item share, in units of that of the rest.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181; Pustejovsky and Tipton (2018), J. Bus. Econ. Stat. 36,
    672-683, section 2: bias-reduced linearisation (CR2), here of one sum at a time.

    Examples
    --------
    >>> score, item = np.array([1.0, 2.0, 4.0, 5.0]), np.arange(4)
    >>> model = ItemModel(score, item, np.zeros((1, 4), int), np.zeros(4, int), 0.0)
    >>> found = model.scores(np.full((1, 4), 0.25))
    >>> round(float(found.covariance[0, 0] / (np.var(score, ddof=1) / 4)), 9), round(float(found.df[0]), 9)
    (1.0, 3.0)
    """

    score: Floats
    item: Ints
    setup: Ints
    stratum: Ints
    ratio: float

    def within(self, stratum: Ints) -> ItemModel:
        """The same with other strata, on which neither effects nor residuals rest."""
        if np.array_equal(stratum, self.stratum):
            return self
        out = replace(self, stratum=stratum)
        vars(out).update(
            {name: getattr(self, name) for name in ("columns", "root", "inverse", "residual", "shrunk", "_sizes")}
        )
        return out

    def scores(self, weights: Floats) -> ItemScores:
        """What each item brings to sums with these weights of cells, shape (sums, cells)."""
        each, df = np.zeros((len(self.stratum), len(weights))), np.zeros(len(weights))
        for k, weight in enumerate(weights):
            factor, share = self._scaling(weight)
            each[:, k] = np.sqrt(factor) * np.bincount(self.item, weight * self.residual)
            df[k] = freedom(each[:, k], self.stratum, share)
        return ItemScores(each, df)

    def spread(self, weights: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Variances of sums over items, and their degrees of freedom, in many studies with scores of their own.

        Parameters
        ----------
        weights : array, shape (sums, cells)
            As for `scores`.
        scores : array, shape (studies, cells)
            The ratio of variances is held.

        Returns
        -------
        tuple of array, shape (sums, studies)
        """
        from scipy.sparse import csr_array

        (parts, cells), starts = self.columns.shape, np.arange(len(self.item) + 1)
        by_cell = np.ascontiguousarray(scores.T)
        own = csr_array((np.ones(cells), self.item, starts), (cells, len(self.stratum))).T
        of = csr_array((np.ones(parts * cells), self.columns.T.ravel(), parts * starts), (cells, len(self.inverse))).T
        totals = self.shrunk[:, None] * (own @ by_cell)
        effects = self.inverse @ (of @ by_cell - self.by_item(np.ones(cells)).T @ totals)
        variance, df = np.empty((2, len(weights), len(scores)))
        for k, weight in enumerate(weights):
            factor, share = self._scaling(weight)
            brought = (own * weight) @ by_cell - self.by_item(weight) @ effects
            each = np.sqrt(factor)[:, None] * brought
            variance[k], df[k] = np.sum(each**2, axis=0), freedom(each, self.stratum, share)
        return variance, df

    def _scaling(self, weight: Floats) -> tuple[Floats, Floats]:
        """What scales every item's residual (CR2), and for every stratum one over the degrees of freedom of its sum."""
        alone, seen = self._alone(self.item, weight), self.by_item(weight)
        told = seen @ self.inverse
        known = np.sum(told * seen, axis=1)
        factor = scaled(alone, known, np.ones_like(alone))
        share = np.zeros(int(self.stratum.max()) + 1)
        for h in range(len(share)):
            own = self.stratum == h
            c, q = factor[own], seen[own]
            # Either has the same square, of as many rows as there are items or effects.
            spread = (told[own] @ q.T) * c if len(q) < len(self.inverse) else self.inverse @ ((q.T * c) @ q)
            square = float(c**2 @ (alone[own] * (alone[own] - 2 * known[own])) + np.sum(spread * spread.T))
            trace = float(c @ (alone[own] - known[own]))
            if trace > 0 and square > 0:
                share[h] = square / trace**2
        return factor, share

    def fitted(self, rows: Floats) -> tuple[Floats, Floats]:
        """Sums of the fitted effects with these weights, shape (sums, effects), and what items bring to their variance.

        As `scores` of their `weights_of` has it, without weights of all cells: items that have the same setups are
        scaled alike, so that each kind of them is gone through once.
        """
        at, score = rows @ self.inverse, np.bincount(self.item, self.score)
        shrunk = self.shrunk[:, None] * (self.by_item(np.ones(len(self.item))) @ at.T)
        values = at @ self._cross(self.score) - score @ shrunk
        brought = self.by_item(self.residual) @ at.T - np.bincount(self.item, self.residual)[:, None] * shrunk
        first, kind, count = self.kinds
        place = np.full(len(kind), -1)
        place[first] = np.arange(len(first))
        own = place[self.item]
        cells = np.flatnonzero(own >= 0)
        own, columns, p = own[cells], self.columns[:, cells], len(self.inverse)
        variances = np.zeros(len(rows))
        for k, effects in enumerate(at):
            weight = effects[columns].sum(axis=0) - shrunk[first, k][own]
            seen = np.sum([np.bincount(own * p + one, weight, len(first) * p) for one in columns], axis=0)
            seen = seen.reshape(len(first), p)
            known = np.sum((seen @ self.inverse) * seen, axis=1)
            variances[k] = scaled(self._alone(own, weight), known, count)[kind] @ brought[:, k] ** 2
        return values, variances

    def weights_of(self, rows: Floats) -> Floats:
        """Weights of cells in sums of the fitted effects, from those of all effects; shape (sums, cells)."""
        columns = (rows @ self.inverse)[:, self.columns].sum(axis=1)
        totals = np.array([np.bincount(self.item, column) for column in columns])
        return np.asarray(columns - (self.shrunk * totals)[:, self.item])

    @cached_property
    def columns(self) -> Ints:
        """Place of every cell's effects among all, shape (parts, cells)."""
        starts: Ints = np.cumsum([0, *self._sizes[:-1]])
        return np.asarray(self.setup + starts[:, None])

    @cached_property
    def inverse(self) -> Floats:
        """Covariance of effects in units of the rest's variance, a generalised inverse; shape (effects, effects)."""
        return np.asarray(self.root @ self.root.T)

    @cached_property
    def root(self) -> Floats:
        """``R`` with ``R R'`` the `inverse`; shape (effects, rank)."""
        p, one = int(sum(self._sizes)), np.ones(len(self.score))
        information = np.zeros((p, p))
        for own in self.columns:
            for other in self.columns:
                information += np.bincount(own * p + other, minlength=p * p).reshape(p, p)
        sums = self.by_item(one)
        information -= (sums * self.shrunk[:, None]).T @ sums
        size = np.sqrt(np.maximum(np.diag(information), 1e-300))
        values, vectors = np.linalg.eigh(information / size / size[:, None])
        kept = values > 1e-10 * p * values[-1]
        return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / size[:, None])

    @cached_property
    def residual(self) -> Floats:
        """Scores less what is fitted of the setup."""
        return np.asarray(self.score - self.effects[self.columns].sum(axis=0))

    @cached_property
    def effects(self) -> Floats:
        """What is fitted of the setup, shape (effects,)."""
        weighed = self.score - (self.shrunk * np.bincount(self.item, self.score))[self.item]
        return np.asarray(self.inverse @ self._cross(weighed))

    def _cross(self, weight: Floats) -> Floats:
        """``X'w`` of all cells, shape (effects,)."""
        return np.asarray(sum(np.bincount(own, weight, len(self.inverse)) for own in self.columns), dtype=np.float64)

    def _alone(self, item: Ints, weight: Floats) -> Floats:
        """Variance of every item's sum, in units of the rest's variance."""
        return np.asarray(np.bincount(item, weight**2) + self.ratio * np.bincount(item, weight) ** 2)

    @cached_property
    def kinds(self) -> tuple[Ints, Ints, Ints]:
        """Of items with the same setups, each as often: the first of every kind, every item's kind, and their number.

        Told by sums of numbers that are drawn for the setups: whole ones below 2^40, so that a float holds their sums.
        """
        setups = np.unique(self.setup, axis=1, return_inverse=True)[1].ravel() if len(self.setup) > 1 else self.setup[0]
        drawn = np.random.default_rng(1).integers(1, 2**40, (2, int(setups.max()) + 1)).astype(np.float64)
        marks = np.array([np.bincount(self.item, one[setups]) for one in drawn]).T.copy().view(np.complex128)[:, 0]
        _, first, kind, count = np.unique(marks, return_index=True, return_inverse=True, return_counts=True)
        return first, kind, count

    @cached_property
    def _sizes(self) -> list[int]:
        return [int(code.max()) + 1 for code in self.setup]

    @cached_property
    def shrunk(self) -> Floats:
        """``r / (1 + r n)`` of every item with n cells."""
        return np.asarray(self.ratio / (1 + self.ratio * np.bincount(self.item)))

    def by_item(self, weight: Floats) -> Floats:
        """``X_i'w_i`` of every item, shape (items, effects)."""
        p, n = int(sum(self._sizes)), len(self.stratum)
        parts = (np.bincount(self.item * p + own, weight, n * p) for own in self.columns)
        return np.asarray(np.sum(list(parts), axis=0), dtype=np.float64).reshape(n, p)


def scaled(alone: Floats, known: Floats, count: Floats | Ints) -> Floats:
    """What scales the residuals of so many items of each kind, on the last axis; what tells nothing counts as others.

    ``alone`` are variances of what items bring, ``known`` what the effects take of them; of one shape.
    """
    factor = unscaled(alone, known)
    seen = np.maximum((alone * (factor > 0)) @ count, 1e-300)
    return np.asarray(factor * (alone @ count / seen)[..., None])


def unscaled(alone: Floats, known: Floats) -> Floats:
    """The same where all items tell something; 0 for those that do not."""
    told = alone > known + _OWN * alone
    return np.divide(alone, alone - known, out=np.zeros_like(alone), where=told)


def freedom(each: Floats, stratum: Ints, share: Floats) -> Any:
    """Satterthwaite's degrees of freedom in every stratum, if items vary as taken; Welch's of their sum."""
    total, spent = np.sum(each**2, axis=0), np.zeros(each.shape[1:])
    for h, part in enumerate(share):
        spent = spent + np.sum(each[stratum == h] ** 2, axis=0) ** 2 * part
    return np.divide(total**2, spent, out=np.full(np.shape(spent), np.nan), where=spent > 0)


# Reach: how far a sum of scores may be from what it stands for, the one rule of every interval of scores.


KAPPA = 0.5
"""Part of the noise in level means that is taken off their spread; ``docs/methods/intervals.md`` says why half."""


@dataclass(frozen=True)
class Effect:
    """A facet whose levels stand for others.

    Parameters
    ----------
    square : float
        Variance of its level means over that of what they are averaged to: what it brings to the sum, noise included.
    noise : float
        What items bring to that.
    df : float
        Levels less one.
    """

    square: float
    noise: float
    df: float

    @property
    def part(self) -> float:
        """What intervals count of it: its square less half the noise in that, and never below zero."""
        return max(self.square - KAPPA * self.noise, 0.0)

    @property
    def variance(self) -> float:
        """What it is estimated to add to the variance: its square less the noise in that, and never below zero."""
        return max(self.square - self.noise, 0.0)


_SMALLEST, _NEAR = 1e-300, 1e-6
"""Tail that is looked for at the least, and what its logarithm is looked for beyond where it may be."""


@dataclass(frozen=True)
class Reach:
    """How far a weighted sum of scores may be from what it stands for.

    Parameters
    ----------
    variance : float
        Of this study's setup: over items, all else as it is.
    df : float
        Its degrees of freedom.
    effects : tuple of Effect
        Of every facet that stands for others.
    skewness : float
        Of what items bring to the sum.
    items : int
        How many do.

    References
    ----------
    Hall (1983), Annals of Probability 11, 1028-1036: the error of Student's interval by the skewness.
    """

    variance: float
    df: float
    effects: tuple[Effect, ...] = ()
    skewness: float = 0.0
    items: int = 1

    @property
    def missed(self) -> float:
        """By how much skewness takes the coverage of a 95% interval below that, to the first order."""
        z2 = 1.96**2
        density = math.exp(-z2 / 2) / math.sqrt(2 * math.pi)
        return 2 * density * 1.96 * (z2**2 + 2 * z2 - 3) / 18 * self.skewness**2 / self.items

    @property
    def se(self) -> float:
        """Standard error: the root of what items and drawn facets are estimated to bring."""
        return math.sqrt(self.variance + self.beyond_items)

    @property
    def beyond_items(self) -> float:
        """What is left of the variance with any number of items."""
        return sum(one.variance for one in self.effects)

    @property
    def freedom(self) -> float:
        """Satterthwaite's degrees of freedom of that."""
        parts = [(self.variance, self.df), *((one.variance, one.df) for one in self.effects)]
        total = sum(part for part, _ in parts) or 1.0
        spent = sum((part / total) ** 2 / df for part, df in parts)  # of shares: squares of small variances are zero
        return 1 / spent if spent > 0 else self.df

    def half_width(self, level: float) -> float:
        """Half the interval; with a facet more drawn it is never narrower."""
        return self._ends(1 - (1 + level) / 2)  # as quantiles of both sides round it

    def tail(self, distance: float) -> float:
        """One-sided p-value of a sum this far from a bound: the interval that ends there has two such tails."""
        if distance < 0:
            return 1 - self.tail(-distance)
        setup = t_cdf(self.df, -distance / math.sqrt(self.variance)) if self.variance > 0 else float(distance == 0) / 2
        if not self._beyond or distance == 0:
            return float(setup)
        total, df = self._beyond[-1]  # of all facets: what they add alone, and all that there is at the fewest df
        least = max(setup, t_cdf(df, -distance / math.sqrt(total)), _SMALLEST)
        most = t_cdf(min(self.df, *(df for _, df in self._beyond)), -distance / math.sqrt(self.variance + total))
        ends = math.log(least) - _NEAR, min(math.log(max(most, least)) + _NEAR, math.log(0.5))
        return math.exp(root(lambda log: self._ends(math.exp(log)) / distance - 1, *ends, xtol=_NEAR**2))

    def _ends(self, tail: float) -> float:
        """How far the ends of an interval are that leaves so much out on either side."""
        beyond = max((t_quantile(df, tail) ** 2 * total for total, df in self._beyond), default=0.0)
        return math.sqrt(t_quantile(self.df, tail) ** 2 * self.variance + beyond)

    @cached_property
    def _beyond(self) -> tuple[tuple[float, float], ...]:
        """What some of the drawn facets add, and its df, all of them last; a small one must not bring another's up."""
        drawn = [one for one in self.effects if one.part > 0]
        sets = chain.from_iterable(combinations(drawn, size) for size in range(1, len(drawn) + 1))
        totals = ((some, sum(one.part for one in some)) for some in sets)
        return tuple((total, 1 / sum((one.part / total) ** 2 / one.df for one in some)) for some, total in totals)


# The largest of K independent standard normals: its mean, spread and quantiles, exact by quadrature.


MOST = 10**9
"""Largest K for which the quadrature holds its error."""
_REACH, _STEP = 14.0, 1 / 64


def maximum_moments(k: ArrayLike) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the largest of ``k`` independent standard normals.

    Parameters
    ----------
    k : array of int
        How many, from 1 to `MOST`.

    Returns
    -------
    tuple of array
        Both in the shape of ``k``.

    Notes
    -----
    ``E[g(max)] = int g(z) K phi(z) Phi(z)^(K-1) dz`` by the trapezoidal rule, whose error falls exponentially with the
    number of points, since the integrand is entire and vanishes at both ends: below 1e-12 at this step.

    References
    ----------
    Harter (1961), Biometrika 48, 151-165, tabulates the mean.

    Examples
    --------
    >>> mean, sd = maximum_moments([10, 27])
    >>> mean.round(6).tolist()
    [1.538753, 1.998269]
    """
    from scipy.special import log_ndtr

    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    draws = np.asarray(k, dtype=float)[..., None]
    mass = np.exp(np.log(draws) + (draws - 1) * log_ndtr(z) - z**2 / 2) * (_STEP / np.sqrt(2 * np.pi))
    mean = np.where(draws[..., 0] == 1, 0.0, mass @ z)
    return mean, np.sqrt(np.sum(mass * (z - mean[..., None]) ** 2, axis=-1))
