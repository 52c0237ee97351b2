from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from quorate.numerics.reach import MOST, Effect, ItemModel, Reach, maximum_moments
from quorate.numerics.study_power import half_widths

effects = st.lists(
    st.builds(Effect, st.floats(0, 10), st.floats(0, 10), st.integers(2, 30).map(float)), max_size=3
).map(tuple)


def test_with_nothing_drawn_it_is_students_t():
    reach = Reach(0.04, 17.0)
    assert reach.half_width(0.95) == pytest.approx(stats.t.ppf(0.975, 17) * 0.2, rel=1e-9)
    assert reach.tail(0.5) == pytest.approx(stats.t.sf(2.5, 17), rel=1e-9)
    assert reach.tail(-0.5) == pytest.approx(stats.t.cdf(2.5, 17), rel=1e-9)


def test_a_drawn_facet_by_hand():
    """Rule: t^2 of items times their variance, and beside it t^2 of the levels times (W - d / 2)."""
    reach = Reach(0.04, 17.0, (Effect(0.03, 0.01, 2.0),))
    squares = stats.t.ppf(0.975, [17, 2]) ** 2 * [0.04, 0.025]
    assert reach.half_width(0.95) == pytest.approx(np.sqrt(squares.sum()), rel=1e-9)


@pytest.mark.parametrize("distance", [0.0, 0.1, 1.0, 1e4])
def test_where_items_do_not_vary_tails_are_those_of_the_levels(distance):
    found = Reach(0.0, 17.0, (Effect(0.03, 0.0, 2.0),)).tail(distance)
    assert found == pytest.approx(stats.t.sf(distance / np.sqrt(0.03), 2), rel=1e-9)


@pytest.mark.parametrize("distance", [1.0, 5.0, 30.0])
def test_far_tails_are_where_the_interval_ends(distance):
    """The rule of the interval, with t from SciPy and the tail itself, where one less the tail would be rounded."""
    reach = Reach(0.04, 17.0, (Effect(0.03, 0.01, 40.0), Effect(0.02, 0.0, 60.0)))
    tail = reach.tail(distance)
    df = (0.025 + 0.02) ** 2 / (0.025**2 / 40 + 0.02**2 / 60)
    beyond = max(
        stats.t.isf(tail, df) ** 2 * 0.045, stats.t.isf(tail, 40) ** 2 * 0.025, stats.t.isf(tail, 60) ** 2 * 0.02
    )
    assert np.sqrt(stats.t.isf(tail, 17) ** 2 * 0.04 + beyond) == pytest.approx(distance, rel=1e-7)


@given(variance=st.floats(1e-6, 10), df=st.integers(1, 500), drawn=effects, level=st.floats(0.5, 0.999))
@example(variance=1.0, df=1, drawn=(Effect(5e-324, 0.0, 2.0),), level=0.5)
def test_more_drawn_is_never_narrower_and_tails_turn_the_interval_round(variance, df, drawn, level):
    reach = Reach(variance, float(df), drawn)
    half = reach.half_width(level)
    for size in range(len(drawn)):
        assert Reach(variance, float(df), drawn[:size]).half_width(level) <= half * (1 + 1e-12)
    assert 2 * reach.tail(half) == pytest.approx(1 - level, rel=1e-6)


@given(variance=st.floats(1e-6, 10), df=st.integers(1, 500), drawn=effects)
def test_many_at_once_are_each_by_itself(variance, df, drawn):
    arrays = tuple((np.array([one.part, 0.0]), one.df) for one in drawn)
    found = half_widths(0.975, np.full(2, variance), np.full(2, float(df)), arrays)
    wanted = [Reach(variance, float(df), some).half_width(0.95) for some in (drawn, ())]
    assert found.tolist() == pytest.approx(wanted, rel=1e-8)


# The mean of the largest of K normals against closed forms and Harter's table.


# Harter (1961), Biometrika 48, Table 1, five decimals; 3, 4 and 5 also in closed form (David and Nagaraja, 3.2).
HARTER = {
    2: 0.56419,
    3: 0.84628,
    4: 1.02938,
    5: 1.16296,
    10: 1.53875,
    20: 1.86748,
    50: 2.24907,
    100: 2.50759,
    1000: 3.24144,
}


def test_the_mean_is_that_of_the_table():
    mean, _ = maximum_moments(list(HARTER))
    assert mean.tolist() == pytest.approx(list(HARTER.values()), abs=6e-6)


def test_closed_forms():
    mean, sd = maximum_moments([1, 2, 3, 5])
    exact = [0, 1 / np.sqrt(np.pi), 1.5 / np.sqrt(np.pi), (15 * np.arcsin(1 / 3) / np.pi + 2.5) / (2 * np.sqrt(np.pi))]
    assert mean == pytest.approx(exact, abs=1e-13)
    assert sd[:3] ** 2 == pytest.approx([1, 1 - 1 / np.pi, 1 + np.sqrt(3) / (2 * np.pi) - 9 / (4 * np.pi)], abs=1e-13)


def test_best_of_ten_and_of_twenty_seven():
    assert maximum_moments([10, 27])[0] == pytest.approx([1.538753, 1.998269], abs=5e-7)


@pytest.mark.parametrize("k", [10**4, 10**6, MOST])
def test_many_against_integration_by_parts(k):
    """``E[max] = int_0^oo (1 - Phi^K) - int_-oo^0 Phi^K``, adaptively."""
    from scipy.integrate import quad
    from scipy.special import log_ndtr

    upper = quad(lambda z: -np.expm1(k * log_ndtr(z)), 0, 40, points=[3, 4, 5, 6, 7, 8], epsabs=1e-12, limit=500)[0]
    assert float(maximum_moments(k)[0]) == pytest.approx(upper, abs=1e-9)


@given(st.integers(1, 10**6), st.integers(1, 1000))
def test_more_attempts_are_worth_more_and_vary_less(k, more):
    mean, sd = maximum_moments([k, k + more])
    assert mean[1] > mean[0]
    assert sd[1] < sd[0]


# What items bring to sums: in complete tables the textbook's t, elsewhere its unbiased generalisation.


ITEMS, CELLS = 20, 6


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    return rng.normal(size=(ITEMS, CELLS)) + rng.normal(size=(ITEMS, 1)) + np.arange(CELLS)


def model(scores, setup=None, stratum=None, ratio=0.7, kept=None):
    item, cell = (at.ravel() for at in np.indices(scores.shape))
    setup = cell[None] if setup is None else np.array([one[cell] for one in setup])
    kept = np.ones(len(item), dtype=bool) if kept is None else kept
    stratum = np.zeros(len(scores), dtype=int) if stratum is None else stratum
    return ItemModel(scores.ravel()[kept], item[kept], setup[:, kept], stratum, ratio)


@pytest.mark.parametrize("ratio", [0.0, 0.7, 50.0])
@pytest.mark.parametrize("setup", [None, (np.arange(CELLS) % 2, np.arange(CELLS) // 2)])
def test_complete_tables_have_the_t_over_item_means(scores, ratio, setup):
    found = model(scores, setup, ratio=ratio).scores(np.full((1, scores.size), 1 / scores.size))
    t = stats.ttest_1samp(scores.mean(axis=1), 0)
    assert scores.mean() / np.sqrt(found.covariance[0, 0]) == pytest.approx(t.statistic, rel=1e-12)
    assert found.df[0] == pytest.approx(ITEMS - 1, rel=1e-9)


def test_noise_of_level_means_is_the_mean_square_of_items_by_levels(scores):
    fit = model(scores)
    covariance = fit.scores(fit.weights_of(np.eye(CELLS))).covariance
    residual = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    square = (residual**2).sum() / ((ITEMS - 1) * (CELLS - 1))
    assert (np.trace(covariance) - covariance.sum() / CELLS) / (CELLS - 1) == pytest.approx(square / ITEMS, rel=1e-9)


def test_strata_have_their_own_variance_and_welchs_degrees_of_freedom(scores):
    stratum = np.repeat([0, 1], [12, 8])
    item, cell = (at.ravel() for at in np.indices(scores.shape))
    fit = ItemModel(scores.ravel(), item, np.array([cell, stratum[item]]), stratum, 0.7)
    found = fit.scores(np.full((1, scores.size), 1 / scores.size))
    parts = [np.var(scores.mean(axis=1)[stratum == h], ddof=1) * n / ITEMS**2 for h, n in ((0, 12), (1, 8))]
    assert found.covariance[0, 0] == pytest.approx(sum(parts), rel=1e-9)
    assert found.df[0] == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 7), rel=1e-9)


def test_a_model_with_other_strata_is_as_one_made_with_them(scores):
    stratum, weight = np.repeat([0, 1], [12, 8]), np.full((1, scores.size), 1 / scores.size)
    one, other = model(scores), model(scores, stratum=stratum)
    assert one.within(one.stratum) is one
    for found in (one.within(stratum).scores(weight), other.within(one.stratum).within(stratum).scores(weight)):
        np.testing.assert_allclose(found.each, other.scores(weight).each, rtol=1e-12)
        np.testing.assert_allclose(found.df, other.scores(weight).df, rtol=1e-12)


def test_degrees_of_freedom_of_few_items_are_those_of_the_trace_over_items():
    """Bell and McCaffrey's: of the law of ``sum c_i e_i^2``, with the residuals' covariance written out."""
    rng = np.random.default_rng(1)
    scores, weight = rng.normal(size=(4, CELLS)), rng.dirichlet(np.ones(4 * CELLS))
    item, cell = (at.ravel() for at in np.indices(scores.shape))
    alike, x, of_item = (
        np.eye(scores.size) + 0.7 * (item[:, None] == item),
        np.eye(CELLS)[cell],
        item == np.arange(4)[:, None],
    )
    cross = x.T @ np.linalg.inv(alike)
    sums = (weight * of_item) @ (np.eye(scores.size) - x @ np.linalg.inv(cross @ x) @ cross)
    covariance, own = sums @ alike @ sums.T, np.diag((weight * of_item) @ alike @ (weight * of_item).T)
    root = np.sqrt(own / np.diag(covariance))
    scaled = root[:, None] * covariance * root
    found = model(scores).scores(weight[None])
    assert found.df[0] == pytest.approx(np.trace(scaled) ** 2 / np.sum(scaled**2), rel=1e-9)


def test_a_stratum_of_one_item_counts_as_the_others_do(scores):
    stratum = np.repeat([0, 1], [ITEMS - 1, 1])
    item, cell = (at.ravel() for at in np.indices(scores.shape))
    fit = ItemModel(scores.ravel(), item, np.array([cell, stratum[item]]), stratum, 0.7)
    found = fit.scores(np.full((1, scores.size), 1 / scores.size))
    own = np.var(scores.mean(axis=1)[:-1], ddof=1) / ITEMS
    assert found.covariance[0, 0] == pytest.approx(own, rel=1e-9)
    assert found.df[0] == pytest.approx(ITEMS - 2, rel=1e-9)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
def test_the_variance_is_unbiased_if_scores_are_alike_as_taken(seed):
    """``E (w_i'A_i e_i)^2`` by dense algebra, for a table with gaps: the sum over items is ``w'V w``."""
    rng = np.random.default_rng(seed)
    kept = rng.random(ITEMS * 3) < 0.7
    kept[:6] = True
    item, cell = (at.ravel()[kept] for at in np.indices((ITEMS, 3)))
    item = np.unique(item, return_inverse=True)[1]
    ratio, weight = 2.0, rng.dirichlet(np.ones(len(item)))
    v = np.eye(len(item)) + ratio * np.equal.outer(item, item)
    x = np.eye(3)[cell]
    left = np.eye(len(item)) - x @ np.linalg.solve(x.T @ np.linalg.solve(v, x), np.linalg.solve(v, x).T)
    expected = 0.0
    for i in range(int(item.max()) + 1):
        own = weight * (item == i)
        alone, seen = own @ v @ own, (own @ left) @ v @ (left.T @ own)
        fit = ItemModel(left @ np.zeros(len(item)), item, cell[None], np.zeros(int(item.max()) + 1, int), ratio)
        by = fit.by_item(weight)[i]
        assert alone - by @ fit.inverse @ by == pytest.approx(seen, rel=1e-8, abs=1e-14)
        expected += alone
    assert expected == pytest.approx(weight @ v @ weight, rel=1e-9)
