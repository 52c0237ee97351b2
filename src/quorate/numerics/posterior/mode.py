"""Mode of the posterior of standard deviations, and the curvature there: where chains begin, and their metric."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import evaluate
from quorate.numerics.posterior.laws import Laws, log_density, slope

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
