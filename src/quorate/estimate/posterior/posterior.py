"""The posterior distribution of variance components and of the mean, by Hamiltonian Monte Carlo."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, overload

from quorate.errors import InvalidInput
from quorate.estimate.components.categories import Link
from quorate.estimate.posterior.gaussian import Gaussian, gaussian
from quorate.estimate.posterior.latent import LatentPosterior
from quorate.estimate.posterior.log_odds import LogOdds, log_odds, refuse_of_numbers
from quorate.estimate.posterior.prior import Prior
from quorate.estimate.posterior.sampling import Sampling, refuse_few, refuse_unconverged
from quorate.estimate.posterior.scores import Posterior
from quorate.numerics.posterior import nuts
from quorate.streams import stream
from quorate.table.facts.repeats import refuse_repeats
from quorate.table.judgments import Judgments, checked

if TYPE_CHECKING:
    from quorate.estimate.means.targets import Target


@overload
def posterior(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    residual_by: str | None = None,
    link: Literal["identity"] = "identity",
    prior: Prior | None = None,
    targets: Mapping[str, Target] | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    chains: int = 4,
    seed: int = 0,
    on_quote: Callable[[float], None] | None = None,
) -> Posterior: ...


@overload
def posterior(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    link: Link,
    prior: Prior | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    chains: int = 4,
    seed: int = 0,
    on_quote: Callable[[float], None] | None = None,
) -> LatentPosterior: ...


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
        Scores as numbers, or the log odds of the higher of two scores, or of a score above each of a few ordered ones,
        as for `quorate.decompose`. Thresholds and fixed effects of log odds have t priors on 3 degrees of freedom with
        scale 2.5, and the mean is over the random effects, inside the scale of the scores.
    prior : Decomposition, LatentDecomposition, Posterior, Components or mapping of str to float, optional
        An earlier study of the same kind and link: its fit or posterior gives lognormal priors about what it found, as
        wide as it was unsure; published components, or variances by name, give half-t priors of that size. Components
        that it has not, and all by default: half-t on 3 degrees of freedom, with the standard deviation of all scores
        as scale, 2.5 for log odds.
    targets : mapping of str to str or Pool, optional
        What facets stand for in the mean, as for `Posterior.mean_for`: ``{"judge": "population"}``. For scores as
        numbers.
    draws, warmup : int, optional
        Iterations of every chain: kept, and before them to tune the sampler. By default 1000 and 200, with a link 2000
        and 400.
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
    nuts.require()
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
    if link not in ("logit", "ordinal"):
        raise InvalidInput(f"link: one of 'identity', 'logit', 'ordinal' is needed, got {link!r}")
    refuse_of_numbers(targets, residual_by)
    return log_odds(judgments, link, random, covariates, prior)


def _say(seconds: float) -> None:
    sys.stderr.write(f"quorate: sampling takes about {seconds:,.0f} s\n")
