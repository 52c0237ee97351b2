"""Prediction-powered means: predictions of many save labels of most, and few labels correct the predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.numerics.votes.clustered import combined, intersections

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
        Stratum of both, from 0; for `quorate.numerics.stratified`.
    """

    y: Floats
    predicted: Floats
    others: Floats
    cluster: Codes
    others_cluster: Codes
    also: tuple[tuple[Codes, Codes], ...] = ()
    strata: tuple[Codes, Codes] | None = None


def powered_mean(sample: Sample, *, tuning: float | None = None, finite: bool = False) -> PoweredMean:
    """Mean of the labels, corrected by what the predictions say of the units without label.

    ``mean(y - l f) + l mean(f')`` with predictions ``f`` of labelled and ``f'`` of other units. The weight ``l`` that
    minimises the variance is ``cov(y, f) / ((1 + n / m) var(f))``, cut to 0 and 1. For each unit it is computed without
    that unit's cluster, so that it is independent of what it multiplies and the estimate unbiased.

    Parameters
    ----------
    sample : Sample
        Labels and predictions; labels are of units drawn at random.
    tuning : float, optional
        A given weight instead: 1 is the estimator of Angelopoulos et al. (2023a), 0 the mean of the labels.
    finite : bool
        Whether the mean is that of exactly these units, labelled and not, instead of a population that they are from.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023a), Science 382, 669-674. Angelopoulos, Duchi and Zrnic
    (2023b), PPI++, arXiv:2311.01453, section 6. Finite populations: Cochran (1977), Sampling Techniques, 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> y, f, others = np.array([1.0, 0, 1, 1]), np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    >>> mean = powered_mean(Sample(y, f, others, np.arange(4), np.arange(4, 12)), tuning=1.0)
    >>> mean.value, mean.labels_value
    (1.0, 0.75)
    """
    n, m = len(sample.y), len(sample.others)
    weight = weights(sample, tuning)
    mean = float(np.mean(weight))
    value = float(np.mean(sample.y - weight * (sample.predicted - sample.others.mean())))
    stretch = 1 + n / m if finite else 1.0  # over these units alone, f' is no sample: its mean is that of all of them
    # With few labels the weights of units differ, and that is part of the error: each with its own.
    residual = sample.y - stretch * weight * (sample.predicted - sample.others.mean())
    se, df = _error(residual, mean * sample.others, sample, finite=finite)
    labels_se, labels_df = _error(sample.y, np.zeros(m), sample, finite=finite)
    return PoweredMean(value, se, df, float(sample.y.mean()), labels_se, labels_df, mean)


def weights(sample: Sample, tuning: float | None = None) -> Floats:
    """Weight of the prediction of every labelled unit, from the labels of other clusters; or the one given."""
    n, m = len(sample.y), len(sample.others)
    if tuning is not None:
        return np.full(n, float(tuning))
    y, f = sample.y - sample.y.mean(), sample.predicted - sample.predicted.mean()  # for rounding only
    _, code = np.unique(sample.cluster, return_inverse=True)
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
    total, largest = 0.0, 0.0
    for count, code in intersections([np.unique(cluster, return_inverse=True)[1] for cluster in clusters]):
        groups = int(code.max()) + 1
        if groups < 2:
            return float("nan")
        sums = np.bincount(code, values - values.mean()) / len(values)
        variance = float(sums @ sums) * groups / (groups - 1)
        total -= (-1) ** count * variance
        largest = max(largest, variance) if count == 1 else largest
    return float(np.sqrt(max(total, largest)))


def _error(residual: Floats, others: Floats, sample: Sample, *, finite: bool) -> tuple[float, float]:
    """Standard error and degrees of freedom of ``mean(residual) + mean(others)``, by all facets at once."""
    facets = [np.concatenate(pair) for pair in ((sample.cluster, sample.others_cluster), *sample.also)]
    if len(facets) == 1:
        return _error_by(facets[0], residual, others, finite=finite)
    total, ways = 0.0, []
    for count, code in intersections([np.unique(facet, return_inverse=True)[1] for facet in facets]):
        se, own = _error_by(code, residual, others, finite=finite)
        total -= (-1) ** count * se**2
        ways += [(se**2, own)] if count == 1 else []
    variances, freedom = np.array(ways).T
    variance, df = combined(np.array(total), variances, freedom)
    return float(np.sqrt(variance)), float(df)


def _error_by(cluster: Codes, residual: Floats, others: Floats, *, finite: bool) -> tuple[float, float]:
    """The same by one facet, whose codes are those of the labelled units and then of the others."""
    n, m = len(residual), len(others)
    labelled_part = (residual - residual.mean()) / n
    rest = np.zeros(m) if finite else (others - others.mean()) / m
    share = m / (n + m) if finite else 1.0
    clusters, code = np.unique(cluster, return_inverse=True)
    if len(clusters) == n + m:
        parts = np.array([share * float(labelled_part @ labelled_part) * n / (n - 1), float(rest @ rest) * m / (m - 1)])
        freedom = float(np.sum(parts**2 / np.array([n - 1, m - 1])))
        return float(np.sqrt(parts.sum())), float(parts.sum() ** 2 / freedom) if freedom > 0 else float(n - 1)
    labelled = len(np.unique(cluster[:n]))
    if labelled < 2:
        return float("nan"), float("nan")
    sums = np.bincount(code, np.concatenate([labelled_part, rest]))
    return float(np.sqrt(share * float(sums @ sums) * labelled / (labelled - 1))), float(labelled - 1)
