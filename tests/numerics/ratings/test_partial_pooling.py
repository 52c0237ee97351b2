from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.ratings.partial_pooling import PartialPooling, category, contrasts

GAPS = np.array([0.9, 0.1, 0.6, -0.3, 1.4])
CENTRE = np.eye(3) - 1 / 3


def of_gaps(variances):
    """Categories of two systems, each with a gap and the variance of its error."""
    parts = []
    for gap, variance in zip(GAPS, variances, strict=True):
        covariance = variance / 4 * np.array([[1, -1], [-1, 1]])
        parts.append(category(2, np.arange(2), np.array([gap, -gap]) / 2, covariance))
    return PartialPooling(2, tuple(parts))


@pytest.fixture(scope="module")
def three():
    """Four categories of three systems, one of which lacks the last."""
    rng = np.random.default_rng(2)
    parts = []
    for members in ([0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1]):
        own = np.eye(len(members)) - 1 / len(members)
        rating = own @ (np.array([0.5, 0.0, -0.5])[members] + rng.normal(0, 0.5, len(members)))
        parts.append(category(3, np.array(members), rating, own * rng.uniform(0.05, 0.2)))
    return PartialPooling(3, tuple(parts))


def gap(found):
    return found.rating[0] - found.rating[1]


def test_two_systems_are_shrunk_as_in_any_random_effects_model():
    variances, tau = np.array([0.1, 0.3, 0.2, 0.15, 0.4]), 0.35
    overall, found = of_gaps(variances).pooled(np.array([tau]), np.ones(1))
    weight = 1 / (2 * tau**2 + variances)  # a gap has the deviations of two systems
    mean = (weight * GAPS).sum() / weight.sum()
    kept = 2 * tau**2 * weight
    assert gap(overall) == pytest.approx(mean)
    assert [gap(one) for one in found] == pytest.approx(kept * GAPS + (1 - kept) * mean)
    assert [one.shrunk[0] for one in found] == pytest.approx(1 - kept)
    error = kept * variances + (1 - kept) ** 2 / weight.sum()
    assert [2 * one.se[0] for one in found] == pytest.approx(np.sqrt(error))


def test_with_equal_errors_the_spread_is_that_of_the_estimates_less_the_error():
    model, squares = of_gaps(np.full(5, 0.1)), 4 * GAPS.var(ddof=1)
    assert 2 * model.tau**2 == pytest.approx(squares / 4 - 0.1, rel=1e-3)
    assert of_gaps(np.full(5, 0.9)).tau == 0.0
    assert model.at(0.0).q == pytest.approx(squares / 0.1)
    low, high = model.tau_interval(0.95)
    assert 2 * low**2 + 0.1 == pytest.approx(squares / 11.143287)  # chi-square, 4 degrees of freedom
    assert 2 * high**2 + 0.1 == pytest.approx(squares / 0.484419)
    assert of_gaps(np.full(5, 0.2)).tau_interval(0.95)[0] == 0.0  # squares / 11.14 is less than 0.2
    assert low < model.tau < high


def test_estimates_that_agree_too_well_leave_the_spread_open():
    model = of_gaps(np.full(5, 9.0))
    assert model.at(0.0).q < 0.484419  # no spread has so small a sum of squares
    low, high = model.tau_interval(0.95)
    weights, taus = model._likely
    assert low == 0.0
    assert weights[taus <= high].sum() == pytest.approx(0.95, abs=weights.max())


def test_without_a_spread_all_are_the_overall_ratings_and_with_an_endless_one_their_own(three):
    overall, found = three.pooled(np.zeros(1), np.ones(1))
    for one, members in zip(found, ([0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1]), strict=True):
        assert one.rating == pytest.approx(overall.rating[members] - overall.rating[members].mean())
        assert one.shrunk == pytest.approx(1.0)
    _, own = three.pooled(np.array([1e5]), np.ones(1))
    for one, part in zip(own, three.categories, strict=True):
        assert one.rating == pytest.approx(part.back @ part.values)
        assert one.se == pytest.approx(np.sqrt(np.diag(part.back * part.variances @ part.back.T)), rel=1e-5)


def test_not_knowing_the_spread_widens_intervals(three):
    assert three.df == 5
    assert three.linked
    _, known = three.pooled(np.array([three.tau]), np.ones(1))
    _, averaged = three.averaged()
    assert np.mean([one.se.mean() for one in averaged]) > np.mean([one.se.mean() for one in known])


def test_categories_without_systems_in_common_are_not_linked():
    parts = [category(4, np.array(members), np.array([0.5, -0.5]), np.eye(2) - 0.5) for members in ([0, 1], [2, 3])]
    assert not PartialPooling(4, tuple(parts)).linked
    assert contrasts(3) @ contrasts(3).T == pytest.approx(CENTRE)
