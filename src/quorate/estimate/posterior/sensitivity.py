"""Sensitivity to the prior: the draws reweighted to priors twice and half as wide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quorate.numerics.posterior.importance import WORST_K, quantiles, smoothed
from quorate.numerics.posterior.laws import log_density, widened
from quorate.table.results import Result, Row

if TYPE_CHECKING:
    from quorate.estimate.posterior.result import DrawnComponents

FACTORS = (0.5, 1.0, 2.0)
_LEAST_ESS = 100


@dataclass(frozen=True)
class Reweighted:
    """What a prior that is wider or narrower would give.

    Parameters
    ----------
    factor : float
        How many times as wide: the scale of half-t priors, the standard deviation of the logarithm of lognormal ones.
    value, low, high : float
        The mean, and its 95% interval.
    component : str
        The component whose share of the variance of one judgment changes most.
    share : float
        Median of its share.
    k, ess : float
        Shape of the tail of the weights, and how many equal draws they are worth.
    """

    factor: float
    value: float
    low: float
    high: float
    component: str
    share: float
    k: float
    ess: float

    @property
    def reliable(self) -> bool:
        """Whether the draws bear it."""
        return self.k <= WORST_K and self.ess >= _LEAST_ESS


@dataclass(frozen=True)
class Sensitivity(Result):
    """What other priors would change; made by `Posterior.sensitivity`.

    Parameters
    ----------
    with_prior : tuple of Reweighted
        With priors half as wide, as they are, and twice as wide.
    changes : tuple of float
        By how much the share of the component of each changes.
    """

    with_prior: tuple[Reweighted, ...]
    changes: tuple[float, ...]

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """The mean's interval with other priors, and the share that changes most, or that the draws do not tell."""
        narrow, own, wide = self.with_prior
        parts = []
        for one, change, words in ((narrow, self.changes[0], "half"), (wide, self.changes[2], "twice")):
            if not one.reliable:
                parts.append(f"priors {words} as wide differ too much to be told from these draws")
                continue
            parts.append(
                f"with priors {words} as wide the mean's interval is {one.low:.4g} to {one.high:.4g} and no share "
                f"moves by more than {100 * abs(change):.1f} points ({one.component})"
            )
        return f"The mean's interval is {own.low:.4g} to {own.high:.4g}; {'; '.join(parts)}."

    def rows(self) -> list[Row]:
        """One row a prior."""
        return [vars(one) | {"reliable": one.reliable} for one in self.with_prior]


def sensitivity(posterior: DrawnComponents) -> Sensitivity:
    """Reweight the draws to priors half and twice as wide; see `Posterior.sensitivity`.

    References
    ----------
    Kallioinen, Paananen, Burkner and Vehtari (2024), Detecting and diagnosing prior and likelihood sensitivity with
    power-scaling, Statistics and Computing 34, section 2.3.
    """
    known, laws = posterior.known_before
    now = log_density(known, laws).sum(axis=1)
    columns, names = [part.draws for part in posterior.parts.values()], [*posterior.parts]
    shares = np.array(columns) / np.sum(columns, axis=0)
    medians = np.median(shares, axis=1)
    found, changes = [], []
    for factor in FACTORS:
        weight, k = smoothed(log_density(known, widened(laws, factor)).sum(axis=1) - now)
        mean = posterior.mean.draws
        low, high = quantiles(mean, weight, np.array([0.025, 0.975])).tolist()
        moved = np.array([float(quantiles(share, weight, np.array(0.5))) for share in shares]) - medians
        most = int(np.argmax(np.abs(moved)))
        changes.append(float(moved[most]))
        ess = float(1 / np.sum(weight**2))
        value = float(quantiles(mean, weight, np.array(0.5)))
        found.append(Reweighted(factor, value, low, high, names[most], medians[most] + moved[most], k, ess))
    return Sensitivity(tuple(found), tuple(changes))
