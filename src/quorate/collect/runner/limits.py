"""Limits of a run: how hard judges are asked, and how long one waits for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from quorate.errors import InvalidInput

MOST = 100_000
"""Requests that may be in flight."""


@dataclass(frozen=True)
class Pace:
    """How hard one judge is asked.

    Parameters
    ----------
    concurrency : int
        Most requests in flight at once; fewer while the endpoint says that it is too much.
    rate : float, optional
        Most requests per second.
    first : int
        Requests in flight to begin with. A judge that gathers questions into batches wants as many as a batch holds.
    """

    concurrency: int = 64
    rate: float | None = None
    first: int = 64

    def __post_init__(self) -> None:
        for name in ("concurrency", "first"):
            value = getattr(self, name)
            if isinstance(value, bool) or value != int(value) or not 1 <= value <= MOST:
                raise InvalidInput(f"limits: {name} must be a whole number from 1 to {MOST:,}, got {value}")
        if self.rate is not None and not (math.isfinite(self.rate) and self.rate > 0):
            raise InvalidInput(f"limits: rate must be above 0 requests per second, got {self.rate}")


@dataclass(frozen=True)
class Limits:
    """How hard judges are asked, and how long one waits for them; times in seconds.

    Parameters
    ----------
    pace : Pace
        Of every judge that is not in ``paces``.
    paces : mapping of str to Pace
        Of single judges.
    tries : int
        Answers of a cell that may fail before it is given up. Being told to wait is no failure.
    backoff, longest_backoff : float
        Wait before a failed cell is asked again: this, doubled with every failure up to the longest.
    breaker : int
        Failures in a row after which a judge is left alone for a while.
    cooldown : float
        That while, doubled each time.
    trips : int
        Times in a row that a judge is left alone before it counts as dead; at most twice if it has answered nothing.
    patience : float
        Longest wait for anything before the run ends, to be resumed later.
    lease : float
        How long cells belong to a runner that no longer answers, where the system cannot tell that it is gone.
    grace : float
        How long requests in flight may take after the run was told to stop.
    every : float
        Between two commits.
    """

    pace: Pace = Pace()
    paces: Mapping[str, Pace] = field(default_factory=dict)
    tries: int = 5
    backoff: float = 1.0
    longest_backoff: float = 60.0
    breaker: int = 20
    cooldown: float = 5.0
    trips: int = 4
    patience: float = 900.0
    lease: float = 60.0
    grace: float = 30.0
    every: float = 0.02

    def __post_init__(self) -> None:
        for name in ("tries", "breaker", "trips"):
            value = getattr(self, name)
            if isinstance(value, bool) or value != int(value) or value < 1:
                raise InvalidInput(f"limits: {name} must be a whole number, at least 1, got {value}")
        for option in fields(self)[3:]:
            value = getattr(self, option.name)
            if not value >= 0 or (option.name in ("lease", "every") and value == 0):
                raise InvalidInput(f"limits: {option.name} must be a number of seconds, not negative, got {value}")

    def of(self, judge: str) -> Pace:
        """Pace of a judge."""
        return self.paces.get(judge, self.pace)
