"""Prediction-powered means: predictions of many save labels of most, and few labels correct the predictions."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints, dense, occurring
from quorate.frozen import dataclass
from quorate.numerics.votes.clustered import by_all

_PADDING = np.array([0.0, 0.0, 1.0, 1.0])

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class PoweredMean:
    """A prediction-powered mean beside the mean of the labels alone.

    Parameters
    ----------
    value, se, df : float
        Estimate, standard error and degrees of freedom.
    labels_value, labels_se, labels_df : float
        The same from the labels alone.
    tuning : float
        Mean weight of the predictions, 0 to 1.
    """

    value: float
    se: float
    df: float
    labels_value: float
    labels_se: float
    labels_df: float
    tuning: float


@dataclass(frozen=True)
class Sample:
    """Labels and predictions.

    Parameters
    ----------
    y, predicted : array, shape (n,)
        Labels, and the predictions of the same units; n at least 3.
    others : array, shape (m,)
        Predictions of units without label; m at least 2.
    cluster, others_cluster : array of int, shape (n,) and (m,)
        Clusters of both, from one list of codes; every unit on its own if they are all different.
    also : tuple of (array, array)
        The same by other facets that units share; ``cluster`` is then that with the fewest clusters.
    strata : (array, array), optional
        Stratum of both, from 0.
    """

    y: Floats
    predicted: Floats
    others: Floats
    cluster: Codes
    others_cluster: Codes
    also: tuple[tuple[Codes, Codes], ...] = ()
    strata: tuple[Codes, Codes] | None = None

    @property
    def clusters(self) -> list[Codes]:
        """Clusters of the labelled units, by every facet."""
        return [self.cluster, *(own for own, _ in self.also)]

    @property
    def all_clusters(self) -> list[Codes]:
        """The same of all units, those without label behind."""
        return [np.concatenate(pair) for pair in ((self.cluster, self.others_cluster), *self.also)]

    @cached_property
    def parts(self) -> tuple[Codes, Codes]:
        """The stratum of every labelled and every other unit; 0 where there are none."""
        return self.strata or (np.zeros(len(self.y), np.int64), np.zeros(len(self.others), np.int64))


def powered_mean(sample: Sample, *, tuning: float | None = None, finite: bool = False) -> PoweredMean:
    """Mean of the labels, corrected by what the predictions say of the units without label.

    ``mean(y - l f) + l mean(f')`` with predictions ``f`` of labelled and ``f'`` of other units. The weight ``l`` that
    minimises the variance is ``cov(y, f) / ((1 + n / m) var(f))``, cut to 0 and 1. For each unit it is computed without
    that unit's cluster, so that it is independent of what it multiplies and the estimate unbiased.

    With strata it is the mean of every stratum, weighted by the stratum's share of all units; the weight of the
    predictions is that of its stratum. A stratum that is all labelled, or all but one, has the mean of its labels.

    Parameters
    ----------
    sample : Sample
        Labels and predictions; labels are of units drawn at random, of which each stratum has at least 2.
    tuning : float, optional
        A given weight instead: 1 is the estimator of Angelopoulos et al. (2023a), 0 the mean of the labels.
    finite : bool
        Whether the mean is that of exactly these units, labelled and not, instead of a population that they are from.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023a), Science 382, 669-674. Angelopoulos, Duchi and Zrnic
    (2023b), PPI++, arXiv:2311.01453, section 6. Finite populations and strata: Cochran (1977), Sampling Techniques,
    5.3, 7.1 and 12.2. ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import numpy as np
    >>> y, f, others = np.array([1.0, 0, 1, 1]), np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    >>> mean = powered_mean(Sample(y, f, others, np.arange(4), np.arange(4, 12)), tuning=1.0)
    >>> mean.value, mean.labels_value
    (1.0, 0.75)
    >>> strata = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> powered_mean(Sample(y, f, others, np.arange(4), np.arange(4, 12), strata=strata), tuning=0.0).value
    0.75
    """
    return _powered(sample, tuning, finite, 0.0)


def _powered(sample: Sample, tuning: float | None, finite: bool, added: float) -> PoweredMean:
    """The same with labels that are added to a share."""
    weight = weights(sample, tuning)
    found, alone = (_estimate(sample, own, finite, added) for own in (weight, np.zeros(len(weight))))
    return PoweredMean(*found, *alone, float(np.sum(weight * rates(sample))))


def weights(sample: Sample, tuning: float | None = None) -> Floats:
    """Weight of the prediction of every labelled unit, from labels of other clusters of its stratum; or the given."""
    own, others = sample.parts
    out = np.zeros(len(own))
    for h in np.unique(own):
        at, rest = own == h, others == h
        if rest.sum() >= 2:
            part = replace(sample, y=sample.y[at], predicted=sample.predicted[at], others=sample.others[rest])
            out[at] = _slopes(replace(part, cluster=sample.cluster[at]), tuning)
    return out


def _slopes(sample: Sample, tuning: float | None) -> Floats:
    """The same where there are no strata."""
    n, m = len(sample.y), len(sample.others)
    if tuning is not None:
        return np.full(n, float(tuning))
    y, f = sample.y - sample.y.mean(), sample.predicted - sample.predicted.mean()  # for rounding only
    code = dense(sample.cluster)
    sums = np.column_stack([np.ones(n), y, f, y * f, f * f])
    within = np.column_stack([np.bincount(code, column) for column in sums.T])
    others, sum_y, sum_f, sum_yf, sum_ff = (sums.sum(axis=0) - within).T
    left = np.maximum(others, 1.0)
    together, spread = sum_yf - sum_y * sum_f / left, sum_ff - sum_f**2 / left
    slope = np.divide(together, spread, out=np.zeros(len(left)), where=spread > 1e-12 * max(float(f @ f), 1e-300))
    weight: Floats = np.clip(slope / (1 + n / m), 0.0, 1.0)[code]
    return weight


@dataclass(frozen=True)
class ShareError:
    """How many independent labels a share is as sure as, by errors that are known also where all labels agree.

    Parameters
    ----------
    padded : PoweredMean
        The mean with two labels of 0 and two of 1 added, whose predictions are the mean prediction.
    trials, labels_trials : float
        Independent labels that would be as sure as the powered mean, and as the labels alone.
    """

    padded: PoweredMean
    trials: float
    labels_trials: float


def share_error(sample: Sample, *, tuning: float | None = None, finite: bool = False) -> ShareError:
    """The error of a share, for a score interval: binomial variance over the error's square, both of padded labels.

    Parameters
    ----------
    sample : Sample
        Labels from 0 to 1 and their predictions.
    tuning, finite
        As for `powered_mean`.

    References
    ----------
    Agresti and Coull (1998), American Statistician 52, 119-126. ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import numpy as np
    >>> f, others = np.tile([0.0, 1.0], 25), np.tile([0.0, 1.0], 100)
    >>> nothing = Sample(np.zeros(50), f, others, np.arange(50), np.arange(50, 250))
    >>> round(share_error(nothing).trials)
    49
    """
    if sample.strata is not None:  # labels are spread over them evenly (Price and Bonett, 2004)
        n, padded = len(sample.y), _powered(sample, tuning, finite, _ADDED)
        variance = padded.labels_value * (1 - padded.labels_value) * n / (n + _ADDED)
        return ShareError(padded, variance / padded.se**2, variance / padded.labels_se**2)
    codes = max(sample.cluster.max(), sample.others_cluster.max()) + 1 + np.arange(len(_PADDING))
    y = np.append(sample.y, _PADDING)
    predicted = np.append(sample.predicted, np.full(len(_PADDING), sample.predicted.mean()))
    also = tuple((np.append(own, own.max() + others.max() + codes), others) for own, others in sample.also)
    more = Sample(y, predicted, sample.others, np.append(sample.cluster, codes), sample.others_cluster, also)
    padded = powered_mean(more, tuning=tuning, finite=finite)
    variance = float(y.mean() * (1 - y.mean())) * len(sample.y) / len(y)
    return ShareError(padded, variance / padded.se**2, variance / padded.labels_se**2)


def mean_error(values: Floats, *clusters: Codes) -> float:
    """Standard error of a mean, by the deviations of clusters of one facet or of several; nan with one cluster.

    Parameters
    ----------
    values : array, shape (n,)
        Values, at least 2.
    clusters : array of int, shape (n,)
        Clusters by each facet; every value on its own if they are all different.
    """

    def by(code: Ints) -> tuple[float, float]:
        groups, sums = int(code.max()) + 1, np.bincount(code, values - values.mean()) / len(values)
        return float(sums @ sums) * groups / (groups - 1) if groups > 1 else math.nan, math.inf

    codes = [np.unique(cluster, return_inverse=True)[1] for cluster in clusters]
    return float(np.sqrt(by_all(codes, by)[0]))


# Strata: labels drawn at a rate of its own in every one; without them all units are of one.


_ADDED = 4.0
"""Labels that are added to a share, half of them of 0 and half of 1, over all strata."""


def shares(sample: Sample) -> Floats:
    """Share of all units that each stratum has, shape (strata,)."""
    counts = np.bincount(np.concatenate(sample.parts))
    return np.asarray(counts / counts.sum())


def rates(sample: Sample) -> Floats:
    """What a labelled unit counts in the mean, shape (n,), by its stratum where there are several; adds up to 1."""
    own, _ = sample.parts
    size = shares(sample)
    return np.asarray((size / np.maximum(np.bincount(own, minlength=len(size)), 1))[own])


def deviations(sample: Sample, values: Floats) -> Floats:
    """Values of labelled units less the mean of their stratum, each as often as it counts; shape (n,)."""
    own, _ = sample.parts
    centre = np.bincount(own, values) / np.maximum(np.bincount(own), 1)
    return np.asarray((values - centre[own]) * rates(sample) * len(own))


def errors_apart(sample: Sample) -> float:
    """How many standard errors predictions of labelled units are from those of the others, stratum by stratum."""
    own, others = sample.parts
    apart = square = 0.0
    for h, share in enumerate(shares(sample)):
        here, rest = sample.predicted[own == h], sample.others[others == h]
        if min(len(here), len(rest)) >= 2:
            apart += share * float(here.mean() - rest.mean())
            square += share**2 * float(here.var(ddof=1) / len(here) + rest.var(ddof=1) / len(rest))
    return abs(apart) / float(np.sqrt(square)) if square > 0 else np.inf if apart else 0.0


def _estimate(sample: Sample, weight: Floats, finite: bool, added: float) -> tuple[float, float, float]:
    """Mean, standard error and degrees of freedom with these weights, ``added`` labels being spread over the strata."""
    own, others = sample.parts
    labelled, rest = np.zeros(len(own)), np.zeros(len(others))
    value = extra = 0.0
    size = shares(sample)
    each = added / len(size)
    for h, share in enumerate(size):
        at, left = own == h, others == h
        n, m, slope = int(at.sum()), int(left.sum()), float(np.mean(weight[at]))
        beyond = weight[at] * (sample.predicted[at] - (sample.others[left].mean() if m else 0.0))
        value += share * (float(np.sum(sample.y[at] - beyond)) + each / 2) / (n + each)
        # Over these units alone f' is no sample: its mean is that of all. With few labels weights differ from unit to
        # unit, and that is part of the error.
        residual = sample.y[at] - (1 + n / m if finite and m else 1.0) * beyond
        centre = (residual.sum() + each / 2) / (n + each)
        still = np.sqrt(m / (n + m)) if finite else 1.0
        labelled[at] = still * share * (residual - centre) / (n + each)
        extra += (still * share / (n + each)) ** 2 * each / 2 * (centre**2 + (1 - centre) ** 2)
        if m >= 2 and not finite:
            predicted = slope * sample.others[left]
            rest[left] = share * (predicted - predicted.mean()) / m
    variance, df = by_all(sample.all_clusters, lambda code: _variance_by(code, labelled, rest, sample))
    return float(value), float(np.sqrt(float(variance) + extra)), float(df)


def _variance_by(cluster: Codes, labelled: Floats, rest: Floats, sample: Sample) -> tuple[float, float]:
    """The same by one facet, whose codes, from 0, are those of the labelled units and then of the others."""
    deviations, n = np.concatenate([labelled, rest]), len(labelled)
    part = np.concatenate(sample.parts) * 2 + (np.arange(len(deviations)) >= n)
    counts = np.bincount(part)
    free = np.maximum(counts - 1, 1)
    if int(cluster.max()) + 1 == len(deviations):
        parts = np.bincount(part, deviations**2) * counts / free
        freedom = float(np.sum(parts**2 / free))
        return float(parts.sum()), float(parts.sum()) ** 2 / freedom if freedom > 0 else float(n - 1)
    groups = len(occurring(cluster[:n]))
    if groups < 2:
        return float("nan"), float("nan")
    if sample.strata is not None:  # each about a mean of its own
        deviations = deviations * np.sqrt(counts / free)[part]
    sums = np.bincount(cluster, deviations)
    return float(sums @ sums) * groups / (groups - 1), float(groups - 1)


# Two-phase sampling: how many units to predict and how many of these to label, by stratum, at given prices.


_STEPS = 40
_GOLDEN = (np.sqrt(5) - 1) / 2
_WHOLE = 1e-9


@dataclass(frozen=True, eq=False)
class Strata:
    """Strata of a population and what predictions say of the labels of each.

    Parameters
    ----------
    weight : array, shape (strata,)
        Share of the population.
    variance, residual, explained : array, shape (strata,)
        Variance of one label, what is left of it by the prediction, and what the prediction says of it: the sum of
        these two where units are independent.
    """

    weight: Floats
    variance: Floats
    residual: Floats
    explained: Floats


@dataclass(frozen=True)
class Costs:
    """What units cost.

    Parameters
    ----------
    label : float
        A label by a person.
    prediction : float
        A prediction of a unit by judges.
    unit : float
        A unit, whoever judges it.
    """

    label: float
    prediction: float
    unit: float = 0.0


class Split(NamedTuple):
    """Units to label of every stratum, units to predict (none where people are asked alone), and the variance."""

    labels: Floats
    units: float
    variance: float

    def cost(self, costs: Costs) -> float:
        """What it costs in all."""
        labels = float(self.labels.sum())
        if not self.units:
            return labels * (costs.label + costs.unit)
        return labels * costs.label + self.units * (costs.prediction + costs.unit)


def powered(
    strata: Strata, costs: Costs, budget: float, least: Floats, *, least_units: float = 0.0, most_units: float = np.inf
) -> Split | None:
    """Labels and predictions that a budget buys, with the least variance of the prediction-powered mean.

    ``sum W^2 r / n + sum W (v - r) / N`` with ``n`` labels of a stratum among ``N`` predicted units, which are drawn in
    proportion to the weights ``W``; ``n`` is at most all of these. The number of units is found by golden section: the
    variance is convex in it. With one stratum and no bounds ``n / N = sqrt(r / (v - r) c / label)``, ``c`` being the
    price of a predicted unit.

    Parameters
    ----------
    strata : Strata
        The population.
    costs : Costs
        Prices.
    budget : float
        Most that may be spent.
    least : array, shape (strata,)
        Fewest labels of each stratum.
    least_units, most_units : float
        Fewest and most predicted units.

    Returns
    -------
    Split or None
        None where the budget does not buy the fewest.

    References
    ----------
    Cochran (1977), Sampling Techniques, 5.5 and 12.7. ``docs/methods/agreement.md``.
    """
    size, square = strata.weight * np.sqrt(strata.residual), strata.weight**2 * strata.residual
    each, said = costs.prediction + costs.unit, float(strata.weight @ strata.explained)

    def at(units: float) -> Split:
        most = units * strata.weight
        labels = neyman(min((budget - units * each) / costs.label, float(most.sum())), size, least, most)
        return Split(labels, units, float(np.sum(square / labels)) + said / units)

    low = max(least_units, float(np.max(least / strata.weight)))
    left = budget - costs.label * float(least.sum())
    high = min(most_units, left / each) if each else most_units if left >= 0 else -np.inf
    if low > high:
        return None
    ends = at(low), at(high)
    inner, outer = at(high - _GOLDEN * (high - low)), at(low + _GOLDEN * (high - low))
    for _ in range(_STEPS):
        if inner.variance <= outer.variance:
            high, outer = outer.units, inner
            inner = at(high - _GOLDEN * (high - low))
        else:
            low, inner = inner.units, outer
            outer = at(low + _GOLDEN * (high - low))
    return min((*ends, inner, outer), key=lambda one: one.variance)


def people_alone(
    strata: Strata, costs: Costs, budget: float, least: Floats, *, most_units: float = np.inf
) -> Split | None:
    """Labels without predictions that a budget buys, by Neyman's allocation; None where it does not buy the fewest."""
    most = most_units * strata.weight
    total = min(budget / (costs.label + costs.unit), float(most.sum()))
    if total < least.sum() - _WHOLE or (least > most + _WHOLE).any():
        return None
    labels = neyman(total, strata.weight * np.sqrt(strata.variance), least, most)
    return Split(labels, 0.0, float(np.sum(strata.weight**2 * strata.variance / labels)))


def worth_from(costs: Costs) -> float:
    """Least correlation of predictions with labels at which they pay, whatever the budget.

    ``sqrt(label (1 - r^2)) + r sqrt(prediction + unit) < sqrt(label + unit)``.

    Examples
    --------
    >>> round(worth_from(Costs(1.0, 0.01)), 3)
    0.198
    """
    label, each = np.sqrt(costs.label), np.sqrt(costs.prediction + costs.unit)
    angle = np.arctan2(each, label) + np.arccos(min(np.sqrt(costs.label + costs.unit) / np.hypot(label, each), 1.0))
    return float(np.sin(min(angle, np.pi / 2)))


def to_reach(
    strata: Strata, costs: Costs, variance: float, least: float, least_units: float, most_units: float
) -> tuple[float, float] | None:
    """Labels and predicted units of one stratum that reach a variance at the lowest price; None where none do.

    ``n = sqrt(r / label) s / variance`` and ``N = sqrt(e / c) s / variance`` with ``s = sqrt(r label) + sqrt(e c)``,
    ``r`` the residual and ``e`` the explained variance; where a bound is met, the other number makes up for it.

    Examples
    --------
    >>> one = np.ones(1)
    >>> n, units = to_reach(Strata(one, one, 0.36 * one, 0.64 * one), Costs(1.0, 0.04), 0.01, 10, 10, 1e4)
    >>> round(n, 1), round(units, 1)
    (45.6, 304.0)
    """
    residual, explained = float(strata.residual[0]), float(strata.explained[0])
    label, each = costs.label, max(costs.prediction + costs.unit, 1e-12 * costs.label)
    scale = (np.sqrt(residual * label) + np.sqrt(explained * each)) / variance
    units = float(np.clip(np.sqrt(explained / each) * scale, least_units, most_units))
    if residual / variance < least:
        fewest = residual / least
        if fewest < variance and explained / (variance - fewest) <= units:
            return least, min(max(explained / (variance - fewest), least_units), most_units)
    if variance * units <= explained:
        return None
    labels = max(residual / (variance - explained / units), least)
    if labels > units:
        labels = units = max((residual + explained) / variance, least, least_units)
    return None if units > most_units else (labels, units)


def neyman(total: float, size: Floats, least: Floats, most: Floats) -> Floats:
    """``total`` in proportion to ``size``, none below its least or above its most.

    Examples
    --------
    >>> neyman(100, np.array([3.0, 1.0, 1.0]), np.array([5.0, 5.0, 30.0]), np.array([50.0, 90.0, 90.0]))
    array([50., 20., 30.])
    """
    out, free = np.array(least, dtype=float), np.ones(len(size), dtype=bool)
    sizes = np.maximum(size, 1e-12 * max(float(size.max()), 1e-300))
    for _ in sizes:
        left = total - float(out[~free].sum())
        wanted = left * sizes / sizes[free].sum()
        short, over = np.where(free, least - wanted, 0.0), np.where(free, wanted - most, 0.0)
        if (short <= _WHOLE).all() and (over <= _WHOLE).all():
            out[free] = wanted[free]
            break
        fixed = short > _WHOLE if short.clip(0).sum() >= over.clip(0).sum() else over > _WHOLE
        out[fixed] = np.where(short > _WHOLE, least, most)[fixed]
        free &= ~fixed
        if not free.any():
            break
    return out
