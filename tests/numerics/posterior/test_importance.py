from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.posterior.chains import pareto, quantiles, smoothed

K, LOGS = 1.209650829041805, [-5.361371916134085, -9.415544894106851, -9.008240295059762]


def test_the_tail_is_as_arviz_has_it():
    """arviz-stats 0.8.0, ``array_stats.psislw(-log_ratio)``: log weights and k of heavy-tailed ratios."""
    weight, k = smoothed(np.random.default_rng(3).standard_t(4, 1000) * 1.2)
    assert k == pytest.approx(K, rel=1e-9)
    assert np.log(weight[:3]) == pytest.approx(LOGS, rel=1e-6)
    assert weight.sum() == pytest.approx(1)


def test_equal_weights_have_no_tail():
    weight, k = smoothed(np.zeros(500))
    assert k == -np.inf
    assert np.ptp(weight) == 0


def test_the_law_of_pareto_values():
    p = (np.arange(1, 2001) - 0.5) / 2000
    k, sigma = pareto(2.0 * np.expm1(-0.4 * np.log1p(-p)) / 0.4)
    assert (k, sigma) == (pytest.approx(0.4, abs=0.02), pytest.approx(2.0, rel=0.03))


def test_weighted_quantiles():
    values = np.arange(1000.0)
    assert quantiles(values, np.full(1000, 1e-3), np.array([0.25, 0.5])) == pytest.approx([249.5, 499.5])
    late = np.where(values >= 500, 2e-3, 0.0)
    assert quantiles(values, late, np.array(0.5)) == pytest.approx(749.5)
