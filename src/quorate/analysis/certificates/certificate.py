"""Certificate: coverage, width, size and power of intervals, measured in studies that were drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.numerics.distributions import normal_quantile
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted


@dataclass(frozen=True)
class Certified(Brief):
    """What one kind of interval did.

    Parameters
    ----------
    scope : str
        Whom it speaks for.
    coverage, coverage_error : float
        Share of intervals that held the truth, with its Monte Carlo standard error; of a board, all pairs at once.
    width, width_error : float
        Median width in units of that of an interval that knows the standard error, ``2 z sd(estimate - truth)``.
    told_apart, told_apart_error : float or None
        Share of studies whose interval leaves out 0: the power of the test, if the truth is what this study found; of a
        board, the share of pairs.
    studies, refused : int
        Studies drawn, and those among them that gave no interval, such as those whose scores are all equal.
    """

    scope: str
    coverage: float
    coverage_error: float
    width: float
    width_error: float
    told_apart: float | None
    told_apart_error: float | None
    studies: int
    refused: int

    @property
    def size(self) -> float | None:
        """Share of studies that would find a difference where there is none: the law moved to a difference of 0."""
        return None if self.told_apart is None else 1 - self.coverage


@dataclass(frozen=True)
class Certificate(Result):
    """What intervals made as an answer's was do in studies drawn like its own.

    Parameters
    ----------
    subject : str
        What was answered: "mean", "difference" or "board".
    level : float
        Coverage that the intervals claim.
    found : tuple of Certified
        For this study's setup, and for others like it where the answer speaks for these.
    seed : int
        Of the draws.
    """

    subject: str
    level: float
    found: tuple[Certified, ...]
    seed: int

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """Coverage and width of every reading."""
        return " ".join(self._said(one) for one in self.found)

    def _said(self, one: Certified) -> str:
        whom = f" {one.scope}" if one.scope else ""
        what = "all pairs at once" if self.subject == "board" else "the truth"
        said = (
            f"Intervals made this way{whom} covered {what} in {100 * one.coverage:.1f} +- "
            f"{100 * one.coverage_error:.1f}% of {counted(one.studies - one.refused, 'study')} drawn like yours, and "
            f"are {one.width:.2f} +- {one.width_error:.2f} times as wide as if the standard error were known"
        )
        if self.subject == "difference" and one.told_apart is not None:
            said += (
                f"; of a difference as found {100 * one.told_apart:.0f}% of studies would find one, of none "
                f"{100 * (1 - one.coverage):.1f}%"
            )
        refused = f"; {one.refused} gave no interval" if one.refused else ""
        return said + refused + "."

    def rows(self) -> list[Row]:
        """One row for every reading."""
        return [dict(vars(one)) | {"size": one.size} for one in self.found]


def summary(
    limits: Floats, truth: float, level: float, whom: str, n: int, finds: NDArray[np.bool_] | None
) -> Certified:
    """Coverage, width and power of intervals: rows of value, low and high."""
    if len(limits) < 2:
        raise NotEstimable("certify: nearly no study that was drawn could be analysed; its scores hardly vary")
    value, low, high = limits.T
    covers = float(np.mean((low <= truth) & (truth <= high)))
    error = value - truth
    sd = float(np.sqrt(np.mean((error - error.mean()) ** 2)))
    oracle = 2 * normal_quantile((1 + level) / 2) * sd
    m = len(limits)
    median = float(np.median(high - low))
    kurtosis = float(np.mean((error - error.mean()) ** 4)) / sd**4 if sd > 0 else 3.0
    off = math.sqrt((kurtosis - 1) / 4 / m + math.pi / 2 * float(np.var(high - low)) / median**2 / m) if median else 0.0
    width = median / oracle if oracle else math.nan
    power = None if finds is None else float(np.mean(finds))
    spread = None if power is None else math.sqrt(power * (1 - power) / m)
    return Certified(whom, covers, math.sqrt(covers * (1 - covers) / m), width, width * off, power, spread, n, n - m)
