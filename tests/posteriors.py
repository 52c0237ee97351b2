"""A posterior without a sampler: draws about a fit, for tests of what is said of draws."""

from __future__ import annotations

from typing import Any

import numpy as np

import quorate as q
from quorate.estimate.posterior.posterior import log_odds
from quorate.estimate.posterior.prior import laws_for, terms_of
from quorate.types import Convergence, LatentPosterior, Posterior, PosteriorCheck


def posterior_of(fit: q.types.Decomposition, *, draws: int = 2000, divergences: int = 0, **named: Any) -> Posterior:
    """Lognormal draws about the components of a fit, fixed effects as it has them."""
    rng = np.random.default_rng(1)
    at = list(fit.identified.representatives)
    middle = np.maximum(fit.theta[at] * fit.assembled.scale**2, 1e-4)
    variances = middle * np.exp(0.3 * rng.standard_normal((draws, len(at))))
    root = np.linalg.cholesky(fit.beta_covariance)
    good = dict.fromkeys(fit.representatives, 1.001), dict.fromkeys(fit.representatives, 1500.0)
    checks = Convergence(*good, divergences, 4, draws // 4, 12.0, 10.0)
    around = rng.standard_normal((draws, len(root))) @ root.T
    laws = named.pop("laws", None) or laws_for(terms_of(fit), None)
    return Posterior(laws, variances, checks, 1, fit, np.tile(fit.beta, (draws, 1)), around, named)


def latent_posterior_of(fit: q.types.LatentDecomposition, *, draws: int = 1000) -> LatentPosterior:
    """Lognormal draws about the components of a fit of log odds, thresholds and fixed effects near its own."""
    model = log_odds(fit.judgments, fit.link, [name for name in fit.names if " + " not in name], (), None)
    rng, layout = np.random.default_rng(1), model.laid.layout
    middle = np.maximum([fit.variances[name] for name in model.laid.names], 0.01)
    fixed = np.append(fit.thresholds - model.middle @ fit.effects, fit.effects)
    fixed = fixed + 0.1 * rng.standard_normal((draws, 1))
    good = dict.fromkeys(model.numbers, 1.001), dict.fromkeys(model.numbers, 1500.0)
    k = layout.counts.shape[1] - 1
    return LatentPosterior(
        model.prior,
        middle * np.exp(0.3 * rng.standard_normal((draws, len(middle)))),
        Convergence(*good, 0, 4, draws // 4, 12.0, 10.0),
        1,
        model.laid,
        model.middle,
        fixed[:, :k],
        fixed[:, k:],
    )


def check_of(studies: int = 200, *, worst: float = 1.0) -> PosteriorCheck:
    """Ranks that are uniform, and of one parameter as uneven as ``worst`` is below 1."""
    ranks = np.random.default_rng(1).permutation(np.arange(studies) % 100)
    uneven = (100 * (ranks / 100) ** (1 / worst)).astype(np.int64)
    return PosteriorCheck({"item": ranks, "0|1": ranks[::-1], "mean": uneven}, "logit", 3, 250, 4, 61.0, 1)
