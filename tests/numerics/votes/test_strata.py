import numpy as np
import pytest
from scipy.stats import binom

from quorate.numerics.votes import power


def test_statistics_by_hand():
    assert power.sum_of_squares([7, 2, 0], [10, 4, 0]) == pytest.approx(16 / 10)
    by_hand = 2 * (7 * np.log(1.4) + 3 * np.log(0.6))
    assert power.likelihood_ratio([7, 2, 0], [10, 4, 0]) == pytest.approx(by_hand)


def test_opposite_preferences_add_up():
    assert power.squares_p_value([70, 30], [100, 100]) < 1e-6


def test_the_gamma_law_has_the_moments_of_fair_votes():
    n = np.array([3, 5, 8])
    found = [np.sum(binom.pmf(range(m + 1), m, 0.5) * ((2 * np.arange(m + 1) - m) ** 2 / m) ** 2) - 1 for m in n]
    assert found == pytest.approx(2 - 2 / n)


def test_no_votes_or_single_votes_show_nothing():
    assert power.squares_p_value([0, 1], [0, 1]) == 1


@pytest.mark.parametrize("statistic", ["likelihood", "squares"])
def test_redraws_give_the_exact_p_value(statistic):
    """One type: the two-sided binomial test."""
    k, n = np.array([15.0]), np.array([20.0])
    found = power.monte_carlo_p_value(k, n, np.random.default_rng(0), statistic=statistic, draws=40_000)
    assert found == pytest.approx(2 * binom.cdf(5, 20, 0.5), abs=0.003)
