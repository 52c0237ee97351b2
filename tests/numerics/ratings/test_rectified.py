from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from quorate.numerics.prediction_powered import Sample, powered_mean, stratified_mean
from quorate.numerics.ratings.bradley_terry import Design, fit
from quorate.numerics.ratings.rectified import Battles, people_alone, rectified
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
    mean = (stratified_mean if stratified else powered_mean)(sample, tuning=tuning)
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
