"""Mean squares of a crossed panel, the components they give, resampled scenarios, and tests of the judge effect.

Scores ``x[i, j, l]`` of n scenarios, m generations nested in each, and K judges who all scored all of them.
``docs/methods/panels.md`` derives the expected mean squares.
"""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.frozen import dataclass

NAMES = ("alpha", "beta", "gamma", "eps", "interaction")
"""Components in the order of the arrays: scenario, generation, judge, residual, scenario:judge."""
_ROUNDING = 1e-13
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Sums:
    """What the mean squares need of every scenario.

    Parameters
    ----------
    m : int
        Generations per scenario.
    mean : float
        Mean of all scores.
    gamma : array, shape (K,)
        Mean of every judge less the mean of all.
    columns : array, shape (n, K + 5)
        Per scenario: its judges' means less its mean and ``gamma``; its mean less that of all; sum of squares of the
        first, square of the second, sum of squares between its generations, and the rest.
    """

    m: int
    mean: float
    gamma: Floats
    columns: Floats

    @property
    def n(self) -> int:
        """Scenarios."""
        return len(self.columns)

    @property
    def k(self) -> int:
        """Judges."""
        return len(self.gamma)


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of one table, or of many resamples of its scenarios at once.

    Parameters
    ----------
    n, m, k : int
        Scenarios, generations per scenario, judges.
    scenario, generation, judge, interaction, within, pooled : array, shape () or (resamples,)
        ``MS_S``, ``MS_G``, ``MS_J``, ``MS_SJ``, ``MS_E`` and ``MS_W``, the pool of the last two. One generation leaves
        nothing for ``MS_G`` and ``MS_E``: nan.
    mean : array, shape () or (resamples,)
        Mean of all scores.
    gamma : array, shape (..., K)
        Mean of every judge less the mean of all.
    spread : array, shape () or (resamples,)
        Mean square of ``gamma``.
    """

    n: int
    m: int
    k: int
    scenario: Floats
    generation: Floats
    judge: Floats
    interaction: Floats
    within: Floats
    pooled: Floats
    mean: Floats
    gamma: Floats
    spread: Floats


def sums(x: Floats) -> Sums:
    """Means and sums of squares by scenario, centred first so that no digits are lost.

    Parameters
    ----------
    x : array, shape (n, m, K)
        Scores.
    """
    _, m, k = x.shape
    mean = float(x.mean())
    tolerance = _ROUNDING * float(np.abs(x).max())
    gamma = _cleared((x - mean).mean(axis=(0, 1)), tolerance)
    centred = x - mean - gamma
    by_judge = centred.mean(axis=1)
    by_generation = centred.mean(axis=2)
    scenario = _cleared(by_judge.mean(axis=1), tolerance)
    apart = _cleared(by_judge - by_judge.mean(axis=1, keepdims=True), tolerance)
    generation = _cleared(by_generation - by_generation.mean(axis=1, keepdims=True), tolerance)
    rest = _cleared(centred - by_judge[:, None, :] - generation[:, :, None], tolerance)
    squares = (_squares(apart), scenario**2, k * _squares(generation), _squares(rest))
    return Sums(m, mean, gamma, np.column_stack([apart, scenario, *squares]))


def mean_squares(table: Sums) -> MeanSquares:
    """Mean squares of the table."""
    return _mean_squares(table, table.columns.sum(axis=0), 1.0, 0.0)


def resampled(table: Sums, resamples: int, rng: np.random.Generator) -> MeanSquares:
    """Mean squares when scenarios are drawn with replacement, as many as there are.

    A drawn table has scenarios twice, so its mean squares between scenarios are ``1 - 1/n`` of the table's on average,
    and the squares of its judge effects larger by their sampling variance. Both are corrected, exactly: over resamples
    every component averages to its estimate.

    Parameters
    ----------
    table : Sums
        The table.
    resamples : int
        How many.
    rng : numpy.random.Generator
        For the draws.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 10.2, for the bias.
    """
    n, k = table.n, table.k
    step = max(_CHUNK // n, 1)
    totals = []
    for start in range(0, resamples, step):
        some = min(step, resamples - start)
        drawn = rng.integers(n, size=(some, n)) + n * np.arange(some)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n * some).reshape(some, n).astype(np.float64)
        totals.append(counts @ table.columns)
    extra = float(table.columns[:, k + 1].sum()) / (k * n**2)
    return _mean_squares(table, np.concatenate(totals), n / (n - 1), extra)


def _mean_squares(table: Sums, totals: Floats, scale: float, extra: float) -> MeanSquares:
    n, m, k = table.n, table.m, table.k
    apart, mean = totals[..., :k] / n, totals[..., k] / n
    interaction = scale * m * np.maximum(totals[..., k + 1] - n * np.square(apart).sum(axis=-1), 0.0)
    within = totals[..., k + 4]
    gamma = table.gamma + apart
    spread = np.square(gamma).mean(axis=-1) - extra
    scenario = scale * m * k * np.maximum(totals[..., k + 2] - n * mean**2, 0.0)
    return MeanSquares(
        n=n,
        m=m,
        k=k,
        scenario=scenario / (n - 1),
        generation=_over(totals[..., k + 3], n * (m - 1)),
        judge=n * m * k * spread / (k - 1),
        interaction=interaction / ((n - 1) * (k - 1)),
        within=_over(within, n * (m - 1) * (k - 1)),
        pooled=(interaction + within) / ((n * m - 1) * (k - 1)),
        mean=table.mean + mean,
        gamma=gamma,
        spread=spread,
    )


def _over(squares: Floats, df: int) -> Floats:
    out: Floats = squares / df if df else np.full_like(squares, np.nan)
    return out


def _cleared(values: Floats, tolerance: float) -> Floats:
    """Deviations with what is rounding taken as zero, so that scores that agree have no variance."""
    out: Floats = np.where(np.abs(values) > tolerance, values, 0.0)
    return out


def _squares(values: Floats) -> Floats:
    flat = values.reshape(len(values), -1)
    out: Floats = np.einsum("ij,ij->i", flat, flat)
    return out


def paper(table: MeanSquares) -> Floats:
    """Components of the model without scenario:judge interaction, which is left in the residual.

    With one generation, ``alpha`` contains ``beta``. The interaction is nan: the model has none.

    Returns
    -------
    array, shape (..., 5)
        In the order of `NAMES`; unbiased if there is no interaction, and negative where the mean squares say so.

    References
    ----------
    Zhu et al. (2026), Equations 23 to 28.
    """
    between = table.generation if table.m > 1 else table.pooled
    alpha = (table.scenario - between) / (table.m * table.k)
    beta = (table.generation - table.pooled) / table.k
    return _stacked(alpha, beta, _judge(table, table.pooled), table.pooled, np.full_like(alpha, np.nan))


def separated(table: MeanSquares) -> Floats:
    """Components of the model with scenario:judge interaction.

    With one generation, ``alpha`` contains ``beta`` and ``eps`` the interaction, which are then nan.

    Returns
    -------
    array, shape (..., 5)
        In the order of `NAMES`; unbiased, and negative where the mean squares say so.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, chapter 4.
    """
    alone = table.m == 1
    beta = (table.generation - table.within) / table.k
    between = table.scenario - table.interaction - (0.0 if alone else table.k * beta)
    eps = table.interaction if alone else table.within
    interaction = (table.interaction - table.within) / table.m
    return _stacked(between / (table.m * table.k), beta, _judge(table, table.interaction), eps, interaction)


def _judge(table: MeanSquares, noise: Floats) -> Floats:
    """Mean square of the judge effects less the noise in it."""
    return np.asarray(table.spread - noise / (table.n * table.m) * (table.k - 1) / table.k)


def _stacked(*components: Floats) -> Floats:
    return np.stack(np.broadcast_arrays(*components), axis=-1)


def f_ratio(effect: float, error: float) -> float:
    """Ratio of two mean squares: infinite where only the second is zero, nan where both are."""
    if error > 0:
        return effect / error
    return np.inf if effect > 0 else np.nan


def greenhouse_geisser(table: Sums) -> float:
    """How far the judges' scenario means are from equal variances and covariances: 1 if not at all, at least 1/(K - 1).

    Degrees of freedom of the test on ``MS_SJ`` are multiplied by it. nan where the judges do not differ between
    scenarios.

    Notes
    -----
    R: ``anova(lm(means ~ 1), X = ~1, test = "Spherical")``, where ``means`` has a column per judge.

    References
    ----------
    Greenhouse and Geisser (1959), Psychometrika 24, 95-112.
    """
    apart = table.columns[:, : table.k]
    covariance = apart.T @ apart
    total = float(np.trace(covariance))
    return total**2 / ((table.k - 1) * float(np.sum(covariance**2))) if total > 0 else np.nan
