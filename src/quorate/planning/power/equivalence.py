"""Equivalence: decisive judgments that show two systems to be alike, within a margin stated beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.numerics.threshold import last
from quorate.numerics.votes import equivalence
from quorate.planning.power.sample_size import (
    check_alpha,
    check_count,
    check_counts,
    check_method,
    check_power,
    check_range,
    whole,
)


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
    _check_margin(margin)
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


def equivalence_power(
    margin: float, n: int | Sequence[int] | NDArray[Any], *, true_margin: float = 0.0, alpha: float = 0.05
) -> Floats:
    """The chance that two systems can be shown to be alike, by the exact tests.

    Parameters
    ----------
    margin : float
        Margin of equivalence.
    n : int or array of int
        Decisive judgments.
    true_margin : float
        ``|p - 1/2|`` as it really is, up to 1/2: outside the margin, this is the chance of a false claim.
    alpha : float
        Level, below one half.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> equivalence_power(0.1, [100, 281]).round(2).tolist()
    [0.24, 0.91]
    """
    check_alpha(alpha, 0.5)
    _check_margin(margin)
    check_range("true_margin", true_margin, "from 0 to 0.5", isinstance(true_margin, Real) and 0 <= true_margin <= 0.5)
    ns = np.asarray(n, dtype=float)
    check_counts("n", ns)
    return equivalence.power(ns, 0.5 + true_margin, margin, alpha)


def _check_tests(alpha: float, power: float) -> None:
    check_alpha(alpha, 0.5)
    check_power(power, alpha)


def _check_margin(margin: float) -> None:
    check_range("margin", margin, "above 0 and below 0.5", isinstance(margin, Real) and 0 < margin < 0.5)


def _check_inside(true_margin: float, margin: float) -> None:
    rule = f"from 0 and below the margin ({margin:g}): where the difference is larger there is nothing to show"
    check_range("true_margin", true_margin, rule, isinstance(true_margin, Real) and 0 <= true_margin < margin)
