"""The posterior distribution of variance components and of the mean, by Hamiltonian Monte Carlo."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict, Unpack, overload

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotConverged
from quorate.estimate.components.assemble import Link
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import Laid, grid, lay_out
from quorate.estimate.components.published import design
from quorate.estimate.posterior.latent import LatentPosterior, Posterior, mean_of
from quorate.estimate.posterior.prior import LOG_ODDS, Law, Prior, latent_terms, laws_for, laws_of, terms_of
from quorate.estimate.posterior.result import Convergence, checked_targets
from quorate.frozen import dataclass
from quorate.numerics.mixed.problem import Redraw
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior import chains as of_chains
from quorate.numerics.posterior import densities
from quorate.numerics.posterior.chains import bulk_ess, mode, r_hat
from quorate.numerics.posterior.densities import Laws, log_density, redrawn
from quorate.streams import stream
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments, checked

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target
    from quorate.estimate.posterior.result import DrawnComponents
    from quorate.numerics.posterior.chains import Sampled


# Models that can be sampled: what every one of them does, and what shows that its draws can be relied on.


MOST_R_HAT, LEAST_ESS = 1.01, 400
"""What chains must reach: Vehtari et al. (2021), section 4."""
_MOST_NUMBERS = 2e7
"""Numbers in one array of the likelihood; the sampler holds some ten of that size."""


class Sampling(NamedTuple):
    """How a posterior is sampled.

    Parameters
    ----------
    draws, warmup : int
        Iterations of every chain: kept, and before them to tune the sampler.
    chains : int
        Chains.
    seed : int
        Root of the random numbers.
    on_quote : callable
        Is told how many seconds the run will take.
    """

    draws: int
    warmup: int
    chains: int
    seed: int
    on_quote: Callable[[float], None]


class Model(Protocol):
    """A model with its prior and its data."""

    @property
    def prior(self) -> Sequence[Law]:
        """Priors of the standard deviations."""

    def sampled(self, how: Sampling) -> DrawnComponents:
        """Its posterior, whether or not the chains agree."""

    def redrawn(self, rng: np.random.Generator) -> tuple[Mapping[str, float], Model]:
        """Parameters that the prior drew, and the model with data that they made."""


def refuse_few(draws: int, warmup: int, chains: int) -> None:
    """Refuse fewer iterations or chains than anything can be read from."""
    counts = {"draws": (draws, 100), "warmup": (warmup, 100), "chains": (chains, 2)}
    for name, (count, least) in counts.items():
        rules.whole(name, count, least)


def _refuse_large(numbers: float) -> None:
    """Refuse tables that would take more memory than a computer may have."""
    if numbers > _MOST_NUMBERS:
        raise InvalidInput(
            f"judgments: the sampler would hold arrays of {numbers:,.0f} numbers, more than {_MOST_NUMBERS:,.0f}; use "
            "quorate.decompose, which needs none of them and has as much to say of a table of this size"
        )


def checks(sampled: Sampled, by_name: Mapping[str, Floats]) -> Convergence:
    """Convergence of numbers by name, shape (chains, draws) each."""
    chains, draws = sampled.positions.shape[:2]
    return Convergence(
        r_hat={name: r_hat(values) for name, values in by_name.items()},
        ess={name: bulk_ess(values) for name, values in by_name.items()},
        divergences=sampled.divergences,
        chains=chains,
        draws=draws,
        quoted=sampled.quoted,
        seconds=sampled.seconds,
    )


def converged(found: Convergence) -> bool:
    """Whether chains agree and hold enough independent draws; a value that is not a number counts as bad."""
    apart = any(not value <= MOST_R_HAT for value in found.r_hat.values())
    return not apart and all(value >= LEAST_ESS for value in found.ess.values())


def refuse_unconverged(found: DrawnComponents, draws: int, warmup: int) -> None:
    """Refuse chains that do not agree or hold too few independent draws, with what to ask for."""
    if converged(found.checks):
        return
    apart = {name: value for name, value in found.checks.r_hat.items() if not value <= MOST_R_HAT}
    few = {name: value for name, value in found.checks.ess.items() if not value >= LEAST_ESS}
    said = [f"R-hat {value:.3f} of {name}, at most {MOST_R_HAT} is needed" for name, value in apart.items()]
    said += [f"{value:.0f} effective draws of {name}, at least {LEAST_ESS} are needed" for name, value in few.items()]
    known = [value for value in few.values() if value > 0]
    more = int(np.ceil(draws * max([2.0, *(1.5 * LEAST_ESS / value for value in known)]) / 100)) * 100
    raise NotConverged(
        f"posterior: {'; '.join(said)}. Use "
        + argument("draws", more)
        + (" and " + argument("warmup", 2 * warmup) if apart else ""),
        found,
    )


# The model of log odds, logit or ordinal: random effects are sampled with everything else.


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
        data, middle = densities.counted(self.laid.layout, self.laws)
        places = densities.starts(data, middle, how.chains, start)
        seeds = int(start.integers(2**31))
        options: dict[str, Any] = {"warmup": how.warmup, "draws": how.draws, "seed": seeds, "on_quote": how.on_quote}
        sampled = of_chains.sample(densities.log_posterior, data, places, kept=len(middle), **options)
        sd, thresholds, effects = densities.parameters(data, sampled.positions)
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
    _refuse_large(densities.latent_size(layout))
    middle = np.asarray(np.average(layout.x, axis=0, weights=layout.counts.sum(axis=1)), dtype=np.float64)
    terms = latent_terms(laid.names, laid.linear.judgments, link)
    centred = replace(laid, layout=replace(layout, x=layout.x - middle))
    return LogOdds(centred, middle, laws_for(terms, prior))


# The model of scores as numbers: random effects are integrated out, so standard deviations alone are sampled.


_SPREAD = 1.5
"""How far from the mode chains begin, in standard deviations: further apart than the posterior is wide."""


class Density(NamedTuple):
    """What the log density of a Gaussian model is made of."""

    problem: densities.Padded
    laws: Laws


def log_posterior(data: Density, sd: Any) -> Any:
    """Log density of standard deviations of either sign: likelihood and prior are even in each."""
    import jax.numpy as jnp

    return densities.restricted_log_likelihood(data.problem, sd**2) + jnp.sum(log_density(sd, data.laws, jnp))


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
        data = Density(densities.padded(problem, kept), laws)
        top, metric = mode(problem, kept, laws)
        places = top + _SPREAD * start.standard_normal((how.chains, len(kept))) @ np.linalg.cholesky(metric).T
        seeds = int(start.integers(2**31))
        options: dict[str, Any] = {"warmup": how.warmup, "draws": how.draws, "seed": seeds, "on_quote": how.on_quote}
        sampled = of_chains.sample(log_posterior, data, places, metric=metric, **options)
        variances = np.square(sampled.positions).reshape(-1, len(kept))
        means, covariances = densities.fixed_effects(data.problem, variances, problem.p)
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
    _refuse_large(densities.marginal_size(problem))
    even = np.zeros(problem.n_components)
    even[kept] = 1 / len(kept)
    fit = Decomposition(laid.assembled, laid.identified, even, evaluate(problem, even), "reml")
    model = Gaussian(fit, laws_for(terms_of(fit), prior), dict(targets or {}))
    checked_targets(fit, model.targets)
    return model


class PosteriorOptions(TypedDict, total=False):
    """Options of `posterior` with a link or without."""

    random: Sequence[str] | None
    covariates: Sequence[str]
    prior: Prior | None
    draws: int | None
    warmup: int | None
    chains: int
    seed: int
    on_quote: Callable[[float], None] | None


@overload
def posterior(
    judgments: Judgments,
    *,
    link: Literal["identity"] = "identity",
    residual_by: str | None = None,
    targets: Mapping[str, Target] | None = None,
    **options: Unpack[PosteriorOptions],
) -> Posterior: ...


@overload
def posterior(judgments: Judgments, *, link: Link, **options: Unpack[PosteriorOptions]) -> LatentPosterior: ...


def posterior(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    residual_by: str | None = None,
    link: Literal["identity"] | Link = "identity",
    prior: Prior | None = None,
    targets: Mapping[str, Target] | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    chains: int = 4,
    seed: int = 0,
    on_quote: Callable[[float], None] | None = None,
) -> Posterior | LatentPosterior:
    """Where the variance of the judgments comes from, and their mean, as posterior distributions.

    The model of `quorate.decompose` with a prior on every standard deviation. Worth its time where levels are few
    (3 prompts, 4 judges), where an estimate lies at zero, or where an earlier study says how large components are. Of
    scores as numbers fixed effects have a flat prior, and random effects are integrated out exactly, so only the
    standard deviations are sampled; with a link everything is.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    random, covariates, residual_by
        As for `quorate.decompose`.
        The latter is for scores as numbers.
    link : {"identity", "logit", "ordinal"}
        Components of scores as numbers, or of log odds: of two values, of a few ordered marks. As for
        `quorate.decompose`. Thresholds and fixed effects of log odds have t priors on 3 degrees of freedom with scale
        2.5, and the mean is over the random effects, inside the scale of the scores.
    prior : Decomposition, LatentDecomposition, Posterior, Components or mapping of str to float, optional
        An earlier study of the same kind and link: its fit or posterior gives lognormal priors about what it found, as
        wide as it was unsure; published components, or variances by name, give half-t priors of that size. Components
        that it has not, and all by default: half-t on 3 degrees of freedom, with the standard deviation of all scores
        as scale, 2.5 for log odds.
    targets : mapping of str to str or Pool, optional
        What facets stand for in the mean, such as ``{"judge": "population"}``. As for `Posterior.mean_for`, for scores
        as numbers.
    draws : int, optional
        Iterations of every chain that are kept. By default 1000, with a link 2000.
    warmup : int, optional
        Iterations of every chain before them, to tune it. By default 200, with a link 400.
    chains : int
        Chains, at least 2.
    seed : int
        Root of the random numbers.
    on_quote : callable, optional
        Is told, after the first iterations, how many seconds the run will take; what it raises ends the run. By
        default a line on standard error.

    Returns
    -------
    Posterior or LatentPosterior
        The latter with a link.

    Raises
    ------
    InvalidInput
        If an option breaks a rule, the sampler is not installed (``pip install 'quorate[bayes]'``), or the table is too
        large for it.
    NotConverged
        If R-hat exceeds 1.01 or there are fewer than 400 effective draws; carries the posterior as ``partial``.
    NotEstimable
        As for `quorate.decompose`.

    Notes
    -----
    R: ``brms::brm(score ~ judge + (1 | item) + ..., prior = set_prior("student_t(3, 0, s)", class = "sd"))``, with
    ``family = bernoulli()`` or ``cumulative()`` for a link.

    References
    ----------
    Gelman (2006), Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1(3).

    Examples
    --------
    >>> import quorate as q
    >>> q.scores.posterior(q.read("pilot.csv"), prior=q.decompose(q.read("last-year.csv")))  # doctest: +SKIP
    """
    usual_draws, usual_warmup = (1000, 200) if link == "identity" else (2000, 400)
    draws, warmup = usual_draws if draws is None else draws, usual_warmup if warmup is None else warmup
    refuse_few(draws, warmup, chains)
    stream(seed, "posterior")  # refuses what is no seed
    model = model_of(judgments, random, covariates, residual_by, link, prior, targets)
    of_chains.require()
    how = Sampling(draws, warmup, chains, seed, _say if on_quote is None else on_quote)
    found = model.sampled(how)
    refuse_unconverged(found, draws, warmup)
    return found


def model_of(
    judgments: Judgments,
    random: Sequence[str] | None,
    covariates: Sequence[str],
    residual_by: str | None,
    link: Literal["identity"] | Link,
    prior: Prior | None,
    targets: Mapping[str, Target] | None = None,
) -> Gaussian | LogOdds:
    """The model that is asked for; see `posterior`."""
    refuse_repeats(checked(judgments))
    if link == "identity":
        return gaussian(judgments, random, covariates, residual_by, prior, targets)
    rules.one_of("link", link, ("identity", "logit", "ordinal"))
    if residual_by is not None:
        raise InvalidInput("residual_by: is for scores as numbers, not with a link; leave one of the two out")
    if targets:
        raise InvalidInput(
            "targets: with a link random facets stand for their populations and fixed ones for themselves; leave one "
            "of the two out"
        )
    return log_odds(judgments, link, random, covariates, prior)


def _say(seconds: float) -> None:
    sys.stderr.write(f"quorate: sampling takes about {seconds:,.0f} s\n")
