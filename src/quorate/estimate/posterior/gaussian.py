"""The model of scores as numbers: random effects are integrated out, so standard deviations alone are sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.design import design
from quorate.estimate.posterior.mean import checked_targets
from quorate.estimate.posterior.prior import Law, Prior, laws_for, laws_of, terms_of
from quorate.estimate.posterior.sampling import Sampling, checks, refuse_large
from quorate.estimate.posterior.scores import Posterior
from quorate.numerics.mixed.redraw import Redraw
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior import marginal, nuts
from quorate.numerics.posterior.laws import Laws, log_density, redrawn
from quorate.numerics.posterior.mode import mode
from quorate.streams import stream
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target

_SPREAD = 1.5
"""How far from the mode chains begin, in standard deviations: further apart than the posterior is wide."""


class Density(NamedTuple):
    """What the log density of a Gaussian model is made of."""

    problem: marginal.Padded
    laws: Laws


def log_posterior(data: Density, sd: Any) -> Any:
    """Log density of standard deviations of either sign: likelihood and prior are even in each."""
    import jax.numpy as jnp

    return marginal.log_likelihood(data.problem, sd**2) + jnp.sum(log_density(sd, data.laws, jnp))


@dataclass(frozen=True, eq=False)
class Gaussian:
    """The model, laid out, with its prior.

    Parameters
    ----------
    fit : Decomposition
        Design and data, components not estimated.
    prior : tuple of Law
        Prior of every component.
    targets : mapping of str to str or Pool
        What facets stand for in the mean.
    """

    fit: Decomposition
    prior: tuple[Law, ...]
    targets: Mapping[str, Target]

    @property
    def kept(self) -> Ints:
        """Components that can be told apart."""
        return np.array(self.fit.identified.representatives)

    @property
    def laws(self) -> Laws:
        """Priors, in units of the scale."""
        return laws_of(self.prior, self.fit.assembled.scale)

    def sampled(self, how: Sampling) -> Posterior:
        """Its posterior, whether or not the chains agree."""
        fit, problem, kept, laws = self.fit, self.fit.assembled.problem, self.kept, self.laws
        start = stream(how.seed, "posterior")
        data = Density(marginal.padded(problem, kept), laws)
        top, metric = mode(problem, kept, laws)
        places = top + _SPREAD * start.standard_normal((how.chains, len(kept))) @ np.linalg.cholesky(metric).T
        seeds = int(start.integers(2**31))
        options: dict[str, Any] = {"warmup": how.warmup, "draws": how.draws, "seed": seeds, "on_quote": how.on_quote}
        sampled = nuts.sample(log_posterior, data, places, metric=metric, **options)
        variances = np.square(sampled.positions).reshape(-1, len(kept))
        means, covariances = marginal.fixed_effects(data.problem, variances, problem.p)
        noise = stream(how.seed, "posterior/fixed").standard_normal(means.shape)
        around = np.einsum("dpq,dq->dp", np.linalg.cholesky(covariances), noise)
        scale, centre = fit.assembled.scale, np.eye(1, problem.p)[0] * fit.assembled.center
        middle = np.zeros(problem.n_components)
        middle[kept] = np.median(variances, axis=0)
        sd = dict(zip(fit.representatives, np.moveaxis(np.abs(sampled.positions), 2, 0), strict=True))
        return Posterior(
            prior=self.prior,
            draws=variances * scale**2,
            checks=checks(sampled, sd),
            seed=how.seed,
            fit=replace(fit, theta=middle, point=evaluate(problem, middle)),
            centre=means * scale + centre,
            around=around * scale,
            targets=self.targets,
        )

    def redrawn(self, rng: np.random.Generator) -> tuple[Mapping[str, float], Gaussian]:
        """Standard deviations from the prior, fixed effects of zero: their prior is flat, so any will do."""
        assembled = self.fit.assembled
        sd, theta = redrawn(self.laws, 1, rng)[0], np.zeros(assembled.problem.n_components)
        theta[self.kept] = sd**2
        problem = Redraw(assembled.problem, theta, np.zeros(assembled.problem.p)).draw(rng)
        truth: Floats = sd**2 * assembled.scale**2
        names = {**dict(zip(self.fit.representatives, truth.tolist(), strict=True)), "mean": assembled.center}
        return names, replace(self, fit=replace(self.fit, assembled=replace(assembled, problem=problem)))


def gaussian(
    judgments: Judgments,
    random: Sequence[str] | None,
    covariates: Sequence[str],
    residual_by: str | None,
    prior: Prior | None,
    targets: Mapping[str, Target] | None,
) -> Gaussian:
    """Lay the model out; see `posterior`."""
    laid = design(judgments, random=random, covariates=covariates, residual_by=residual_by)
    problem, kept = laid.assembled.problem, np.array(laid.identified.representatives)
    refuse_large(marginal.size(problem))
    even = np.zeros(problem.n_components)
    even[kept] = 1 / len(kept)
    fit = Decomposition(laid.assembled, laid.identified, even, evaluate(problem, even), "reml")
    model = Gaussian(fit, laws_for(terms_of(fit), prior), dict(targets or {}))
    checked_targets(fit, model.targets)
    return model
