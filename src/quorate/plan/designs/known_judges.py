"""What a fit knows of its own judges: how far each is from the others, for plans in which they do not weigh equally."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.decomposition import Decomposition
from quorate.numerics.panel.grubbs import effects
from quorate.plan.designs.layouts import Layout
from quorate.plan.designs.schemes import JUDGE


@dataclass(frozen=True)
class KnownJudges:
    """Judges of a fit, and the second moments of their biases given its scores.

    Parameters
    ----------
    names : tuple of str
        Judges.
    moments : array, shape (judges, judges)
        Posterior mean of ``gamma gamma'``, gamma the judges' departures from their average.
    """

    names: tuple[str, ...]
    moments: Floats

    @property
    def spread(self) -> float:
        """Posterior mean of the variance of the biases, divisor M - 1."""
        return float(np.trace(self.moments)) / (len(self.names) - 1)

    def knows(self, laid: Layout) -> bool:
        """Whether the judges of a layout are named, and all of them are known."""
        return bool(laid.judges) and set(laid.judges) <= set(self.names)

    def square(self, laid: Layout) -> Floats:
        """Expected square of the bias ``sum_l (w_l - 1/M) gamma_l`` of a layout with these judges."""
        at = [self.names.index(name) for name in laid.judges]
        apart = laid.shares(JUDGE) - 1 / len(at)
        return np.asarray(np.einsum("...i,ij,...j->...", apart, self.moments[np.ix_(at, at)], apart))


def known_judges(fit: Decomposition) -> KnownJudges:
    """What a fit with fixed judges says of them; for at least 2.

    Their effects are shrunk as those of judges of one pool (`quorate.numerics.panel.grubbs.effects`), so that a spread
    that is estimated at zero does not count as none.
    """
    design, solved = fit.assembled.fixed.levels[JUDGE], fit.point.solved
    size = design.shape[1]
    centred = design - design.mean(axis=0)
    noise = centred @ solved.b[:size, :size] @ centred.T * fit.assembled.scale**2
    found = effects(design @ fit.beta, noise)
    names = fit.judgments.facet(JUDGE).levels
    return KnownJudges(names, np.asarray(found.covariance + np.outer(found.mean, found.mean)))
