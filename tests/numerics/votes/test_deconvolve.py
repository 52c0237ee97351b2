from __future__ import annotations

import numpy as np
import pytest

from quorate.numerics.votes import clusters

GRID = (np.arange(100) + 0.5) / 200


def binomial_mean(n, p, value):
    from scipy.special import comb

    k = np.arange(n + 1)
    return float(np.sum(comb(n, k) * p**k * (1 - p) ** (n - k) * value(k)))


@pytest.mark.parametrize("n", [2, 9, 30])
@pytest.mark.parametrize("p", [0.5, 0.6, 0.95])
def test_mean_square_is_unbiased(n, p):
    found = binomial_mean(n, p, lambda k: np.array([clusters.mean_square([one], [n]) for one in k]))
    assert found == pytest.approx((p - 0.5) ** 2, abs=1e-12)


def test_likelihood_does_not_ask_who_is_ahead():
    one, two = clusters.margin_likelihood([70, 30], [100, 100], GRID)
    assert one == pytest.approx(two)
    assert GRID[one.argmax()] == pytest.approx(0.2, abs=0.005)
    assert one.max() == pytest.approx(1.0)


def test_law_finds_margins_that_many_votes_show():
    wins = np.repeat([50_000, 70_000], [30, 10])
    law = clusters.margin_law(clusters.margin_likelihood(wins, np.full(40, 100_000), GRID), steps=500)
    assert law.sum() == pytest.approx(1.0)
    assert law[GRID < 0.02].sum() == pytest.approx(0.75, abs=1e-6)
    assert law[np.abs(GRID - 0.2) < 0.01].sum() == pytest.approx(0.25, abs=1e-6)


def test_every_step_raises_the_likelihood():
    rng = np.random.default_rng(1)
    likelihood = clusters.margin_likelihood(rng.binomial(200, 0.6, 60), np.full(60, 200), GRID)
    fits = [np.log(likelihood @ clusters.margin_law(likelihood, steps=steps)).sum() for steps in range(0, 60, 3)]
    assert (np.diff(fits) > 0).all()


def test_weights_are_repeated_pairs():
    likelihood = clusters.margin_likelihood([60, 80, 50], [100, 100, 100], GRID)
    law = clusters.margin_law(likelihood, [[2, 1, 0], [1, 1, 1]])
    assert law[0] == pytest.approx(clusters.margin_law(likelihood[[0, 0, 1]]))
    assert law[1] == pytest.approx(clusters.margin_law(likelihood))


def test_a_pair_without_weight_does_not_spoil_a_law():
    """Millions of votes leave one margin possible for each pair; a bootstrap may leave a pair out."""
    likelihood = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    law = clusters.margin_law(likelihood, np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert law == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]))
