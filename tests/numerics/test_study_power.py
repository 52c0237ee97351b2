from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from quorate.numerics.distributions import t_quantile
from quorate.numerics.reach import Effect
from quorate.numerics.study_power import beyond, mean_squares, one_square, studies, t_quantiles


def one(df):
    """Studies whose variance is one mean square: the ordinary t test."""
    return studies(4.0, df, (), 0.0)


@pytest.mark.parametrize(("df", "d", "power"), [(9.0, 6.0, 0.7612), (29.0, 6.0, 0.8262), (4.0, 10.0, 0.9548)])
def test_with_one_mean_square_it_is_the_power_of_the_t_test(df, d, power):
    """In R ``power.t.test(n = df + 1, delta = d / 2 * sqrt(n), type = "one.sample", strict = TRUE)``."""
    assert one(df).finds(d, 0.05) == pytest.approx(power, abs=0.006)
    assert one(df).df == pytest.approx(df)


def test_the_size_is_the_level():
    assert one(12.0).finds(0.0, 0.05) == pytest.approx(0.05, abs=0.003)


def test_equivalence_is_shown_less_often_nearer_the_margin():
    law = one(40.0)
    chances = [law.shows_equal(d, 8.0, 0.05) for d in (0.0, 3.0, 6.0, 8.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[-1] == pytest.approx(0.05, abs=0.004)
    assert law.shows_equal(0.0, 3.0, 0.05) == pytest.approx(0.0, abs=0.02)  # narrower than any interval


def test_the_detectable_difference_is_found_with_its_power():
    law = one(6.0)
    assert law.finds(law.detectable(0.05, 0.9), 0.05) == pytest.approx(0.9, abs=1e-6)


def test_the_largest_difference_that_is_alike_is_shown_with_its_power():
    law = one(40.0)
    alike = law.alike(8.0, 0.05, 0.8)
    assert 0 < alike < 8
    assert law.shows_equal(alike, 8.0, 0.05) == pytest.approx(0.8, abs=1e-6)
    assert law.alike(5.0, 0.05, 0.8) is None  # equal ones are shown with a chance of 0.58


@pytest.mark.parametrize("judges", [3, 5, 8, 15])
@pytest.mark.parametrize("power", [0.5, 0.7, 0.9])
def test_with_judges_alone_it_is_the_power_of_the_t_test_over_them(judges, power):
    law = studies(0.0, 199.0, [Effect(1.0, 0.0, judges - 1.0)], 1.0)
    d = law.detectable(0.05, power)
    assert beyond(d, judges - 1.0, t_quantile(judges - 1, 0.975)) == pytest.approx(power, abs=0.001)


@pytest.mark.parametrize(("judges", "most"), [(3, 0.066), (4, 0.06), (10, 0.055)])
def test_the_size_whatever_part_judges_are_of_the_error(judges, most):
    """200 items: at most 5.9% by the rule (KAPPA) at three levels, and conservative where judges bring nothing."""
    for share in (0.0, 0.1, 0.5, 0.9, 0.98):
        noise = 0.5 * (1 - share)
        effect = Effect(share + noise, noise, judges - 1.0)
        assert studies(1 - share, 199.0, [effect], share).finds(0, 0.05) < most


def test_what_studies_find_is_what_their_reach_says():
    law = studies(0.04, 30.0, [Effect(0.05, 0.01, 2.0)], 0.04)
    assert law.se == pytest.approx(0.08**0.5)
    assert np.mean(law.found_se**2) == pytest.approx(0.04 + 0.05 - 0.005, rel=0.1)
    assert np.all(law.half_width(0.975) >= one_square(0.2, 30.0).variance.min() ** 0.5)
    assert law.found_df.min() >= 1


DF = np.concatenate([np.linspace(1, 30, 500), np.geomspace(30, 1e9, 50)])


@pytest.mark.parametrize("df", [1, 1.5, 2, 7, 400, 3000, 1e7])
def test_mean_squares_are_chi_square(df):
    chance = (0.001, 0.01, 0.5, 0.99, 0.999)
    wanted = stats.chi2.ppf(chance, df) / df
    assert mean_squares(chance, df) == pytest.approx(wanted, abs=1e-6)


def test_no_degrees_of_freedom_tell_nothing():
    assert mean_squares((0.1, 0.9), [[0.0, 5.0]])[:, 0, 0].tolist() == [1.0, 1.0]
    assert mean_squares((0.1, 0.9), np.ones((3, 4))).shape == (2, 3, 4)


@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.9995, 1 - 1e-7])
def test_quantiles_of_many_are_those_of_each(probability):
    assert t_quantiles(DF, probability) == pytest.approx(stats.t.ppf(probability, DF), rel=1e-8)
