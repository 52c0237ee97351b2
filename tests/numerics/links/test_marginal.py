"""The logistic-normal integral against adaptive quadrature and its own derivatives."""

import numpy as np
import pytest
from scipy.integrate import quad

from quorate.numerics.links.search import logistic_normal


@pytest.mark.parametrize(("at", "variance"), [(0.3, 0.5), (-4.0, 3.0), (2.0, 60.0), (1.0, 400.0), (0.7, 0.0)])
def test_share_and_derivatives(at, variance):
    def exact(at, variance):
        def density(z):
            return np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / (1 + np.exp(-(at + np.sqrt(variance) * z)))

        return quad(density, -12, 12, points=[-at / np.sqrt(max(variance, 0.1))], epsabs=1e-14, limit=500)[0]

    share, slope, bend = logistic_normal(np.array([at]), variance)
    assert share[0] == pytest.approx(exact(at, variance), abs=1e-10)
    assert slope[0] == pytest.approx((exact(at + 1e-4, variance) - exact(at - 1e-4, variance)) / 2e-4, abs=1e-8)
    if variance:
        assert bend[0] == pytest.approx((exact(at, variance + 1e-3) - exact(at, variance - 1e-3)) / 2e-3, abs=1e-7)
