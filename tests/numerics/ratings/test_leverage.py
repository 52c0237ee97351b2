from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings.bradley_terry import Design, fit, information, scores
from quorate.numerics.ratings.draws import Units, covariance
from quorate.numerics.ratings.leverage import leverage, variances, widened
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
