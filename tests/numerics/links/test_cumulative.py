"""Derivatives of the cumulative logit against differences, and two categories against the logistic regression."""

import numpy as np
import pytest

from quorate.numerics.links.modes import border, likelihood, predictor, start

RNG = np.random.default_rng(5)
COUNTS = RNG.multinomial(6, [0.2, 0.5, 0.2, 0.1], 7).astype(float)
X = RNG.normal(size=(7, 2))
ETA = RNG.normal(size=7)
FIXED = np.array([-1.2, 0.4, 1.9, 0.3, -0.8])


def value(fixed, eta):
    return likelihood(COUNTS, fixed[:3], predictor(X, fixed, eta)).value


def test_derivatives_in_the_predictor():
    at, step = likelihood(COUNTS, FIXED[:3], ETA), 1e-5
    up, down = (likelihood(COUNTS, FIXED[:3], ETA + s) for s in (step, -step))
    assert (up.value - down.value) / (2 * step) == pytest.approx(at.score.sum(), rel=1e-7)
    assert -(up.score - down.score) / (2 * step) == pytest.approx(at.weight, rel=1e-7)
    assert (up.weight - down.weight) / (2 * step) == pytest.approx(at.slope, rel=1e-6)


def test_derivatives_in_fixed_parameters():
    eta = predictor(X, FIXED, ETA)
    edge = border(COUNTS, X, FIXED[:3], eta, likelihood(COUNTS, FIXED[:3], eta))
    for t, step in enumerate(np.eye(5) * 1e-5):
        assert (value(FIXED + step, ETA) - value(FIXED - step, ETA)) / 2e-5 == pytest.approx(edge.score[t], rel=1e-6)
        sides = []
        for fixed in (FIXED + step, FIXED - step):
            there = predictor(X, fixed, ETA)
            at = likelihood(COUNTS, fixed[:3], there)
            sides.append((at, border(COUNTS, X, fixed[:3], there, at)))
        (up, up_edge), (down, down_edge) = sides
        assert -(up.score - down.score) / 2e-5 == pytest.approx(edge.coupling[:, t], rel=1e-6)
        assert (up.weight - down.weight) / 2e-5 == pytest.approx(edge.weight[:, t], rel=1e-5, abs=1e-9)
        assert -(up_edge.score - down_edge.score) / 2e-5 == pytest.approx(edge.information[t], rel=1e-6)


def test_two_categories_are_the_logit_model():
    counts, eta = COUNTS[:, :2], ETA + 0.7
    share = 1 / (1 + np.exp(-eta))
    expected = counts[:, 0] @ np.log(1 - share) + counts[:, 1] @ np.log(share)
    found = likelihood(counts, np.array([-0.7]), ETA)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert found.score == pytest.approx(counts[:, 1] - counts.sum(axis=1) * share, rel=1e-12)


def test_thresholds_out_of_order_have_no_likelihood():
    assert likelihood(COUNTS, np.array([0.0, 0.0, 1.0]), ETA).value == -np.inf


def test_the_start_has_the_shares_of_the_categories():
    assert start(np.array([[30.0, 50.0, 20.0]])) == pytest.approx(np.log([30.5 / 71, 81 / 20.5]), abs=1e-12)
