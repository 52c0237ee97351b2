"""Posterior of a model of scores as numbers: components in squared score units, and the mean for any target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL, canonical
from quorate.estimate.posterior.prior import Terms, laws_of, terms_of
from quorate.estimate.posterior.result import DrawnComponents, Part
from quorate.numerics.posterior.laws import Laws
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target
    from quorate.estimate.posterior.mean import PosteriorMean


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(DrawnComponents):
    """Posterior of the variance components of a table of judgments, and of its mean.

    Made by `posterior`. Components are read by name with `variance` and `interval`, all together with `components` or
    `to_frame`; the mean is `mean`, for other targets `mean_for`.

    Parameters
    ----------
    prior, draws, checks, seed
        As for every posterior: ``prior`` and ``draws`` of the components, variances in squared score units.
    fit : Decomposition
        The model at the posterior medians: its names, its design and its weights; not the estimates of `decompose`.
    centre : array, shape (draws, p)
        Means of the fixed effects given each draw, in score units.
    around : array, shape (draws, p)
        Draws of the fixed effects less ``centre``.
    targets : mapping of str to str or Pool
        What facets stand for in the mean, where that was asked.
    """

    fit: Decomposition = field(repr=False)
    centre: Floats = field(repr=False)
    around: Floats = field(repr=False)
    targets: Mapping[str, Target]

    @property
    def judgments(self) -> Judgments:
        """The answered judgments."""
        return self.fit.judgments

    @property
    def terms(self) -> Terms:
        """What components are called."""
        return terms_of(self.fit)

    @cached_property
    def level_squares(self) -> Mapping[str, Floats]:
        """Drawn sensitivities of the fixed facets with several levels (divisor M), shape (draws,) each."""
        beta = self.centre + self.around
        fixed = self.fit.assembled.fixed.levels
        return {name: np.var(beta @ rows.T, axis=1) for name, rows in fixed.items() if len(rows) > 1}

    @cached_property
    def parts(self) -> Mapping[str, Part]:
        """Components, then sensitivities of fixed facets."""
        random = {
            name: Part(draws, self.fit.n_levels(t), "random")
            for (name, t), draws in zip(self.fit.representatives.items(), self.draws.T, strict=True)
        }
        fixed = {
            name: Part(draws, self.judgments.n_levels(name), "sensitivity")
            for name, draws in self.level_squares.items()
        }
        return random | fixed

    @property
    def known_before(self) -> tuple[Floats, Laws]:
        """Standard deviations and their priors; fixed effects have flat ones."""
        return np.sqrt(self.draws), laws_of(self.prior, 1.0)

    @cached_property
    def parameters(self) -> Mapping[str, Floats]:
        """Components, and the mean of populations and of fixed facets themselves."""
        return {**dict(zip(self.fit.representatives, self.draws.T, strict=True)), "mean": self.mean_for().draws}

    def drawn(self, term: str) -> Floats:
        """Draws of a component, as `variance` names it; shape (draws,)."""
        self.fit.variance(term)  # refuses what is unknown or cannot be told apart, by name
        columns = dict(zip(self.fit.representatives, self.draws.T, strict=True))
        if term in columns:
            return np.asarray(columns[term])
        names = frozenset(canonical(self.judgments, part.strip()) for part in term.split("+"))
        for members, draws in zip(self.fit.classes, columns.values(), strict=True):
            if names == frozenset(members) or (names == {CELL} and frozenset(members) == {CELL, REPLICATE}):
                return np.asarray(draws)
        name = next(iter(names))
        if name in self.level_squares:
            return self.level_squares[name]
        split = [draws for key, draws in columns.items() if key.split(" + ")[0].startswith(f"{name}[")]
        if not split:
            raise NotEstimable(f'"{term}": every replicate repeats its cell, so there is nothing to draw', names)
        out: Floats = np.sum(split, axis=0) / len(self.fit.assembled.residual_levels)
        return out

    @cached_property
    def mean(self) -> PosteriorMean:
        """The mean score for the targets asked for, and default ones: populations, and fixed facets themselves."""
        return self.mean_for(**self.targets)

    def mean_for(self, **targets: Target) -> PosteriorMean:
        """The mean score for a stated target.

        Parameters
        ----------
        **targets : str or Pool
            As for `Decomposition.mean_for`, without "sensitivity". A fixed facet taken as a draw adds the spread of its
            levels with a flat prior; read it as random (``fixed=()``) to give its spread the prior of the others.
        """
        from quorate.estimate.posterior.mean import mean_for

        return mean_for(self, targets)

    @property
    def own_caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know of the table and the model."""
        unlike = {"boundary", "few-levels", "zero-few-levels"}  # of estimates by REML and their intervals
        return tuple(caveat for caveat in self.fit.caveats if caveat.code not in unlike)
