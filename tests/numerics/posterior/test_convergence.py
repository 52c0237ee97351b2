from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.posterior.chains import bulk_ess, ess, r_hat

# arviz-stats 0.8.0: rhat(x), ess(x, method="bulk"), ess(x, method="tail", prob=(0.05, 0.95)) of `slow()`
REFERENCE = {r_hat: 1.0174043383472915, bulk_ess: 275.4512346123041}


def slow():
    """Four chains with autocorrelation 0.6, one of which is a little off."""
    rng = np.random.default_rng(1)
    noise, x = rng.standard_normal((4, 300)), np.zeros((4, 300))
    for t in range(1, 300):
        x[:, t] = 0.6 * x[:, t - 1] + noise[:, t]
    x[3] += 0.4
    return x


@pytest.mark.parametrize("statistic", REFERENCE)
def test_as_arviz_has_it(statistic):
    assert statistic(slow()) == pytest.approx(REFERENCE[statistic], rel=1e-9)  # the digits that were recorded


def test_ranks_alone_count():
    x = slow()
    assert r_hat(np.exp(x)) == pytest.approx(r_hat(x), abs=0.01)
    assert bulk_ess(np.exp(x)) == pytest.approx(bulk_ess(x))


def test_chains_that_stand_still_are_not_called_good():
    assert not r_hat(np.zeros((4, 100))) <= 1.01
    assert not ess(np.zeros((4, 100))) >= 1


def test_independent_draws_count_in_full():
    assert bulk_ess(np.random.default_rng(2).standard_normal((4, 1000))) == pytest.approx(4000, rel=0.1)
