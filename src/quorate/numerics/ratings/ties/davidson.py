"""Davidson's model: chances of a win, a loss and a tie are as ``exp(gap / 2)``, ``exp(-gap / 2)`` and ``nu``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.ties.model import Cells, Summary, TieModel


class Moments(NamedTuple):
    """Of a vote, 1/2 for the first, -1/2 for the second, 0 for a tie: mean, variance, chance of a tie, normaliser.

    The normaliser is the log of the sum of the three weights.
    """

    mean: Floats
    variance: Floats
    tie: Floats
    normaliser: Floats


def moments(gap: Floats, log_nu: Floats) -> Moments:
    """Moments of a vote, without overflow or cancellation."""
    distance = np.abs(gap)
    z = np.exp(-distance / 2)
    square = z * z
    weight = np.exp(log_nu) * z
    total = 1 + square + weight
    mean = np.copysign((1 - square) / (2 * total), gap)
    variance = (4 * square + weight * (1 + square)) / (4 * total * total)
    return Moments(mean, variance, weight / total, distance / 2 + np.log(total))


class Davidson(TieModel):
    """The parameter is ``log nu``; the likelihood is an exponential family.

    References
    ----------
    Davidson (1970), Journal of the American Statistical Association 65, 317-328; with an order effect, Davidson and
    Beaver (1977), Biometrics 33, 693-702.
    """

    def parameter(self, nu: Floats) -> Floats:
        """Its log."""
        return np.asarray(np.log(nu))

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """The parameter itself."""
        return parameter, np.ones_like(parameter)

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Derivatives are moments of the pair (vote, tie)."""
        at = moments(gap, parameter)
        return Cells(
            value=known.lead * gap - known.votes * at.normaliser + known.ties * parameter,
            slope=known.lead - known.votes * at.mean,
            tie_slope=known.ties - known.votes * at.tie,
            curvature=known.votes * at.variance,
            cross=-known.votes * at.mean * at.tie,
            tie_curvature=known.votes * at.tie * (1 - at.tie),
        )

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """Vote and tie, less what is expected of them."""
        at = moments(gap, parameter)
        return np.array([0.5, -0.5, 0.0]) - at.mean[..., None], np.array([0.0, 0.0, 1.0]) - at.tie[..., None]

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Each weight over the sum of the three."""
        total = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), parameter)
        return np.stack([gap / 2 - total, -gap / 2 - total, parameter - total])


DAVIDSON = Davidson("davidson", "ties as outcomes of their own (Davidson, 1970)")
