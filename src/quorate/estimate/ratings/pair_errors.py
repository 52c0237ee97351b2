"""Differences of every two systems of a board of scores, each with the interval that `quorate.compare` has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.differences.difference import difference
from quorate.estimate.differences.joint import JointMeans
from quorate.estimate.means.mean import aimed
from quorate.estimate.means.reach import is_complete, is_setup
from quorate.estimate.means.targets import POPULATION, Target, among
from quorate.numerics.reach import KAPPA
from quorate.numerics.study_power import half_widths
from quorate.table.judgments import Judgments
from quorate.wording import Brief

MOST_SYSTEMS = 20
"""Systems whose tables have gaps of which every two are compared by themselves: with more it would take long."""


@dataclass(frozen=True, eq=False)
class PairErrors(Brief):
    """Differences of every two systems, and what their intervals rest on; arrays have shape (systems, systems).

    Parameters
    ----------
    value : array
        Row less column.
    variance, df : array
        Over items; see `quorate.numerics.reach.Reach`.
    effects : tuple of (array, array, float)
        Square, noise and degrees of freedom of every facet that stands for others.
    """

    value: Floats
    variance: Floats
    df: Floats
    effects: tuple[tuple[Floats, Floats, float], ...] = ()

    @property
    def parts(self) -> tuple[tuple[Floats, float], ...]:
        """What intervals count of every drawn facet, and its degrees of freedom."""
        return tuple((np.maximum(square - KAPPA * noise, 0.0), df) for square, noise, df in self.effects)

    @property
    def square(self) -> Floats:
        """Square of the standard error of each difference."""
        return np.asarray(self.variance + self.beyond_items)

    @property
    def freedom(self) -> Floats:
        """Satterthwaite's degrees of freedom of that."""
        spent = self.variance**2 / self.df + sum(
            np.maximum(square - noise, 0.0) ** 2 / df for square, noise, df in self.effects
        )
        return np.where(spent > 0, self.square**2 / np.maximum(spent, 1e-300), self.df)

    @property
    def beyond_items(self) -> Floats:
        """What is left of the variance of each difference with any number of items."""
        return np.asarray(
            sum((np.maximum(square - noise, 0.0) for square, noise, _ in self.effects), 0 * self.variance)
        )

    @property
    def covariance(self) -> Floats:
        """Covariance of the means about their average under which differences vary so, or more where none does."""
        k = len(self.value)
        apart = np.eye(k) - 1 / k
        values, vectors = np.linalg.eigh(-apart @ self.square @ apart / 2)
        return np.asarray(vectors * np.maximum(values, 0.0) @ vectors.T)

    def half_width(self, upper: float | Floats) -> Floats:
        """Half of each interval, by the upper point of its tails, or those of every row."""
        return half_widths(upper, self.variance, self.df, self.parts)


def pair_errors(
    joint: JointMeans, judgments: Judgments, systems: Sequence[str], targets: Mapping[str, Target]
) -> PairErrors:
    """Differences of every two systems; those of `quorate.compare`, but of one model for all where there are many gaps.

    Parameters
    ----------
    joint : JointMeans
        One model of all of them.
    judgments : Judgments
        What was judged.
    systems : sequence of str
        In the order of the board.
    targets : mapping of str to str
        What facets stand for, all of them.
    """
    facet, answered = joint.facet, judgments.keep(judgments.n > 0)
    order = [answered.level_index(facet, name) for name in systems]
    if not joint.chosen and is_complete(answered) and facet not in answered.ancestors(answered.object):
        return _of_complete(answered, facet, np.array(order), targets)
    k, whole = len(systems), [joint.systems.index(name) for name in systems]
    value, variance, df = np.zeros((k, k)), np.zeros((k, k)), np.ones((k, k))
    effects: list[tuple[Floats, Floats, float]] = []
    for i, j in combinations(range(k), 2):
        if joint.chosen or k > MOST_SYSTEMS:
            weights = np.zeros(len(joint.systems))
            weights[whole[i]], weights[whole[j]] = 1.0, -1.0
            one = joint.contrast(weights)
        else:
            one = difference(judgments, systems[i], systems[j], facet=facet, targets=joint.asked).estimate
        one = aimed(one, among(one.target, targets))
        value[i, j], value[j, i] = one.value, -one.value
        reach = one.reach
        variance[i, j] = variance[j, i] = one.variance if reach is None else reach.variance
        df[i, j] = df[j, i] = one.df if reach is None else reach.df
        for place, effect in enumerate(() if reach is None else reach.effects):
            if place == len(effects):
                effects.append((np.zeros((k, k)), np.zeros((k, k)), effect.df))
            effects[place][0][i, j] = effects[place][0][j, i] = effect.square
            effects[place][1][i, j] = effects[place][1][j, i] = effect.noise
    return PairErrors(value, variance, df, tuple(effects))


def _of_complete(judgments: Judgments, facet: str, order: Ints, targets: Mapping[str, Target]) -> PairErrors:
    """The same where every item has all cells of every system: sums of squares and products of their means."""
    item = judgments.object
    over = judgments.ancestors(item)
    strata = [name for name in over if targets[name] != POPULATION]
    clusters = [name for name in reversed(over) if targets[name] == POPULATION]
    unit = judgments.level_codes([clusters[0] if clusters else item])
    stratum = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    if strata:
        stratum[unit] = judgments.level_codes(strata)
    system = np.argsort(order)[judgments.column(facet)]
    k, n = len(order), len(stratum)
    cells = np.bincount(system, minlength=k)[0]
    mean = _sums(judgments, [unit, system], (n, k)) / cells  # what each brings to its system's mean
    variance, df, _ = _over_units(mean, stratum)
    total = mean.sum(axis=0)
    effects = []
    for name in judgments.names:
        if targets[name] != POPULATION or not is_setup(judgments, name):
            continue
        levels = judgments.n_levels(name)
        own = _sums(judgments, [unit, judgments.level_codes([name]), system], (n, levels, k)) * levels / cells
        means = own.sum(axis=0)
        noise = _over_units((own - own.mean(axis=1, keepdims=True)).reshape(n, -1), 0 * stratum)[2]
        noise = np.einsum("lalb->ab", noise.reshape(levels, k, levels, k)) / (levels - 1)
        effects.append((_apart(np.cov(means.T)) / levels, _apart(noise) / levels, levels - 1.0))
    return PairErrors(total[:, None] - total, variance, df, tuple(effects))


def _sums(judgments: Judgments, codes: Sequence[Ints], shape: tuple[int, ...]) -> Floats:
    place = np.ravel_multi_index(tuple(codes), shape)
    return np.asarray(np.bincount(place, judgments.mean, int(np.prod(shape))), dtype=np.float64).reshape(shape)


def _over_units(brought: Floats, stratum: Ints) -> tuple[Floats, Floats, Floats]:
    """Variance of every difference of columns, its degrees of freedom as by Welch, and the covariance of the columns.

    A unit that is all its stratum has counts as the others do.
    """
    covariance, parts = np.zeros((brought.shape[1], brought.shape[1])), []
    seen = 0
    for h in range(int(stratum.max()) + 1):
        own = brought[stratum == h]
        if len(own) > 1:
            apart = own - own.mean(axis=0)
            part = apart.T @ apart * len(own) / (len(own) - 1)
            parts.append((part, len(own) - 1))
            covariance, seen = covariance + part, seen + len(own)
    lost = len(brought) / max(seen, 1)
    variance = _apart(covariance) * lost
    spent = sum(((_apart(part) * lost) ** 2 / free for part, free in parts), np.zeros_like(variance))
    df = np.divide(variance**2, spent, out=np.full_like(variance, float(max(seen - len(parts), 1))), where=spent > 0)
    return variance, df, covariance * lost


def _apart(covariance: Floats) -> Floats:
    """Variances of differences."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, 0.0)
