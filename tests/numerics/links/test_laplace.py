"""The exact gradient against differences of the deviance, and the deviance against quadrature."""

import numpy as np
import pytest
from numerics.links.small import layout
from scipy.integrate import quad

from quorate.numerics.links.modes import Layout, start
from quorate.numerics.links.search import evaluate


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("categories", [2, 4])
@pytest.mark.parametrize("inside", [True, False])
def test_the_gradient_is_exact(categories, cells, inside):
    laid = layout(categories, cells=cells)
    variance = np.array([1.0, 0.4, 0.3, 0.2])[: laid.n_terms]
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    point = evaluate(laid, variance, fixed, None, inside=inside)
    place, n = np.append(variance, fixed), laid.n_terms
    for t, slope in enumerate(point.gradient):
        sides = []
        for step in (1e-4, -1e-4):
            there = place.copy()
            there[t] += step
            near = point.modes.effects
            sides.append(evaluate(laid, there[:n], there[n:], near, inside=inside).criterion)
        assert slope == pytest.approx((sides[0] - sides[1]) / 2e-4, abs=2e-5, rel=1e-6)


def test_the_deviance_of_many_answers_is_that_of_quadrature():
    """One effect with many answers is nearly normal, where Laplace's approximation is all but exact."""
    right, n, variance, threshold = 130.0, 200.0, 0.7, -0.4
    laid = Layout(
        np.array([[n - right, right]]),
        np.zeros((1, 0)),
        np.zeros(1, int),
        np.zeros((1, 1), int),
        np.zeros((1, 0), int),
        False,
    )

    def density(u):
        eta = np.sqrt(variance) * u - threshold
        log = right * eta - n * np.logaddexp(0, eta) - u * u / 2 - right * np.log(0.65) - (n - right) * np.log(0.35)
        return np.exp(log) / np.sqrt(2 * np.pi)

    exact = -2 * (np.log(quad(density, -8, 8, points=[0.2])[0]) + right * np.log(0.65) + (n - right) * np.log(0.35))
    assert evaluate(laid, np.array([variance]), np.array([threshold]), None, inside=False).criterion == pytest.approx(
        exact, abs=0.01
    )
