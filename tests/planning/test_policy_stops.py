from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from policies import answered, deciding

import quorate as q
from quorate.errors import InvalidInput
from quorate.numerics.sequential.confidence_sequence import Moments, half_width
from quorate.planning.arms import Scale, Standing
from quorate.planning.policy import Boundary, Precision, sentence

SCALE = Scale(1, 5, 1)


def standing_of(n, variance, lost=None):
    n = np.array(n)
    return Standing(
        n=n,
        asked=n[:, None],
        failed=np.zeros(len(n), dtype=int),
        mean=np.full(np.shape(variance), 3.0),
        variance=np.array(variance, dtype=float),
        lost=np.zeros(len(n), dtype=bool) if lost is None else np.array(lost),
    )


def test_half_widths_are_those_of_the_intervals():
    now = standing_of([10, 40], [[1.0], [0.5]])
    found = Precision(0.3, 0.9, "t", (SCALE,), (1.0,), together=2).half_widths(now)
    wanted = half_width([10, 40], 3.0, [10, 20], level=0.9, method="t", low=1, high=5, step=1, arms=2)
    np.testing.assert_array_equal(found[:, 0], wanted)


def test_reached_when_the_last_arm_is_known():
    precision = Precision(0.5, 0.95, "t", (SCALE,), (1.0,))
    assert precision.known(standing_of([100, 5], [[1.0], [1.0]])).tolist() == [True, False]
    assert not precision.reached(standing_of([100, 5], [[1.0], [1.0]]))
    assert precision.reached(standing_of([100, 90], [[1.0], [1.0]]))
    assert precision.reached(standing_of([100, 0], [[1.0], [0.0]], lost=[False, True]))
    assert not precision.reached(standing_of([0], [[0.0]], lost=[True]))
    assert not Precision(None, 0.95, "t", (SCALE,), (1.0,)).reached(standing_of([100], [[0.0]]))


def test_a_few_equal_scores_are_no_certainty():
    now = standing_of([30, 30], [[0.0], [0.01]])
    assert Precision(0.5, 0.95, "t", (Scale(1, 5),), (1.0,)).known(now).tolist() == [False, True]
    assert Precision(0.5, 0.95, "t", (SCALE,), (1.0,)).known(now).tolist() == [True, True]
    assert Precision(0.5, 0.95, "t", (SCALE,), (1.0,), least=31).known(now).tolist() == [False, False]


def test_equal_scores_without_a_step_have_the_whole_scale_for_an_interval():
    now = standing_of([30, 30], [[0.0], [0.01]])
    assert Precision(0.5, 0.95, "t", (Scale(1, 5),), (1.0,)).half_widths(now)[0] == 4
    assert Precision(0.5, 0.95, "t", (Scale(),), (1.0,)).wider(now) == (1, np.inf)


@pytest.mark.parametrize("method", ["anytime", "bernstein"])
def test_equal_scores_have_the_interval_of_a_law_that_holds_for_any_scores(method):
    """These bounds need no normal scores: they know what equal scores say, on a scale without steps as well."""
    now = standing_of([3000], [[0.0]])
    precision = Precision(0.5, 0.95, method, (Scale(1, 5),), (1.0,))
    assert precision.half_widths(now).item() == half_width(3000, 3.0, 0.0, method=method, low=1, high=5)
    assert precision.reached(now)


def test_the_step_of_a_pull_is_that_of_its_mean():
    now = standing_of([30], [[0.0]])
    found = Precision(0.5, 0.95, "t", (SCALE,), (1.0,), parts=4).half_widths(now).item()
    assert found == half_width(30, 3, 0, method="t", low=1, high=5, step=0.25)


def test_bounds_are_those_of_the_scales():
    assert Precision(None, 0.95, "t", (SCALE, Scale(0, 1)), (1.0, 1.0)).bounds == ((1, 5), (0, 1))
    assert Precision(None, 0.95, "t", (Scale(),), (1.0,)).bounds == ()


def test_every_attribute_counts_in_its_unit():
    now = standing_of([100], [[1.0, 1.0]])
    width = Precision(1.0, 0.95, "t", (SCALE, SCALE), (1.0, 1.0)).half_widths(now).max()
    assert Precision(width * 1.01, 0.95, "t", (SCALE, SCALE), (1.0, 1.0)).reached(now)
    assert not Precision(width * 1.01, 0.95, "t", (SCALE, SCALE), (1.0, 0.5)).reached(now)


def test_what_a_precision_needs():
    with pytest.raises(InvalidInput, match="target: must be above 0"):
        Precision(-0.1, 0.95, "t", (SCALE,), (1.0,))
    with pytest.raises(InvalidInput, match='method="anytime" needs the least and the greatest'):
        Precision(0.3, 0.95, "anytime", (Scale(),), (1.0,))
    with pytest.raises(InvalidInput, match="level: must lie between 0 and 1"):
        Precision(0.3, 95, "t", (SCALE,), (1.0,))


def test_the_sentence_names_a_few_of_those_given_up():
    now = standing_of([9] * 5, [[1.0]] * 5, lost=[True] * 4 + [False])
    precision = Precision(None, 0.95, "t", (SCALE,), (1.0,))
    said = sentence(precision, now, "9 of 10 calls", list("abcde"), done=True, reached=False)
    assert said == (
        "9 of 10 calls made, 0 of them failed; given up, as their calls failed again and again: arms a, b, c and 1 more"
    )


def test_the_sentence_names_arms_that_the_budget_left_without_an_answer():
    now = standing_of([9, 0], [[1.0], [0.0]])
    precision = Precision(None, 0.95, "t", (SCALE,), (1.0,))
    said = sentence(precision, now, "10 of 10 calls", ["a", "b"], done=True, reached=False)
    assert said.endswith("; the budget ended before any answer for: arm b")
    assert "any answer" not in sentence(precision, now, "9 of 10 calls", ["a", "b"], done=False, reached=False)


@pytest.mark.calibration
@pytest.mark.parametrize(("method", "most"), [("anytime", 0.05), ("t", 0.05), ("asymptotic", 0.05)])
def test_intervals_of_cycles_hold_where_the_policy_stopped(method, most):
    """Binomial scores of 3 judges per item, stopped when each item's panel mean is known to 0.4; 600 intervals."""
    miss, items, judges = [], 8, 3
    for seed in range(75):
        rng = np.random.default_rng(seed)
        share = rng.uniform(0.1, 0.9, items * judges)
        draws = 1.0 + rng.binomial(4, share[:, None], (items * judges, 1500))
        policy = q.scores.adaptive(
            arms={"item": range(items), "judge": range(judges)},
            cycle="judge",
            budget=20_000,
            scale=range(1, 6),
            delta=0.3,
            target=0.4,
            interval=method,
            together=False,
            seed=seed,
        )
        progress = policy.start()
        while not policy.done(progress):
            cells = policy.next_cells(progress, 24)
            rows = progress.roster.find(cells.levels, cells.codes)
            progress = progress.answered(cells, draws[rows, cells.replicate - 1])
        assert policy.reached(progress)
        truth = (1 + 4 * share).reshape(items, judges).mean(axis=1)
        miss.append(np.abs(policy.means(progress) - truth) > policy.half_widths(progress))
    assert np.mean(miss) <= most


ALPHA = 0.05


def found(n, mean, spread=0.05):
    n = np.broadcast_to(np.asarray(n, dtype=float), np.shape(mean))
    return Moments(n, np.asarray(mean, dtype=float), n * spread)


def told(boundary, moments):
    return boundary.told(moments, 1.0, 4.0, 1.0, ALPHA).tolist()


def test_a_side_or_near_enough():
    at = Boundary(3.0, 0.5)
    assert told(at, found(45, [0.2, 0.8, 0.51, 0.4])) == [True, True, False, False]
    assert told(at, found(2000, [0.51, 0.5, 0.62])) == [True, True, True]
    assert told(at, found(0, [0.5])) == [False]
    assert told(at, found(3, [0.0])) == [False]


def test_pairs_are_told_together():
    pairs = Boundary(0.0, 0.5, np.array([1, 0, 3, 2]))
    assert told(pairs, found(60, [0.2, 0.8, 0.51, 0.49])) == [True, True, False, False]
    assert told(pairs, found([200, 0, 2000, 2000], [0.2, 0.5, 0.51, 0.49])) == [False, False, True, True]


@pytest.mark.parametrize(("least", "known"), [(9, [True, True]), (10, [False, False])])
def test_a_pair_is_known_once_both_of_it_have_their_warm_up(least, known):
    """9 answers at the other end of the scale would do; an arm alone among them is nothing that was asked about."""
    now = replace(standing_of([2000, 9], [[0.0], [0.0]]), mean=np.array([[1.0], [5.0]]))
    pair = Boundary(0.0, 0.5, np.array([1, 0]), decide=True)
    precision = Precision(None, 0.95, "anytime", (SCALE,), (1.0,), least=least, boundary=pair)
    assert precision.known(now).tolist() == known


def test_the_words():
    assert Boundary(7.0, 0.5).words == "on which side of 7 each is, give or take 0.5"
    assert Boundary(0.0, 0.5, np.array([1, 0])).words == "which of two is better, give or take 0.5"


def test_arms_far_from_the_threshold_are_left_alone():
    share = np.array([0.05, 0.95, 0.45, 0.05])
    policy = deciding(arms=range(4), at=3)
    progress = answered(policy, share, np.random.default_rng(1))
    assert policy.reached(progress)
    assert policy.pulls(progress)[2] > 5 * policy.pulls(progress)[0]
    assert policy.sentence(progress).startswith("you asked on which side of 3 each is, give or take 0.5; reached after")


def test_what_is_not_decided_is_counted():
    policy = deciding(arms=range(4), at=3, budget=60)
    progress = answered(policy, np.full(4, 0.5), np.random.default_rng(1))
    assert not policy.reached(progress)
    assert not policy.enough(progress).any()
    assert policy.sentence(progress, spent="7 of 9 calls", done=False).endswith(
        "not yet reached after 7 of 9 calls: 4 of 4 are not known"
    )
    assert "not reached after 60 of 60 calls: 4 of 4 are not known" in policy.sentence(progress)


def test_a_pair_with_one_that_fails_is_out():
    policy = deciding(arms={"item": ["x", "y"], "system": ["a", "b"]}, between="system")
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
        q.scores.adaptive(arms="ab", budget=500, scale=range(5), decide=True)
    with pytest.raises(InvalidInput, match='interval must be "anytime", got "t"'):
        deciding(arms=["a", "b"], at=3, interval="t")
    with pytest.raises(InvalidInput, match="give one of them"):
        deciding(arms=["a", "b"], at=3, target=1.0)
