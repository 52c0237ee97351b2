import numpy as np
import pytest

from quorate.numerics.inference import satterthwaite
from quorate.numerics.study_power import Squares, freedom, one_square, studies


def rng():
    return np.random.default_rng(0)


def squares(part, df, inside, few=True):
    return Squares(np.array(part), np.array(df, dtype=float), np.array(inside), np.full(len(part), few))


CROSSED = [[True, False, True], [False, True, True], [False, False, True]]
"""Items, judges, and items by judges, which are inside both."""


def one(df):
    """Studies whose variance is one mean square: the ordinary t test."""
    return studies(squares([4.0], [df], [[True]]), rng())


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


def test_its_degrees_of_freedom_are_those_of_a_balanced_fit(judged):
    """Items by judges: the variance of a mean is MS(item) + MS(judge) - MS(item:judge), over the cells."""
    import quorate as q

    judgments = judged({"item": 20, "judge": 5}, fixed=())
    fit = q.decompose(judgments)
    parts = np.array([fit.variance("item") / 20, fit.variance("judge") / 5, fit.variance("cell") / 100])
    law = studies(squares(parts, [19, 4, 76], CROSSED, few=False), rng())
    gradient = np.zeros(len(fit.theta))
    for name, weight in (("item", 1 / 20), ("judge", 1 / 5), ("cell", 1 / 100)):
        gradient[fit.assembled.names.index(name)] = weight
    assert law.se**2 == pytest.approx(fit.mean.variance)
    assert law.df == pytest.approx(satterthwaite(law.se**2, gradient, fit.covariance), rel=1e-3)
    assert law.df == pytest.approx(fit.mean.df, rel=1e-3)


def test_degrees_of_freedom_of_few_by_hand():
    """Judges of 2 degrees of freedom count twice, items of 198 once: 1.8 and .202 of 2.002."""
    few = squares([0.9, 0.1], [2, 198], [[True, False], [False, True]])
    twice, once = 0.9 * 2, 0.1 * 200 / 198
    assert freedom(few.part, few) == pytest.approx((twice + once) ** 2 / (twice**2 / 2 + once**2 / 198))
    assert freedom(few.part, few, 0.0) == pytest.approx(1 / (0.9**2 / 2 + 0.1**2 / 198))
    many = freedom(np.array([[0.9, 0.1], [0.0, 1.0]]), few)
    assert many.tolist() == pytest.approx([float(freedom(few.part, few)), 198])


def test_one_mean_square_keeps_its_degrees_of_freedom_however_few():
    """Items of which each answer was repeated: MS(item) holds both parts."""
    both = squares([0.1, 0.3], [9, 10], [[True, True], [False, True]])
    assert freedom(both.part, both) == pytest.approx(9)


@pytest.mark.parametrize(
    ("judges", "least", "most"), [(2, 0.03, 0.1), (3, 0.035, 0.066), (4, 0.035, 0.06), (10, 0.035, 0.055)]
)
def test_the_size_of_the_t_test_whatever_part_judges_are_of_the_error(judges, least, most):
    """200 items; with Satterthwaite's own degrees of freedom up to .079 at 3 judges."""
    sizes: dict[bool, list[float]] = {True: [], False: []}
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.98):
        part = [0.8 * (1 - share), share, 0.2 * (1 - share)]
        for few, found in sizes.items():
            found.append(
                studies(squares(part, [199, judges - 1, 199 * (judges - 1)], CROSSED, few), rng()).finds(0, 0.05)
            )
    assert least < min(sizes[True])
    assert max(sizes[True]) < most
    assert max(sizes[True]) < max(sizes[False])
    assert max(sizes[False]) > {2: 0.115, 3: 0.075}.get(judges, 0.05)


@pytest.mark.parametrize(("judges", "least", "most"), [(2, 0.05, 0.062), (3, 0.02, 0.028), (5, 0.012, 0.016)])
def test_the_size_at_one_percent_is_larger_with_few_judges(judges, least, most):
    sizes = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.98):
        part = [0.8 * (1 - share), share, 0.2 * (1 - share)]
        law = studies(squares(part, [199, judges - 1, 199 * (judges - 1)], CROSSED), rng())
        sizes.append(law.finds(0, 0.01))
    assert least <= max(sizes) <= most
    assert min(sizes) <= 0.01


@pytest.mark.parametrize(("df", "d", "power"), [(9.0, 6.0, 0.7612), (29.0, 6.0, 0.8262), (4.0, 10.0, 0.9548)])
def test_one_mean_square_without_draws_has_the_power_of_the_t_test(df, d, power):
    assert one_square(2.0, df).finds(d, 0.05) == pytest.approx(power, abs=0.002)


def test_every_draw_has_degrees_of_freedom_of_its_own():
    """The formula at each draw's own components: few where that of few levels, which counts twice, came out large."""
    law = studies(squares([1.0, 1.0], [2, 200], [[True, False], [False, True]]), rng())
    few = 2 * (law.found_se**2 - 1.0).clip(1e-9)  # the other mean square is hardly uncertain
    expected = (1.0 + few) ** 2 / (few**2 / 2 + 1 / 200)
    assert np.median(np.abs(law.found_df / expected - 1)) < 0.2
    assert law.found_df.min() < 3
    assert law.found_df.max() > 50
