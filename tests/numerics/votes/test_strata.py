import numpy as np
import pytest
from scipy.stats import binom

from quorate.numerics.votes import power


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
