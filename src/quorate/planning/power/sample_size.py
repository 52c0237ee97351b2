"""Sample size and power: decisive judgments that a comparison needs, and the margin that a number of them sees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_quantile
from quorate.numerics.roots import last, root
from quorate.numerics.votes import binomial, equivalence
from quorate.table.results import Result, Row, rows_of


def equivalence_size(
    margin: float,
    *,
    true_margin: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.9,
    method: Literal["normal", "exact"] = "exact",
) -> int:
    """How many decisive judgments it takes to show that a preference is smaller than a margin.

    The test is two one-sided tests (TOST), each at level ``alpha``: it claims ``|p - 1/2| < margin``. A comparison that
    finds no difference has shown nothing of the kind.

    Parameters
    ----------
    margin : float
        Half-width of the range about one half that counts as equal, above 0 and below 1/2.
    true_margin : float
        ``|p - 1/2|`` as it really is, below ``margin``; 0 for systems that are exactly alike.
    alpha : float
        Level, below one half.
    power : float
        Chance that the claim can be made, above ``alpha`` and below 1.
    method : {"exact", "normal"}
        ``"exact"``: the number from which on the power of the exact binomial tests stays at or above ``power``.
        ``"normal"``: by the normal approximation, with the variance of a fair vote throughout.

    Returns
    -------
    int
        Judgments.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or an exact search would go too far.

    Examples
    --------
    >>> equivalence_size(0.1), equivalence_size(0.1, method="normal"), equivalence_size(0.1, true_margin=0.03)
    (281, 271, 452)
    """
    _check_tests(alpha, power)
    rules.number("margin", margin, above=0, below=0.5)
    _check_inside(true_margin, margin)
    check_method(method, ("exact", "normal"))
    if method == "exact":
        return equivalence.smallest_n(margin, 0.5 + true_margin, power, alpha)
    from scipy.special import ndtr, ndtri

    z, near, far = -ndtri(alpha), 2 * (margin - true_margin), 2 * (margin + true_margin)
    whole(((z - ndtri((1 - power) / 2)) / near) ** 2)  # refuses what no study can collect

    def short(n: Floats) -> NDArray[np.bool_]:
        root = np.sqrt(np.maximum(n, 0.0))
        return np.asarray(ndtr(near * root - z) + ndtr(far * root - z) - 1 < power)

    return max(1, math.floor(float(last(short, ((z + ndtri(power)) / near) ** 2))) + 1)


def equivalence_margin(n: int, *, true_margin: float = 0.0, alpha: float = 0.05, power: float = 0.9) -> float:
    """The smallest margin within which this number of decisive judgments can show two systems to be alike.

    Returns
    -------
    float
        Half-width of the range about one half.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If ``n`` judgments cannot show equivalence within any margin below 1/2.

    Examples
    --------
    >>> round(equivalence_margin(500), 3)
    0.073
    """
    check_count("n", n)
    _check_tests(alpha, power)
    _check_inside(true_margin, 0.5)
    return equivalence.smallest_margin(n, 0.5 + true_margin, power, alpha)


def _check_tests(alpha: float, power: float) -> None:
    check_alpha(alpha, 0.5)
    check_power(power, alpha)


def _check_inside(true_margin: float, margin: float) -> None:
    rule = f"from 0 and below the margin ({margin:g}): where the difference is larger there is nothing to show"
    check_range("true_margin", true_margin, rule, isinstance(true_margin, Real) and 0 <= true_margin < margin)


Method = Literal["normal", "variance", "exact"]
MOST = 2**53  # beyond, whole numbers are no longer told apart
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PowerCurve(Result):
    """Power at several margins and numbers of judgments.

    Parameters
    ----------
    margins : array, shape (margins,)
        Margins ``|p - 1/2|``.
    ns : array, shape (numbers,)
        Decisive judgments.
    power : array, shape (margins, numbers)
        Chance that the test rejects ``p = 1/2``, in either direction.
    alpha : float
        Level of the test.
    method : str
        As for `power_curve`.
    """

    margins: Floats
    ns: Floats
    power: Floats
    alpha: float
    method: Method

    def rows(self) -> list[Row]:
        """One row for every margin and number: margin, n, power."""
        margin, n = np.meshgrid(self.margins, self.ns.astype(int), indexing="ij")
        return rows_of({"margin": margin.ravel(), "n": n.ravel(), "power": self.power.ravel()})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return super().to_dict() | {"ns": self.ns.astype(int).tolist()}


def sample_size(margin: float, *, alpha: float = 0.05, power: float = 0.9, method: Method = "exact") -> int:
    """How many decisive judgments a preference of this margin needs to be detected.

    The two-sided test of ``p = 1/2`` at level ``alpha`` finds a margin of ``|p - 1/2|`` with the chance ``power``.
    Votes are taken as independent; where several share a prompt or an annotator, see `clustered`.

    Parameters
    ----------
    margin : float
        ``|p - 1/2|``, above 0 and at most 1/2: a win rate of 56% is a margin of 0.06.
    alpha : float
        Level of the test.
    power : float
        Chance of detection, above ``alpha`` and below 1.
    method : {"exact", "normal", "variance"}
        ``"normal"``: ``(z_a + z_b)^2 / (4 margin^2)``, with the variance of a fair vote throughout.
        ``"variance"``: ``(z_a + z_b sqrt(1 - 4 margin^2))^2 / (4 margin^2)``, with the variance that votes have at the
        margin, too small by a few where the exact test is used. ``"exact"``: the number from which on the power of
        the exact binomial test stays at or above ``power``; since the test is discrete, power is a saw-tooth.

    Returns
    -------
    int
        Judgments, rounded up.

    Raises
    ------
    InvalidInput
        If an argument is out of range; an exact search ends at some 10^8 judgments.

    References
    ----------
    Lee (2026), How many human judgments are enough?, Eq. 8. ``docs/methods/power.md`` has the derivations.

    Examples
    --------
    >>> sample_size(0.06), sample_size(0.06, method="normal"), sample_size(0.06, method="variance")
    (749, 730, 726)
    """
    check_margin(margin)
    z_a, z_b = _quantiles(alpha, power, method)
    if method == "exact":
        return binomial.smallest_n(0.5 + float(margin), power, alpha)
    spread = math.sqrt(max(1 - 4 * margin**2, 0.0)) if method == "variance" else 1.0
    return whole(((z_a + z_b * spread) / (2 * margin)) ** 2 if margin > 1 / MOST else math.inf)


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
    information = float(binomial.divergence(margin))
    wanted = max(-math.log(2 * (alpha + 1 - power)), 0.0)
    return whole(wanted / information if information > 0 else math.inf)


def detectable_margin(n: int, *, alpha: float = 0.05, power: float = 0.9, method: Method = "exact") -> float:
    """The smallest margin that this number of decisive judgments detects.

    Parameters
    ----------
    n : int
        Decisive judgments.
    alpha : float
        Level of the test.
    power : float
        Chance of detection, above ``alpha`` and below 1.
    method : {"normal", "variance", "exact"}
        As for `sample_size`, whose inverse this is for the first two. ``"exact"`` is the margin at which the exact
        test has its power with ``n`` judgments, neither more nor fewer.

    Returns
    -------
    float
        ``|p - 1/2|``, at most 1/2.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    NotEstimable
        If ``n`` judgments could not detect even a preference that is unanimous.

    Examples
    --------
    >>> round(detectable_margin(500), 4), round(detectable_margin(500, method="normal"), 4)
    (0.0734, 0.0725)
    """
    check_count("n", n)
    z_a, z_b = _quantiles(alpha, power, method)
    if method == "exact":
        c = float(binomial.critical_value(n, alpha))

        def shortfall(d: float) -> float:
            return float(binomial.rejection(c, n, 0.5 + d)) - power

        margin = math.inf if c < 0 else root(shortfall, 0.0, 0.5, xtol=1e-14)
    elif method == "variance":
        rest = math.sqrt(max(n + z_b**2 - z_a**2, 0.0))
        margin = (z_a * math.sqrt(n) + z_b * rest) / (n + z_b**2) / 2 if n >= z_a**2 else math.inf
    else:
        margin = (z_a + z_b) / (2 * math.sqrt(n))
    if margin > 0.5:
        raise NotEstimable(
            f"n: {n:,} judgments see nothing at alpha {alpha:g} with power {power:g}, even if all agreed; collect more"
        )
    return float(margin)


def seen_by(n: int, alpha: float, power: float, method: Method) -> float | None:
    """The margin that this number of judgments detects, or None where it detects not even a unanimous preference."""
    try:
        return detectable_margin(n, alpha=alpha, power=power, method=method)
    except NotEstimable:  # the answer, not a failure: so few see nothing
        return None


def power_curve(
    margins: float | Sequence[float] | Floats,
    ns: int | Sequence[int] | NDArray[Any],
    *,
    alpha: float = 0.05,
    method: Method = "exact",
) -> PowerCurve:
    """The chance that a comparison succeeds, for margins and numbers of decisive judgments.

    Parameters
    ----------
    margins : float or sequence of float
        Margins ``|p - 1/2|``, from 0 (where power is the size of the test) to 1/2.
    ns : int or sequence of int
        Decisive judgments.
    alpha : float
        Level of the test.
    method : {"normal", "variance", "exact"}
        As for `sample_size`.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> power_curve(0.06, [500, 749]).power.round(3).tolist()
    [[0.751, 0.907]]
    """
    check_alpha(alpha)
    check_method(method)
    d, n = np.atleast_1d(np.asarray(margins, dtype=float)), np.atleast_1d(np.asarray(ns, dtype=float))
    for margin in d[~((d >= 0) & (d <= 0.5))]:
        rules.number("margins", float(margin), least=0, most=0.5)
    check_counts("ns", n)
    if method == "exact":
        power = binomial.rejection(binomial.critical_value(n, alpha), n, 0.5 + d[:, None])
    else:
        power = binomial.normal_power(n, 0.5 + d[:, None], alpha, own_variance=method == "variance")
    return PowerCurve(d, n, power, alpha, method)


def whole(n: float) -> int:
    """A number of judgments, rounded up, but for what is rounding of the arithmetic.

    Raises
    ------
    InvalidInput
        If it is beyond 2^53.
    """
    if not n < MOST:
        raise InvalidInput("margin: takes more than 2^53 judgments to see; no study can; state a larger margin")
    return max(1, math.ceil(n * (1 - _ROUNDING)))


def check_range(name: str, value: object, rule: str, holds: bool) -> None:
    """Refuse a number for which its rule, given in words, does not hold."""
    if not holds:
        raise InvalidInput(f"{name}: a number {rule}, got {value}")


def check_margin(margin: float, name: str = "margin") -> None:
    """Refuse what is no margin to be detected: above 0 and at most 1/2."""
    if isinstance(margin, Real) and margin == 0:
        raise InvalidInput(
            f"{name}: above 0, got 0; no number of judgments detects a difference where there is none; "
            "to show that two systems are alike, state a margin of equivalence"
        )
    holds = isinstance(margin, Real) and 0 < margin <= 0.5
    check_range(name, margin, "above 0 and at most 0.5, the distance |p - 1/2| of a win rate from one half", holds)


def check_alpha(alpha: float, most: float = 1.0) -> None:
    """Refuse what is no level of a test: between 0 and ``most``."""
    rules.number("alpha", alpha, above=0, below=most)


def check_power(power: float, alpha: float) -> None:
    """Refuse a power that a test of this level has without looking, or never."""
    rule = f"above alpha ({alpha:g}) and below 1"
    check_range("power", power, rule, isinstance(power, Real) and alpha < power < 1)


def check_count(name: str, n: float) -> None:
    """Refuse what is no number of judgments: whole, from 1 to 2^53."""
    holds = isinstance(n, Real) and 1 <= n <= MOST and n == math.floor(n)
    check_range(name, n, "of judgments, whole and from 1 to 2^53", holds)


def check_counts(name: str, ns: Floats) -> None:
    """Refuse several numbers of judgments if one of them is none."""
    for n in ns[~((ns >= 1) & (ns <= MOST) & (ns == np.floor(ns)))]:
        check_count(name, float(n))


def check_method(method: str, methods: Sequence[str] = get_args(Method)) -> None:
    """Refuse a method that does not exist."""
    rules.one_of("method", method, methods)


def _quantiles(alpha: float, power: float, method: str) -> tuple[float, float]:
    """Normal quantiles of the level, two-sided, and of the power, once all three arguments are in order."""
    check_alpha(alpha)
    check_power(power, alpha)
    check_method(method)
    return -normal_quantile(alpha / 2), normal_quantile(power)
