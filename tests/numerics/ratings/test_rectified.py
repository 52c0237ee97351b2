from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import csr_array

from quorate.numerics.prediction_powered import Sample, powered_mean
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.rectified import Battles, judge_weights, nonnegative, people_alone, rectified, summed_by
from quorate.numerics.ratings.ties import HALF

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "ppi.json").read_text(encoding="utf-8"))


def counted(won, cell, cells):
    """A vote each for the first or the second of a cell."""
    rows = np.arange(len(won))
    return csr_array((np.ones(len(won)), (rows, cell * 3 + 1 - won)), shape=(len(won), 3 * cells))


def battles(y, f, cell, n, strata=None):
    """Battles of which the first ``n`` are labelled."""
    cells, m, y, f = int(cell.max()) + 1, len(f) - n, np.asarray(y, dtype=int), np.asarray(f, dtype=int)
    of = (np.zeros(n, dtype=int), np.zeros(m, dtype=int)) if strata is None else (strata[:n], strata[n:])
    said = counted(f, cell, cells)
    clusters = ((np.arange(n), np.arange(n, n + m)),)
    return Battles(counted(y[:n], cell[:n], cells), (said[:n],), (said[n:],), np.ones(n), of, clusters)


@pytest.mark.parametrize("tuning", [None, 0.0, 1.0])
@pytest.mark.parametrize("stratified", [False, True])
def test_two_systems_have_the_prediction_powered_mean(tuning, stratified):
    rng = np.random.default_rng(1)
    n, m = 60, 300
    y = rng.random(n + m) < 0.6
    f = np.where(rng.random(n + m) < 0.85, y, True)
    strata = rng.integers(0, 2, n + m) if stratified else None
    votes = battles(y, f, np.zeros(n + m, dtype=int), n, strata)
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    alone = people_alone(design, votes)
    found = rectified(design, votes, alone.fit, tuning)
    own = None if strata is None else (strata[:n], strata[n:])
    sample = Sample(y[:n] * 1.0, f[:n] * 1.0, f[n:] * 1.0, np.arange(n), np.arange(n, n + m), strata=own)
    mean = powered_mean(sample, tuning=tuning)
    for one, value, se, df in (
        (alone, mean.labels_value, mean.labels_se, mean.labels_df),
        (found, mean.value, mean.se, mean.df),
    ):
        share = 1 / (1 + np.exp(one.fit.theta[1, 0] - one.fit.theta[0, 0]))
        variance = one.covariance[0, 0] + one.covariance[1, 1] - 2 * one.covariance[0, 1]
        assert share == pytest.approx(value, abs=1e-9)
        assert np.sqrt(variance) * share * (1 - share) == pytest.approx(se, rel=1e-8)
        if not stratified:  # by strata it counts those of each
            assert one.df[0, 1] == pytest.approx(df, rel=1e-8)
    if not stratified:
        assert found.weights[0, 0] == pytest.approx(mean.tuning, rel=1e-8)


def test_ratings_are_those_of_ppi_py():
    a, b, y, f = (np.array(REFERENCE[name]) for name in ("a", "b", "y", "f"))
    low, high = np.minimum(a, b), np.maximum(a, b)
    pairs, cell = np.unique(low * 4 + high, return_inverse=True)
    votes = battles(np.where(a < b, y, 1 - y), np.where(a < b, f, 1 - f), cell, REFERENCE["n"])
    design = Design(4, pairs // 4, pairs % 4, np.zeros(1), HALF)
    alone = people_alone(design, votes)
    for tuning, answer in REFERENCE["answers"].items():
        theta = rectified(design, votes, alone.fit, float(tuning)).fit.theta[:, 0]
        np.testing.assert_allclose(theta[:3] - theta[3], answer["theta"], atol=1e-8)  # both optimisers stop by 1e-9


def test_without_other_battles_or_weight_it_is_the_votes_of_people():
    rng = np.random.default_rng(3)
    pair = rng.integers(0, 3, 90)
    design = Design(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.zeros(1), HALF)
    y, f = rng.random((2, 90)) < 0.6
    for labelled, tuning in ((90, None), (60, 0.0)):
        votes = battles(y, f, pair, labelled)
        alone = people_alone(design, votes)
        counts = np.asarray(votes.people.sum(axis=0)).reshape(1, -1, 3, 1)
        np.testing.assert_allclose(alone.fit.theta, fit(design, counts).theta, atol=1e-9)
        found = rectified(design, votes, alone.fit, tuning)
        np.testing.assert_allclose(found.fit.theta, alone.fit.theta, atol=1e-9)
        np.testing.assert_allclose(found.covariance, alone.covariance, rtol=1e-7, atol=1e-12)


def test_clusters_that_all_say_the_same_leave_no_variance():
    """Of either system one vote in each of 20 clusters: nothing varies from one to the next, with 19 degrees."""
    y = np.tile([0, 1], 20)
    votes = replace(battles(y, y, np.zeros(40, dtype=int), 40), clusters=((np.arange(40) // 2, np.arange(0)),))
    alone = people_alone(Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF), votes)
    np.testing.assert_allclose(alone.covariance, 0.0, atol=1e-30)
    np.testing.assert_allclose(alone.df, 19)


def test_counts_without_a_maximum_have_no_ratings():
    design = Design(2, np.array([0]), np.array([1]), np.zeros(1), HALF)
    votes = battles([1, 1, 1, 0], [0, 0, 0, 0] + [1] * 20, np.zeros(24, dtype=int), 4)
    found = rectified(design, votes, people_alone(design, votes).fit, 1.0)
    assert not found.fit.converged[0]
    assert np.isnan(found.covariance).all()


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


def test_labelled_battles_stand_for_those_of_their_stratum_by_their_chances():
    own, others = np.array([0, 0, 1]), np.array([0, 0, 1, 1, 1, 1])
    share = np.array([1.0, 1.0, 1.0])
    alike = Battles(None, (), (), share, (own, others), ())
    assert [size.tolist() for size in alike.sizes] == [[2, 1], [2, 4]]
    assert alike.worth.tolist() == [2, 2, 5]
    assert alike.beyond.tolist() == [1, 1, 4]
    unlike = Battles(None, (), (), share, (own, others), (), chance=np.array([0.9, 0.3, 0.5]))
    np.testing.assert_allclose(unlike.worth, [1, 3, 5])
    assert summed_by(own, np.ones((3, 2)), 2).tolist() == [[2, 2], [1, 1]]
