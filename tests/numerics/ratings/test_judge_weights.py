from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import nnls
from tests.numerics.ratings.test_rectified import battles

from quorate.numerics.ratings.bradley_terry import Design
from quorate.numerics.ratings.rectified import judge_weights, nonnegative, people_alone
from quorate.numerics.ratings.ties import HALF


def test_weights_are_nonnegative_least_squares():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(5, 40, 3)), rng.normal(size=(5, 40))
    gram, target = np.einsum("gnk,gnl->gkl", x, x), np.einsum("gnk,gn->gk", x, y)
    found = nonnegative(gram, target, np.inf)
    np.testing.assert_allclose(found, [nnls(x[g], y[g])[0] for g in range(5)], atol=1e-9)
    assert (nonnegative(gram, target, 0.05).sum(axis=1) <= 0.05 + 1e-12).all()


def test_weights_have_no_unit_and_a_judge_that_never_varies_has_none():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    x[:, 1] = 0
    gram, target = (x.T @ x)[None], (x.T @ (y + x[:, 0] + x[:, 2]))[None]
    weights = nonnegative(gram, target, np.inf)
    assert (weights > 0).tolist() == [[True, False, True]]
    for unit in (1e-8, 1e8):
        np.testing.assert_allclose(nonnegative(unit * gram, unit * target, np.inf), weights, rtol=1e-9)


def test_battles_that_go_together_by_chance_move_weights_a_little_and_those_that_go_together_a_lot():
    rng = np.random.default_rng(5)
    prompt = np.repeat(np.arange(100), 4)
    taste, leaning = rng.normal(0, 2, 100)[prompt], rng.normal(0, 4, 100)[prompt]
    y, f = taste + rng.logistic(size=400) > 0, taste + leaning + rng.logistic(size=400) > 0
    order = rng.permutation(400)
    votes = battles(y[order], f[order], np.zeros(400, dtype=int), 150)
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    people = people_alone(design, votes).fit
    alone = judge_weights(design, votes, people)
    found = {}
    for name, code in (("by prompt", prompt[order]), ("by chance", rng.permutation(prompt))):
        found[name] = judge_weights(design, replace(votes, clusters=((code[:150], code[150:]),)), people)
    assert abs(found["by chance"].mean() - alone.mean()) < 0.1
    assert found["by prompt"].std() > 0
    assert (found["by prompt"] >= 0).all()


def test_a_row_has_no_part_in_its_own_weight():
    rng = np.random.default_rng(6)
    y, f = rng.random((2, 200)) < 0.6
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    votes = battles(y, f, np.zeros(200, dtype=int), 60)
    people = people_alone(design, votes).fit
    turned = battles(np.append(~y[:1], y[1:]), f, np.zeros(200, dtype=int), 60)
    first, other = (judge_weights(design, each, people) for each in (votes, turned))
    assert first[0] == other[0]
    assert (first[1:] != other[1:]).any()
