"""No model of ties: the model of Bradley and Terry (1952), with a tie as half a win for each, or left out."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.ties.model import Cells, Summary, TieModel


class Wins(TieModel):
    """The first wins with log odds ``gap``; with ties as half wins the likelihood is a quasi-likelihood."""

    def parameter(self, nu: Floats) -> Floats:
        """None to find."""
        return np.full_like(nu, np.nan)

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Ties have no odds."""
        return np.full_like(parameter, np.nan), np.full_like(parameter, np.nan)

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:  # noqa: ARG002 - it has none
        """Without overflow or cancellation."""
        distance = np.abs(gap)
        z = np.exp(-distance)
        total = 1 + z
        mean = np.copysign((1 - z) / (2 * total), gap)
        none = np.broadcast_to(0.0, gap.shape)
        value = known.lead * gap - known.votes * (distance / 2 + np.log(total))
        return Cells(value, known.lead - known.votes * mean, none, known.votes * (z / total**2), none, none)

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - it has none
        """Half a vote for or against, less what is expected."""
        mean = np.tanh(gap / 2) / 2
        slope = np.array([0.5, -0.5, 0.0]) - mean[..., None]
        return slope, np.zeros_like(slope)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:  # noqa: ARG002 - it has none
        """A tie has no chance."""
        total = np.logaddexp(gap / 2, -gap / 2)
        return np.stack([gap / 2 - total, -gap / 2 - total, np.full_like(gap, -np.inf)])


HALF = Wins("half", "ties as half a win for each", modelled=False)
DROP = Wins("drop", "ties left out", modelled=False, counted=False)
