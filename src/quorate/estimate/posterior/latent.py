"""Posterior of a model of log odds: components in squared log odds, and the mean score inside its scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LEVEL_1, Laid, grid, named
from quorate.estimate.components.model import CELL
from quorate.estimate.means.mean import contrast
from quorate.estimate.means.targets import all_drawn
from quorate.estimate.posterior.prior import LOG_ODDS, Terms, latent_terms, laws_of, terms_of
from quorate.estimate.posterior.result import (
    DrawnComponents,
    DrawnMean,
    DrawnPart,
    PosteriorMean,
    checked_targets,
    middle,
)
from quorate.frozen import dataclass
from quorate.numerics.links.search import logistic_normal
from quorate.numerics.posterior.densities import Laws
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target


@dataclass(frozen=True, eq=False, repr=False)
class LatentPosterior(DrawnComponents):
    """Posterior of the components of the log odds of a table of judgments, and of its mean score.

    Made by `posterior` with ``link="logit"`` or ``"ordinal"``. Components are read by name with `variance` and
    `interval`, all together with `components` or `to_frame`; the mean score over the random effects is `mean`.

    Parameters
    ----------
    prior, draws, checks, seed
        As for every posterior: ``prior`` and ``draws`` of the components, variances in squared log odds.
    laid : Laid
        Terms and counts; fixed effects are centred.
    middle : array, shape (effects,)
        What the columns of the fixed effects were on average.
    thresholds : array, shape (draws, categories - 1)
        Log odds of a score at most so high, for every score but the highest, at the average of the fixed effects.
    effects : array, shape (draws, effects)
        Fixed effects on the log odds of a higher score.
    """

    laid: Laid = field(repr=False)
    middle: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)
    effects: Floats = field(repr=False)

    unit = "log odds"

    @property
    def judgments(self) -> Judgments:
        """The answered judgments."""
        return self.laid.linear.judgments

    @property
    def terms(self) -> Terms:
        """What components are called."""
        return latent_terms(self.laid.names, self.judgments, self.laid.link)

    @cached_property
    def parts(self) -> Mapping[str, DrawnPart]:
        """Components, the level-1 variance of one judgment, and sensitivities of fixed facets."""
        assembled, n = self.laid.linear.assembled, self.judgments.n_answers
        one = REPLICATE if assembled.replicated else f"{CELL} + {REPLICATE}"
        parts = {
            name: DrawnPart(draws, int(level.max()) + 1, "random")
            for name, draws, level in zip(self.laid.names, self.draws.T, self.laid.layout.by_term, strict=True)
        }
        parts[one] = DrawnPart(np.full(len(self.draws), LEVEL_1), n, "level-1")
        for name, rows in assembled.fixed.levels.items():
            if len(rows) > 1:
                spread = np.var(self.effects @ rows[:, 1:].T, axis=1)
                parts[name] = DrawnPart(spread, len(rows), "sensitivity")
        return parts

    @property
    def known_before(self) -> tuple[Floats, Laws]:
        """Standard deviations, thresholds and fixed effects, and their priors."""
        fixed, own = np.hstack([self.thresholds, self.effects]), laws_of(self.prior, 1.0)
        scale, width = np.full(fixed.shape[1], LOG_ODDS), np.full(fixed.shape[1], np.inf)
        laws = Laws(np.append(own.scale, scale), np.append(own.width, width))
        return np.hstack([np.sqrt(self.draws), fixed]), laws

    @cached_property
    def parameters(self) -> Mapping[str, Floats]:
        """Components, thresholds, fixed effects and the mean."""
        names = (*self.laid.boundaries, *self.laid.linear.assembled.fixed.names[1:])
        fixed = np.hstack([self.thresholds, self.effects]).T
        components = dict(zip(self.laid.names, self.draws.T, strict=True))
        return {**components, **dict(zip(names, fixed, strict=True)), "mean": self.mean.draws}

    def drawn(self, term: str) -> Floats:
        """Draws of a component, as `variance` names it; shape (draws,).

        Raises
        ------
        UnknownTerm
            If the model has no such term.
        """
        return named(term, self.parts, self.judgments).draws

    @cached_property
    def mean(self) -> DrawnMean:
        """The mean score: random facets stand for their populations, levels of fixed facets weigh equally."""
        draws = mean_of(self.laid, self.middle, self.draws, self.thresholds, self.effects)
        value, se = middle(draws)
        return DrawnMean(value, se, self.judgments.n_answers, all_drawn(self.laid.linear), draws)

    @property
    def own_caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know of the table and the model."""
        missing, n = self.laid.linear.assembled.missing, self.judgments.n_answers
        return (*self.judgments.source.caveats, *([caveats.missing(missing, n + missing)] if missing else []))


def mean_of(laid: Laid, average: Floats, variances: Floats, thresholds: Floats, effects: Floats) -> Floats:
    """Mean score over the random effects for every draw of the parameters, shape (draws,)."""
    x, steps = grid(laid.linear.assembled) - average, np.diff(laid.values)
    out = np.empty(len(variances))
    for draw, (total, below, effect) in enumerate(zip(variances.sum(axis=1), thresholds, effects, strict=True)):
        out[draw] = logistic_normal(x @ effect[:, None] - below, float(total))[0].mean(axis=0) @ steps
    return np.asarray(laid.values[0] + out)


# Posterior of a model of scores as numbers: components in squared score units, and the mean for any target.


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
    def parts(self) -> Mapping[str, DrawnPart]:
        """Components, then sensitivities of fixed facets."""
        random = {
            name: DrawnPart(draws, self.fit.n_levels(t), "random")
            for (name, t), draws in zip(self.fit.representatives.items(), self.draws.T, strict=True)
        }
        fixed = {
            name: DrawnPart(draws, self.judgments.n_levels(name), "sensitivity")
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
        columns = dict(zip(self.fit.representatives, self.draws.T, strict=True))
        return self.fit.drawn(term, {**columns, **self.level_squares})

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
        fit, weight = self.fit, self.fit.assembled.fixed.mean
        asked = checked_targets(fit, targets)
        stated = contrast(fit, weight, asked)
        gradient, kept = stated.basis.gradient, list(fit.identified.representatives)
        base = contrast(fit, weight, all_drawn(fit)).basis.gradient
        known = (base - gradient)[kept] @ self.draws.T
        around = self.around @ weight
        plain = np.einsum("dp,p->d", self.centre, weight)
        variance = self.draws @ base[kept]
        left = np.sqrt(np.maximum(1 - known / variance, 0.0))
        draws = plain + left * around
        parts = {
            name: gradient[t] * column
            for (name, t), column in zip(fit.representatives.items(), self.draws.T, strict=True)
        }
        beta = self.centre + self.around
        for facet, drawn in stated.basis.drawn.items():
            rng = stream(self.seed, f"posterior/{facet}")
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
            target=dict(asked),
            shares={name: float(np.mean(part / total)) for name, part in parts.items()},
            caveats=(*self.caveats, *cautions),
            draws=draws,
        )

    @property
    def own_caveats(self) -> tuple[Caveat, ...]:
        """What the reader must know of the table and the model."""
        unlike = {"boundary", "few-levels", "zero-few-levels"}  # of estimates by REML and their intervals
        return tuple(caveat for caveat in self.fit.caveats if caveat.code not in unlike)
