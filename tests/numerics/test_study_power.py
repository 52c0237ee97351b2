import numpy as np
import pytest

from quorate.numerics.inference import satterthwaite
from quorate.numerics.study_power import one_square, studies


def rng():
    return np.random.default_rng(0)


def one(df):
    """Studies whose variance is one mean square: the ordinary t test."""
    return studies(np.array([4.0]), np.array([df]), np.ones((1, 1), dtype=bool), rng())


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


def test_its_degrees_of_freedom_are_those_of_a_balanced_fit(judged):
    """Items by judges: the variance of a mean is MS(item) + MS(judge) - MS(item:judge), over the cells."""
    import quorate as q

    judgments = judged({"item": 20, "judge": 5}, fixed=())
    fit = q.decompose(judgments)
    parts = np.array([fit.variance("item") / 20, fit.variance("judge") / 5, fit.variance("cell") / 100])
    inside = np.array([[True, False, True], [False, True, True], [False, False, True]])
    law = studies(parts, np.array([19.0, 4.0, 76.0]), inside, rng())
    gradient = np.zeros(len(fit.theta))
    for name, weight in (("item", 1 / 20), ("judge", 1 / 5), ("cell", 1 / 100)):
        gradient[fit.assembled.names.index(name)] = weight
    assert law.se**2 == pytest.approx(fit.mean.variance)
    assert law.df == pytest.approx(satterthwaite(law.se**2, gradient, fit.covariance), rel=1e-3)
    assert law.df == pytest.approx(fit.mean.df, rel=1e-3)


@pytest.mark.parametrize(("df", "d", "power"), [(9.0, 6.0, 0.7612), (29.0, 6.0, 0.8262), (4.0, 10.0, 0.9548)])
def test_one_mean_square_without_draws_has_the_power_of_the_t_test(df, d, power):
    assert one_square(2.0, df).finds(d, 0.05) == pytest.approx(power, abs=0.002)


def test_every_draw_has_degrees_of_freedom_of_its_own():
    """Satterthwaite's formula at each draw's own components: few where that of few levels came out large."""
    inside = np.array([[True, False], [False, True]])
    law = studies(np.array([1.0, 1.0]), np.array([2.0, 200.0]), inside, rng())
    few = (law.found_se**2 - 1.0).clip(1e-9)  # the other mean square is hardly uncertain
    expected = law.found_se**4 / (few**2 / 2 + 1 / 200)
    assert np.median(np.abs(law.found_df / expected - 1)) < 0.2
    assert law.found_df.min() < 3
    assert law.found_df.max() > 50
