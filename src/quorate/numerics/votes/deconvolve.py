"""The law of margins behind margins that were estimated from few votes.

An estimated margin is the true one plus binomial noise, so estimates are spread more widely than what they estimate,
and ``|estimate|`` is above ``|truth|`` on average where the truth is near 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.votes import binomial

STEPS = 20


def mean_square(k: ArrayLike, n: ArrayLike) -> float:
    """Mean of the squared margins over pairs, without the noise of the votes: unbiased, and below 0 at times.

    ``(k/n - 1/2)^2 - k (n - k) / (n^2 (n - 1))`` has the mean ``(p - 1/2)^2``.

    Parameters
    ----------
    k, n : array, shape (pairs,)
        Wins and votes, at least 2 each.
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    share = k / n
    return float(np.mean((share - 0.5) ** 2 - share * (1 - share) / (n - 1)))


def tie_margin(n: ArrayLike) -> Floats:
    """Mean of ``|k/n - 1/2|`` when the truth is 1/2: what a pair shows that has no margin.

    Parameters
    ----------
    n : array
        Votes.

    Notes
    -----
    De Moivre's formula: ``2^-n binom(n, n/2) / 2`` for even n. ``|k - n/2|`` has the same mean for an odd n as for
    ``n + 1``. About ``0.4 / sqrt(n)``.
    """
    from scipy.special import gammaln

    n = np.asarray(n, dtype=float)
    even = 2 * np.ceil(n / 2)
    middle = np.exp(gammaln(even + 1) - 2 * gammaln(even / 2 + 1) - even * np.log(2))
    return np.asarray(middle * even / (2 * n))


def margin_likelihood(k: ArrayLike, n: ArrayLike, grid: Floats) -> Floats:
    """Likelihood of every margin of a grid for every pair, whichever model is ahead; the largest of a pair is 1.

    Parameters
    ----------
    k, n : array, shape (pairs,)
        Wins and votes.
    grid : array, shape (margins,)
        Margins from 0 to 1/2.

    Returns
    -------
    array, shape (pairs, margins)
    """
    k, n = np.asarray(k, dtype=float)[:, None], np.asarray(n, dtype=float)[:, None]
    both = np.logaddexp(binomial.log_likelihood(k, n, 0.5 + grid), binomial.log_likelihood(k, n, 0.5 - grid))
    return np.asarray(np.exp(both - both.max(axis=1, keepdims=True)))


def margin_law(likelihood: Floats, weights: ArrayLike | None = None, steps: int = STEPS) -> Floats:
    """Chances of the margins of a grid, by a few steps of EM towards those under which the votes are most likely.

    Stopping early smooths: the nonparametric maximum itself is a few spikes, whose place is mostly chance.

    Parameters
    ----------
    likelihood : array, shape (pairs, margins)
        From `margin_likelihood`.
    weights : array, shape (..., pairs), optional
        How often each pair counts, such as in bootstrap samples of pairs; 1 without it.
    steps : int
        Steps from equal chances.

    Returns
    -------
    array, shape (..., margins)
        They sum to 1.

    References
    ----------
    Laird (1978), Journal of the American Statistical Association 73, 805-811. Silverman, Jones, Wilson and Nychka
    (1990), Journal of the Royal Statistical Society B 52, 271-324, on EM with smoothing.
    """
    pairs, margins = likelihood.shape
    times = np.ones(pairs) if weights is None else np.asarray(weights, dtype=float)
    times = times / times.sum(axis=-1, keepdims=True)
    law = np.full((*times.shape[:-1], margins), 1 / margins)
    for _ in range(steps):
        mixed = law @ likelihood.T
        # a pair without weight may have nowhere left to be likely: it counts for nothing, not for 0/0
        law = law * (np.divide(times, mixed, out=np.zeros_like(mixed), where=times > 0) @ likelihood)
    return law
