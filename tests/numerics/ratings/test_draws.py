from __future__ import annotations

from itertools import combinations
from math import exp, factorial

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings.bradley_terry import Design, fit, scores
from quorate.numerics.ratings.draws import Units, centred, covariance, poisson, poisson_table, refits
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
