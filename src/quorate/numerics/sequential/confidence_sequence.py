"""Intervals for the mean of bounded scores that hold however often one looks and for whatever reason one stops.

They need the number of scores, their mean and their sum of squares alone, in no order.
``docs/methods/adaptive-intervals.md`` derives them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.sequential import fair_coin as sequential

_BETA = 0.5
_GAMMA = 2.0
_HALVINGS = 40
_LEAST = 1e-100
_LARGE = 1e5


def log_evidence(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, share: ArrayLike) -> Floats:
    """Logarithm of the evidence (e-value) against a mean of scores between 0 and 1.

    A third each of the beta mixture of likelihood ratios, which knows nothing of the variance, and of two gamma
    mixtures of bets that do: that the true mean is above ``share``, and that it is below. The bet that is losing counts
    as nothing.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        Scores, which may be 0, their mean, and their sum of squares about it.
    share : array, broadcast
        Mean that is tested, between 0 and 1.

    References
    ----------
    Fan, Grama and Liu (2015), Electronic Journal of Probability 20(1), 1-22, for the bound of a bet. Howard, Ramdas,
    McAuliffe and Sekhon (2021), Annals of Statistics 49, 1055-1080, for the gamma-exponential mixture.
    """
    n, mean, ss, share = (np.asarray(x, dtype=float) for x in (n, mean, ss, share))
    unit = np.maximum(np.where(share < mean, share, 1 - share), _LEAST)
    gain = n * np.abs(mean - share) / unit
    spread = (np.maximum(ss, 0.0) + n * (mean - share) ** 2) / unit**2
    plain = sequential.log_evidence(n * mean, n, share, _BETA)
    return np.asarray(np.logaddexp(plain, _log_gamma_mixture(gain, spread, _GAMMA)) - np.log(3))


def bounded_mean(n: ArrayLike, mean: ArrayLike, ss: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Interval for the mean of scores between 0 and 1 after each number of scores; all cover at once.

    Parameters
    ----------
    n, mean, ss : array, broadcast
        As for `log_evidence`.
    alpha : float
        Chance that any of the intervals of one sequence of scores misses.
    """
    n, mean, ss = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, mean, ss)))
    limit = -np.log(alpha)
    return sequential.kept_range(lambda share: log_evidence(n, mean, ss, share) >= limit, mean, _HALVINGS)


def _log_gamma_mixture(gain: Floats, spread: Floats, shape: float) -> Floats:
    """``log`` of the mean of ``exp(b gain + (log(1-b) + b) spread)`` over stakes b, where 1 - b is gamma within (0, 1).

    Both parameters of the gamma law are ``shape``. Written so that nothing large cancels.
    """
    from scipy.special import gammainc, gammaln

    k = spread + shape
    large = np.maximum(k, _LARGE)
    stirling = np.where(k > _LARGE, np.log(2 * np.pi / large) / 2 + 1 / (12 * large), gammaln(k) - k * np.log(k) + k)
    prior = gammaln(shape) - shape * np.log(shape) + shape + np.log(gammainc(shape, shape))
    return np.asarray(k * _excess(gain / k) + stirling + np.log(gammainc(k, k + gain)) - prior)


def _excess(t: Floats) -> Floats:
    """``t - log(1 + t)``, also where t is small."""
    return np.where(t < 1e-3, t * t * (1 / 2 - t * (1 / 3 - t * (1 / 4 - t / 5))), t - np.log1p(t))
