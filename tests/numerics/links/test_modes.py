"""At the modes the slope is zero; the fixed parameters are as asked for."""

import numpy as np
import pytest
from numerics.links.small import dense, layout

from quorate.errors import NotConverged
from quorate.numerics.links import modes as of_modes
from quorate.numerics.links.modes import Factor, Scaled, border, collapse, likelihood, modes, predictor, start

VARIANCE = np.array([1.0, 0.4, 0.3, 0.2])


@pytest.mark.parametrize("free", [True, False])
def test_the_slope_at_the_modes_is_zero(free):
    laid = layout(3)
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    found = modes(laid, VARIANCE, fixed, free=free)
    slope = found.scaled.sums(found.at.score[:, None]) + found.effects * -1.0
    assert slope.dot(slope) < 1e-9
    assert np.allclose(found.border.score, 0, atol=1e-4) is free
    assert np.array_equal(found.fixed, fixed) is not free


def test_a_start_far_away_comes_to_the_same_place():
    laid = layout()
    fixed = np.append(start(laid.counts), [0.3, -0.2])
    near = modes(laid, VARIANCE, fixed, free=False)
    far = modes(laid, VARIANCE, fixed, near.effects * 40.0, free=False)
    assert far.deviance == pytest.approx(near.deviance, abs=1e-6)


def test_modes_that_do_not_settle_are_refused(monkeypatch):
    laid = layout()
    monkeypatch.setattr(of_modes, "_MOST", 1)
    with pytest.raises(NotConverged, match="conditional modes"):
        modes(laid, VARIANCE, np.append(start(laid.counts), [0.0, 0.0]), free=True)


def test_thresholds_without_a_digit_left_are_refused():
    laid = layout()
    with pytest.raises(NotConverged, match="they run away"):
        modes(laid, 1e3 * VARIANCE, np.append(start(laid.counts) + 800.0, [0.0, 0.0]), free=False)


# Rows with the same levels become one row of counts.


def test_counts_are_summed_by_combination():
    counts = np.array([[1.0, 0], [0, 1], [2, 1], [1, 1]])
    codes = [np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])]
    summed, first = collapse(counts, codes)
    assert summed.tolist() == [[3, 1], [0, 1], [1, 1]]
    assert first.tolist() == [0, 1, 3]


def test_rows_that_differ_stay():
    counts = np.array([[1.0, 0], [0, 1]])
    summed, first = collapse(counts, [np.array([0, 1])])
    assert summed is counts
    assert first.tolist() == [0, 1]


# Derivatives of the cumulative logit against differences, and two categories against the logistic regression.


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


# Elimination against dense matrices.


@pytest.mark.parametrize("cells", [True, False])
def test_determinant_solution_leverage_and_traces(cells):
    laid, rng = layout(cells=cells), np.random.default_rng(1)
    variance = VARIANCE[: laid.n_terms]
    m, scaled = dense(laid, variance), Scaled(laid, variance)
    w, k = rng.uniform(0.1, 0.5, len(m)), rng.normal(size=(len(m), 2))
    information = k.T @ k * 5 + 9 * np.eye(2)
    factor = Factor(scaled, w, k, information)
    a = np.eye(m.shape[1]) + m.T @ (w[:, None] * m)
    assert factor.log_det == pytest.approx(np.linalg.slogdet(a)[1], rel=1e-12)

    y, f = rng.normal(size=(len(m), 1)), rng.normal(size=(2, 1))
    alone, _ = factor.solve(scaled.sums(y))
    assert scaled.rows(alone) == pytest.approx(m @ np.linalg.solve(a, m.T @ y), rel=1e-10)
    bordered = np.block([[a, m.T @ k], [k.T @ m, information]])
    both, fixed = factor.solve(scaled.sums(y), f)
    expected = np.linalg.solve(bordered, np.vstack([m.T @ y, f]))
    assert fixed == pytest.approx(expected[-2:], rel=1e-10)
    assert scaled.rows(both) == pytest.approx(m @ expected[:-2], rel=1e-10)

    h, traces = factor.leverage
    assert h == pytest.approx(np.diag(m @ np.linalg.solve(a, m.T)), rel=1e-10)
    p = np.diag(w) - (w[:, None] * m) @ np.linalg.solve(a, m.T * w)
    ends = np.cumsum([laid.within.max(axis=0) + 1][0].tolist() + (laid.shared.max(axis=0) + 1).tolist())
    whole = np.diag(m.T @ p @ m)
    parts = np.split(whole, [*ends, len(whole)] if cells else ends)[: laid.n_terms]
    assert traces == pytest.approx([part.sum() / v for part, v in zip(parts, variance, strict=True)], rel=1e-9)


# Columns of blocks, and the products that need them.


def test_every_level_has_one_place():
    laid = layout()
    slots, term = laid.slots
    assert laid.n_blocks == 12
    assert term.tolist() == [0, 1, 1, 1]
    for t, level in enumerate(laid.within.T):
        places = {(block, slot) for block, slot in zip(laid.block, slots[:, t], strict=True)}
        assert len(places) == level.max() + 1


def test_rows_and_sums_are_transposes():
    laid, rng = layout(), np.random.default_rng(2)
    variance = np.array([1.0, 0.4, 0.3, 0.2])
    scaled, m = Scaled(laid, variance), dense(laid, variance)
    y = rng.normal(size=(len(m), 1))
    sums = scaled.sums(y)
    assert np.allclose(scaled.rows(sums), m @ (m.T @ y))
    assert np.isclose(sums.dot(sums), np.sum((m.T @ y) ** 2))


def test_terms_and_parameters_are_counted():
    laid = layout(4)
    assert (laid.n_terms, laid.n_fixed, laid.width) == (4, 5, 4)
