"""The model of log odds, logit or ordinal: random effects are sampled with everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.categories import Link
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.latent_mean import grid
from quorate.estimate.components.links import Laid, lay_out
from quorate.estimate.posterior.latent import LatentPosterior, mean_of
from quorate.estimate.posterior.prior import LOG_ODDS, Law, Prior, latent_terms, laws_for, laws_of
from quorate.estimate.posterior.sampling import Sampling, checks, refuse_large
from quorate.numerics.posterior import latent, nuts
from quorate.numerics.posterior.laws import Laws, redrawn
from quorate.streams import stream
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target


@dataclass(frozen=True, eq=False)
class LogOdds:
    """The model, laid out, with its prior.

    Parameters
    ----------
    laid : Laid
        Terms and counts; fixed effects are centred.
    middle : array, shape (effects,)
        What the columns of the fixed effects were on average.
    prior : tuple of Law
        Prior of every component.
    """

    laid: Laid
    middle: Floats
    prior: tuple[Law, ...]

    @cached_property
    def laws(self) -> Laws:
        """Priors of standard deviations, then of thresholds and fixed effects."""
        own, n = laws_of(self.prior, 1.0), self.laid.layout.n_fixed
        return Laws(np.append(own.scale, np.full(n, LOG_ODDS)), np.append(own.width, np.full(n, np.inf)))

    def sampled(self, how: Sampling) -> LatentPosterior:
        """Its posterior, whether or not the chains agree."""
        start = stream(how.seed, "posterior")
        data, middle = latent.counted(self.laid.layout, self.laws)
        places = latent.starts(data, middle, how.chains, start)
        seeds = int(start.integers(2**31))
        options: dict[str, Any] = {"warmup": how.warmup, "draws": how.draws, "seed": seeds, "on_quote": how.on_quote}
        sampled = nuts.sample(latent.log_posterior, data, places, kept=len(middle), **options)
        sd, thresholds, effects = latent.parameters(data, sampled.positions)
        numbers = np.moveaxis(np.concatenate([sd, thresholds, effects], axis=2), 2, 0)
        return LatentPosterior(
            prior=self.prior,
            draws=np.square(np.concatenate(sd)),
            checks=checks(sampled, dict(zip(self.numbers, numbers, strict=True))),
            seed=how.seed,
            laid=self.laid,
            middle=self.middle,
            thresholds=np.concatenate(thresholds),
            effects=np.concatenate(effects),
        )

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of components, thresholds and fixed effects."""
        return (*self.laid.names, *self.laid.boundaries, *self.laid.linear.assembled.fixed.names[1:])

    def redrawn(self, rng: np.random.Generator) -> tuple[Mapping[str, float], LogOdds]:
        """Everything from the prior, and counts of as many judgments in every row."""
        layout, n = self.laid.layout, len(self.prior)
        drawn = redrawn(self.laws, 1, rng)[0]
        drawn[n:] *= rng.choice([-1, 1], len(drawn) - n)
        k = layout.counts.shape[1] - 1
        sd, thresholds, effects = drawn[:n], np.sort(drawn[n : n + k]), drawn[n + k :]
        eta = layout.x @ effects
        for level, size in zip(layout.by_term, sd, strict=True):
            eta = eta + size * rng.standard_normal(int(level.max()) + 1)[level]
        above = 1 / (1 + np.exp(thresholds - eta[:, None]))
        shares = -np.diff(above, axis=1, prepend=1.0, append=0.0)
        counts = rng.multinomial(layout.counts.sum(axis=1).astype(np.int64), shares).astype(np.float64)
        mean = mean_of(self.laid, self.middle, sd[None] ** 2, thresholds[None], effects[None])
        truth = dict(zip(self.numbers, [*sd**2, *thresholds, *effects], strict=True)) | {"mean": float(mean[0])}
        return truth, replace(self, laid=replace(self.laid, layout=replace(layout, counts=counts)))


def log_odds(
    judgments: Judgments, link: Link, random: Sequence[str] | None, covariates: Sequence[str], prior: Prior | None
) -> LogOdds:
    """Lay the model out; see `posterior`."""
    laid = lay_out(decompose(judgments, random=random, covariates=covariates), link)
    grid(laid.linear.assembled)  # refuses what the mean cannot be averaged over
    layout = laid.layout
    refuse_large(latent.size(layout))
    middle = np.asarray(np.average(layout.x, axis=0, weights=layout.counts.sum(axis=1)), dtype=np.float64)
    terms = latent_terms(laid.names, laid.linear.judgments, link)
    centred = replace(laid, layout=replace(layout, x=layout.x - middle))
    return LogOdds(centred, middle, laws_for(terms, prior))


def refuse_of_numbers(targets: Mapping[str, Target] | None, residual_by: str | None) -> None:
    """Refuse options that are for scores as numbers."""
    if residual_by is not None:
        raise InvalidInput("residual_by: is for scores as numbers, not with a link; leave one of the two out")
    if targets:
        raise InvalidInput(
            "targets: with a link random facets stand for their populations and fixed ones for themselves; leave one "
            "of the two out"
        )
