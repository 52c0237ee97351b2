"""Votes that a gap of two ratings takes: for an interval of some half-width, or to tell the two apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quorate.numerics.distributions import normal_quantile, t_quantile

_ROUNDS = 60
_MOST = 1e9


@dataclass(frozen=True)
class GapVotes:
    """What is asked of one gap.

    Parameters
    ----------
    variance : float
        Of the gap by one vote: it goes down with 1 over votes.
    freedom : float
        Degrees of freedom that a vote brings.
    level : float
        Coverage of the interval of the gap.
    target : float
        The gap, or the half-width of its interval.
    power : float or None
        Chance that the interval leaves out 0; None where a half-width is asked for.
    """

    variance: float
    freedom: float
    level: float
    target: float
    power: float | None

    def needed(self, explained: float, battles: int) -> int | None:
        """Votes of people on so many battles; where all are not enough, on more, all of them voted on by people.

        None where a thousand million are not enough. With ``explained`` 0 it is the votes that the gap takes.
        """
        n, residual = float(battles), 1 - explained
        for _ in range(_ROUNDS):
            quantile = t_quantile(max(self.freedom * n, 1.0), (1 + self.level) / 2)
            quantile += 0.0 if self.power is None else normal_quantile(self.power)
            allowed = (self.target / quantile) ** 2 / self.variance
            said = explained / battles
            found = residual / (allowed - said) if allowed > said else math.inf
            found = found if found <= battles else 1 / allowed if allowed > 1 / _MOST else math.inf
            if found > _MOST:
                return None
            if abs(found - n) < 1e-6 * n:
                break
            n = max(found, 2.0)
        return math.ceil(n - 1e-6)
