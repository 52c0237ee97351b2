import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.numerics.sequential.sides import Moments
from quorate.plan.adaptive.boundary import Boundary

ALPHA = 0.05


def found(n, mean, spread=0.05):
    n = np.broadcast_to(np.asarray(n, dtype=float), np.shape(mean))
    return Moments(n, np.asarray(mean, dtype=float), n * spread)


def told(boundary, moments):
    return boundary.told(moments, 1.0, 4.0, 1.0, ALPHA).tolist()


def test_a_side_or_near_enough():
    at = Boundary(3.0, 0.5)
    assert told(at, found(60, [0.2, 0.8, 0.51, 0.4])) == [True, True, False, False]
    assert told(at, found(2000, [0.51, 0.5, 0.62])) == [True, True, True]
    assert told(at, found(0, [0.5])) == [False]
    assert told(at, found(3, [0.0])) == [False]


def test_pairs_are_told_together():
    pairs = Boundary(0.0, 0.5, np.array([1, 0, 3, 2]))
    assert told(pairs, found(60, [0.2, 0.8, 0.51, 0.49])) == [True, True, False, False]
    assert told(pairs, found([200, 0, 2000, 2000], [0.2, 0.5, 0.51, 0.49])) == [False, False, True, True]


def test_the_words():
    assert Boundary(7.0, 0.5).words == "on which side of 7 each is, give or take 0.5"
    assert Boundary(0.0, 0.5, np.array([1, 0])).words == "which of two is better, give or take 0.5"


def policy_of(**changes):
    options = {"objective": "boundary", "tolerance": 0.5, "decide": True, "delta": 0.3, "scale": range(1, 6)}
    return q.adaptive(**{"budget": 5000, **options, **changes})


def answered(policy, share, rng, batch=16):
    progress = policy.start()
    while not policy.done(progress):
        cells = policy.next_cells(progress, batch)
        rows = progress.roster.find(cells.levels, cells.codes)
        progress = progress.answered(cells, 1.0 + rng.binomial(4, share[rows]))
    return progress


def test_arms_far_from_the_threshold_are_left_alone():
    share = np.array([0.05, 0.95, 0.45, 0.05])
    policy = policy_of(arms=range(4), at=3)
    progress = answered(policy, share, np.random.default_rng(1))
    assert policy.reached(progress)
    assert policy.pulls(progress)[2] > 5 * policy.pulls(progress)[0]
    assert policy.sentence(progress).startswith("you asked on which side of 3 each is, give or take 0.5; reached after")


def test_what_is_not_decided_is_counted():
    policy = policy_of(arms=range(4), at=3, budget=60)
    progress = answered(policy, np.full(4, 0.5), np.random.default_rng(1))
    assert not policy.reached(progress)
    assert not policy.enough(progress).any()
    assert policy.sentence(progress, spent="7 of 9 calls", done=False).endswith(
        "not yet reached after 7 of 9 calls: 4 of 4 are not known"
    )
    assert "not reached after 60 of 60 calls: 4 of 4 are not known" in policy.sentence(progress)


def test_a_pair_with_one_that_fails_is_out():
    policy = policy_of(arms={"item": ["x", "y"], "system": ["a", "b"]}, between="system")
    assert (policy.precision.together, policy.precision.sides) == (4, 2)  # four intervals, two pairs
    rng, progress = np.random.default_rng(1), policy.start()
    while not policy.done(progress):
        cells = policy.next_cells(progress, 8)
        rows = progress.roster.find(cells.levels, cells.codes)
        score = np.where(rows % 2 == 0, 1.0, 5.0) + 0 * rng.random(len(rows))
        progress = progress.answered(cells, np.where(rows == 0, np.nan, score))
    assert policy.reached(progress)
    assert policy.given_up(progress) == ("x, a",)
    assert progress.n[1] < 20


def test_a_side_is_for_a_boundary_and_for_all_looks():
    with pytest.raises(InvalidInput, match='decide: "boundary" is the objective with sides'):
        q.adaptive(arms="ab", budget=500, scale=range(5), decide=True)
    with pytest.raises(InvalidInput, match='interval must be "anytime", got "t"'):
        policy_of(arms=["a", "b"], at=3, interval="t")
    with pytest.raises(InvalidInput, match="give one of them"):
        policy_of(arms=["a", "b"], at=3, target=1.0)
