"""Convergence of chains: rank-normalised split R-hat, and effective sample sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.distributions import chi_square_tail


def r_hat(draws: Floats) -> float:
    """Split R-hat of rank-normalised draws, the larger of location and spread; near 1 where chains agree.

    Parameters
    ----------
    draws : array, shape (chains, draws)
        Draws of one quantity.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter and Burkner (2021), Rank-normalization, folding, and localization: an improved
    R-hat, Bayesian Analysis 16(2), Eq. 1-4 and section 4.2. R: ``posterior::rhat``.
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_potential(_normal_scores(halves)), _potential(_normal_scores(folded)))


def bulk_ess(draws: Floats) -> float:
    """Effective sample size of the bulk of draws, shape (chains, draws); R: ``posterior::ess_bulk``."""
    return ess(_normal_scores(_split(draws)))


def ess(chains: Floats) -> float:
    """Effective sample size of a mean by Geyer's initial monotone sequence; Eq. 10 of Vehtari et al. (2021)."""
    m, n = chains.shape
    covariance = _autocovariance(chains)
    within = covariance[:, 0].mean() * n / (n - 1)
    total = covariance[:, 0].mean() + (chains.mean(axis=1).var(ddof=1) if m > 1 else 0.0)
    if not total > 0:
        return float("nan")  # a constant says nothing
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    last = int(negative[0]) if len(negative) else len(pairs)
    monotone = np.minimum.accumulate(pairs[:last])
    even = rho[2 * last] if 2 * last < n else 0.0
    tau = -1 + 2 * monotone.sum() + max(even, 0.0)
    return float(m * n / max(tau, 1 / np.log10(m * n)))


def _split(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _potential(chains: Floats) -> float:
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    return float(np.sqrt((n - 1) / n + between / within)) if within > 0 else float("nan")


def _normal_scores(values: Floats) -> Floats:
    """Normal quantiles of fractional ranks, ties averaged (Blom's offset)."""
    from scipy.special import ndtri

    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(times) - (times - 1) / 2)[place].reshape(values.shape)
    out: Floats = ndtri((rank - 3 / 8) / (values.size + 1 / 4))
    return out


def _autocovariance(chains: Floats) -> Floats:
    n = chains.shape[1]
    size = 1 << int(2 * n - 1).bit_length()
    spectrum = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), size, axis=1)
    out: Floats = np.fft.irfft(spectrum * spectrum.conj(), size, axis=1)[:, :n] / n
    return out


# Ranks of true values among draws: uniform where posterior and sampler are right (simulation-based calibration).


DRAWS = 99
"""Draws that a truth is ranked among: ranks are 0 to 99."""
BINS = 10


class Uniformity(NamedTuple):
    """How even ranks are.

    Parameters
    ----------
    counts : tuple of int
        Ranks in every tenth.
    p : float
        By chi-square on 9 degrees of freedom.
    """

    counts: tuple[int, ...]
    p: float


def rank(truth: float, draws: Floats) -> int:
    """How many of `DRAWS` draws, evenly spaced so that they are nearly independent, lie below the truth."""
    at = np.linspace(0, len(draws) - 1, DRAWS).round().astype(np.int64)
    return int(np.sum(draws[at] < truth))


def uniformity(ranks: Ints) -> Uniformity:
    """Counts in tenths, and whether they are even.

    Examples
    --------
    >>> uniformity(np.arange(100)).p
    1.0
    """
    counts = np.bincount(ranks * BINS // (DRAWS + 1), minlength=BINS)
    expected = len(ranks) / BINS
    return Uniformity(tuple(counts.tolist()), chi_square_tail(BINS - 1, np.sum((counts - expected) ** 2) / expected))


def band(studies: int) -> tuple[int, int]:
    """Counts between which all tenths lie with a chance of at least 95%, if ranks are uniform (Bonferroni)."""
    from scipy.special import bdtr

    tail = 0.05 / BINS / 2
    below = bdtr(np.arange(studies + 1), studies, 1 / BINS)
    low, high = np.searchsorted(below, [tail, 1 - tail])
    return int(low), int(high)
