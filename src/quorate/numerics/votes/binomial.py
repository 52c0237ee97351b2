"""The exact test of a fair coin and intervals of shares, beside the best test there is of known margins."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.distributions import beta_cdf, beta_quantile, each, normal_cdf, normal_quantile
from quorate.numerics.roots import last

# Information in votes: their divergence from those of a fair coin.


def divergence(margin: ArrayLike) -> Floats:
    """Kullback-Leibler divergence of a vote with this margin from a fair one, in nats.

    Parameters
    ----------
    margin : array
        Signed margins ``d = p - 1/2``, from -1/2 to 1/2.

    Returns
    -------
    array
        ``KL(Bern(1/2 + d) || Bern(1/2)) = [log(1 - x^2) + 2 x atanh(x)] / 2`` with ``x = 2 d``; it is ``2 d^2`` near 0
        and ``log 2`` at the ends. This form keeps its digits where d is small.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 7.
    """
    x = np.minimum(2 * np.abs(np.asarray(margin, dtype=float)), 1.0)
    inside = np.where(x < 1, x, 0.0)
    series = (np.log1p(-(inside**2)) + 2 * inside * np.arctanh(inside)) / 2
    return np.asarray(np.where(x < 1, series, np.log(2)))


# The likelihood-ratio test of votes whose margins are known: no test does better, and none of data can do it.


class Errors(NamedTuple):
    """Chances of the two errors of a test.

    Parameters
    ----------
    first : float
        Of finding a difference where votes are fair.
    second : float
        Of finding none where they have their margins.
    """

    first: float
    second: float

    @property
    def risk(self) -> float:
        """Both together."""
        return self.first + self.second


def log_ratio(wins: ArrayLike, n: ArrayLike, margin: ArrayLike) -> Floats:
    """Logarithm of the likelihood of votes with these margins over that of fair ones, summed over types.

    Parameters
    ----------
    wins, n : array, shape (..., types)
        Wins and votes of every type.
    margin : array, shape (..., types)
        Signed margins, between -1/2 and 1/2.

    References
    ----------
    Lee (2026), How many human judgments are enough?, appendix B.1.
    """
    k, x = np.asarray(wins, dtype=float), 2 * np.asarray(margin, dtype=float)
    return np.asarray((k * np.log1p(x) + (np.asarray(n, dtype=float) - k) * np.log1p(-x)).sum(axis=-1))


def errors(n: int, margin: float, threshold: float = 0.0) -> Errors:
    """Errors of the test that finds a difference from a log likelihood ratio of the threshold on, exactly.

    All votes with signal have margins of one size, each with its sign; votes of types without any add nothing.

    Parameters
    ----------
    n : int
        Votes with signal.
    margin : float
        Size of their margins, above 0 and below 1/2.
    threshold : float
        At 0 the sum of both errors is as small as that of any test.

    References
    ----------
    Neyman and Pearson (1933), Philosophical Transactions A 231, 289-337. Lee (2026), appendix B.4, with half of the
    divergence as the threshold.
    """
    from scipy.special import bdtr, bdtrc

    up, down = math.log1p(2 * margin), math.log1p(-2 * margin)
    least = math.ceil((threshold - n * down) / (up - down) * (1 - 1e-12))  # votes in favour that reach the threshold
    least = min(max(least, 0), n + 1)
    first = float(bdtrc(least - 1, n, 0.5)) if least > 0 else 1.0
    return Errors(first, float(bdtr(least - 1, n, 0.5 + margin)) if least > 0 else 0.0)


# The exact two-sided test of a fair coin: critical values, size, power, how many votes suffice; intervals.
#
# ``n`` votes, ``k`` of them wins, ``p`` the chance of a win. The test rejects ``p = 1/2`` when wins or losses are at
# most the critical value. Numbers are taken as floats, so that everything is vectorised; ``docs/methods/power.md``
# derives it.


MOST_RUNS = 100_000
SLACK = 1 + 1e-12  # a tail that equals alpha rejects, whatever its last digit


def lower_tail(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Chance of at most k wins in n votes; 0 for negative k.

    Parameters
    ----------
    k, n, p : array, broadcast
        Wins, votes, and the chance of a win.
    """
    k, n, p = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (k, n, p)))
    inside = (k >= 0) & (k < n)
    a, b = np.where(inside, n - k, 1.0), np.where(inside, k + 1, 1.0)
    return np.where(inside, each(beta_cdf, "betainc", a, b, 1 - p), np.where(k < 0, 0.0, 1.0))


def p_value(k: ArrayLike, n: ArrayLike) -> Floats:
    """Exact two-sided p-value of ``p = 1/2``: twice the smaller tail, at most 1. In R: ``binom.test(k, n)``.

    Parameters
    ----------
    k, n : array, broadcast
        Wins and votes.
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    return np.minimum(1.0, 2 * lower_tail(np.minimum(k, n - k), n, 0.5))


def critical_value(n: ArrayLike, alpha: float) -> Floats:
    """Most wins, or losses, at which the two-sided test of ``p = 1/2`` rejects; -1 where it never does.

    Parameters
    ----------
    n : array
        Votes.
    alpha : float
        Level of the test.
    """
    n = np.asarray(n, dtype=float)
    guess = (n - 1 + normal_quantile(alpha / 2) * np.sqrt(n)) / 2
    return last(lambda k: _rejects(k, n, alpha), np.maximum(guess, -1.0))


def size(n: ArrayLike, alpha: float) -> Floats:
    """Chance that the test rejects when ``p = 1/2``: at most ``alpha``, and less since votes are counted in wholes.

    Parameters
    ----------
    n : array
        Votes.
    alpha : float
        Level of the test.
    """
    return 2 * lower_tail(critical_value(n, alpha), n, 0.5)


def power(n: ArrayLike, p: ArrayLike, alpha: float) -> Floats:
    """Chance that the exact test rejects, in either direction.

    Parameters
    ----------
    n, p : array, broadcast
        Votes, and the chance of a win.
    alpha : float
        Level of the test.
    """
    return rejection(critical_value(n, alpha), n, p)


def rejection(c: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Chance of at most c wins or at most c losses, for c below half of the votes.

    Parameters
    ----------
    c, n, p : array, broadcast
        Critical value, votes, and the chance of a win.
    """
    p = np.asarray(p, dtype=float)
    return lower_tail(c, n, p) + lower_tail(c, n, 1 - p)


def normal_power(n: ArrayLike, p: ArrayLike, alpha: float, *, own_variance: bool = False) -> Floats:
    """Power by the normal approximation, in either direction.

    Parameters
    ----------
    n, p : array, broadcast
        Votes, and the chance of a win.
    alpha : float
        Level of the test.
    own_variance : bool
        Whether a share varies as it does at ``p``, ``p (1 - p)``, or as at one half.
    """
    n, p = np.asarray(n, dtype=float), np.asarray(p, dtype=float)
    z, shift = normal_quantile(1 - alpha / 2), (2 * p - 1) * np.sqrt(n)
    spread = 2 * np.sqrt(p * (1 - p)) if own_variance else np.ones_like(p)
    with np.errstate(divide="ignore", invalid="ignore"):  # p = 0 or 1: the outcome is certain
        high, low = (shift - z) / spread, (-shift - z) / spread
    upper, lower = (each(normal_cdf, "ndtr", side) for side in (high, low))
    return np.asarray(np.where(shift == z, 1.0, upper) + np.where(-shift == z, 1.0, lower))


def smallest_n(p: float, target: float, alpha: float) -> int:
    """Fewest votes from which on the exact power stays at or above a target.

    Power is a saw-tooth in n: it falls while the critical value c rests. Numbers with the same ``h = n - 2 c`` form a
    run, in steps of two, along which power rises. So the first number of every run tells which runs fail, and only the
    last of those is searched: about ``sqrt(n)`` evaluations. Above Hoeffding's bound no run can fail.

    Parameters
    ----------
    p : float
        Chance of a win, not one half.
    target : float
        Power wanted, above ``alpha`` and below 1.
    alpha : float
        Level of the test.

    Raises
    ------
    InvalidInput
        If that takes more than 100,000 runs, which are some 10^8 votes.
    """
    runs = _runs(p, target, alpha)
    too_many(runs, abs(p - 0.5))
    k = np.arange(runs)
    # Most votes, of the parity of k, at which a lead of k rejects.
    guess = (((k - 1) / normal_quantile(alpha / 2)) ** 2 - k) / 2
    longest = np.asarray(k + 2 * last(lambda c: _rejects(c, k + 2 * c, alpha), guess))
    start = longest + 2  # of the run with h = k + 2
    fails = rejection((start - k - 2) / 2, start, p) < target
    most = 0
    for odd in (0, 1):  # the last of the runs whose first vote fails
        runs_failing = k[fails & (k % 2 == odd)]
        if len(runs_failing):
            lead = int(runs_failing[-1])
            later = np.arange(start[lead] + 2, longest[lead + 2] + 1, 2)
            failing = later[rejection((later - lead - 2) / 2, later, p) < target]
            most = max(most, int(failing[-1] if len(failing) else start[lead]))
    return 1 + most


def is_searchable(p: float, target: float, alpha: float) -> bool:
    """Whether `smallest_n` has an answer, or would take too long.

    Parameters
    ----------
    p, target, alpha : float
        As for `smallest_n`.
    """
    return _runs(p, target, alpha) <= MOST_RUNS


def too_many(runs: float, margin: float) -> None:
    """Refuse an exact search that would take too long.

    Parameters
    ----------
    runs : float
        Runs to look at.
    margin : float
        For the message.

    Raises
    ------
    InvalidInput
        If there are more than `MOST_RUNS`.
    """
    if runs > MOST_RUNS:
        raise InvalidInput(
            f"margin: {margin:.3g} takes more judgments than an exact search goes up to, some 10^8; "
            "use " + argument("method", "normal") + ", which agrees where numbers are that large"
        )


def _runs(p: float, target: float, alpha: float) -> float:
    """Runs up to the number of votes from which on, by Hoeffding's bound, power is above the target."""
    tail = np.log(2 / alpha) / 2
    root = (np.sqrt(tail) + np.sqrt(-np.log1p(-target) / 2)) / abs(p - 0.5)
    return float(np.ceil(2 * np.sqrt(tail) * root)) + 3


def _rejects(k: Floats, n: Floats, alpha: float) -> NDArray[np.bool_]:
    return np.asarray(2 * lower_tail(k, n, 0.5) <= alpha * SLACK)


def wilson(k: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Wilson's interval for a share; it covers its level on average over shares. In R: ``prop.test(correct = FALSE)``.

    Parameters
    ----------
    k, n : array, broadcast
        Wins and votes.
    level : float
        Coverage wanted, in (0, 1).

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212.
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    z2 = normal_quantile((1 + level) / 2) ** 2
    centre = (k + z2 / 2) / (n + z2)
    half = np.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    share = k / n  # which the ends hold, also where rounding would leave one short of 0 or 1
    low, high = np.clip(centre - half, 0.0, share), np.clip(centre + half, share, 1.0)
    return np.asarray(low), np.asarray(high)


def clopper_pearson(k: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Exact interval for a share; it covers at least its level whatever the share. In R: ``binom.test``.

    Parameters
    ----------
    k, n : array, broadcast
        Wins and votes; effective ones need not be whole.
    level : float
        Coverage wanted, in (0, 1).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.
    """
    k, n = np.broadcast_arrays(np.asarray(k, dtype=float), np.asarray(n, dtype=float))
    tail = (1 - level) / 2
    low = np.where(k > 0, each(beta_quantile, "betaincinv", np.where(k > 0, k, 1.0), n - k + 1, tail), 0.0)
    high = np.where(k < n, each(beta_quantile, "betaincinv", k + 1, np.where(k < n, n - k, 1.0), 1 - tail), 1.0)
    return low, high


def log_likelihood(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Log-likelihood ``k log p + (n - k) log(1 - p)``, without the binomial coefficient, in which p has no part.

    Parameters
    ----------
    k, n, p : array, broadcast
        Wins, votes, and the chance of a win.
    """
    from scipy.special import xlog1py, xlogy

    k, n, p = (np.asarray(x, dtype=float) for x in (k, n, p))
    return np.asarray(xlogy(k, p) + xlog1py(n - k, -p))
