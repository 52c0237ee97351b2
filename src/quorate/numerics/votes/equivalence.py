"""The exact test that two systems are equivalent: a share within a margin of one half.

Two one-sided binomial tests at level ``alpha``, one of ``p <= 1/2 - e`` and one of ``p >= 1/2 + e``: both reject when
wins and losses are each at most ``u``. ``docs/methods/power.md`` derives sizes and numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.numerics.distributions import normal_cdf, normal_quantile
from quorate.numerics.roots import last, root
from quorate.numerics.votes.binomial import SLACK, lower_tail, too_many

_NOTHING = 1e-9


def p_value(k: ArrayLike, n: ArrayLike, margin: float) -> Floats:
    """Exact p-value of equivalence: the larger of the two one-sided ones.

    Parameters
    ----------
    k, n : array, broadcast
        Wins and votes.
    margin : float
        Half-width e of the range about one half that counts as equal.
    """
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    return lower_tail(np.maximum(k, n - k), n, 0.5 + margin)


def critical_value(n: ArrayLike, margin: float, alpha: float) -> Floats:
    """Most wins, and most losses, with which votes show equivalence; below half of the votes where none can.

    Parameters
    ----------
    n : array
        Votes.
    margin : float
        Margin of equivalence.
    alpha : float
        Level of each one-sided test, which is that of both together.
    """
    from scipy.special import ndtri

    n, p = np.asarray(n, dtype=float), 0.5 + margin
    guess = n * p + ndtri(alpha) * np.sqrt(n * p * (1 - p)) - 0.5
    return last(lambda u: lower_tail(u, n, p) <= alpha * SLACK, np.maximum(guess, -1.0))


def size(n: ArrayLike, margin: float, alpha: float) -> Floats:
    """Largest chance of claiming equivalence when the share is outside the margin: that at the margin itself.

    Parameters
    ----------
    n : array
        Votes.
    margin : float
        Margin of equivalence.
    alpha : float
        Level.
    """
    return power(n, 0.5 + margin, margin, alpha)


def power(n: ArrayLike, p: ArrayLike, margin: float, alpha: float) -> Floats:
    """Chance of showing equivalence.

    Parameters
    ----------
    n, p : array, broadcast
        Votes, and the chance of a win.
    margin : float
        Margin of equivalence.
    alpha : float
        Level.
    """
    return _acceptance(critical_value(n, margin, alpha), n, p)


def _acceptance(u: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Chance that wins and losses are each at most u; 0 where u is below half of the votes."""
    u, n, p = (np.asarray(x, dtype=float) for x in (u, n, p))
    outside = lower_tail(n - u - 1, n, p) + lower_tail(n - u - 1, n, 1 - p)
    return np.asarray(np.where(2 * u >= n, 1 - outside, 0.0))


def smallest_n(margin: float, p: float, target: float, alpha: float) -> int:
    """Fewest votes from which on the exact power to show equivalence stays at or above a target.

    Numbers with the same ``w = 2 u - n`` form a run, in steps of two, along which power falls, so the last number of
    every run decides. Above Hoeffding's bound no run can fail.

    Parameters
    ----------
    margin : float
        Margin of equivalence.
    p : float
        Chance of a win, within the margin of one half.
    target : float
        Power wanted, above ``alpha`` and below 1.
    alpha : float
        Level, below one half.

    Raises
    ------
    InvalidInput
        If that takes more than 100,000 runs.
    """
    from scipy.special import ndtri

    inside = margin - abs(p - 0.5)
    enough = ((np.sqrt(-np.log(alpha) / 2) + np.sqrt(np.log(2 / (1 - target)) / 2)) / inside) ** 2
    runs = np.ceil(2 * margin * enough) + 3
    too_many(runs, inside)
    w = np.arange(-2, runs)
    lead = w + 2
    q = 0.5 + margin
    z = -ndtri(alpha) * np.sqrt(q * (1 - q))
    root = (z + np.sqrt(z**2 + 2 * margin * (lead + 1))) / (2 * margin)

    def refused(j: Floats) -> NDArray[np.bool_]:
        return np.asarray(lower_tail(lead + j, lead + 2 * j, q) > alpha * SLACK)

    # Fewest votes, of the parity of the lead, at which it still shows equivalence; one less of that run.
    end = np.asarray(lead + 2 * (last(refused, np.maximum((root**2 - lead) / 2, 0.0)) + 1)) - 2
    fails = _acceptance((end + w) / 2, end, p) < target
    return 1 + int(np.max(end[fails & (end > 0)], initial=0.0))


def smallest_margin(n: int, p: float, target: float, alpha: float) -> float:
    """The smallest margin within which n votes show equivalence with a chance of at least the target.

    Parameters
    ----------
    n : int
        Votes.
    p : float
        Chance of a win.
    target : float
        Power wanted.
    alpha : float
        Level.

    Raises
    ------
    NotEstimable
        If no margin below one half does.
    """
    from scipy.special import betaincinv

    u = float(last(lambda u: _acceptance(u, n, p) < target, np.ceil(n * max(p, 1 - p)))) + 1
    if u >= n:
        raise NotEstimable(f"n: {n:,} judgments cannot show equivalence within any margin; collect more")
    return float(betaincinv(u + 1, n - u, 1 - alpha)) - 0.5


# Of paired outcomes with ties: score tests of a lead, the share of wins less that of losses.


def tango(wins: float, losses: float, n: float, lead: float) -> float:
    """P-value of a lead of at least this size, of either: the larger of two one-sided score tests.

    Parameters
    ----------
    wins, losses, n : float
        Pairs that the first won, that the second won, and all, ties included.
    lead : float
        Share of wins less that of losses that is not equivalent any more.

    References
    ----------
    Tango (1998), Statistics in Medicine 17, 891-908.
    """
    return normal_cdf(max(_score(wins, losses, n, lead), _score(losses, wins, n, lead)))


def tango_limits(wins: float, losses: float, n: float, alpha: float) -> tuple[float, float]:
    """The leads that the two score tests do not reject, each at this level."""
    return -_limit(losses, wins, n, alpha), _limit(wins, losses, n, alpha)


def _score(wins: float, losses: float, n: float, lead: float) -> float:
    """Score of a difference of shares that is ``lead``, by the shares that are likeliest then."""
    b = -wins - losses + (2 * n - wins + losses) * lead
    middle = math.sqrt(max(b**2 + 8 * n * losses * lead * (1 - lead), 0.0))
    q = (middle - b) / (4 * n)
    return (wins - losses - n * lead) / math.sqrt(n * (2 * q + lead * (1 - lead)))


def _limit(wins: float, losses: float, n: float, alpha: float) -> float:
    """Smallest lead that the score test says the true one is below."""

    def above(lead: float) -> float:
        return _score(wins, losses, n, lead) - normal_quantile(alpha)

    ends = (wins - losses) / n + _NOTHING, 1 - _NOTHING
    return 1.0 if above(ends[1]) > 0 else root(above, *ends)
