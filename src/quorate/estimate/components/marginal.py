"""Marginal components: those of scores as numbers that components of log odds stand for, over the effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import grid, restricted
from quorate.estimate.components.model import CELL, closure
from quorate.roles import REPLICATE
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.estimate.components.latent import LatentDecomposition

_MOST = 2_000
"""Combinations of levels of fixed facets whose scores are set against each other."""
_NODES = 64


@dataclass(frozen=True)
class Marginal(Brief):
    """Scores from log odds with normal effects.

    Parameters
    ----------
    at : array, shape (combinations, thresholds)
        Log odds of a score above each threshold, for every combination of levels of the fixed facets, without effects.
    levels : mapping of str to array of int, shape (combinations,)
        Level of every fixed facet in each.
    variances : mapping of frozenset of str to float
        Variance of the log odds by the facets that an effect varies with, what these are nested in included.
    low : float
        Lowest score.
    steps : array, shape (thresholds,)
        From every score to the next.
    """

    at: Floats
    levels: Mapping[str, NDArray[np.int64]]
    variances: Mapping[frozenset[str], float]
    low: float
    steps: Floats

    @property
    def total(self) -> float:
        """Variance of the log odds over all effects."""
        return sum(self.variances.values())

    def expected(self, effect: Floats, rest: float) -> Floats:
        """Mean score at some values of the effects, over others of variance ``rest``; shape (combinations, values)."""
        from quorate.numerics.links.search import logistic_normal

        above = logistic_normal(self.at[:, None, :] + effect[None, :, None], rest)[0]
        return np.asarray(self.low + above @ self.steps)

    @property
    def means(self) -> Floats:
        """Mean score of every combination, over all effects."""
        return self.expected(np.zeros(1), self.total)[:, 0]

    @property
    def variance(self) -> float:
        """Variance of one score about the mean of its combination, averaged over these."""
        from quorate.numerics.links.search import logistic_normal

        above = logistic_normal(self.at, self.total)[0]
        values = self.low + np.concatenate([[0.0], np.cumsum(self.steps)])
        shares = -np.diff(np.column_stack([np.ones(len(above)), above, np.zeros(len(above))]), axis=1)
        return float(np.mean(shares @ values**2 - (shares @ values) ** 2))

    def shared(self, facets: frozenset[str]) -> float:
        """Covariance of two scores that have the levels of these facets in common, and no other.

        About the means of their combinations, averaged over pairs of these.
        """
        common = sum(value for own, value in self.variances.items() if own <= facets)
        z, weight = np.polynomial.hermite_e.hermegauss(_NODES)
        expected = self.expected(np.sqrt(common) * z, self.total - common) - self.means[:, None]
        products = (expected * (weight / weight.sum())) @ expected.T
        pairs = np.ones_like(products, dtype=bool)
        for name, level in self.levels.items():
            same = level[:, None] == level[None, :]
            pairs &= same if name in facets or len(np.unique(level)) == 1 else ~same
        return float(products[pairs].mean())


def marginal(fit: LatentDecomposition) -> Marginal:
    """Scores as a decomposition of their log odds has them; main effects as restricted estimates have their variance.

    Raises
    ------
    NotEstimable
        If fixed facets have more than 2,000 combinations of levels.
    """
    x, fixed = grid(fit.assembled), fit.assembled.fixed
    if len(x) > _MOST:
        raise NotEstimable(
            f"the fixed facets have more than {_MOST:,} combinations of levels; make one of them random, or plan from "
            "the decomposition of the scores as numbers (linear)"
        )
    counts = [len(rows) for rows in fixed.levels.values()]
    codes = np.indices(counts).reshape(len(counts), -1)
    variances = {
        own_facets(fit.linear, name): restricted(fit, name, float(value))
        for name, value in zip(fit.names, fit.optimum.variance, strict=True)
    }
    at = x @ fit.effects[:, None] - fit.thresholds
    levels = {name: code.astype(np.int64) for name, code in zip(fixed.levels, codes, strict=True)}
    return Marginal(at, levels, variances, float(fit.values[0]), np.diff(fit.values))


def own_facets(fit: Decomposition, name: str) -> frozenset[str]:
    """Facets that a component varies with, and what they are nested in; of a sum, those of its last term."""
    last, judgments = name.rsplit(" + ", maxsplit=1)[-1], fit.judgments
    return closure(judgments, judgments.names if last in (CELL, REPLICATE) else last.split(":"))


def scored(fit: LatentDecomposition) -> Decomposition:
    """The decomposition of the scores as numbers, with the components that those of the log odds stand for.

    A component is the covariance of two scores that share just its levels, less those of the terms within it; what is
    left of the variance of a score is the residual's. ``docs/methods/links.md``.
    """
    linear, scores = fit.linear, marginal(fit)
    places = sorted(linear.representatives.items(), key=lambda item: len(own_facets(linear, item[0])))
    found: dict[str, float] = {}
    repeated = linear.assembled.replicated
    for name, _ in places:
        facets = own_facets(linear, name)
        within = sum(value for other, value in found.items() if own_facets(linear, other) < facets)
        last = name.endswith(REPLICATE) or (name.endswith(CELL) and not repeated)
        whole = scores.variance if last else scores.shared(facets)
        if last:
            within = sum(found.values())
        found[name] = max(whole - within, 0.0)
    theta = np.zeros_like(linear.theta)
    for name, t in linear.representatives.items():
        theta[t] = found[name] / linear.assembled.scale**2
    return replace(linear, theta=theta)
