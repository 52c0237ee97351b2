"""What every item brings to weighted sums of scores: their variance over items, and its degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints

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

    def scores(self, weights: Floats) -> ItemScores:
        """What each item brings to sums with these weights of cells, shape (sums, cells)."""
        each, df = np.zeros((len(self.stratum), len(weights))), np.zeros(len(weights))
        for k, weight in enumerate(weights):
            factor, share = self._scaling(weight)
            each[:, k] = np.sqrt(factor) * np.bincount(self.item, weight * self.residual)
            df[k] = _freedom(each[:, k], self.stratum, share)
        return ItemScores(each, df)

    def spread(self, weight: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Variance of one sum over items, and its degrees of freedom, in many studies with scores of their own.

        Parameters
        ----------
        weight : array, shape (cells,)
            Of the sum.
        scores : array, shape (studies, cells)
            The ratio of variances is held.
        """
        own = np.zeros((len(self.item), len(self.stratum)))
        own[np.arange(len(self.item)), self.item] = 1.0
        effects = np.zeros((len(self.item), len(self.inverse)))
        for column in self.columns:
            effects[np.arange(len(self.item)), column] += 1.0
        weighed = scores - (self._shrunk * (scores @ own))[:, self.item]
        residual = scores - weighed @ effects @ self.inverse @ effects.T
        factor, share = self._scaling(weight)
        each = (np.sqrt(factor) * ((residual * weight) @ own)).T
        return np.sum(each**2, axis=0), np.asarray(_freedom(each, self.stratum, share), dtype=np.float64)

    def _scaling(self, weight: Floats) -> tuple[Floats, Floats]:
        """What scales every item's residual (CR2), and for every stratum one over the degrees of freedom of its sum."""
        alone, seen = self._alone(self.item, weight), self._by_item(weight)
        known = np.sum((seen @ self.inverse) * seen, axis=1)
        factor = _scaled(alone, known, np.ones_like(alone))
        share = np.zeros(int(self.stratum.max()) + 1)
        for h in range(len(share)):
            own = self.stratum == h
            c, q = factor[own], seen[own]
            spread = self.inverse @ ((q.T * c) @ q)
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
        shrunk = self._shrunk[:, None] * (self._by_item(np.ones(len(self.item))) @ at.T)
        values = at @ self._cross(self.score) - score @ shrunk
        brought = self._by_item(self.residual) @ at.T - np.bincount(self.item, self.residual)[:, None] * shrunk
        first, kind, count = self._kinds
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
            variances[k] = _scaled(self._alone(own, weight), known, count)[kind] @ brought[:, k] ** 2
        return values, variances

    def weights_of(self, rows: Floats) -> Floats:
        """Weights of cells in sums of the fitted effects, from those of all effects; shape (sums, cells)."""
        columns = (rows @ self.inverse)[:, self.columns].sum(axis=1)
        totals = np.array([np.bincount(self.item, column) for column in columns])
        return np.asarray(columns - (self._shrunk * totals)[:, self.item])

    @cached_property
    def columns(self) -> Ints:
        """Place of every cell's effects among all, shape (parts, cells)."""
        return self.setup + self._starts[:, None]

    @cached_property
    def inverse(self) -> Floats:
        """Covariance of effects in units of the rest's variance, a generalised inverse; shape (effects, effects)."""
        p, one = int(sum(self._sizes)), np.ones(len(self.score))
        information = np.zeros((p, p))
        for own in self.columns:
            for other in self.columns:
                information += np.bincount(own * p + other, minlength=p * p).reshape(p, p)
        sums = self._by_item(one)
        information -= (sums * self._shrunk[:, None]).T @ sums
        size = np.sqrt(np.maximum(np.diag(information), 1e-300))
        values, vectors = np.linalg.eigh(information / size / size[:, None])
        kept = values > 1e-10 * p * values[-1]
        root = vectors[:, kept] / np.sqrt(values[kept]) / size[:, None]
        return np.asarray(root @ root.T)

    @cached_property
    def residual(self) -> Floats:
        """Scores less what is fitted of the setup."""
        weighed = self.score - (self._shrunk * np.bincount(self.item, self.score))[self.item]
        return np.asarray(self.score - (self.inverse @ self._cross(weighed))[self.columns].sum(axis=0))

    def _cross(self, weight: Floats) -> Floats:
        """``X'w`` of all cells, shape (effects,)."""
        return np.asarray(sum(np.bincount(own, weight, len(self.inverse)) for own in self.columns), dtype=np.float64)

    def _alone(self, item: Ints, weight: Floats) -> Floats:
        """Variance of every item's sum, in units of the rest's variance."""
        return np.asarray(np.bincount(item, weight**2) + self.ratio * np.bincount(item, weight) ** 2)

    @cached_property
    def _kinds(self) -> tuple[Ints, Ints, Ints]:
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
    def _starts(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self._sizes)[:-1]]).astype(np.int64)

    @cached_property
    def _shrunk(self) -> Floats:
        """``r / (1 + r n)`` of every item with n cells."""
        return np.asarray(self.ratio / (1 + self.ratio * np.bincount(self.item)))

    def _by_item(self, weight: Floats) -> Floats:
        """``X_i'w_i`` of every item, shape (items, effects)."""
        p, n = int(sum(self._sizes)), len(self.stratum)
        parts = (np.bincount(self.item * p + own, weight, n * p) for own in self.columns)
        return np.asarray(np.sum(list(parts), axis=0), dtype=np.float64).reshape(n, p)


def _scaled(alone: Floats, known: Floats, count: Floats | Ints) -> Floats:
    """What scales the residuals of so many items of each kind; those that tell nothing count as the others do."""
    told = alone > known + _OWN * alone
    factor = np.divide(alone, alone - known, out=np.zeros_like(alone), where=told)
    return np.asarray(factor * float(count @ alone) / max(float(count @ (alone * told)), 1e-300))


def _freedom(each: Floats, stratum: Ints, share: Floats) -> Any:
    """Satterthwaite's degrees of freedom in every stratum, if items vary as taken; Welch's of their sum."""
    total, spent = np.sum(each**2, axis=0), np.zeros(each.shape[1:])
    for h, part in enumerate(share):
        spent = spent + np.sum(each[stratum == h] ** 2, axis=0) ** 2 * part
    return np.divide(total**2, spent, out=np.full(np.shape(spent), np.nan), where=spent > 0)
