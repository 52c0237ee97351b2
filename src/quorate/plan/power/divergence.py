"""What the information in votes allows any test, however clever, and the test that knows every margin beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.numerics.votes import kl
from quorate.plan.power.sample_size import check_alpha, check_counts, check_margin, check_power, check_range, whole

Numbers = float | Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class KLBudget:
    """Information that votes carry about a preference.

    Parameters
    ----------
    total : float
        Divergence of all votes from fair ones, in nats.
    low, high : float
        Bounds ``2 sum d^2`` and ``9/4 sum d^2``; the upper is nan where a margin is above 1/4.
    judgments : int
        Votes.
    error_floor : float
        The least that the two error rates of any test sum to, ``exp(-total) / 2``.
    """

    total: float
    low: float
    high: float
    judgments: int
    error_floor: float

    def rules_out(self, *, alpha: float = 0.05, power: float = 0.9) -> bool:
        """Whether no test whatever can have this level and this power; where it is False, a test still may not.

        Parameters
        ----------
        alpha, power : float
            Level, and chance of detection.
        """
        check_alpha(alpha)
        check_power(power, alpha)
        return self.error_floor > alpha + 1 - power

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; an upper bound that does not hold is None."""
        return {**asdict(self), "high": None if math.isnan(self.high) else self.high}


@dataclass(frozen=True)
class OracleTest:
    """Outcome of the likelihood-ratio test that knows the margin of every vote.

    Parameters
    ----------
    statistic : float
        Log-likelihood ratio of the margins against fair votes.
    threshold : float
        Half of the information it is set to.
    rejects : bool
        Whether the statistic reaches the threshold.
    size_bound : float
        ``exp(-threshold)``, which its error of the first kind does not exceed.
    """

    statistic: float
    threshold: float
    rejects: bool
    size_bound: float


def kl_budget(margins: Numbers, judgments: int | Sequence[int] | NDArray[Any] = 1) -> KLBudget:
    """How much information votes carry, when the margin of every prompt is known.

    Parameters
    ----------
    margins : float or sequence of float
        Signed margins ``p - 1/2`` of votes, or of types of prompt.
    judgments : int or sequence of int
        Votes of each.

    Raises
    ------
    InvalidInput
        If a margin is beyond 1/2 or a number is not one of judgments.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 7, Lemma 3.1 and Theorem 3.2.

    Examples
    --------
    >>> budget = kl_budget([0.06, -0.02], [300, 200])
    >>> round(budget.total, 3), round(budget.low, 3), round(budget.high, 3), round(budget.error_floor, 3)
    (2.325, 2.32, 2.61, 0.049)
    """
    d, n, _ = _types(margins, judgments)
    low, high = kl.quadratic_bounds(d)
    total = float(np.sum(n * kl.divergence(d)))
    return KLBudget(
        total=total,
        low=float(np.sum(n * low)),
        high=float(np.sum(n * high)),
        judgments=int(np.sum(n)),
        error_floor=float(kl.error_floor(total)),
    )


def least_judgments(margin: float, *, alpha: float = 0.05, power: float = 0.9) -> int:
    """A number of decisive judgments below which no test of any kind detects this margin.

    It is necessary and not enough: the binomial test needs over four times as many at the defaults.

    Parameters
    ----------
    margin : float
        ``|p - 1/2|``, above 0 and at most 1/2.
    alpha, power : float
        Level, and chance of detection.

    Returns
    -------
    int
        Smallest n with ``exp(-n KL) / 2 <= alpha + 1 - power``; 1 where that holds without any.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    References
    ----------
    Lee (2026), Theorem 3.2.

    Examples
    --------
    >>> least_judgments(0.06)
    167
    """
    check_margin(margin)
    check_alpha(alpha)
    check_power(power, alpha)
    information = float(kl.divergence(margin))
    wanted = max(-math.log(2 * (alpha + 1 - power)), 0.0)
    return whole(wanted / information if information > 0 else math.inf)


def oracle_test(
    wins: int | Sequence[int] | NDArray[Any],
    margins: Numbers,
    judgments: int | Sequence[int] | NDArray[Any] = 1,
    *,
    information: float | None = None,
) -> OracleTest:
    """The likelihood-ratio test of fair votes against margins that are all known beforehand, signs included.

    It is an oracle: a yardstick for what information allows, not a way to analyse data. Margins that were estimated
    from the same votes make its error rates meaningless.

    Parameters
    ----------
    wins : int or sequence of int
        Wins among the votes of each margin; 0 or 1 for single votes.
    margins : float or sequence of float
        Signed margins ``p - 1/2``.
    judgments : int or sequence of int
        Votes of each margin.
    information : float, optional
        The K that the test is set to; it rejects where the log-likelihood ratio is at least ``K / 2``. Without it, the
        information of these votes.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    References
    ----------
    Lee (2026), Theorem 3.3 and section B.4: both error rates fall as ``exp(-c K)``.

    Examples
    --------
    >>> found = oracle_test([175, 96], [0.06, -0.02], [300, 200])
    >>> round(found.statistic, 2), round(found.threshold, 2), found.rejects, round(found.size_bound, 2)
    (4.01, 1.16, True, 0.31)
    """
    d, n, k = _types(margins, judgments, wins)
    for bad in k[~((k >= 0) & (k <= n) & (k == np.floor(k)))]:
        check_range("wins", float(bad), "of judgments, whole, from 0 to all of them", False)
    known = float(np.sum(n * kl.divergence(d))) if information is None else information
    check_range("information", known, "above 0", 0 < known < math.inf)
    statistic = float(kl.log_likelihood_ratio(k, n, d))
    return OracleTest(statistic, known / 2, statistic >= known / 2, math.exp(-known / 2))


def _types(margins: Numbers, judgments: Numbers, wins: Numbers = 0) -> tuple[Floats, Floats, Floats]:
    """Margins, numbers of judgments, and wins, of one shape; the first two are checked."""
    given = [np.atleast_1d(np.asarray(values, dtype=float)) for values in (margins, judgments, wins)]
    try:
        d, n, k = np.broadcast_arrays(*given)
    except ValueError as error:
        sizes = ", ".join(str(values.size) for values in given)
        raise InvalidInput(f"margins, judgments, wins: one value each, or as many as margins, got {sizes}") from error
    for margin in d[~(np.abs(d) <= 0.5)]:
        check_range("margins", float(margin), "from -0.5 to 0.5", False)
    check_counts("judgments", n)
    return d, n, k
