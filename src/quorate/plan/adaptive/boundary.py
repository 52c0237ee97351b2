"""On which side of a boundary every arm is: of a threshold, or of the arm that it is compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Ints
from quorate.numerics.sequential.sides import Moments, against_difference, against_mean

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Boundary:
    """What every arm is to be told apart from.

    Parameters
    ----------
    at : float
        A threshold, where there are no partners.
    tolerance : float
        Distance from the boundary that does not matter, in the unit of an attribute.
    partner : array of int64, shape (arms,), optional
        The arm that each is compared with.
    decide : bool
        Whether an arm is known well enough once it is known on which side it is.
    """

    at: float
    tolerance: float
    partner: Ints | None = None
    decide: bool = False

    @property
    def words(self) -> str:
        """What is asked, in words."""
        what = f"on which side of {self.at:g} each is" if self.partner is None else "which of two is better"
        return f"{what}, give or take {self.tolerance:g}"

    def told(self, found: Moments, low: float, span: float, unit: float, alpha: float) -> Mask:
        """Whether it is known on which side every arm is, or that it is within the tolerance; shape (arms,).

        Parameters
        ----------
        found : Moments
            Scores from 0 to 1.
        low, span : float
            Least score of the scale, and its length.
        unit : float
            Of the attribute.
        alpha : float
            Chance that one of the answers about an arm, or about a pair, is ever wrong.
        """
        limit, near = -math.log(alpha), self.tolerance * unit / span
        if self.partner is None:
            at = (self.at - low) / span
            away = found.mean - at
            evidence = [against_mean(found, at + shift) >= limit for shift in (0.0, near, -near)]
            return _either(away, near, *evidence)
        first = np.flatnonzero(np.arange(len(self.partner)) < self.partner)
        pair = found.of(first), found.of(self.partner[first])
        evidence = [against_difference(*pair, shift) >= limit for shift in (0.0, near, -near)]
        told = np.zeros(len(self.partner), dtype=bool)
        told[first] = _either(pair[0].mean - pair[1].mean, near, *evidence)
        return told | told[self.partner]


def _either(away: NDArray[np.float64], near: float, here: Mask, above: Mask, below: Mask) -> Mask:
    """One side or the other; or not as far as ``near`` on either."""
    return np.asarray(here | (above & below & (np.abs(away) < near)))
