"""Choices from sets of systems: likelihood, gradient and information against sums over all groups."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.ratings import plackett_luce
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.ties import HALF

SETS = ((0, 1, 2), (1, 3), (0, 1, 2, 3))


@pytest.fixture(scope="module")
def choices():
    """Groups of one and two of four systems."""
    rows, starts = [], []
    for members in SETS:
        starts.append(len(rows))
        for k in (1, 2):
            groups = combinations(members, k)
            rows += [[*((np.arange(4)[:, None] == group).any(axis=1) / k), float(k == 2)] for group in groups]
    a, b = np.triu_indices(4, 1)
    beaten = np.zeros((18, len(rows)))
    for g, row in enumerate(np.array(rows)):
        for p, (i, j) in enumerate(zip(a, b, strict=True)):
            outcome = 0 if row[i] > row[j] else 1 if row[j] > row[i] else 2
            if max(row[i], row[j]) > 0:
                beaten[3 * p + outcome, g] = 1
    pairs = Design(4, a, b, np.zeros(1), HALF)
    return Choices(4, csr_array(np.array(rows)), np.array(starts), pairs, csr_array(beaten))


def test_derivatives_are_those_of_the_log_likelihood(choices):
    rng = np.random.default_rng(3)
    counts, theta = rng.poisson(4, (*choices.shape, 1)).astype(float), rng.normal(size=(5, 1))
    value, gradient, information = choices.derivatives(counts, theta)
    weight = np.exp(choices.rows.toarray() @ theta[:, 0])
    ends = [*choices.starts, len(weight)]
    total = np.concatenate([np.full(j - i, weight[i:j].sum()) for i, j in pairwise(ends)])
    assert value[0] == pytest.approx(counts[:, 0] @ np.log(weight / total))
    step = 1e-5
    for i in range(5):
        up, down = (choices.derivatives(counts, theta + sign * step * np.eye(5)[:, [i]]) for sign in (1, -1))
        assert (up[0] - down[0]) / (2 * step) == pytest.approx(gradient[i], abs=1e-6)
        np.testing.assert_allclose((down[1] - up[1])[:, 0] / (2 * step), information[0][i], atol=1e-6)
    scores = choices.gradients(theta[:, 0])
    np.testing.assert_allclose(scores.T @ counts, gradient)
    both = csr_array(np.vstack([counts[:, 0], np.ones(len(counts))]))
    np.testing.assert_allclose(choices.gradients(theta[:, 0], both).toarray(), (both @ scores).toarray(), atol=1e-12)


def test_what_choices_tell_adds_up_to_the_information(choices):
    theta = np.array([[0.4], [0.1], [-0.2], [0.3], [-0.5]])
    counts = np.ones((*choices.shape, 1))
    made, information = np.add.reduceat(counts[:, 0], choices.starts), choices.derivatives(counts, theta)[2][0]
    told, x = choices.told(theta), np.eye(5)
    np.testing.assert_allclose(made @ told.along(x), np.diag(information))
    np.testing.assert_allclose(made @ told.trace(np.eye(5) + 0.1), np.trace(information @ (np.eye(5) + 0.1)))
    rows = told.roots(made)
    np.testing.assert_allclose(rows.T @ rows, information, atol=1e-12)
    some = told.some(np.array([0, 2]))
    np.testing.assert_allclose(some.along(x), told.along(x)[[0, 2]])
    np.testing.assert_allclose(some.trace(x), told.trace(x)[[0, 2]])


def test_the_information_of_many_groups_is_computed_sparsely_and_the_same(choices, monkeypatch):
    rng = np.random.default_rng(5)
    counts, theta = rng.poisson(4, (*choices.shape, 2)).astype(float), rng.normal(size=(5, 2))
    expected = choices.derivatives(counts, theta)[2]
    monkeypatch.setattr(plackett_luce, "_SMALL", 0)
    many = Choices(choices.systems, choices.rows, choices.starts, choices.pairs, choices.beaten)
    assert many.full is None
    np.testing.assert_allclose(many.derivatives(counts, theta)[2], expected, atol=1e-12)


def test_many_fits_are_those_one_by_one(choices):
    counts = np.random.default_rng(4).poisson(5, (*choices.shape, 3)).astype(float)
    assert exists(choices, counts).all()
    together = fit(choices, counts)
    for r in range(3):
        alone = fit(choices, counts[..., [r]])
        np.testing.assert_allclose(together.theta[:, [r]], alone.theta, atol=1e-8)
        np.testing.assert_allclose(choices.derivatives(counts[..., [r]], alone.theta)[1], 0, atol=1e-8)


def test_a_maximum_needs_ties_and_links(choices):
    counts = np.ones((*choices.shape, 2))
    counts[choices.rows[:, [4]].toarray()[:, 0] > 0, 0] = 0
    counts[:, 1] = 0
    counts[0, 1] = 5
    assert exists(choices, counts).tolist() == [False, False]
