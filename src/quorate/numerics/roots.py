"""Roots of functions of one number, and the last integer at which a condition holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quorate.arrays import Floats

# Thresholds: the last integer at which a condition holds.


Condition = Callable[[Floats], NDArray[np.bool_]]


def last(holds: Condition, guess: ArrayLike) -> Floats:
    """The largest integer at which a condition holds that, once it fails, fails for good; one for every guess.

    Parameters
    ----------
    holds : callable
        Takes integers as floats, in the shape of ``guess``, and says where the condition holds. It must hold far
        enough below, and fail far enough above.
    guess : array of float
        Where to start: the closer, the fewer calls, two if it is right.
    """
    start = np.floor(np.asarray(guess, dtype=float))
    low = _gallop(holds, start, -1.0)
    high = _gallop(lambda x: ~holds(x), start + 1, 1.0)
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        good = holds(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return low


def _gallop(reached: Condition, start: Floats, step: float) -> Floats:
    """From where the search starts in growing steps to where the condition is met."""
    at = start
    while np.any(missed := ~reached(at)):
        at = np.where(missed, at + step, at)
        step *= 2
    return at


# Roots of functions of one number between two values at which they differ in sign.


_ROUNDING = 4 * 2.0**-52
_MOST = 200


def root(f: Callable[[float], float], low: float, high: float, *, xtol: float = 2e-12) -> float:
    """Where a function is zero, by Brent's method.

    Parameters
    ----------
    f : callable
        Of a number; its values at the ends differ in sign, or one is zero.
    low, high : float
        Ends.
    xtol : float
        How far off the root may be, besides rounding.

    References
    ----------
    Brent (1973), Algorithms for Minimization without Derivatives, chapter 4.

    Examples
    --------
    >>> round(root(lambda x: x * x - 2, 0, 2), 9)
    1.414213562
    """
    a, b = float(low), float(high)
    fa, fb = float(f(a)), float(f(b))
    if fa * fb > 0:
        raise ValueError(f"the function has one sign at {low} and {high}")
    c, fc = a, fa
    last = step = b - a
    for _ in range(_MOST):
        if fb * fc > 0:  # the root is between a and b
            c, fc = a, fa
            last = step = b - a
        if abs(fc) < abs(fb):  # b is the best so far
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        near, half = _ROUNDING * abs(b) + xtol / 2, (c - b) / 2
        if abs(half) <= near or fb == 0:
            break
        if abs(last) >= near and abs(fa) > abs(fb):
            s = fb / fa
            if a == c:
                p, q = 2 * half * s, 1 - s
            else:
                r, t = fb / fc, fa / fc
                p, q = s * (2 * half * t * (t - r) - (b - a) * (r - 1)), (t - 1) * (r - 1) * (s - 1)
            p, q = abs(p), -q if p > 0 else q
            if 2 * p < min(3 * half * q - abs(near * q), abs(last * q)):
                last, step = step, p / q
            else:
                last = step = half
        else:
            last = step = half
        a, fa = b, fb
        b += step if abs(step) > near else (near if half > 0 else -near)
        fb = float(f(b))
    return b
