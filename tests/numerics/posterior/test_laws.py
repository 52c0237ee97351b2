from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.posterior.densities import Laws, log_density, quantile, redrawn, slope, widened

LAWS = Laws(np.array([0.7, 0.4]), np.array([np.inf, 0.3]))  # half-t, lognormal


@pytest.mark.slow
def test_densities_are_laws():
    sd = np.linspace(1e-6, 400, 2_000_001)
    density = np.exp(log_density(np.stack([sd, sd], axis=1), LAWS))
    assert np.trapezoid(density, sd, axis=0) == pytest.approx([1, 1], abs=1e-4)
    for place, (scale, width) in enumerate(zip(*LAWS, strict=True)):
        below = sd <= quantile(np.array(0.8), scale, width)
        assert np.trapezoid(density[below, place], sd[below]) == pytest.approx(0.8, abs=1e-3)


def test_the_slope_is_that_of_the_density():
    sd, step = np.array([0.5, 0.35]), 1e-6
    for sign in (1, -1):
        numeric = (log_density(sign * sd + step, LAWS) - log_density(sign * sd - step, LAWS)) / (2 * step)
        assert slope(sign * sd, LAWS) == pytest.approx(numeric, rel=1e-5)


def test_draws_follow_the_laws():
    draws = redrawn(LAWS, 40_000, np.random.default_rng(1))
    wanted = [float(quantile(np.array(0.5), *law)) for law in zip(*LAWS, strict=True)]
    assert np.median(draws, axis=0) == pytest.approx(wanted, rel=0.02)  # standard error 0.6%


def test_wider_laws_keep_where_a_pilot_is():
    wide = widened(LAWS, 2.0)
    assert wide.scale.tolist() == [1.4, 0.4]
    assert wide.width.tolist() == [np.inf, 0.6]
