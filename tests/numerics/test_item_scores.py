"""What items bring to sums: in complete tables the textbook's t, elsewhere its unbiased generalisation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.numerics.reach import ItemModel

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


def test_a_stratum_of_one_item_counts_as_the_others_do(scores):
    stratum = np.repeat([0, 1], [ITEMS - 1, 1])
    item, cell = (at.ravel() for at in np.indices(scores.shape))
    fit = ItemModel(scores.ravel(), item, np.array([cell, stratum[item]]), stratum, 0.7)
    found = fit.scores(np.full((1, scores.size), 1 / scores.size))
    own = np.var(scores.mean(axis=1)[:-1], ddof=1) / ITEMS
    assert found.covariance[0, 0] == pytest.approx(own, rel=1e-9)
    assert found.df[0] == pytest.approx(ITEMS - 2, rel=1e-9)


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
        by = fit._by_item(weight)[i]
        assert alone - by @ fit.inverse @ by == pytest.approx(seen, rel=1e-8, abs=1e-14)
        expected += alone
    assert expected == pytest.approx(weight @ v @ weight, rel=1e-9)
