"""Law of margins over pairs, without the noise of the votes they were estimated from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.numerics.votes import deconvolve
from quorate.table.results import Result, Row, rows_of

EDGES = np.linspace(0.0, 0.5, 101)
"""Ends of the steps in which a law of margins has its chances."""

LEAST_VOTES = 50
"""Votes that every pair must have for the law to be known: with fewer it depends on where EM stops."""

GRID = (EDGES[1:] + EDGES[:-1]) / 2
"""Middles of the steps."""


@dataclass(frozen=True, eq=False)
class MarginLaw(Result):
    """Chances of the margins behind those that were estimated, in steps of 0.005, smoothed.

    Parameters
    ----------
    margin, chance : array, shape (margins,)
        Middles of the steps from 0 to 1/2, and the chance of each; nan where a pair has fewer than 50 votes.
    mean_square : float
        Mean squared margin over pairs without the noise, by moments; below 0 where noise is all there is to see.
    mean_square_raw : float
        Mean squared margin as estimated.
    """

    margin: Floats
    chance: Floats
    mean_square: float
    mean_square_raw: float

    @property
    def known(self) -> bool:
        """Whether every pair has votes enough."""
        return bool(np.isfinite(self.chance).all())

    def share_below(self, tau: float) -> float:
        """Chance of a margin of at most ``tau``; nan where the law is not known."""
        return float(share_below(self.chance, tau))

    def quantile(self, probability: float) -> float:
        """The margin that is not exceeded with this chance; nan where the law is not known."""
        if not self.known:
            return float("nan")
        return float(np.interp(probability, np.append(0.0, np.cumsum(self.chance)), EDGES))

    def rows(self) -> list[Row]:
        """One row a step: its middle and its chance."""
        return rows_of({"margin": self.margin, "chance": self.chance})


def margin_law(wins: ArrayLike, n: ArrayLike) -> MarginLaw:
    """The law of margins behind the votes of pairs.

    Parameters
    ----------
    wins, n : array, shape (pairs,)
        Wins and votes, taken as independent. With fewer than 50 votes on a pair chances are nan.
    """
    k, votes = np.asarray(wins, dtype=float), np.asarray(n, dtype=float)
    known = votes.min() >= LEAST_VOTES
    law = deconvolve.margin_law(deconvolve.margin_likelihood(k, votes, GRID)) if known else np.full(len(GRID), np.nan)
    raw = float(np.mean((k / votes - 0.5) ** 2))
    return MarginLaw(GRID, law, deconvolve.mean_square(k, votes), raw)


def share_below(chance: Floats, tau: float) -> Floats:
    """Chance of a margin of at most tau; within a step, in proportion.

    Parameters
    ----------
    chance : array, shape (..., margins)
        Chances of the steps of `EDGES`.
    tau : float
        Margin.
    """
    covered = np.clip((tau - EDGES[:-1]) / np.diff(EDGES), 0.0, 1.0)
    return np.asarray(chance @ covered)
