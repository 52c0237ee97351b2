"""What pulls are for: prices, weights, the worst or the average, a boundary, a target."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quorate as q

SCALE = range(1, 6)
WIDE = 0.3
"""A delta that makes the warm-up 5 pulls: 4 log(1 / 0.3) = 4.8."""


def scores_of(arms, draws, seed, values=5):
    """Draws of arms with very unequal variances, many of them equal."""
    rng = np.random.default_rng(seed)
    middle, spread = rng.integers(1, values + 1, arms), rng.integers(0, values, arms)
    noise = rng.integers(0, 2, (arms, draws)) * rng.integers(0, 2, (arms, draws)) * spread[:, None]
    return np.clip(middle[:, None] + noise, 1, values).astype(float)


def drive(policy, draws, progress=None, *, batch=1, most=None, log=None):
    """Ask and answer until the policy is done, or ``most`` calls were made; every answer comes at once."""
    progress = policy.start() if progress is None else progress
    while len(cells := policy.next_cells(progress, batch)):
        rows = progress.roster.find(cells.levels, cells.codes)
        progress = progress.answered(cells, draws[rows, cells.replicate - 1])
        if log is not None:
            log.extend(zip(rows.tolist(), cells.replicate.tolist(), strict=True))
        if most is not None and progress.calls.sum() >= most:
            return progress
    assert policy.done(progress)
    return progress


def _allocations(price, budget):
    most = [int(budget // c) for c in price]
    for n in itertools.product(*(range(1, m + 1) for m in most)):
        if sum(k * c for k, c in zip(n, price, strict=True)) <= budget:
            yield np.array(n)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 4)), min_size=2, max_size=3), st.integers(0, 12))
@settings(max_examples=60)
def test_without_regard_to_prices_the_worst_case_is_least_for_the_money(arms, more):
    variance, price = np.array([v for v, _ in arms], float), [c for _, c in arms]
    budget = sum(price) + more
    policy = q.adaptive(
        "robin",
        arms=range(len(arms)),
        budget=budget,
        variances=variance,
        prices={"item": dict(enumerate(price))},
    )
    n = drive(policy, np.ones((len(arms), 100)), batch=5).n
    assert (variance / n).max() <= min((variance / m).max() for m in _allocations(price, budget)) + 1e-12


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 4)), min_size=2, max_size=3), st.integers(0, 12))
@settings(max_examples=60)
def test_the_average_is_least_for_what_was_spent(arms, more):
    variance, price = np.array([v for v, _ in arms], float), [c for _, c in arms]
    prices = {"item": dict(enumerate(price))}
    policy = q.adaptive(
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
    policy = q.adaptive("robin", arms=["a", "b"], budget=90, variances={"a": 1, "b": 1}, weights={"a": 1, "b": 2})
    assert drive(policy, np.ones((2, 90))).n.tolist() == [30, 60]


def test_one_pull_serves_all_attributes_and_the_worst_of_them_decides():
    policy = q.adaptive(arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE, attributes=["fluent", "true"])
    rng = np.random.default_rng(0)
    draws = np.full((2, 60, 2), 3.0)
    draws[1, :, 1] = rng.integers(1, 6, 60)
    found = drive(policy, draws)
    assert found.n.shape == (2, 2)
    assert found.calls.sum() == 60
    assert found.calls[1] > 40
    assert policy.means(found).shape == policy.half_widths(found).shape == (2, 2)
    apart = q.adaptive(arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE, attributes={"fluent": 1.0, "true": 1000.0})
    np.testing.assert_allclose(drive(apart, draws).calls, [30, 30], atol=1)


def test_for_the_average_attributes_add_up():
    """One arm varies in both attributes, the other more in one: 1 + 1 is more than 1.44, and 1 is less."""
    known = {"variances": [[1.0, 1.0], [1.44, 0.0]], "attributes": ["x", "y"]}
    pulls = {}
    for objective in ("worst", "average"):
        policy = q.adaptive("robin", arms=["a", "b"], budget=100, objective=objective, **known)
        pulls[objective] = drive(policy, np.ones((2, 100, 2))).calls.tolist()
    assert pulls == {"worst": [41, 59], "average": [54, 46]}


def _right(objective, draws, truth, budget):
    """Share of the items in which the better of two systems is found."""
    arms = {"item": range(len(truth)), "system": ["a", "b"]}
    aim = {"between": "system", "tolerance": 0.25} if objective == "boundary" else {}
    name = "uniform" if objective == "uniform" else "robin-hood"
    rest = {} if name == "uniform" else {"objective": objective}
    policy = q.adaptive(name, arms=arms, budget=budget, scale=SCALE, delta=WIDE, **aim, **rest)
    mean = drive(policy, draws, batch=20).mean.reshape(-1, 2)
    return float((np.sign(mean[:, 0] - mean[:, 1]) == np.sign(truth)).mean())


def test_focus_on_the_boundary_finds_the_better_system_more_often():
    """docs/methods/adaptive-live.md has the numbers."""
    right = {"uniform": [], "worst": [], "boundary": []}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.choice([-2, -1, -0.3, 0.3, 1, 2], 40)
        centre = np.stack([3 + truth / 2, 3 - truth / 2], axis=1).ravel()
        draws = np.clip(np.rint(rng.normal(centre[:, None], 1.0, (80, 800))), 1, 5)
        for objective, found in right.items():
            found.append(_right(objective, draws, truth, 80 * 20))
    wrong = {name: 1 - np.mean(found) for name, found in right.items()}
    assert wrong == pytest.approx({"uniform": 0.065, "worst": 0.0525, "boundary": 0.015}, abs=1e-9)


def test_a_target_takes_fewer_calls_than_asking_every_arm_alike():
    """docs/methods/adaptive-live.md has the numbers."""
    calls = {}
    for name, target in itertools.product(("uniform", "robin-hood"), (0.5, 0.3)):
        total = 0
        for seed in range(5):
            policy = q.adaptive(
                name,
                arms=range(30),
                budget=60_000,
                scale=SCALE,
                target=target,
                together=False,
                delta=WIDE,
                seed=seed,
            )
            found = drive(policy, scores_of(30, 4000, seed), batch=30)
            assert policy.reached(found)
            total += int(found.calls.sum())
        calls[name, target] = total // 5
    assert calls == {
        ("uniform", 0.5): 4962,
        ("robin-hood", 0.5): 1974,
        ("uniform", 0.3): 13_362,
        ("robin-hood", 0.3): 4122,
    }


def test_it_stops_at_the_target_and_says_so():
    draws = np.full((3, 2000), 3.0)
    draws[2] = np.random.default_rng(0).integers(2, 5, 2000)
    policy = q.adaptive(arms=["a", "b", "c"], budget=2000, scale=SCALE, delta=WIDE, target=0.3)
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
    policy = q.adaptive(
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
