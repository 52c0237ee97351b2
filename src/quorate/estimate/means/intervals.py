"""Ends of scales, and the interval of a mean on a scale that ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.table.facts.describe import score_facts
from quorate.table.judgments import Judgments
from quorate.wording import Brief

_MARKS = ((1, 5), (1, 7), (1, 10), (0, 10), (0, 100))
"""Scales of whole marks that are known by sight, the first that holds all scores."""


def score_ends(judgments: Judgments) -> tuple[float, float] | None:
    """Ends of the scale of scores: as declared, or those of a scale that everybody uses; None of any other.

    Known are 0 to 1, and whole marks of 1 to 5, 7 or 10, and of 0 to 10 or 100.
    """
    if judgments.scale is not None:
        return judgments.scale
    facts = score_facts(judgments)
    if facts.low >= 0 and facts.high <= 1:
        return 0.0, 1.0
    known = ((float(low), float(high)) for low, high in _MARKS if low <= facts.low and facts.high <= high)
    return next(known, None) if facts.integers else None


def limits(value: float, half: float, n: float, ends: tuple[float, float] | None) -> tuple[float, float]:
    """Limits of a mean whose interval would reach ``half`` to either side; on a scale that ends, those of Wilson.

    Parameters
    ----------
    value, half : float
        The mean, and half its interval without ends.
    n : float
        Answers; a mean at an end is taken to be half an answer from it.
    ends : (float, float), optional
        Of the scale.

    Notes
    -----
    Wilson's score interval with the effective sample size ``p (1 - p) / se^2`` and Student's t in the place of z, which
    are in ``half`` together.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22, 209-212; Korn and Graubard (1998), Survey Methodology 24, 193-201.

    Examples
    --------
    >>> limits(3.0, 0.5, 100, None)
    (2.5, 3.5)
    >>> [round(limit, 3) for limit in limits(0.95, 1.96 * (0.95 * 0.05 / 60) ** 0.5, 60, (0, 1))]
    [0.863, 0.983]
    """
    if ends is None:
        return value - half, value + half
    low, high = wilson_limits(value, half, n, ends)
    return float(low), float(high)


def wilson_limits(value: ArrayLike, half: ArrayLike, n: ArrayLike, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Wilson's limits of means of scores within these ends, from half-widths and numbers of items; the same shape."""
    width, least = ends[1] - ends[0], 0.5 / np.asarray(n, dtype=float)
    share = np.clip((np.asarray(value) - ends[0]) / width, least, 1 - least)
    wide = np.asarray(half) / width
    k = wide**2 / (share * (1 - share))
    middle, reach = share + k / 2, np.sqrt(wide**2 + k**2 / 4)
    return ends[0] + width * (middle - reach) / (1 + k), ends[0] + width * (middle + reach) / (1 + k)


@dataclass(frozen=True)
class Ended(Brief):
    """A mean on a scale that ends.

    Parameters
    ----------
    value : float
        The mean.
    ends : (float, float)
        Of the scale.
    """

    value: float
    ends: tuple[float, float]

    def half_width(self, half: ArrayLike, n: ArrayLike) -> Any:
        """Half the interval of such a mean, where it would be ``half`` without ends."""
        low, high = wilson_limits(self.value, half, n, self.ends)
        return (high - low) / 2
