from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from quorate.numerics.ratings.bradley_terry import Design, fit, information_of, moments, scores, summary


def design_of(systems, *, ties=True, position=False):
    a, b = np.array(list(combinations(range(systems), 2))).T
    return Design(systems, a, b, np.array([1.0, -1.0]) if position else np.zeros(1), ties)


def drawn(design, seed, most=30):
    shape = (len(design.sign), len(design.a), 3)
    return np.random.default_rng(seed).integers(1, most, size=shape).astype(float)


def log_likelihood(design, counts, theta):
    """Vote by vote, as the model is written down."""
    worth, total = np.exp(theta[: design.systems]), 0.0
    first = np.exp(theta[design.systems]) if design.position else 1.0
    nu = np.exp(theta[-1]) if design.ties else 0.0
    for o, sign in enumerate(design.sign):
        for p, (i, j) in enumerate(zip(design.a, design.b, strict=True)):
            one = worth[i] * (first if sign > 0 else 1.0)
            two = worth[j] * (first if sign < 0 else 1.0)
            tie = nu * np.sqrt(one * two)
            a, b, t = counts[o, p]
            total += a * np.log(one) + b * np.log(two) - (a + b + t) * np.log(one + two + tie)
            total += t * (np.log(tie) if design.ties else np.log(one * two) / 2)
    return total


def test_two_systems_have_a_closed_form():
    """In R: ``glm(cbind(30, 12) ~ 1, binomial)`` gives 0.9162907 with standard error 0.3415650."""
    at = fit(design_of(2, ties=False), np.array([[[30.0, 12.0, 0.0]]])[..., None])
    assert at.theta[0, 0] - at.theta[1, 0] == pytest.approx(np.log(30 / 12), rel=1e-12)
    assert at.information[0, 0, 0] ** -0.5 == pytest.approx(0.3415650, rel=1e-6)


def test_ties_of_equals_give_the_share_of_ties():
    at = fit(design_of(2), np.array([[[20.0, 20.0, 10.0]]])[..., None])
    assert np.exp(at.theta[-1, 0]) == pytest.approx(2 * 10 / 40)
    assert at.theta[:2, 0] == pytest.approx([0, 0])


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("position", [True, False])
def test_the_fit_is_the_maximum_of_the_likelihood_as_it_is_written_down(ties, position):
    design = design_of(4, ties=ties, position=position)
    counts = drawn(design, 1)
    at = fit(design, counts[..., None])
    theta = at.theta[:, 0]
    # a different algorithm, on a different form of the likelihood; its gradient is by differences
    found = minimize(
        lambda x: -log_likelihood(design, counts, np.append(0, x)), np.zeros(len(theta) - 1), method="BFGS", tol=1e-9
    ).x
    wanted = np.append(0, found)
    wanted[:4] -= wanted[:4].mean()
    np.testing.assert_allclose(theta, wanted, atol=2e-5)
    assert at.value[0] == pytest.approx(log_likelihood(design, counts, theta), rel=1e-12)
    assert theta[:4].sum() == pytest.approx(0, abs=1e-12)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_scores_add_up_to_nothing_and_their_squares_to_the_information(seed, ties, position):
    design = design_of(4, ties=ties, position=position)
    counts = drawn(design, seed)
    at = fit(design, counts[..., None])
    each = scores(design, at.theta[:, 0]).toarray()
    np.testing.assert_allclose(counts.ravel() @ each, 0, atol=1e-7)
    if ties:  # chances of all three outcomes are the model's
        m = moments(design, at.theta)
        chance = np.stack([(1 - m.tie) / 2 + m.mean, (1 - m.tie) / 2 - m.mean, m.tie], axis=2)
        expected = (summary(counts[..., None]).votes[:, :, None] * chance).ravel()
        np.testing.assert_allclose(each.T @ (expected[:, None] * each), at.information[0], atol=1e-8)


@pytest.mark.parametrize("ties", [True, False])
def test_many_fits_at_once_are_the_fits_one_by_one(ties):
    design = design_of(5, ties=ties, position=True)
    many = np.stack([drawn(design, seed) for seed in range(7)], axis=-1)
    together = fit(design, many)
    for r in range(7):
        alone = fit(design, many[..., r : r + 1])
        np.testing.assert_allclose(together.theta[:, r], alone.theta[:, 0], atol=1e-9)
    assert together.converged.all()


def test_the_order_effect_does_not_change_balanced_ratings():
    one, two = design_of(3, position=True), design_of(3)
    counts = np.array([[[9.0, 3, 1], [7, 5, 2], [8, 4, 3]]])
    both = np.concatenate([counts, counts])
    at = fit(one, both[..., None]).theta[:, 0]
    np.testing.assert_allclose(np.delete(at, 3), fit(two, 2 * counts[..., None]).theta[:, 0], atol=1e-9)
    assert at[3] == pytest.approx(0, abs=1e-9)


def test_a_ridge_shrinks_and_gives_ratings_to_those_who_never_lose():
    design = design_of(3, ties=False)
    counts = np.array([[[10.0, 0, 0], [10, 0, 0], [5, 5, 0]]])[..., None]
    weak, strong = (fit(design, counts, ridge).theta[:, 0] for ridge in (0.1, 1.0))
    assert weak[0] > strong[0] > weak[1]
    at = fit(design, counts, 1.0)
    gradient = (counts[..., 0].ravel() @ scores(design, at.theta[:, 0]).toarray())[:3]
    np.testing.assert_allclose(gradient, at.theta[:3, 0], atol=1e-9)


@pytest.mark.parametrize("gap", [1e-9, 1.0, 40.0, 800.0])
def test_moments_without_overflow_or_cancellation(gap):
    design = design_of(2)
    at = moments(design, np.array([[gap / 2], [-gap / 2], [np.log(0.5)]]))
    z = np.exp(-gap / 2)
    total = 1 + z * z + 0.5 * z
    assert at.variance[0, 0, 0] == pytest.approx((4 * z**2 + 0.5 * z * (1 + z**2)) / (4 * total**2), rel=1e-12)
    assert at.mean[0, 0, 0] == pytest.approx((1 - z * z) / (2 * total), rel=1e-6)
    assert np.isfinite(at.normaliser).all()
    assert information_of(design, np.ones((1, 1, 1)), at).shape == (1, 3, 3)


def test_steps_are_halved_where_newton_would_overshoot():
    design = design_of(3, ties=False)
    counts = np.array([[[1.0, 1e6, 0], [1, 0, 0], [1, 1e6, 0]]])[..., None]
    at = fit(design, counts)
    assert at.converged.all()
    np.testing.assert_allclose(counts[..., 0].ravel() @ scores(design, at.theta[:, 0]).toarray(), 0, atol=1e-3)
