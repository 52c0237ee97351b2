from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, combine_pvalues

from quorate.numerics.votes import power
from quorate.numerics.votes.power import allotted, fisher, inverse_normal, screened, supplied, two_sided


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


@given(st.integers(0, 10_000), st.lists(st.floats(0.01, 10), min_size=1, max_size=20))
def test_allotted_judgments_sum_to_the_budget_and_stay_near_their_share(budget, weights):
    w = np.array(weights)
    n = allotted(budget, w)
    assert n.sum() == budget
    assert (np.abs(n - budget * w / w.sum()) < 1 + 1e-6).all()


def test_each_study_has_its_own_budget_and_weights():
    n = allotted(np.array([10, 7]), np.array([[1.0, 1, 0], [0, 1, 1]]))
    assert n.tolist() == [[5, 5, 0], [0, 4, 3]]


def test_the_largest_margins_are_kept_whatever_their_sign():
    kept = screened(np.array([[0.1, -0.3, 0.0, 0.2]]), 2, np.random.default_rng(0))
    assert kept.tolist() == [[False, True, False, True]]


def test_equal_margins_are_kept_alike_often():
    kept = screened(np.full((4000, 4), 0.1) * [1, -1, 1, -1], 1, np.random.default_rng(1))
    assert np.abs(kept.mean(axis=0) - 0.25).max() < 0.03


def test_fisher_as_in_scipy():
    assert fisher(0.04, 0.2) == pytest.approx(combine_pvalues([0.04, 0.2], "fisher").pvalue)
    assert fisher(1.0, 1.0) == 1


def test_inverse_normal_as_in_scipy():
    expected = combine_pvalues([0.04, 0.2], "stouffer", weights=np.sqrt([0.3, 0.7])).pvalue
    assert inverse_normal(0.04, 0.2, 0.3) == pytest.approx(expected)
    assert inverse_normal(0.04, 0.2, 0.0) == pytest.approx(0.2)


def test_contradiction_shows_nothing():
    assert inverse_normal(0.0, 1.0, 0.5) == 1


def test_two_sided():
    assert two_sided([0.01, 0.7], [0.99, 0.6]).tolist() == [0.02, 1.0]


def test_what_a_type_lacks_goes_to_the_others_that_are_asked():
    weights = np.array([2.0, 1.0, 1.0, 0.0])
    assert supplied(np.array([6, 3, 3, 0]), np.array([9, 9, 9, 9]), weights).tolist() == [6, 3, 3, 0]
    assert supplied(np.array([6, 3, 3, 0]), np.array([2, 9, 9, 9]), weights).tolist() == [2, 5, 5, 0]
    assert supplied(np.array([6, 3, 3, 0]), np.array([2, 4, 3, 9]), weights).tolist() == [2, 4, 3, 0]


def test_the_statistic_by_hand():
    assert power.sum_of_squares([7, 2, 0], [10, 4, 0]) == pytest.approx(16 / 10)


def test_opposite_preferences_add_up():
    assert power.squares_p_value([70, 30], [100, 100]) < 1e-6


def test_the_gamma_law_has_the_moments_of_fair_votes():
    n = np.array([3, 5, 8])
    found = [np.sum(binom.pmf(range(m + 1), m, 0.5) * ((2 * np.arange(m + 1) - m) ** 2 / m) ** 2) - 1 for m in n]
    assert found == pytest.approx(2 - 2 / n)


def test_no_votes_or_single_votes_show_nothing():
    assert power.squares_p_value([0, 1], [0, 1]) == 1
