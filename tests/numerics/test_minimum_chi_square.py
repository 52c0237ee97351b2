"""Score intervals by minimum chi-square."""

import numpy as np
import pytest
from scipy.optimize import minimize

from quorate.numerics.nominal import score_interval


def share(sums):
    return sums[..., 1] / np.maximum(sums[..., 0], 1e-300)


@pytest.mark.parametrize("hits", [0, 1, 8, 10])
def test_of_a_share_it_is_wilsons(hits):
    """R 4.2: ``prop.test(8, 10, correct = FALSE)$conf.int`` is 0.4901625 0.9433178."""
    n, z2 = 10, 1.959963985**2
    rows = np.column_stack([np.ones(n), np.arange(n) < hits])
    found = score_interval(rows, np.array([[1.0, 0.0], [1.0, 1.0]]), share, z2)
    p = hits / n
    half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    assert found == pytest.approx((centre - half, centre + half), abs=1e-6)
    if hits == 8:
        assert found == pytest.approx((0.4901625, 0.9433178), abs=1e-6)


def test_ends_are_the_extremes_over_all_chances():
    """A ratio of two means that is not a straight line, against a general search over chances of the patterns."""
    rng = np.random.default_rng(4)
    patterns = np.array([[1.0, 0.0, 2.0], [1.0, 1.0, 1.0], [1.0, 2.0, 0.0], [1.0, 0.0, 0.0]])
    rows = patterns[rng.choice(3, 30, p=[0.5, 0.3, 0.2])]

    def value(sums):
        mean = sums / sums[..., :1]
        return mean[..., 1] / (0.3 + mean[..., 2] ** 2)

    n, limit = len(rows), 3.84
    seen = np.array([(rows == one).all(axis=1).mean() for one in patterns])

    def chances(free):
        weight = np.exp(np.append(free, 0.0))
        return weight / weight.sum()

    def excess(free):
        there = seen > 0
        return limit - n * ((seen[there] ** 2 / chances(free)[there]).sum() - 1)

    expected = []
    for side in (1, -1):
        tries = [
            minimize(
                lambda free, side=side: side * value(chances(free) @ patterns),
                start,
                constraints={"type": "ineq", "fun": excess},
                options={"maxiter": 500, "ftol": 1e-12},
            )
            for start in ([0.5, 0.3, 0.2], [3.0, 2.5, 2.0])
        ]
        expected.append(side * min(one.fun for one in tries if excess(one.x) > -1e-6))
    assert score_interval(rows, patterns, value, limit) == pytest.approx(tuple(expected), abs=2e-4)
