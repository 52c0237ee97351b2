"""Rao and Kupper's model: a gap that seems smaller than a threshold is a tie.

The first wins with log odds ``gap - threshold``, the second with ``-gap - threshold``, and the rest are ties.
"""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats
from quorate.numerics.ratings.ties.model import Cells, Summary, TieModel


class RaoKupper(TieModel):
    """The parameter is the threshold, above 0.

    A tie has the chance ``win * loss * (exp(2 threshold) - 1)``, so it counts as a win for each and as one vote on
    the threshold: the log likelihood is a sum of concave functions.

    References
    ----------
    Rao and Kupper (1967), Journal of the American Statistical Association 62, 194-204: theta is ``exp(threshold)``.
    """

    def parameter(self, nu: Floats) -> Floats:
        """Equals tie with odds ``theta - 1`` against a win of one of them."""
        return np.asarray(np.log1p(nu))

    def log_nu(self, parameter: Floats) -> tuple[Floats, Floats]:
        """Log of ``theta - 1``."""
        return np.asarray(np.log(np.expm1(parameter))), np.asarray(-1 / np.expm1(-parameter))

    def cells(self, known: Summary, gap: Floats, parameter: Floats) -> Cells:
        """Of two logistic laws, and of the ties' own term; minus infinity where the threshold is not above 0."""
        inside = parameter > 0
        threshold = np.where(inside, parameter, 1.0)
        ahead, behind = (known.votes + known.ties) / 2 + known.lead, (known.votes + known.ties) / 2 - known.lead
        lost, won = _expit(threshold - gap), _expit(threshold + gap)  # 1 less the chance of each to win
        spread, other = ahead * lost * (1 - lost), behind * won * (1 - won)
        grown = -1 / np.expm1(-2 * threshold)  # exp(2 threshold) / (exp(2 threshold) - 1)
        value = -ahead * np.logaddexp(0, threshold - gap) - behind * np.logaddexp(0, threshold + gap)
        value += known.ties * (2 * threshold + np.log(-np.expm1(-2 * threshold)))
        return Cells(
            value=np.where(inside, value, -np.inf),
            slope=ahead * lost - behind * won,
            tie_slope=2 * known.ties * grown - ahead * lost - behind * won,
            curvature=spread + other,
            cross=other - spread,
            tie_curvature=spread + other + 4 * known.ties * grown * (grown - 1),
        )

    def scores(self, gap: Floats, parameter: Floats) -> tuple[Floats, Floats]:
        """A tie is a win for each, and a vote for a larger threshold."""
        lost, won = _expit(parameter - gap), _expit(parameter + gap)
        tie = -2 / np.expm1(-2 * parameter) - lost - won
        return np.stack([lost, -won, lost - won], axis=-1), np.stack([-lost, -won, tie], axis=-1)

    def log_chances(self, gap: Floats, parameter: Floats) -> Floats:
        """Two logistic laws, and their product times what the threshold makes of it."""
        win, loss = -np.logaddexp(0, parameter - gap), -np.logaddexp(0, parameter + gap)
        return np.stack([win, loss, win + loss + 2 * parameter + np.log(-np.expm1(-2 * parameter))])


def _expit(x: Floats) -> Floats:
    """Chance of a log odds, without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0, -x)))


RAO_KUPPER = RaoKupper(
    "rao-kupper", "ties as differences too small to be seen (Rao and Kupper, 1967)", gap_is_log_odds=False
)
