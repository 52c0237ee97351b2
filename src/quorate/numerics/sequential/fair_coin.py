"""A test of a fair coin, and an interval for its bias, that hold however often one looks.

The beta mixture of likelihood ratios is a martingale under the share it tests, so by Ville's inequality it ever exceeds
``1 / alpha`` with a chance of at most ``alpha``. ``docs/methods/verdicts.md`` derives it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats
from quorate.numerics.threshold import last

_HALVINGS = 60
_LEAST_PRIOR = 0.5


class Stopped(NamedTuple):
    """How a rule that stops on a lead behaves, exactly.

    Parameters
    ----------
    low, high : array, shape (n,)
        Chance to have stopped after 1, 2, ... votes for too few and for too many wins.
    expected : float
        Expected number of votes, with the last number as the end.
    """

    low: Floats
    high: Floats
    expected: float


def prior(margin: float) -> float:
    """Parameter of the symmetric beta mixture whose standard deviation is this margin: tuned to find such margins.

    Parameters
    ----------
    margin : float
        ``|p - 1/2|`` that is thought likely, above 0 and at most 1/2.
    """
    return max((1 / (4 * margin**2) - 1) / 2, _LEAST_PRIOR)


def log_evidence(wins: ArrayLike, n: ArrayLike, share: ArrayLike, a: float) -> Floats:
    """Logarithm of the evidence (e-value) against a share: that of the beta mixture of likelihood ratios.

    Parameters
    ----------
    wins, n : array, broadcast
        Wins, which may be fractions such as half votes, and votes.
    share : array, broadcast
        Share that is tested, between 0 and 1.
    a : float
        Both parameters of the beta mixture, from `prior`.

    References
    ----------
    Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409. Ville (1939), Étude critique de la notion de
    collectif.
    """
    from scipy.special import betaln, xlog1py, xlogy

    k, n, p = (np.asarray(x, dtype=float) for x in (wins, n, share))
    return np.asarray(betaln(a + k, a + n - k) - betaln(a, a) - xlogy(k, p) - xlog1py(n - k, -p))


def confidence_sequence(wins: ArrayLike, n: ArrayLike, level: float, a: float) -> tuple[Floats, Floats]:
    """Interval for the share after each number of votes; all of them cover at once with a chance of at least the level.

    Parameters
    ----------
    wins, n : array, broadcast
        Wins and votes, which may be 0.
    level : float
        Coverage wanted, in (0, 1).
    a : float
        As for `log_evidence`.
    """
    k, n = np.broadcast_arrays(np.asarray(wins, dtype=float), np.asarray(n, dtype=float))
    centre = np.where(n > 0, k / np.maximum(n, 1.0), 0.5)
    limit = -np.log1p(-level)
    with np.errstate(invalid="ignore", divide="ignore"):
        return kept_range(lambda p: log_evidence(k, n, p, a) >= limit, centre, _HALVINGS)


def kept_range(excluded: Callable[[Floats], NDArray[np.bool_]], centre: Floats, halvings: int) -> tuple[Floats, Floats]:
    """Lower and upper end of the values between 0 and 1 that a test does not exclude, by halving from the outside.

    Parameters
    ----------
    excluded : callable
        Whether each of an array of values is excluded; farther from the centre, more are.
    centre : array
        Values that are not.
    halvings : int
        Times that the room between a value that is excluded and one that is not is halved.
    """
    ends = []
    for end in (0.0, 1.0):
        outside, inside = np.full(centre.shape, end), centre
        for _ in range(halvings):
            middle = (outside + inside) / 2
            out = excluded(middle)
            outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
        ends.append(outside)
    return ends[0], ends[1]


def boundary(n: ArrayLike, alpha: float, a: float) -> Floats:
    """Most wins, or losses, at which the evidence against one half reaches ``1 / alpha``; -1 where none does.

    Parameters
    ----------
    n : array
        Votes.
    alpha : float
        Level of the test.
    a : float
        As for `log_evidence`.
    """
    n = np.asarray(n, dtype=float)
    limit = -np.log(alpha)

    def stops(k: Floats) -> NDArray[np.bool_]:
        evidence = log_evidence(np.clip(k, 0, n), n, 0.5, a)
        return np.asarray((k < 0) | ((k <= n / 2) & (evidence >= limit)))

    return last(stops, np.maximum((n - np.sqrt(n * 2 * limit)) / 2, -1.0))


def stopping(boundary: Floats, p: float) -> Stopped:
    """Exact behaviour of the rule that stops when wins, or losses, are at most a boundary.

    Parameters
    ----------
    boundary : array, shape (n,)
        Most wins, or losses, that stop after 1, 2, ... votes, below half of them; -1 at numbers where nobody looks.
    p : float
        Chance of a win.
    """
    steps = len(boundary)
    low, high = np.zeros(steps), np.zeros(steps)
    alive = np.zeros(steps + 1)
    alive[0] = 1.0
    expected = 0.0
    for n, c in enumerate(boundary.astype(int).tolist(), start=1):
        expected += float(alive[:n].sum())
        alive[1 : n + 1] = alive[1 : n + 1] * (1 - p) + alive[:n] * p
        alive[0] *= 1 - p
        if c >= 0:
            low[n - 1], high[n - 1] = alive[: c + 1].sum(), alive[n - c : n + 1].sum()
            alive[: c + 1] = alive[n - c : n + 1] = 0.0
    return Stopped(np.cumsum(low), np.cumsum(high), expected)
