from __future__ import annotations

from itertools import combinations
from math import exp, factorial

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings import bradley_terry, draws
from quorate.numerics.ratings.bradley_terry import Design, fit, scores
from quorate.numerics.ratings.draws import (
    Units,
    centred,
    covariance,
    inverse_information,
    poisson,
    poisson_table,
    refits,
    symmetric_product,
)
from quorate.numerics.ratings.ties import tie_model

A, B = np.array(list(combinations(range(4), 2))).T
DESIGN = Design(4, A, B, np.zeros(1), tie_model("davidson"))
COUNTS = np.random.default_rng(3).integers(3, 15, (1, 6, 3)).astype(float)
AT = fit(DESIGN, COUNTS[..., None])


def by_hand(kinds, times=None):
    """The sandwich, unit by unit."""
    each = kinds @ scores(DESIGN, AT.theta[:, 0]).toarray()
    times = np.ones(len(kinds)) if times is None else times
    votes = kinds.sum(axis=1)
    share = votes / (times @ votes)
    meat = sum(t * np.outer(u, u) / (1 - w) for t, u, w in zip(times, each, share, strict=True))
    bread = np.linalg.pinv(AT.information[0])
    return centred(bread @ meat @ bread, 4)


def test_the_table_is_poisson_with_mean_and_variance_of_one():
    table = poisson_table()
    assert len(table) == 2**16
    assert (table.mean(), table.var()) == (1.0, 1.0)
    for k in range(9):
        assert np.mean(table == k) == pytest.approx(exp(-1) / factorial(k), abs=2e-5)
    drawn = poisson(100_000, np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(1, abs=0.02)


def test_the_model_based_covariance_is_the_inverse_information():
    np.testing.assert_allclose(covariance(DESIGN, AT, 0.0), centred(np.linalg.pinv(AT.information[0]), 4), atol=1e-12)
    assert covariance(DESIGN, AT, 0.0)[:4].sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-12)


def test_the_sandwich_of_single_votes():
    votes = np.repeat(np.eye(18), COUNTS.ravel().astype(int), axis=0)
    np.testing.assert_allclose(covariance(DESIGN, AT, 0.0, Units(COUNTS.ravel())), by_hand(votes), atol=1e-12)


def test_the_sandwich_of_clusters():
    rng = np.random.default_rng(4)
    parts = rng.multinomial(1, np.full(7, 1 / 7), size=int(COUNTS.sum()))
    votes = np.repeat(np.eye(18), COUNTS.ravel().astype(int), axis=0)
    clusters = parts.T @ votes
    units = Units(np.ones(7), csr_array(clusters))
    np.testing.assert_allclose(covariance(DESIGN, AT, 0.0, units), by_hand(clusters), atol=1e-12)
    assert units.share @ units.size == pytest.approx(1)
    assert units.effective < 7
    assert Units(COUNTS.ravel()).effective == pytest.approx(COUNTS.sum())
    two, three = Units(np.array([2.0, 1.0]), csr_array([[1, 0], [0, 3]])), np.array([0, 1])
    # two of one vote and one of three: (1 + 1 + 9) / 5^2; without the large one two alike; without any none
    assert [two.evenness(three[at:]) for at in (2, 1, 0)] == pytest.approx([11 / 25, 1 / 2, 0])


def test_the_sandwich_of_weighted_votes():
    kinds = np.array([[2.0 * (k == cell) for k in range(18)] for cell in range(18)])
    times = COUNTS.ravel() / 2
    units = Units(times, csr_array(kinds))
    np.testing.assert_allclose(covariance(DESIGN, AT, 0.0, units), by_hand(kinds, times), atol=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_refits_vary_as_the_sandwich_says(clustered):
    rng = np.random.default_rng(5)
    big = rng.integers(40, 90, (1, 6, 3)).astype(float)
    at = fit(DESIGN, big[..., None])
    units = Units(big.ravel())
    if clustered:
        votes = np.repeat(np.arange(18), big.ravel().astype(int))
        groups = rng.permutation(len(votes)) % 120
        counts = np.zeros((120, 18))
        np.add.at(counts, (groups, votes), 1)
        units = Units(np.ones(120), csr_array(counts))
    drawn = refits(DESIGN, units, 2000, at.theta[:, 0], 0.0, np.random.default_rng(6))
    assert drawn.without == 0
    wanted = np.sqrt(np.diag(covariance(DESIGN, at, 0.0, units)))
    np.testing.assert_allclose(drawn.theta.std(axis=1), wanted, rtol=0.08)
    again = refits(DESIGN, units, 2000, at.theta[:, 0], 0.0, np.random.default_rng(6))
    np.testing.assert_array_equal(drawn.theta, again.theta)


def test_resamples_without_a_maximum_are_counted():
    design = Design(2, A[:1], B[:1], np.zeros(1), tie_model("half"))
    counts = np.array([[[6.0, 1.0, 0.0]]])
    at = fit(design, counts[..., None])
    drawn = refits(design, Units(counts.ravel()), 4000, at.theta[:, 0], 0.0, np.random.default_rng(7))
    gone = 1 - (1 - exp(-6)) * (1 - exp(-1))
    assert drawn.without / 4000 == pytest.approx(gone, abs=0.03)
    assert drawn.theta.shape == (2, 4000 - drawn.without)
    assert refits(design, Units(counts.ravel()), 100, at.theta[:, 0], 1.0, np.random.default_rng(7)).without == 0


def test_refits_that_do_not_end_are_left_out(monkeypatch):
    from quorate.numerics.ratings import draws as module

    def half(*args):
        at = fit(*args)
        return at._replace(converged=at.converged & (np.arange(len(at.converged)) % 2 > 0))

    monkeypatch.setattr(module, "fit", half)
    drawn = refits(DESIGN, Units(10 * COUNTS.ravel()), 100, AT.theta[:, 0], 0.0, np.random.default_rng(7))
    assert drawn.without == 50
    assert drawn.theta.shape == (5, 50)


def test_a_ridge_gives_the_error_it_has_over_ratings_that_spread_as_it_supposes():
    """Model-based, the covariance is that of the posterior, ``(information + ridge)^-1``."""
    design = Design(4, A, B, np.zeros(1), tie_model("half"))
    at = fit(design, COUNTS[..., None], 2.0)
    posterior = np.linalg.inv(at.information[0] + 2.0 * np.eye(4))
    np.testing.assert_allclose(covariance(design, at, 2.0), centred(posterior, 4), atol=1e-12)


# Inverses of informations: single precision against double, and boards on which it is not enough.


SYSTEMS = 600


def board(reach, ties="davidson", votes=40.0):
    """Votes between systems of a ring that are at most ``reach`` apart; of some systems a hundred times as many."""
    a = np.repeat(np.arange(SYSTEMS), reach)
    b = (a + np.tile(1 + np.arange(reach), SYSTEMS)) % SYSTEMS
    a, b = np.minimum(a, b), np.maximum(a, b)
    design = Design(SYSTEMS, a, b, np.zeros(1), tie_model(ties))
    more = np.where(a < 20, 100.0, 1.0)[:, None]
    return design, votes * more * np.tile([1.0, 1.0, 1.0], (len(a), 1))[None]


@pytest.fixture
def large(monkeypatch):
    """Boards of 600 systems count as large."""
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(draws, "MANY", 500)


@pytest.mark.wide(1)
@pytest.mark.parametrize("ridge", [0.0, 2.0])
def test_in_single_precision_standard_errors_are_right_to_four_digits(monkeypatch, ridge):
    design, counts = board(reach=60)
    units = Units(counts.ravel())
    exact = covariance(design, fit(design, counts[..., None], ridge), ridge, units)
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(draws, "MANY", 500)
    single = covariance(design, fit(design, counts[..., None], ridge), ridge, units)
    assert (exact.dtype, single.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(np.sqrt(np.diag(single)), np.sqrt(np.diag(exact)), rtol=1e-4)
    apart = [np.diag(one)[:, None] + np.diag(one) - 2 * one for one in (single, exact)]
    off = ~np.eye(len(exact), dtype=bool)
    np.testing.assert_allclose(apart[0][off], apart[1][off], rtol=2e-4)


def test_a_chain_of_systems_is_inverted_in_double_precision(large):
    design, counts = board(reach=1)
    found = inverse_information(design, fit(design, counts[..., None]), 0.0)
    assert found.dtype == np.float64


@pytest.mark.slow
def test_a_symmetric_product_is_that_of_both_matrices():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(1100, 1100))
    square, symmetric = root @ root.T, root + root.T
    np.testing.assert_allclose(
        symmetric_product(square, lambda some: symmetric @ square[:, some]), square @ symmetric @ square
    )
