"""Importance weights for another prior, smoothed by a generalised Pareto law, and whether the draws bear them."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior.laws import Laws, log_density, slope

WORST_K = 0.7
"""Shape of the tail of the weights above which a reweighted mean is not to be relied on."""


def smoothed(log_ratio: Floats) -> tuple[Floats, float]:
    """Pareto-smoothed importance weights, which sum to 1, and the shape k of their tail.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance sampling, JMLR 25, section 2.4.
    R: ``loo::psis``.
    """
    weight = np.exp(log_ratio - log_ratio.max())
    n = len(weight)
    tail = int(min(0.2 * n, 3 * np.sqrt(n)))
    order = np.argsort(weight)
    cut, top = weight[order[-tail - 1]], order[-tail:]
    above = weight[top] - cut
    if above[-1] <= 1e-12 * weight[top[-1]]:  # all alike
        return weight / weight.sum(), -np.inf
    k, sigma = pareto(above[above > 0])
    p = (np.arange(1, tail + 1) - 0.5) / tail
    expected = cut + sigma * np.expm1(-k * np.log1p(-p)) / k if k else cut - sigma * np.log1p(-p)
    weight[top] = np.minimum(expected, weight.max())
    return weight / weight.sum(), k


def pareto(x: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto law of ascending positive values.

    References
    ----------
    Zhang and Stephens (2009), A new and efficient estimation method for the generalized Pareto distribution,
    Technometrics 51(3), with the weakly informative prior on the shape of Vehtari et al. (2024), Appendix G.
    """
    n = len(x)
    m = 30 + int(np.sqrt(n))
    quarter = x[int(n / 4 + 0.5) - 1]
    b = (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * quarter) + 1 / x[-1]
    shape = np.log1p(-b[:, None] * x).mean(axis=1)
    likelihood = n * (np.log(-b / shape) - shape - 1)
    weight = 1 / np.exp(likelihood - likelihood[:, None]).sum(axis=1)
    best = float(b @ (weight / weight.sum()))
    k = float(np.log1p(-best * x).mean())
    return (n * k + 5) / (n + 10), -k / best


def quantiles(values: Floats, weight: Floats, p: Floats) -> Floats:
    """Quantiles of weighted draws."""
    order = np.argsort(values)
    middle = np.cumsum(weight[order]) - weight[order] / 2
    return np.interp(p, middle, values[order])


# Mode of the posterior of standard deviations, and the curvature there: where chains begin, and their metric.


_LEAST = 1e-6
"""Least standard deviation that is looked at; the scores have standard deviation 1."""


def mode(problem: Problem, kept: Ints, laws: Laws) -> tuple[Floats, Floats]:
    """Where the posterior of the components ``kept`` is highest, and the covariance that the curvature there has."""
    from scipy.optimize import minimize

    def lost(sd: Floats) -> tuple[float, Floats]:
        theta = np.zeros(problem.n_components)
        theta[kept] = sd**2
        point = evaluate(problem, theta)
        prior = float(log_density(sd, laws).sum())
        return point.criterion / 2 - prior, point.gradient[kept] * sd - slope(sd, laws)

    start = np.full(len(kept), len(kept) ** -0.5)
    found = minimize(lost, start, jac=True, method="L-BFGS-B", bounds=[(_LEAST, None)] * len(kept)).x
    near = np.diag(1e-3 * np.maximum(found, 0.01))
    curvature = np.array([(lost(found + step)[1] - lost(found - step)[1]) / (2 * step.sum()) for step in near])
    values, vectors = np.linalg.eigh((curvature + curvature.T) / 2)
    return found, vectors @ np.diag(1 / values.clip(1.0)) @ vectors.T
