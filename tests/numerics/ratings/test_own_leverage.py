"""Leverage by the systems of each vote, against that of every contrast."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings import leverage as module
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.draws import Units, covariance, inverse_information
from quorate.numerics.ratings.leverage import leverage, own_gaps, per_vote, variances, widened
from quorate.numerics.ratings.ties import tie_model

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
