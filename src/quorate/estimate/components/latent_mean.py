"""Mean score of a latent decomposition: shares of the scores, integrated over the random effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.means.intervals import limits
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.table.results import Result

if TYPE_CHECKING:
    from quorate.estimate.components.assemble import Assembled
    from quorate.estimate.components.latent import LatentDecomposition
    from quorate.numerics.links.modes import Modes

_MOST = 100_000
"""Combinations of levels of fixed facets over which a mean is averaged."""


@dataclass(frozen=True)
class LatentMean(Result):
    """A mean score from log odds, with an interval between the lowest and the highest score.

    Parameters
    ----------
    value : float
        The mean, in score units: random facets stand for their population, levels of fixed facets weigh equally.
    se : float
        Standard error, by the delta method.
    df : float
        Satterthwaite degrees of freedom.
    n : int
        Answers used.
    latent_variance : float
        Variance of the log odds over all random effects.
    ends : (float, float)
        Lowest and highest score.
    """

    value: float
    se: float
    df: float
    n: int
    latent_variance: float
    ends: tuple[float, float] = field(repr=False)

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of `interval`."""
        low, high = self.interval(level)
        return (high - low) / 2

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval: Student's t, within the ends of the scale.

        Parameters
        ----------
        level : float
            Coverage wanted, in (0, 1).
        """
        return limits(self.value, t_quantile(self.df, (1 + checked_level(level)) / 2) * self.se, self.n, self.ends)


def least_effect(noise: ArrayLike, df: ArrayLike) -> Any:
    """Three standard errors of a main effect whose mean square is noise: each ``noise sqrt(2 / (df + 2))``."""
    return 3 * np.asarray(noise) * np.sqrt(2 / (np.asarray(df) + 2))


def latent_mean(fit: LatentDecomposition) -> LatentMean:
    """The mean over the random effects, its standard error and degrees of freedom.

    Given the components, the fixed parameters are those of Laplace's approximation whatever the method: the mean then
    hardly depends on the components, and its variance is that of the fixed parameters. Where the main effect of a
    random facet was found from few levels, its part is that of the restricted estimate, and at least three standard
    errors of a zero one (``docs/methods/links.md``).
    """
    from quorate.numerics.links.marginal import logistic_normal
    from quorate.numerics.links.search import settled

    x, steps, total = grid(fit.assembled), np.diff(fit.values), float(fit.optimum.variance.sum())
    modes = (fit.optimum.point if fit.method == "laplace" else settled(fit.layout, fit.optimum)).modes
    thresholds, effects = modes.fixed[: len(steps)], modes.fixed[len(steps) :]
    above, slope, _ = logistic_normal(x @ effects[:, None] - thresholds, total)
    value = float(fit.values[0] + above.mean(axis=0) @ steps)
    of_fixed = np.concatenate([-slope.mean(axis=0) * steps, (slope @ steps) @ x / len(x)])
    lower = modes.factor.lower[modes.factor.q :, modes.factor.q :]
    weight, variance = _in_variance(fit, modes, of_fixed), float(np.sum(np.linalg.solve(lower, of_fixed) ** 2))
    spread = 0.0
    for name, v, noise in zip(fit.names, fit.optimum.variance, fit.noise.values(), strict=True):
        own, found = max(fit.n_levels(name) - 1, 1), restricted(fit, name, float(v))
        if _is_main(fit, name):
            variance += weight[name] * (max(found, float(least_effect(noise, own))) - v)
        spread += 2 * (weight[name] * (found + noise)) ** 2 / own
    df = max(1.0, 2 * variance**2 / spread) if spread > 0 else np.inf
    ends = float(fit.values[0]), float(fit.values[-1])
    return LatentMean(value, float(np.sqrt(variance)), df, fit.judgments.n_answers, total, ends)


def restricted(fit: LatentDecomposition, name: str, variance: float) -> float:
    """A component as its restricted estimate is: a main effect's is larger, by one level more than its degrees."""
    own = max(fit.n_levels(name) - 1, 1)
    return variance * (own + 1) / own if _is_main(fit, name) else variance


def _is_main(fit: LatentDecomposition, name: str) -> bool:
    """Whether a term is the main effect of a facet whose levels all levels of the mean share."""
    return ":" not in name.rsplit(" + ", maxsplit=1)[-1] and name.rsplit(" + ", maxsplit=1)[-1] in fit.judgments.names


def _in_variance(fit: LatentDecomposition, modes: Modes, of_fixed: Floats) -> Mapping[str, float]:
    """How much of each component is in the variance of a linear function of the fixed parameters."""
    factor, scaled, coupling = modes.factor, modes.scaled, modes.border.coupling
    lower = factor.lower[factor.q :, factor.q :]
    rows = coupling @ np.linalg.solve(lower.T, np.linalg.solve(lower, of_fixed))
    solved, _ = factor.solve(scaled.sums(rows[:, None]))
    rows = rows - factor.weight * scaled.rows(solved)[:, 0]
    levels = fit.layout.by_term
    return {name: float(np.sum(np.bincount(c, rows) ** 2)) for name, c in zip(fit.names, levels, strict=True)}


def grid(assembled: Assembled) -> Floats:
    """Rows of fixed effects for every combination of levels of the fixed facets, covariates at their mean."""
    fixed, model = assembled.fixed, assembled.model
    for term in model.covariates:
        if len(set(term.split(":")) & set(model.fixed)) > 1:
            raise NotEstimable(f'covariates: the mean over "{term}" is not known for scores with a link; leave it out')
    levels = list(fixed.levels.values())
    if np.prod([float(len(rows)) for rows in levels]) > _MOST:
        raise NotEstimable(f"the fixed facets have more than {_MOST:,} combinations of levels; make one of them random")
    rows = [fixed.mean + sum(parts) for parts in product(*([row - fixed.mean for row in of] for of in levels))]
    return np.array(rows)[:, 1:]
