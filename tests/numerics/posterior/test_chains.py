from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quorate as q
from quorate.errors import InvalidInput
from quorate.numerics.posterior import chains
from quorate.numerics.posterior.chains import (
    band,
    bulk_ess,
    ess,
    mode,
    pareto,
    quantiles,
    r_hat,
    rank,
    smoothed,
    uniformity,
)
from quorate.numerics.posterior.densities import Laws
from quorate.simulate import write_demo

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


def test_with_a_wide_prior_the_mode_is_that_of_reml(tmp_path):
    fit = q.decompose(q.read(write_demo(tmp_path / "scores.csv"), announce=False))
    kept = np.array(fit.identified.representatives)
    wide = Laws(np.full(len(kept), 1e3), np.full(len(kept), np.inf))
    top, covariance = mode(fit.assembled.problem, kept, wide)
    assert top**2 == pytest.approx(fit.theta[kept], abs=1e-3)
    error = np.sqrt(np.diag(fit.covariance))[kept] / fit.assembled.scale**2  # of a variance: 2 sd times that of an sd
    known = list(fit.variances).index("item:judge"), list(fit.variances).index("replicate")
    assert [2 * top[t] * np.sqrt(covariance[t, t]) / error[t] for t in known] == pytest.approx([1, 1], abs=0.1)


class Bell(NamedTuple):
    """A normal law in two dimensions."""

    centre: Any
    inverse: Any


def bell(data: Bell, position: Any) -> Any:
    away = position - data.centre
    return -away @ data.inverse @ away / 2


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setattr(chains, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'quorate\[bayes\]'"):
        chains.require()


@pytest.mark.bayes
@pytest.mark.parametrize("known", [True, False])
def test_draws_have_the_law_and_the_time_is_told_first(known):
    covariance = np.array([[2.0, 0.9], [0.9, 1.0]])
    data, told = Bell(np.array([3.0, -1.0]), np.linalg.inv(covariance)), []
    start = np.random.default_rng(1).standard_normal((4, 2)) * 2
    metric = covariance if known else None
    options = {"warmup": 300, "draws": 500, "seed": 1, "metric": metric, "on_quote": told.append}
    found = chains.sample(bell, data, start, **options)
    flat = found.positions.reshape(-1, 2)
    assert flat.mean(axis=0) == pytest.approx(data.centre, abs=0.15)  # standard errors 0.03 to 0.05
    assert np.cov(flat.T) == pytest.approx(covariance, abs=0.35)
    assert max(r_hat(found.positions[:, :, at]) for at in range(2)) < 1.02
    assert bulk_ess(found.positions[:, :, 0]) > 400
    assert told == [found.quoted]
    again = chains.sample(bell, data, start, **options)
    assert np.array_equal(again.positions, found.positions)


@pytest.mark.bayes
def test_who_is_told_the_time_may_end_it():
    def refuse(seconds: float) -> None:
        raise KeyboardInterrupt

    start = np.zeros((2, 2))
    with pytest.raises(KeyboardInterrupt):
        chains.sample(bell, Bell(np.zeros(2), np.eye(2)), start, warmup=300, draws=500, seed=1, on_quote=refuse)


def test_the_rank_is_how_many_draws_lie_below():
    draws = np.arange(990.0)
    assert [rank(truth, draws) for truth in (-1.0, 494.5, 2000.0)] == [0, 50, 99]


def test_uneven_ranks_have_the_p_value_of_chi_square():
    ranks = np.random.default_rng(1).integers(0, 100, 200) // 2
    found = uniformity(ranks)
    assert sum(found.counts) == 200
    assert found.counts[5:] == (0, 0, 0, 0, 0)
    assert found.p == pytest.approx(chisquare(found.counts).pvalue)


def test_all_bars_lie_in_the_band_nineteen_times_in_twenty():
    low, high = band(200)
    assert 1 - 10 * (binom.cdf(low - 1, 200, 0.1) + binom.sf(high, 200, 0.1)) >= 0.95
    counts = np.random.default_rng(1).multinomial(200, [0.1] * 10, 2000)
    assert np.mean(np.all((counts >= low) & (counts <= high), axis=1)) >= 0.95


@pytest.mark.parametrize("studies", [50, 200, 1000])
def test_the_band_is_the_narrowest_with_a_400th_beyond_each_end(studies):
    low, high = band(studies)
    assert binom.cdf(low - 1, studies, 0.1) < 0.0025 <= binom.cdf(low, studies, 0.1)
    assert binom.sf(high, studies, 0.1) <= 0.0025 < binom.sf(high - 1, studies, 0.1)
