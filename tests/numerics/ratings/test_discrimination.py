from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from quorate.numerics.ratings.bradley_terry import Design, scores
from quorate.numerics.ratings.discrimination import discriminating
from quorate.numerics.ratings.draws import inverse_information
from quorate.numerics.ratings.ties import DAVIDSON

A, B, LEVEL = (np.tile(x, 3) if i < 2 else np.repeat([0, 1, 2], 3) for i, x in enumerate(([0, 0, 1], [1, 2, 2], None)))
COUNTS = np.random.default_rng(2).integers(4, 40, (1, 9, 3, 1)).astype(float)
COUNTS[0, :, 0] += 20 * np.repeat([0.5, 1, 2], 3)[:, None]


def log_likelihood(x, counts):
    """As it is written down: ratings (r, s, -r - s), slopes (1 + u, 1 + v, 1 - u - v), log odds of ties."""
    rating, above = np.append(x[:2], -x[:2].sum()), np.append(x[2:4], -x[2:4].sum())
    gap = (1 + above)[LEVEL] * (rating[A] - rating[B])
    weight = np.stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(9, np.exp(x[4]))], axis=1)
    return float((counts * np.log(weight / weight.sum(axis=1, keepdims=True))).sum())


def test_the_fit_is_the_maximum_of_the_likelihood_as_it_is_written_down():
    design = Design(3, A, B, np.zeros(1), DAVIDSON)
    last, at = discriminating(design, LEVEL, COUNTS)
    assert at.converged[0]
    counts, theta = COUNTS[0, :, :, 0], at.theta[:, 0]
    found = minimize(lambda x: -log_likelihood(x, counts), np.zeros(5), method="BFGS", tol=1e-9)
    np.testing.assert_allclose(theta[[0, 1, 3, 4, 6]], found.x, atol=2e-5)
    np.testing.assert_allclose(theta[[2, 5]], [-found.x[:2].sum(), -found.x[2:4].sum()], atol=2e-5)
    np.testing.assert_allclose(at.value[0], -found.fun, rtol=1e-10)
    np.testing.assert_allclose(counts.ravel() @ scores(last, theta).toarray(), 0, atol=1e-5)
    # the covariance of free parameters, by differences, where the model holds: expected counts in place of those seen
    chance = np.exp(last.ties.log_chances(last.gap(at.theta), last.tie(at.theta)))[:, 0, :, 0].T
    expected = counts.sum(axis=1, keepdims=True) * chance
    step, x = 1e-4, theta[[0, 1, 3, 4, 6]]
    shifts = step * np.eye(5)
    hessian = [
        [sum(i * j * log_likelihood(x + i * p + j * q, expected) for i in (1, -1) for j in (1, -1)) for q in shifts]
        for p in shifts
    ]
    wanted = np.linalg.inv(-np.array(hessian) / (4 * step**2))
    inverse = inverse_information(last, at, 0.0)
    inverse[:3] -= inverse[:3].mean(axis=0)
    inverse[:, :3] -= inverse[:, :3].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(inverse[np.ix_([0, 1, 3, 4, 6], [0, 1, 3, 4, 6])], wanted, rtol=1e-4, atol=1e-7)


def test_judges_who_see_alike_have_slopes_of_one():
    same = np.repeat(COUNTS[:, :3], 3, axis=0).reshape(1, 9, 3, 1)
    _, at = discriminating(Design(3, A, B, np.zeros(1), DAVIDSON), LEVEL, same)
    np.testing.assert_allclose(at.theta[3:6, 0], 0, atol=1e-7)


def test_a_judge_who_votes_against_the_others_has_a_slope_below_0():
    against = COUNTS.copy()
    against[0, :3] = against[0, 3:6, [1, 0, 2]].transpose(1, 0, 2)
    against[0, 6:] = against[0, 3:6]
    above = discriminating(Design(3, A, B, np.zeros(1), DAVIDSON), LEVEL, against)[1].theta[3:6, 0]
    np.testing.assert_allclose(1 + above, [-3, 3, 3], atol=1e-6)


def test_a_slope_that_runs_off_is_said_not_to_converge():
    sure = COUNTS.copy()
    sure[0, 3:6, :, 0] = [[50, 0, 1], [50, 0, 0], [50, 0, 0]]
    sure[0, [0, 1, 2, 6, 7, 8]] = 10.0
    at = discriminating(Design(3, A, B, np.zeros(1), DAVIDSON), LEVEL, sure)[1]
    assert not at.converged[0]
