"""Pilots of labels: variances of labels and of what predictions leave of them, and the error that a plan will find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.agreement.prediction_powered import Matched
from quorate.numerics.distributions import t_quantile
from quorate.numerics.prediction_powered import Codes, Sample, mean_error
from quorate.numerics.stratified import Split, Strata, deviations, shares

_LIKE_THE_REST = 10.0
"""Labels of the whole pilot that the variance of a stratum is averaged with."""
_ADDED = 4.0
"""Labels that `quorate.agreement.corrected` adds to a share."""
_WEIGHTED = 2.0
"""Over the number of labels: how much the residual variance grows by weights that are estimated."""


class Precision(NamedTuple):
    """What an analysis will find: standard error, degrees of freedom, and of a share as many independent labels."""

    se: float
    df: float
    trials: float | None
    level: float

    def half_width(self, coverage: float) -> float:
        """Half of the interval with this coverage, Student's or of a share Wilson's."""
        quantile = t_quantile(self.df, (1 + coverage) / 2)
        if self.trials is None:
            return quantile * self.se
        normal = t_quantile(np.inf, (1 + coverage) / 2)
        n = self.trials * (normal / quantile) ** 2
        square = self.level * (1 - self.level) / n + normal**2 / (4 * n**2)
        return normal * float(np.sqrt(square)) / (1 + normal**2 / n)

    def detectable(self, coverage: float, power: float) -> float:
        """Difference, or margin of a share above one half, that the interval excludes 0 or one half by, so often."""
        se = self.se if self.trials is None else 0.5 / float(np.sqrt(self.trials))
        return (t_quantile(self.df, (1 + coverage) / 2) + t_quantile(self.df, power)) * se


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot says of labels and predictions.

    Parameters
    ----------
    names : tuple of str
        Strata; one without a name where there are none.
    strata : Strata
        Variances of a label by one person, those of clusters included.
    levels : array, shape (strata,)
        Mean label.
    labels, units : array, shape (strata,)
        Labelled and predicted units of the pilot.
    correlation : (float, float, float)
        Of label and prediction within strata, and its interval.
    bias, bias_se : float
        Prediction less label, and its error.
    share : bool
        Whether labels are shares.
    clusters : mapping of str to int
        Labelled clusters by facet.
    """

    names: tuple[str, ...]
    strata: Strata
    levels: Floats
    labels: Floats
    units: Floats
    correlation: tuple[float, float, float]
    bias: float
    bias_se: float
    share: bool
    clusters: Mapping[str, int]

    @classmethod
    def of(cls, found: Matched, *, share: bool, level: float, within: float, persons: Floats) -> Pilot:
        """From labels by ``persons`` people each, whose labels of one unit have the variance ``within``."""
        sample = found.sample
        own, others = sample.strata or (np.zeros(len(sample.y), np.int64), np.zeros(len(sample.others), np.int64))
        weight = shares(sample)
        count, units = (np.bincount(each, minlength=len(weight)) for each in (own, np.append(own, others)))
        y, predicted = (_within(own, each) for each in (sample.y, sample.predicted))
        slope = _slopes(own, y, predicted, len(weight))
        left = y - slope[own] * predicted
        single = within * float(np.mean(1 - 1 / persons))
        variance = _variances(own, y, len(weight), 1) + single
        residual = np.minimum(_variances(own, left, len(weight), 2) + single, variance)
        by_label, by_residual, by_prediction = _effects(sample, left)
        r = float(np.sqrt(max(0.0, 1 - float(weight @ residual) / max(float(weight @ variance), 1e-300))))
        half = t_quantile(np.inf, (1 + level) / 2) / np.sqrt(max(len(own) - len(weight) - 2, 1))
        around = float(np.arctanh(min(r, 1 - 1e-12)))
        rates = np.bincount(own, sample.y, len(weight)) + _LIKE_THE_REST * sample.y.mean()
        gap = sample.predicted - sample.y
        return cls(
            names=found.strata or ("",),
            strata=Strata(weight, variance * by_label, residual * by_residual, (variance - residual) * by_prediction),
            levels=rates / (count + _LIKE_THE_REST) if len(weight) > 1 else np.array([sample.y.mean()]),
            labels=count.astype(float),
            units=units.astype(float),
            correlation=(r, float(np.tanh(max(around - half, 0.0))), float(np.tanh(around + half))),
            bias=float(np.sum(weight * np.bincount(own, gap, len(weight)) / np.maximum(count, 1))),
            bias_se=mean_error(deviations(sample, gap), sample.cluster, *(each for each, _ in sample.also)),
            share=share,
            clusters={name: len(np.unique(code)) for name, code in zip(found.groups, _facets(sample), strict=False)},
        )

    def at_correlation(self, r: float) -> Strata:
        """The strata if labels and predictions had this correlation in each."""
        total = self.strata.residual + self.strata.explained
        return Strata(self.strata.weight, self.strata.variance, (1 - r**2) * total, r**2 * total)

    def precision(self, split: Split, strata: Strata | None = None) -> Precision:
        """What `quorate.agreement.corrected` will find of the labels and predictions of this split."""
        strata = self.strata if strata is None else strata
        weight, n = strata.weight, split.labels
        if split.units:
            units = split.units * weight
            part = np.minimum(n / units, 1.0)
            left = strata.residual * (1 + _WEIGHTED / n) + part**2 * strata.explained
            rest, others = weight**2 * (1 - part) * strata.explained / units, units - n
        else:
            left, rest, others = strata.variance, np.zeros(len(n)), np.full(len(n), 2.0)
        own = weight**2 * left / n
        variance = float(np.sum(own + rest))
        freedom = float(np.sum(own**2 / np.maximum(n - 1, 1) + rest**2 / np.maximum(others - 1, 1)))
        df = variance**2 / freedom if freedom > 0 else float(n.sum() - 1)
        if self.clusters:
            df = max(min(self.clusters.values()) * float(n.sum() / self.labels.sum()) - 1, 1.0)
        level = float(weight @ self.levels)
        if not self.share:
            return Precision(float(np.sqrt(variance)), df, None, level)
        added = _ADDED / len(n)
        centre = (n * self.levels + added / 2) / (n + added)
        more = (weight / (n + added)) ** 2 * (n * left + added / 2 * (centre**2 + (1 - centre) ** 2))
        level = float(weight @ centre)
        trials = level * (1 - level) * float(n.sum() / (n.sum() + _ADDED)) / float(np.sum(more + rest))
        return Precision(float(np.sqrt(variance)), df, trials, level)


def _facets(sample: Sample) -> list[Codes]:
    return [sample.cluster, *(own for own, _ in sample.also)]


def _within(own: Codes, values: Floats) -> Floats:
    """Values less the mean of their stratum."""
    return np.asarray(values - (np.bincount(own, values) / np.maximum(np.bincount(own), 1))[own])


def _slopes(own: Codes, y: Floats, predicted: Floats, strata: int) -> Floats:
    """Slope of labels on predictions from 0 to 1, that of every stratum averaged with that of all."""
    together, spread = (np.bincount(own, each, strata) for each in (y * predicted, predicted**2))
    each = spread.sum() / len(own) * _LIKE_THE_REST if strata > 1 else 0.0
    if not spread.sum() > 1e-12 * float(y @ y):
        return np.zeros(strata)
    slope = (together + each * together.sum() / spread.sum()) / (spread + each)
    return np.asarray(np.clip(slope, 0.0, 1.0))


def _variances(own: Codes, deviation: Floats, strata: int, lost: int) -> Floats:
    """Variance of every stratum, averaged with that of all; ``lost`` degrees of freedom each."""
    squares, count = np.bincount(own, deviation**2, strata), np.bincount(own, minlength=strata)
    pooled = squares.sum() / max(len(own) - lost * strata, 1)
    if strata == 1:
        return np.array([pooled])
    free = np.maximum(count - lost, 0)
    each = np.divide(squares, free, out=np.zeros(strata), where=free > 0)
    return np.asarray((free * each + _LIKE_THE_REST * pooled) / (free + _LIKE_THE_REST))


def _effects(sample: Sample, left: Floats) -> tuple[float, float, float]:
    """How many times that of independent units the variances of labels, residuals and predictions are."""
    facets = _facets(sample)
    if len(facets) == 1 and len(np.unique(facets[0])) == len(facets[0]):
        return 1.0, 1.0, 1.0
    everywhere = [np.concatenate(pair) for pair in ((sample.cluster, sample.others_cluster), *sample.also)]
    predicted = np.concatenate([sample.predicted, sample.others])
    out = []
    for values, clusters in (
        (deviations(sample, sample.y), facets),
        (deviations(sample, left), facets),
        (predicted - predicted.mean(), everywhere),
    ):
        alone = mean_error(values, np.arange(len(values)))
        out.append((mean_error(values, *clusters) / alone) ** 2 if alone > 0 else 1.0)
    return out[0], out[1], out[2]
