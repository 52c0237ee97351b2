"""What pulls are for: prices, weights, the worst or the average, a boundary, a target."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies import OBJECTIVES, SCALE, WIDE, calls_to_target, drive, paired_systems, right

import quorate as q


def _allocations(price, budget):
    most = [int(budget // c) for c in price]
    for n in itertools.product(*(range(1, m + 1) for m in most)):
        if sum(k * c for k, c in zip(n, price, strict=True)) <= budget:
            yield np.array(n)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 4)), min_size=2, max_size=3), st.integers(0, 12))
def test_without_regard_to_prices_the_worst_case_is_least_for_the_money(arms, more):
    variance, price = np.array([v for v, _ in arms], float), [c for _, c in arms]
    budget = sum(price) + more
    policy = q.scores.adaptive(
        "robin",
        arms=range(len(arms)),
        budget=budget,
        variances=variance,
        prices={"item": dict(enumerate(price))},
    )
    n = drive(policy, np.ones((len(arms), 100)), batch=5).n
    assert (variance / n).max() <= min((variance / m).max() for m in _allocations(price, budget)) + 1e-12


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 4)), min_size=2, max_size=3), st.integers(0, 12))
def test_the_average_is_least_for_what_was_spent(arms, more):
    variance, price = np.array([v for v, _ in arms], float), [c for _, c in arms]
    prices = {"item": dict(enumerate(price))}
    policy = q.scores.adaptive(
        "robin",
        arms=range(len(arms)),
        budget=sum(price) + more,
        variances=variance,
        prices=prices,
        objective="average",
    )
    found = drive(policy, np.ones((len(arms), 100)))
    least = min((variance / m).sum() for m in _allocations(price, policy.spent(found)))
    assert (variance / found.n).sum() <= least + 1e-12


def test_weights_move_pulls():
    policy = q.scores.adaptive(
        "robin", arms=["a", "b"], budget=90, variances={"a": 1, "b": 1}, weights={"a": 1, "b": 2}
    )
    assert drive(policy, np.ones((2, 90))).n.tolist() == [30, 60]


def test_one_pull_serves_all_attributes_and_the_worst_of_them_decides():
    policy = q.scores.adaptive(arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE, attributes=["fluent", "true"])
    rng = np.random.default_rng(0)
    draws = np.full((2, 60, 2), 3.0)
    draws[1, :, 1] = rng.integers(1, 6, 60)
    found = drive(policy, draws)
    assert found.n.shape == (2, 2)
    assert found.calls.sum() == 60
    assert found.calls[1] > 40
    assert policy.means(found).shape == policy.half_widths(found).shape == (2, 2)
    apart = q.scores.adaptive(
        arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE, attributes={"fluent": 1.0, "true": 1000.0}
    )
    np.testing.assert_allclose(drive(apart, draws).calls, [30, 30], atol=1)


def test_for_the_average_attributes_add_up():
    """One arm varies in both attributes, the other more in one: 1 + 1 is more than 1.44, and 1 is less."""
    known = {"variances": [[1.0, 1.0], [1.44, 0.0]], "attributes": ["x", "y"]}
    pulls = {}
    for objective in ("worst", "average"):
        policy = q.scores.adaptive("robin", arms=["a", "b"], budget=100, objective=objective, **known)
        pulls[objective] = drive(policy, np.ones((2, 100, 2))).calls.tolist()
    assert pulls == {"worst": [41, 59], "average": [54, 46]}


@pytest.mark.slow
def test_focus_on_the_boundary_finds_the_better_system_more_often():
    drawn = [paired_systems(seed) for seed in range(3)]
    wrong = {name: np.mean([1 - right(name, draws, truth, 80 * 20) for truth, draws in drawn]) for name in OBJECTIVES}
    assert wrong["boundary"] < 0.5 * wrong["worst"] < wrong["uniform"]


def test_a_target_takes_fewer_calls_than_asking_every_arm_alike():
    assert calls_to_target("robin-hood", 0.5, 0) < 0.5 * calls_to_target("uniform", 0.5, 0)


def test_it_stops_at_the_target_and_says_so():
    draws = np.full((3, 2000), 3.0)
    draws[2] = np.random.default_rng(0).integers(2, 5, 2000)
    policy = q.scores.adaptive(arms=["a", "b", "c"], budget=2000, scale=SCALE, delta=WIDE, target=0.3)
    assert not policy.reached(policy.start())
    found = drive(policy, draws, batch=10)
    assert policy.reached(found)
    assert policy.half_widths(found).max() <= 0.3
    calls = int(found.calls.sum())
    assert calls < 1000
    assert policy.sentence(found) == f"you asked for 0.3; reached after {calls:,} of 2,000 calls"
    short = replace(policy, budget=100.0)
    ended = drive(short, draws, batch=10)
    assert not short.reached(ended)
    assert short.sentence(ended).startswith(
        "you asked for 0.3; not reached after 100 of 100 calls: 3 of 3 are not known"
    )
    assert "not yet reached after 0 of 100 calls" in short.sentence(short.start())


@pytest.mark.parametrize("score", [0.1, 0.5, 0.7])
def test_equal_scores_are_no_certainty_whatever_their_digits(score):
    policy = q.scores.adaptive(
        arms=["a", "b"],
        budget=60,
        bounds=(0, 1),
        floor=False,
        delta=WIDE,
        target=0.1,
        interval="t",
        together=False,
    )
    found = drive(policy, np.full((2, 60), score), batch=6)
    assert not policy.reached(found)
    assert found.n.tolist() == [30, 30]
    assert policy.half_widths(found).tolist() == [1, 1]
    assert policy.sentence(found).endswith("2 of 2 are not known as well, the widest 1")
