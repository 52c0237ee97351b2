"""A polynomial in place of the inverse of an information: the same variances, and draws with the same covariance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings import bradley_terry, draws, leverage, polynomial
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.draws import Units, covariance, inverse_information, scatter
from quorate.numerics.ratings.freedom import Freedom
from quorate.numerics.ratings.polynomial import COARSE, FINE
from quorate.numerics.ratings.rank_intervals import normal_deviations, rank_intervals
from quorate.numerics.ratings.ties import tie_model

SYSTEMS, MEETS, DRAWS = 400, 8, 2_000
DRAWN = 120
"""Systems whose ratings are drawn."""


def board(ties="davidson", votes=15, systems=SYSTEMS, most=30.0):
    """Every system meets sixteen at random, some of them more often than others."""
    rng = np.random.default_rng(3)
    a = np.tile(np.arange(systems), MEETS)
    b = np.concatenate([rng.permutation(systems) for _ in range(MEETS)])
    pairs = np.unique(np.sort(np.stack([a, b])[:, a != b], axis=0), axis=1)
    design = Design(systems, *pairs, np.zeros(1), tie_model(ties))
    often = rng.integers(1, votes, (len(pairs[0]), 3)) * np.where(pairs[0] < 20, most, 1.0)[:, None]
    return design, often[None]


def chain():
    """Every system meets the next one only."""
    a = np.arange(SYSTEMS - 1)
    return Design(SYSTEMS, a, a + 1, np.zeros(1), tie_model("davidson")), np.full((1, SYSTEMS - 1, 3), 5.0)


def of_differences(matrix):
    variance = np.diag(matrix)[:SYSTEMS]
    return (variance[:, None] + variance - 2 * matrix[:SYSTEMS, :SYSTEMS])[~np.eye(SYSTEMS, dtype=bool)]


@pytest.fixture
def large(monkeypatch):
    """Boards of 120 systems count as large, and sparse."""
    monkeypatch.setattr(bradley_terry, "_LARGE", 100)
    monkeypatch.setattr(polynomial, "_SLOWER", 0.5)
    for module in (draws, leverage):
        monkeypatch.setattr(module, "MANY", 100)


@pytest.mark.parametrize(
    ("ties", "most", "within"), [("davidson", 30, COARSE), ("half", 30, COARSE), ("davidson", 1, 1e-4)]
)
def test_variances_by_a_polynomial_are_those_by_the_inverse(request, ties, most, within):
    design, counts = board(ties, most=most)
    units, at = Units(counts.ravel()), fit(design, counts[..., None])
    exact = inverse_information(design, at, 0.0), covariance(design, at, 0.0, units)
    request.getfixturevalue("large")
    at = fit(design, counts[..., None])
    assert polynomial.polynomial(at.information, design.centred[0], FINE) is not None
    fine, coarse = (inverse_information(design, at, 0.0, error) for error in (FINE, COARSE))
    robust = [covariance(design, at, 0.0, units, one) for one in (fine, coarse)]
    for one, other, error in zip(
        exact * 2, (fine, robust[0], coarse, robust[1]), (1e-4, within, COARSE, within), strict=True
    ):
        assert (one.dtype, other.dtype) == (np.float64, np.float32)
        np.testing.assert_array_equal(other, other.T)
        np.testing.assert_allclose(of_differences(other), of_differences(one), rtol=error)
        assert other[-1, -1] == pytest.approx(one[-1, -1], rel=error)
    # The direction of equal ratings is filled in as in the inverse.
    np.testing.assert_allclose(fine, exact[0], atol=1e-4 * np.median(np.diag(exact[0])))
    spent = covariance(design, at, 0.0, units, coarse, spent=True)
    np.testing.assert_array_equal(spent, robust[1])
    assert spent is coarse


def test_a_sandwich_of_what_the_model_says_is_off_by_the_square(request):
    design, counts = board()
    at = fit(design, counts[..., None])
    exact = inverse_information(design, at, 0.0)
    request.getfixturevalue("large")
    information = fit(design, counts[..., None]).information
    steps = polynomial.polynomial(information, design.centred[0], COARSE)
    inverse = steps.inverse()
    found = steps.sandwich(inverse, 1.0, -information.astype(np.float32), np.empty_like(inverse))
    np.testing.assert_allclose(of_differences(found), of_differences(exact), rtol=2 * COARSE**2)
    np.testing.assert_allclose(found[:SYSTEMS].sum(axis=0), 0, atol=1e-4 * np.median(np.diag(exact)))


def test_rounding_does_not_grow_over_the_most_steps():
    roots = 1 + 0.97 * polynomial._apart(np.cos((np.arange(20) + 0.5) * np.pi / 20))
    at = np.linspace(0.03, 1.97, 1_000)
    after = np.cumprod(np.abs(1 - at / roots[::-1, None]), axis=0)  # of what a step leaves, by those after it
    assert np.sort(roots).tolist() == pytest.approx(np.sort(1 + 0.97 * np.cos((np.arange(20) + 0.5) * np.pi / 20)))
    assert after.max() < 100


def test_a_chain_and_a_board_on_which_all_met_all_have_none(large):
    design, counts = chain()
    at = fit(design, counts[..., None])
    assert polynomial.polynomial(at.information, design.centred[0], COARSE) is None
    a, b = np.triu_indices(SYSTEMS, 1)
    whole = Design(SYSTEMS, a, b, np.zeros(1), tie_model("davidson"))
    at = fit(whole, np.ones((1, len(a), 3, 1)))
    assert polynomial.polynomial(at.information, whole.centred[0], COARSE) is None


@pytest.mark.parametrize(("ties", "clustered"), [("davidson", False), ("davidson", True), ("half", False)])
def test_ratings_are_drawn_with_the_covariance_of_the_sandwich(large, ties, clustered):
    design, counts = board(ties, systems=DRAWN)
    units, entries = Units(counts.ravel()), counts.size
    if clustered:  # by twos
        starts = np.append(np.arange(0, entries, 2), entries)
        matrix = csr_array((counts.ravel(), np.arange(entries), starts), shape=(len(starts) - 1, entries))
        units = Units(np.ones(len(starts) - 1), matrix)
    at = fit(design, counts[..., None])
    summed, times = design.gradients(at.theta[:, 0], units.matrix), units.size / (1 - units.share)
    factor = draws._factor(design, at.theta[:, 0], units)
    meat = (summed.T.multiply(times[None]) @ summed).toarray()
    np.testing.assert_allclose((factor @ factor.T).toarray(), meat, rtol=1e-4, atol=1e-5 * meat.max())
    excess = np.linspace(0, 0.01, design.parameters)
    by = scatter(design, at, 0.0, units, excess)
    known = leverage.widened(covariance(design, at, 0.0, units), excess, DRAWN)[:DRAWN, :DRAWN]
    drawn = by.drawn(DRAWS, np.random.default_rng(1))
    assert drawn.shape == (DRAWS, DRAWN)
    np.testing.assert_allclose(drawn.mean(axis=1), 0, atol=1e-6)
    spread = np.sqrt(np.diag(known))
    np.testing.assert_allclose((np.cov(drawn.T) - known) / np.outer(spread, spread), 0, atol=6 / np.sqrt(DRAWS))
    # The quantile of the largest difference, as by draws from a root of the covariance.
    order = np.arange(DRAWN)[::-1]
    turned = replace(by, order=order).drawn(DRAWS, np.random.default_rng(1))
    rooted = normal_deviations(known.astype(np.float64), np.inf, DRAWS, np.random.default_rng(2))
    both = (known[::-1, ::-1], turned), (known, rooted)
    one, other = (rank_intervals(np.zeros(DRAWN), own, some, 0.95).normal for own, some in both)
    assert one == pytest.approx(other, rel=0.02)


def test_degrees_of_freedom_that_are_found_when_asked_for_are_those_of_the_matrix(large, monkeypatch):
    design, counts = board(votes=4)
    units, at = Units(counts.ravel()), fit(design, counts[..., None])
    held = leverage.leverage(design, at, 0.0, units).df
    assert isinstance(held, Freedom)
    monkeypatch.setattr(leverage, "_SPARSE", 0.0)
    whole = leverage.leverage(design, at, 0.0, units).df
    assert isinstance(whole, np.ndarray)
    assert (held.shape, held.ndim) == (whole.shape, 2)
    np.testing.assert_allclose(np.asarray(held), whole, rtol=1e-4)
    np.testing.assert_allclose(held[3:9, 350:], whole[3:9, 350:], rtol=1e-4)
    np.testing.assert_allclose(held[395:, 5:], whole[395:, 5:], rtol=1e-4)
    i, j = np.append(np.random.default_rng(1).integers(0, len(whole), (2, 500)), [[4, SYSTEMS], [4, SYSTEMS]], axis=1)
    np.testing.assert_allclose(held[i, j], whole[i, j], rtol=1e-4)
    for place in ((3, 8), (SYSTEMS, SYSTEMS), (SYSTEMS, 3)):
        assert float(held[place]) == pytest.approx(whole[place], rel=1e-4)
    ratings = held.of_ratings
    assert ratings.shape == (SYSTEMS, SYSTEMS)
    alone = whole[:SYSTEMS, :SYSTEMS]
    assert 0.5 * alone.min() < ratings.min() <= alone.min()
    assert alone.max() <= ratings.max() < 1.5 * alone.max()
    order = np.append(np.random.default_rng(2).permutation(SYSTEMS), np.arange(SYSTEMS, len(whole)))
    np.testing.assert_allclose(np.asarray(held.reordered(order)), whole[np.ix_(order, order)], rtol=1e-4)
