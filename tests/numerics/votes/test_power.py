from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.numerics.votes import power


def test_exact_power_is_that_of_one_pair_at_a_time():
    """R: with c = qbinom(.025, 500, .5) - 1, pbinom(c, 500, .56) + pbinom(c, 500, .44) is 0.7513."""
    found = power.exact_power(np.array([0.56, 0.5]), [500, 749], 0.05)
    assert found.shape == (2, 2)
    assert found[0, 0] == pytest.approx(0.751, abs=5e-4)
    assert found[0, 1] >= 0.9
    assert (found[1] <= 0.05).all()


def test_drawn_power_is_exact_power_but_for_the_draws():
    p, budgets = np.linspace(0.5, 0.8, 7), [4, 25, 100, 400]
    drawn = power.drawn_power(p, budgets, 0.05, 20_000, np.random.default_rng(1))
    assert drawn == pytest.approx(power.exact_power(p, budgets, 0.05), abs=4.5 * np.sqrt(0.25 / 20_000))
    assert (drawn[:, 0] == 0).all()  # four votes never reject


def test_drawn_power_in_blocks(monkeypatch):
    p = np.linspace(0.3, 0.7, 5)
    whole = power.drawn_power(p, [50, 90], 0.05, 64, np.random.default_rng(1))
    monkeypatch.setattr(power, "_MOST_DRAWS", 128)
    assert power.drawn_power(p, [50, 90], 0.05, 64, np.random.default_rng(1)) == pytest.approx(whole)


def test_z_quantiles_are_those_of_drawn_studies():
    p, n, rng = np.array([0.55, 0.7, 0.9]), 50, np.random.default_rng(2)
    share = rng.binomial(n, p[:, None], (3, 100_000)).ravel() / n
    z = np.abs(share - 0.5) / np.sqrt(share * (1 - share) / n + 1e-300)
    found = power.z_quantiles(p, n, [0.1, 0.5])
    assert found == pytest.approx(np.quantile(z, [0.1, 0.5], method="inverted_cdf"))


def test_z_of_unanimous_studies_is_infinite():
    assert power.z_quantiles(np.array([1.0]), 20, [0.5]).tolist() == [np.inf]


def test_cluster_kinds():
    kinds, counts = power.cluster_kinds([1, 0, 1, 2], [1, 1, 1, 3])
    assert kinds.tolist() == [[0, 1], [1, 1], [2, 3]]
    assert counts.tolist() == [1, 2, 1]


def test_cluster_draws_sum_whole_clusters():
    """Two votes per cluster, all alike: any study of m clusters has 2 m votes, and squares follow."""
    kinds, counts = power.cluster_kinds([2, 0, 2], [2, 2, 2])
    sums = power.cluster_draws(kinds, counts, [3, 10], 4000, np.random.default_rng(3))
    assert sums.shape == (2, 4000, 5)
    assert (sums[0, :, 1] == 6).all()
    assert (sums[1, :, 1] == 20).all()
    assert sums[..., 2] == pytest.approx(2 * sums[..., 0])
    assert sums[1, :, 0].mean() == pytest.approx(20 * 2 / 3, abs=0.2)
    assert (sums[1, :, 0] >= sums[0, :, 0]).all()


def test_robust_error_by_hand():
    """Three clusters with 1 of 2, 2 of 2 and 0 of 1 wins: share 3/5, residuals -.2, .8, -.6, times 3/2."""
    w, n = np.array([1.0, 2.0, 0.0]), np.array([2.0, 2.0, 1.0])
    sums = np.array([w.sum(), n.sum(), (w**2).sum(), (w * n).sum(), (n**2).sum()])
    share, error = power.robust(sums, 3)
    assert share == pytest.approx(0.6)
    assert error == pytest.approx(np.sqrt(1.5 * (0.04 + 0.64 + 0.36)) / 5)
    assert power.effective_clusters(sums) == pytest.approx(25 / 9)
    assert np.isnan(power.robust(sums, 1)[1])


@given(st.integers(2, 500), st.data())
def test_robust_error_of_single_votes_is_the_binomial_one(n, data):
    k = data.draw(st.integers(1, n - 1))
    share, error = power.robust(np.array([k, n, k, k, n], dtype=float), n)
    assert error == pytest.approx(np.sqrt(share * (1 - share) / (n - 1)))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_t_reach_is_the_quantile(alpha):
    """R: qt(1 - alpha / 2, df)."""
    from scipy.special import stdtrit

    df = np.geomspace(0.21, 1e5, 400)
    assert power.t_reach(df, alpha) == pytest.approx(stdtrit(df, 1 - alpha / 2), rel=2e-4)
    assert power.t_reach([0.0, 0.2], alpha) == pytest.approx(stdtrit(0.2, 1 - alpha / 2), rel=2e-4)


def test_normal_size_is_that_of_the_plan():
    """Lee (2026), Table 1, rounded up."""
    assert power.normal_size([0.06, -0.19, 0.321, 0.0], 0.05, 0.9).tolist() == [730, 73, 26, np.inf]
    assert power.normal_size([0.19, 0.05], 0.01, 0.9).tolist() == [104, 1488]
