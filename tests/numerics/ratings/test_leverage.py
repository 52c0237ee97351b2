from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings import leverage as module
from quorate.numerics.ratings.bradley_terry import Design, fit, information, scores
from quorate.numerics.ratings.draws import Units, covariance, inverse_information
from quorate.numerics.ratings.leverage import leverage, own_gaps, per_vote, variances, widened
from quorate.numerics.ratings.ties import Cells, Ties, summary, tie_model

TIES = get_args(Ties)
A, B = np.array(list(combinations(range(4), 2))).T


def case(ties, position, groups=7):
    """Votes in clusters, and their fit."""
    design = Design(4, A, B, np.array([1.0, -1.0]) if position else np.zeros(1), tie_model(ties))
    cells = len(design.sign) * 18
    clusters = np.random.default_rng(3).integers(0, 5, (groups, cells)).astype(float)
    counts = clusters.sum(axis=0).reshape(len(design.sign), 6, 3)
    return design, clusters, fit(design, counts[..., None])


@pytest.mark.wide(4)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("position", [True, False])
def test_leverage_contrast_by_contrast(ties, position):
    """``h_g = c'K J_g K c / c'K c`` with the information J_g of each cluster computed by itself."""
    design, clusters, at = case(ties, position)
    units = Units(np.ones(7), csr_array(clusters))
    found = leverage(design, at, 0.0, units)
    inverse = np.linalg.pinv(at.information[0])
    counts = clusters.reshape(7, len(design.sign), 6, 3, 1)
    total = design.cells(summary(counts.sum(axis=0)), at.theta)
    part = counts.sum(axis=3) / counts.sum(axis=(0, 3))  # of the votes of each order and pair
    own = [information(design, Cells(*(x * one for x in total)))[0] for one in part]
    each, share = clusters @ scores(design, at.theta[:, 0]).toarray(), units.share
    for i, j in [(0, 1), (1, 3), (2, 2), (design.parameters - 1,) * 2]:
        c = np.eye(design.parameters)[i] - (0 if i == j else np.eye(design.parameters)[j])
        c[:4] -= c[:4].mean()
        x = inverse @ c
        h = np.array([x @ one @ x for one in own]) / (c @ x)
        assert h.sum() == pytest.approx(1)
        assert found.df[i, j] == found.df[j, i] == pytest.approx(1 / (h @ h) - 1, rel=1e-9)
        wanted = (each @ x) ** 2 @ (1 / (1 - h) - 1 / (1 - share))
        assert found.excess[i, j] == pytest.approx(wanted, rel=1e-8, abs=1e-14)
    assert not found.whole


def test_units_of_little_leverage_are_taken_by_their_votes():
    design, clusters, _ = case("davidson", position=False)
    many = 100 * clusters.sum(axis=0)
    at = fit(design, many.reshape(1, 6, 3)[..., None])
    found = leverage(design, at, 0.0, Units(many))
    assert not found.excess.any()
    assert found.df == pytest.approx(many.sum() - 1)


def test_a_cluster_that_tells_a_difference_alone():
    design = Design(3, np.array([0, 1]), np.array([1, 2]), np.zeros(1), tie_model("half"))
    clusters = np.array([[3.0, 3, 0, 0, 0, 0], [2, 3, 0, 0, 0, 0], [0, 0, 0, 4, 3, 0]])
    at = fit(design, clusters.sum(axis=0).reshape(1, 2, 3)[..., None])
    assert leverage(design, at, 0.0, Units(np.ones(3), csr_array(clusters))).whole
    clusters[1, 3] = 1
    at = fit(design, clusters.sum(axis=0).reshape(1, 2, 3)[..., None])
    assert not leverage(design, at, 0.0, Units(np.ones(3), csr_array(clusters))).whole


def test_a_covariance_has_the_variances_asked_for_or_more():
    design, clusters, at = case("davidson", position=True)
    plain = covariance(design, at, 0.0, Units(np.ones(7), csr_array(clusters)))
    wider = widened(plain, 0.2 * variances(plain, 4), 4)
    np.testing.assert_allclose(variances(wider, 4)[:4, :4], 1.2 * variances(plain, 4)[:4, :4])
    np.testing.assert_allclose(np.diag(wider), 1.2 * np.diag(plain))
    odd = np.zeros((6, 6))
    odd[0, 1] = odd[1, 0] = 50.0  # two systems far apart, and both close to all others: no covariance has that
    found = widened(plain, odd, 4)
    assert np.linalg.eigvalsh(found)[0] > -1e-9
    between = ~np.eye(6, dtype=bool)
    assert (variances(found, 4) >= variances(plain, 4) + odd - 1e-9)[between].all()
    assert widened(plain, np.zeros((6, 6)), 4) is plain


# Leverage by the systems of each vote, against that of every contrast.


SYSTEMS = 30


def board(ties, position, degree=SYSTEMS - 1, clusters=None):
    """Votes between pairs of a ring with chords, or between all; alone or in clusters."""
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(SYSTEMS, 1)
    near = np.minimum(b - a, SYSTEMS - b + a) <= degree // 2
    a, b = a[near], b[near]
    sign = np.array([1.0, -1.0]) if position else np.zeros(1)
    design = Design(SYSTEMS, a, b, sign, tie_model(ties))
    shape = (len(sign), len(a), 3)
    if clusters is None:
        units = Units(rng.poisson(4, shape).ravel().astype(float))
        counts = units.size
    else:
        each = rng.poisson(12 / clusters, (clusters, int(np.prod(shape)))).astype(float)
        units, counts = Units(np.ones(clusters), csr_array(each)), each.sum(axis=0)
    return design, units, fit(design, counts.reshape(shape)[..., None])


def both(monkeypatch, design, units, at):
    """What each way finds."""
    exact = leverage(design, at, 0.0, units)
    monkeypatch.setattr(module, "_EXACT", 0)
    return exact, leverage(design, at, 0.0, units)


@pytest.mark.wide(2)
@pytest.mark.parametrize(("ties", "position"), [("davidson", False), ("half", True), ("rao-kupper", True)])
@pytest.mark.parametrize("clusters", [None, 12, 100])
def test_it_agrees_with_every_contrast_by_itself(monkeypatch, ties, position, clusters):
    design, units, at = board(ties, position, clusters=clusters)
    exact, own = both(monkeypatch, design, units, at)
    np.testing.assert_allclose(own.df, exact.df, rtol=0.1)
    plain = covariance(design, at, 0.0, units)
    wide, narrow = (variances(widened(plain, one.excess, SYSTEMS), SYSTEMS) for one in (own, exact))
    np.testing.assert_allclose(wide[:SYSTEMS, :SYSTEMS], narrow[:SYSTEMS, :SYSTEMS], rtol=0.02)
    np.testing.assert_allclose(np.diag(wide)[SYSTEMS:], np.diag(narrow)[SYSTEMS:], rtol=0.03)
    assert own.whole == exact.whole


@pytest.mark.parametrize("systems", [2, 4])
def test_units_of_little_leverage_share_what_the_heavy_ones_leave(monkeypatch, systems):
    """Clusters and single votes: with one pair, the parts of the information are those of the votes."""
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(systems, 1)
    design = Design(systems, a, b, np.zeros(1), tie_model("half"))
    clusters, single = rng.poisson(10, (20, 3 * len(a))).astype(float), rng.poisson(60, 3 * len(a)).astype(float)
    units = Units(np.append(np.ones(20), single), csr_array(np.vstack([clusters, np.eye(3 * len(a))])))
    at = fit(design, (clusters.sum(axis=0) + single).reshape(1, len(a), 3)[..., None])
    exact, own = both(monkeypatch, design, units, at)
    between = ~np.eye(systems, dtype=bool)
    np.testing.assert_allclose(own.df[:systems, :systems][between], exact.df[:systems, :systems][between], rtol=1e-3)
    if systems == 2:
        votes = np.append(clusters.sum(axis=1), np.ones(int(single.sum())))
        assert own.df[0, 1] == pytest.approx(1 / np.sum((votes / votes.sum()) ** 2) - 1, rel=1e-6)


def test_on_sparse_boards_it_is_on_the_safe_side_or_near(monkeypatch):
    exact, own = both(monkeypatch, *board("half", position=False, degree=6))
    ratio = own.df[:SYSTEMS, :SYSTEMS] / exact.df[:SYSTEMS, :SYSTEMS]
    assert np.median(ratio) < 1
    assert ratio.max() < 1.5
    assert ratio.min() > 0.25


def test_gaps_at_their_own_systems():
    design, units, at = board("davidson", position=True, degree=6)
    inverse, cells = inverse_information(design, at, 0.0), per_vote(design, units, at.theta)
    whole = cells.rows @ inverse
    ends = own_gaps(design, inverse)
    row, a, b = np.arange(len(whole)), np.tile(design.a, 2), np.tile(design.b, 2)
    for found, wanted in (
        (ends.a, whole[row, a]),
        (ends.b, whole[row, b]),
        (ends.tie_a, (cells.tie_rows @ inverse)[row, a]),
        (ends.tie_b, (cells.tie_rows @ inverse)[row, b]),
    ):
        np.testing.assert_allclose(found, wanted)
    within = (whole * cells.rows.toarray()).sum(axis=1)
    cross, tie = ((rows @ inverse * cells.tie_rows.toarray()).sum(axis=1) for rows in (cells.rows, cells.tie_rows))
    trace = cells.curvature * within + 2 * cells.cross * cross + cells.tie * tie
    np.testing.assert_allclose(cells.trace(inverse), trace)
