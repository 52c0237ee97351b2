"""Contrasts of a rating model with their uncertainty: a difference of ratings, a chance of winning."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.votes.margin import VoteMargin
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.ratings.ties.model import TieModel
from quorate.numerics.votes.binomial import SLACK
from quorate.table.results import Ends, Interval

_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """How the parameters would vary from one collection of votes to the next.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings about their mean, position effect, parameter of ties.
    df : array, shape (parameters, parameters)
        Degrees of freedom of the standard error of each difference of ratings and, on the diagonal, of each parameter:
        votes or clusters less one, fewer where some tell more.
    deviations : array, shape (refits, parameters), or None
        Refits of resampled votes, less the estimates.
    """

    covariance: Floats
    df: Floats
    deviations: Floats | None = None

    def reordered(self, order: Ints) -> Law:
        """The same with the parameters in another order."""
        drawn = None if self.deviations is None else self.deviations[:, order]
        df = self.df if (self.df == self.df[0, 0]).all() else _reordered(self.df, order)
        return Law(_reordered(self.covariance, order), df, drawn)


def _reordered(matrix: Floats, order: Ints) -> Floats:
    """Rows and columns in another order, a row after the other: all at once takes five times as long."""
    out = np.empty_like(matrix)
    for place, row in enumerate(order.tolist()):
        np.take(matrix[row], order, out=out[place], mode="clip")
    return out


@dataclass(frozen=True)
class Contrast(Interval):
    """A difference of ratings, or another parameter, with its uncertainty.

    Parameters
    ----------
    name : str
        What it is.
    value, se : float
        Estimate and standard error.
    df : float
        Degrees of freedom of the standard error.
    n : int
        Votes of the fit.
    deviations : array or None
        Refits less the estimate; intervals are their percentiles, widened as Student's t is against the normal law.
    margin : VoteMargin or None
        Of the two systems, where votes on no others are in the fit: its test is that of the contrast.
    level : float
        Coverage of the interval.
    """

    name: str
    value: float
    se: float
    df: float
    n: int
    deviations: Floats | None = field(default=None, repr=False, compare=False)
    margin: VoteMargin | None = field(default=None, repr=False, compare=False)
    level: float = 0.95

    def _limits(self) -> Ends:
        """Student's t, or percentiles of refits, widened where degrees of freedom are few."""
        level = self.level
        if self.deviations is None:
            half = t_quantile(self.df, (1 + level) / 2) * self.se
            return self._tested(self.value - half, self.value + half, level)
        wider = t_quantile(self.df, (1 + level) / 2) / t_quantile(math.inf, (1 + level) / 2)
        low, high = np.quantile(self.deviations, [(1 - level) / 2, (1 + level) / 2])
        return self.value + wider * float(low), self.value + wider * float(high)

    @property
    def p_value(self) -> float:
        """Of the two-sided test that it is 0: 1 less the level of the interval that ends there.

        With refits it is at least 1 over their number plus one; of the only two systems it is that of their margin.
        """
        if self.margin is not None:
            return self.margin.p_difference()
        if self.deviations is None:
            return 2 * t_cdf(self.df, -abs(self.value) / self.se)
        # By halving: intervals grow with their level.
        low, high = 1 / (len(self.deviations) + 1), 1.0
        if self._excludes_zero(1 - low):
            return low
        while high - low > _ROUNDING:
            middle = (low + high) / 2
            low, high = (low, middle) if self._excludes_zero(1 - middle) else (middle, high)
        return high

    def _tested(self, low: float, high: float, level: float) -> tuple[float, float]:
        """The interval, which leaves out 0 where the test of the margin rejects: its near end is then the margin's."""
        if self.margin is None:
            return low, high
        if self.margin.p_difference() > (1 - level) * SLACK:
            return min(low, 0.0), max(high, 0.0)
        ends, lead = self.margin.at(level).ends, self.margin.value
        near = max(ends[0] if lead > 0 else -ends[1], 0.0)
        end = self.value * math.atanh(2 * near) / math.atanh(2 * abs(lead))
        return (end, high) if self.value > 0 else (low, end)

    def _excludes_zero(self, level: float) -> bool:
        low, high = self.at(level).ends
        return low > 0 or high < 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        numbers = {name: getattr(self, name) for name in ("name", "value", "se", "df", "n", "p_value")}
        return {**numbers, "df": self.df if math.isfinite(self.df) else None}


@dataclass(frozen=True)
class WinRate(Interval):
    """How often one system is preferred to another, as the model has it, shown in either order as often.

    Parameters
    ----------
    value : float
        Share of the votes that decide; where ties are half wins, of all votes with ties as halves.
    tie : float
        Chance of a tie; nan where ties are not modelled.
    log_odds : Contrast
        Log odds of ``value``: the difference of the ratings with most models of ties, nearer 0 where there is a
        position effect.
    level : float
        Coverage of the interval.
    """

    value: float
    tie: float
    log_odds: Contrast
    level: float = 0.95

    @property
    def se(self) -> float:
        """Standard error, by the delta method."""
        return self.value * (1 - self.value) * self.log_odds.se

    @property
    def n(self) -> int:
        """Votes of the fit."""
        return self.log_odds.n

    def _limits(self) -> Ends:
        low, high = self.log_odds.at(self.level).ends
        return expit(low), expit(high)


def expit(x: float) -> float:
    """Chance of a log odds."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def average_odds(at: Floats, ties: TieModel) -> tuple[Floats, Floats]:
    """Log odds of being preferred, and chance of a tie, over both orders.

    Parameters
    ----------
    at : array, shape (3, ...)
        Difference of the ratings, position effect, parameter of ties.
    ties : TieModel
        What they are to the votes.
    """
    won, lost, tie = ties.log_chances(np.stack([at[0] + at[1], at[0] - at[1]]), at[2])
    preferred = np.logaddexp.reduce(won, axis=0) - np.logaddexp.reduce(lost, axis=0)
    return preferred, np.exp(tie).mean(axis=0)
