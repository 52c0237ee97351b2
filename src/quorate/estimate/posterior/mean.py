"""The mean for a target as draws have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from quorate import caveats
from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.means.mean import contrast
from quorate.estimate.means.targets import PANEL, SENSITIVITY, Target, all_drawn, resolve
from quorate.streams import stream
from quorate.table.results import Ends, Interval

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.estimate.posterior.latent import Posterior

_ONE_SE = (0.158655, 0.841345)
"""What a normal law has below one standard deviation under its mean, and above it."""


@dataclass(frozen=True)
class DrawnMean(Interval):
    """A mean score with its posterior.

    Parameters
    ----------
    value, se : float
        Median of the draws and half the width of their central 68%, in score units: few levels leave tails so heavy
        that no standard deviation exists.
    n : int
        Answers used.
    target : mapping of str to str or Pool
        What each facet stands for.
    draws : array, shape (draws,)
        The draws.
    level : float
        Coverage of the interval.
    """

    value: float
    se: float
    n: int
    target: Mapping[str, Target]
    draws: Floats = field(repr=False)
    level: float = field(default=0.95, kw_only=True)

    def _limits(self) -> Ends:
        """Quantiles with equal tails."""
        return quantiles(self.draws, self.level)


@dataclass(frozen=True)
class PosteriorMean(DrawnMean):
    """A mean of scores as numbers, with its posterior.

    Parameters
    ----------
    value, se, n, target, draws, level
        As for every drawn mean.
    shares : mapping of str to float
        Fraction of the variance of the mean that each component brings, on average over the draws.
    caveats : tuple of Caveat
        What the reader must know.
    """

    shares: Mapping[str, float]
    caveats: tuple[caveats.Caveat, ...]


def quantiles(draws: Floats, level: float) -> Ends:
    """Quantiles with equal tails."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def middle(draws: Floats) -> tuple[float, float]:
    """Median, and half the width of the central 68%."""
    return float(np.median(draws)), float(np.diff(np.quantile(draws, _ONE_SE))[0]) / 2


def mean_for(posterior: Posterior, asked: Mapping[str, Target]) -> PosteriorMean:
    """The mean for stated targets; see `Posterior.mean_for`.

    Given the variances the mean for populations is normal, about its generalised least squares estimate. Facets that
    stand for their own levels take from that variance, and fixed facets taken as draws add the spread of their levels
    times Student's t (``docs/methods/bayes.md``).
    """
    fit, weight = posterior.fit, posterior.fit.assembled.fixed.mean
    targets = checked_targets(fit, asked)
    stated = contrast(fit, weight, targets)
    gradient, kept = stated.basis.gradient, list(fit.identified.representatives)
    base = contrast(fit, weight, all_drawn(fit)).basis.gradient
    known = (base - gradient)[kept] @ posterior.draws.T
    around = posterior.around @ weight
    plain = np.einsum("dp,p->d", posterior.centre, weight)
    variance = posterior.draws @ base[kept]
    left = np.sqrt(np.maximum(1 - known / variance, 0.0))
    draws = plain + left * around
    parts = {
        name: gradient[t] * column
        for (name, t), column in zip(fit.representatives.items(), posterior.draws.T, strict=True)
    }
    beta = posterior.centre + posterior.around
    for facet, drawn in stated.basis.drawn.items():
        rng = stream(posterior.seed, f"posterior/{facet}")
        square = np.var(beta @ fit.assembled.fixed.levels[facet].T, axis=1, ddof=1)
        parts[facet] = drawn.factor * square
        draws = draws + rng.standard_t(drawn.df, len(draws)) * np.sqrt(parts[facet])
    total = np.sum(list(parts.values()), axis=0)
    own = {caveat.code for caveat in fit.caveats}
    cautions = [caveat for caveat in stated.caveats if caveat.code not in own]
    value, se = middle(draws)
    return PosteriorMean(
        value=value,
        se=se,
        n=fit.judgments.n_answers,
        target=dict(targets),
        shares={name: float(np.mean(part / total)) for name, part in parts.items()},
        caveats=(*posterior.caveats, *cautions),
        draws=draws,
    )


def checked_targets(fit: Decomposition, asked: Mapping[str, Target]) -> dict[str, Target]:
    """Targets of every facet.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    InvalidInput
        If a target does not fit its facet, or is an index.
    """
    targets = resolve(fit, asked, drawn=True)
    for facet, target in targets.items():
        if target == SENSITIVITY:
            fix = argument(facet, PANEL, group="targets")
            raise InvalidInput(f"{facet}: a sensitivity is an index, which has no posterior; use " + fix)
    return targets
