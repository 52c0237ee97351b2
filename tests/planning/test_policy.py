from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies import OBJECTIVES, SCALE, WIDE, calls_to_target, drive, moved_by_batches, paired_systems, right, scores_of

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.numerics.sequential.bandit import packed
from quorate.numerics.sequential.replay import Paths, replay
from quorate.planning.policy import best


def one_by_one(draws, budget, rank, *, lam, warmup, step, objective="worst", at=0.0, tolerance=0.0, price=None):
    """The rule of the paper in plain Python, on whole numbers: counts of pulls."""
    arms = len(draws)
    n, total, squares = [0] * arms, [0] * arms, [0] * arms
    price = [1] * arms if price is None else price
    while True:
        if min(n) < warmup:
            arm = min(range(arms), key=lambda i: (n[i], rank[i]))
        else:
            keys = []
            for i in range(arms):
                share = n[i] - math.sqrt(4 * lam * n[i])
                variance = (n[i] * squares[i] - total[i] ** 2) / n[i] ** 2
                if step is not None:
                    variance = max(variance, step**2 * (n[i] + 1) / (n[i] + 2) ** 2)
                if objective == "average":
                    variance /= (n[i] + 1) * price[i]
                if objective == "boundary":
                    variance = variance / (abs(total[i] / n[i] - at) + tolerance) ** 2 if variance else 0.0
                keys.append(math.inf if share <= 0 else variance / share)
            arm = min(range(arms), key=lambda i: (-keys[i], n[i] if keys[i] in (0, math.inf) else 0, rank[i]))
        if sum(k * c for k, c in zip(n, price, strict=True)) + price[arm] > budget:
            return n
        score = int(draws[arm, n[arm]])
        n[arm], total[arm], squares[arm] = n[arm] + 1, total[arm] + score, squares[arm] + score**2


@given(
    arms=st.integers(1, 9),
    more=st.integers(1, 60),
    seed=st.integers(0, 10_000),
    floor=st.booleans(),
    objective=st.sampled_from(["worst", "average", "boundary"]),
    steady=st.integers(0, 9),
)
@pytest.mark.slow
def test_one_at_a_time_is_the_sequential_rule(arms, more, seed, floor, objective, steady):
    budget = 5 * arms + more
    draws = scores_of(arms, budget, seed)
    draws[:steady, :7] = 3
    aim = {"at": 3.0, "tolerance": 0.5} if objective == "boundary" else {}
    policy = q.scores.adaptive(
        arms=range(arms), budget=budget, scale=SCALE, floor=floor, delta=WIDE, objective=objective, seed=seed, **aim
    )
    step = 1.0 if floor else None
    wanted = one_by_one(
        draws, budget, policy.rank.tolist(), lam=math.log(1 / WIDE), warmup=5, step=step, objective=objective, **aim
    )
    found = drive(policy, draws)
    assert found.n.tolist() == wanted
    assert found.calls.sum() == budget
    assert found.n.min() >= 5


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_live_pulls_are_those_of_a_replay_of_the_same_draws(seed):
    rng = np.random.default_rng(seed)
    pools = packed(scores_of(12, 20, seed).ravel(), [20] * 12)
    paths = Paths(pools, 500, rng, np.random.default_rng(seed + 100))
    policy = q.scores.adaptive(arms=range(12), budget=400, scale=SCALE, delta=WIDE)
    policy = replace(policy, rank=np.arange(12))
    draws = np.rint(np.diff(paths.first.sums, axis=1, prepend=0) + paths.origin[:, None])
    budgets = [70, 150, 400]
    wanted = replay(paths, policy.rules[0], policy.warmup, budgets)
    for budget, n in zip(budgets, wanted, strict=True):
        np.testing.assert_array_equal(drive(replace(policy, budget=float(budget)), draws).n, n)


@pytest.mark.wide(1)
@pytest.mark.parametrize(("seed", "steady"), [(0, 2), (1, 5)])
def test_live_pulls_are_those_of_a_replay_where_priorities_are_0(seed, steady):
    """Without a floor, arms whose first answers are all equal; some of them change their mind later."""
    rng = np.random.default_rng(seed)
    values = np.full((5, 12), 3.0)
    values[:steady, 0] = 4.0
    pools = packed(values.ravel(), [12] * 5)
    paths = Paths(pools, 300, rng, np.random.default_rng(seed + 100))
    policy = q.scores.adaptive(arms=range(5), budget=250, floor=False, delta=WIDE)
    policy = replace(policy, rank=np.arange(5))
    draws = np.rint(np.diff(paths.first.sums, axis=1, prepend=0) + paths.origin[:, None])
    budgets = [*range(25, 60), 100, 250]
    wanted = replay(paths, policy.rules[0], policy.warmup, budgets)
    pulls = []
    np.testing.assert_array_equal(drive(policy, draws, log=pulls).n, wanted[-1])
    for budget, n in zip(budgets, wanted, strict=True):  # what a smaller budget buys is where the largest begins
        np.testing.assert_array_equal(np.bincount([arm for arm, _ in pulls[:budget]], minlength=5), n)
    np.testing.assert_array_equal(drive(replace(policy, budget=40.0), draws).n, wanted[budgets.index(40)])


def test_arms_of_no_variance_take_turns():
    policy = q.scores.adaptive("robin", arms=["a", "b", "c"], budget=60, variances=[0, 0, 0])
    for batch in (1, 7):
        assert drive(policy, np.ones((3, 60)), batch=batch).n.tolist() == [20, 20, 20]
    policy = q.scores.adaptive(arms=["a", "b", "c"], budget=60, floor=False, delta=WIDE)
    assert drive(policy, np.full((3, 60), 0.1), batch=3).n.tolist() == [20, 20, 20]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "batch"), [("uniform", 7), ("robin", 7), ("robin", 400)])
def test_where_answers_decide_nothing_a_batch_changes_nothing(name, batch):
    variances = np.random.default_rng(1).uniform(0.01, 3, 12)
    known = {"variances": variances} if name == "robin" else {}
    policy = q.scores.adaptive(name, arms=range(12), budget=400, seed=3, **known)
    n = drive(policy, scores_of(12, 400, 1), batch=batch).n
    if name == "uniform":
        assert sorted(n.tolist()) == [33] * 8 + [34] * 4
        assert (n[policy.rank < 4] == 34).all()
    else:
        assert n.tolist() == drive(policy, scores_of(12, 400, 1)).n.tolist()
    assert n.sum() == 400


@pytest.mark.slow
def test_a_batch_differs_little_from_one_by_one():
    """docs/methods/adaptive.md says why the batch is no strict bound."""
    assert moved_by_batches(0, [16])[0] <= 4


def test_calls_under_way_count_as_made():
    """With everything in flight the next batch is the continuation, as if the answers changed nothing."""
    draws = scores_of(20, 600, 2)
    policy = q.scores.adaptive(arms=range(20), budget=600, scale=SCALE, delta=WIDE)
    now = drive(policy, draws, most=200)
    both = policy.next_cells(now, 50)
    first = policy.next_cells(now, 20)
    second = policy.next_cells(now.asked(first), 30)
    np.testing.assert_array_equal(both.codes, np.concatenate([first.codes, second.codes]))
    np.testing.assert_array_equal(both.replicate, np.concatenate([first.replicate, second.replicate]))


def test_a_warm_up_under_way_is_waited_for():
    policy = q.scores.adaptive(arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE)
    cells = policy.next_cells(policy.start(), 60)
    assert len(cells) == 10
    sent = policy.start().asked(cells)
    assert len(policy.next_cells(sent, 5)) == 0
    assert not policy.done(sent)


@pytest.mark.wide(1)
@pytest.mark.parametrize(("batch", "stop"), [(8, 90), pytest.param(1, 3, marks=pytest.mark.slow), (1, 200)])
def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(batch, stop, tmp_path):
    draws = scores_of(15, 500, 5) / 3
    draws[::4, 1::3] = np.nan
    policy = q.scores.adaptive(
        arms=[f"item {i}" for i in range(15)], budget=300, scale=[i / 3 for i in SCALE], delta=WIDE, seed=4
    )
    whole, part = [], []
    drive(policy, draws, batch=batch, log=whole)
    drive(policy, draws, batch=batch, most=stop, log=part)
    rows = {
        "item": [f"item {row}" for row, _ in part],
        "rep": [k for _, k in part],
        "score": [draws[row, k - 1] for row, k in part],
    }
    frame = pl.DataFrame(rows).fill_nan(None).sample(fraction=1, shuffle=True, seed=1)
    frame.write_csv(tmp_path / "log.csv")
    table = q.read(tmp_path / "log.csv", facets={"item": "item", "replicate": "rep"})
    drive(policy, draws, policy.resume(table), batch=batch, log=part)
    assert part == whole


@pytest.mark.parametrize("attributes", [(), ("fluent", "true")])
def test_what_is_resumed_remembers_failures_in_a_row(attributes):
    policy = q.scores.adaptive("uniform", arms=["a", "b", "c"], budget=90, attributes=attributes)
    scores = {"a": [4, None, 3, None, None, None, None, None], "b": [None] * 3 + [2, 4], "c": [5, None, 4, None]}
    rows = [(name, k, score) for name, own in scores.items() for k, score in enumerate(own, 1)]
    wide = [(*row[:2], aspect, row[2] if aspect != "fluent" else 1) for row in rows for aspect in attributes]
    frame = pl.DataFrame(
        wide or rows, schema=["item", "rep", *(["aspect"] if attributes else []), "score"], orient="row"
    )
    names = {"item": "item", "replicate": "rep"} | ({"aspect": "aspect"} if attributes else {})
    table = q.read(frame.sample(fraction=1, shuffle=True, seed=1), facets=names, announce=False)
    found = policy.resume(table, attribute="aspect" if attributes else None)
    assert found.failed.tolist() == [6, 3, 2]
    assert found.in_a_row.tolist() == [5, 0, 1]
    assert policy.given_up(found) == ("a",)


@pytest.mark.wide(3)
@pytest.mark.parametrize("cycle", [None, "judge"])
@pytest.mark.parametrize("seed", range(5))
def test_no_replicate_is_asked_twice_though_answers_come_in_any_order_and_some_are_lost(cycle, seed):
    rng = np.random.default_rng(seed)
    arms = {"item": ["a", "b", "c"], "judge": ["x", "y"]}
    policy = q.scores.adaptive(arms=arms, budget=120, scale=SCALE, delta=WIDE, cycle=cycle, seed=seed)
    log, seen, progress = [], set(), policy.start()
    for _ in range(12):
        cells = policy.next_cells(progress, 9)
        items, judges, replicates = (cells.column(name).tolist() for name in cells.columns)
        calls = list(zip(items, judges, replicates, strict=True))
        assert not seen.intersection(calls)
        assert len(set(calls)) == len(calls)
        seen.update(calls)
        came = cells.keep(rng.permutation(len(cells)) < 6)
        scores = rng.integers(1, 6, len(came)).astype(float)
        rows = [came.column(name).tolist() for name in cells.columns]
        log.extend(zip(*rows, scores.tolist(), strict=True))
        progress = progress.asked(cells).answered(came, scores)
        progress = replace(progress, pending=np.zeros_like(progress.pending))
    frame = pl.DataFrame(log, schema=["item", "judge", "rep", "score"], orient="row")
    table = q.read(frame, facets={"item": "item", "judge": "judge", "replicate": "rep"})
    more = policy.next_cells(policy.resume(table), 9)
    known = {(item, judge, k) for item, judge, k, _ in log}
    assert not known.intersection(zip(*(more.column(name).tolist() for name in more.columns), strict=True))
    again = pl.concat([frame, frame[:1]])
    table = q.read(again, facets={"item": "item", "judge": "judge", "replicate": "rep"})
    with pytest.raises(InvalidData, match="two rows of one replicate"):
        policy.resume(table)


def test_replicates_of_a_cycle_with_a_gap_are_those_of_each_judge():
    """The first judge has three answers, one of them lost; the second has one, and is asked for what it lacks."""
    arms = {"item": ["a"], "judge": ["x", "y"]}
    policy = q.scores.adaptive("uniform", arms=arms, budget=20, cycle="judge")
    start = policy.start()
    progress = start.answered(start.roster.cells(np.array([0, 0, 0, 1]), np.array([1, 2, 4, 1])), [1, 2, 3, 4])
    cells = policy.next_cells(progress, 5)
    assert list(zip(cells.column("judge"), cells.replicate.tolist(), strict=True)) == [
        ("y", 2),
        ("y", 3),
        ("x", 5),
        ("y", 4),
    ]


def test_failures_cost_and_are_no_score_and_replicates_go_on():
    draws = np.full((2, 50), 4.0)
    draws[0, ::2] = np.nan
    policy = q.scores.adaptive("uniform", arms=["a", "b"], budget=30)
    log = []
    found = drive(policy, draws, log=log)
    assert found.calls.sum() == 30
    assert found.failed.tolist() == [8, 0]  # calls are shared, those that failed among them
    assert found.mean.tolist() == [4, 4]
    assert [k for row, k in log if row == 0] == list(range(1, 16))
    assert policy.sentence(found) == "30 of 30 calls made, 8 of them failed"


@pytest.mark.slow
def test_an_arm_that_only_fails_is_given_up_and_named():
    draws = scores_of(4, 300, 1)
    draws[2] = np.nan
    policy = q.scores.adaptive(arms=["a", "b", "c", "d"], budget=200, scale=SCALE, delta=WIDE)
    found = drive(policy, draws)
    assert found.failed.tolist() == [0, 0, 5, 0]
    assert policy.given_up(found) == ("c",)
    assert found.calls.sum() == 200
    assert policy.sentence(found).endswith("; given up, as their calls failed again and again: arm c")
    draws[:] = np.nan
    nothing = drive(policy, draws)
    assert nothing.failed.tolist() == [5, 5, 5, 5]
    assert policy.reached(nothing) is False


@pytest.mark.slow
def test_an_arm_that_mostly_fails_does_not_take_the_budget():
    draws = scores_of(4, 400, 1)
    draws[2, 2:] = np.nan
    policy = q.scores.adaptive(arms=["a", "b", "c", "d"], budget=200, scale=SCALE, delta=WIDE, give_up=3)
    assert drive(policy, draws).failed.tolist() == [0, 0, 3, 0]


@pytest.mark.parametrize("batch", [pytest.param(1, marks=pytest.mark.slow), 16])
def test_an_arm_that_begins_to_fail_takes_no_more_than_a_fiftieth_of_the_budget(batch):
    """The most uncertain one of ten, answered 250 times before: all that is left went to it."""
    rng = np.random.default_rng(0)
    draws = np.clip(np.round(5 + rng.normal(0, 0.5, (10, 2500))), 1, 10)
    draws[0] = np.clip(np.round(5 + rng.normal(0, 3, 2500)), 1, 10)
    draws[0, 250:] = np.nan
    policy = q.scores.adaptive(arms=range(10), budget=2000, scale=range(1, 11), delta=0.3)
    found = drive(policy, draws, batch=batch)
    assert found.calls.sum() == 2000
    assert 5 <= found.failed[0] <= 40
    assert policy.given_up(found) == ("0",)
    assert policy.sentence(found).endswith("; given up, as their calls failed again and again: arm 0")


def test_what_was_not_recorded_is_not_asked():
    policy = q.scores.adaptive(arms=["a", "b", "c"], budget=200, scale=SCALE, delta=WIDE)
    policy = replace(policy, most=np.array([7, 0, 50]))
    found = drive(policy, scores_of(3, 300, 1), batch=8)
    assert found.calls.tolist() == [7, 0, 50]


@pytest.mark.slow
def test_the_same_seed_the_same_calls():
    draws = scores_of(9, 300, 3)
    logs = []
    for seed in (1, 1, 2):
        logs.append([])
        policy = q.scores.adaptive(arms=range(9), budget=100, scale=SCALE, delta=WIDE, seed=seed)
        drive(policy, draws, log=logs[-1])
    assert logs[0] == logs[1]
    assert logs[0] != logs[2]


def test_a_cycle_asks_every_judge_once_and_finishes_what_failed():
    arms = {"item": ["a", "b", "c"], "judge": ["x", "y"]}
    policy = q.scores.adaptive(arms=arms, budget=80, scale=SCALE, delta=WIDE, cycle="judge")
    draws = scores_of(6, 200, 8)
    draws[1, 0:2] = np.nan
    cells = policy.next_cells(policy.start(), 1)
    assert sorted(cells.column("judge")) == ["x", "y"]
    found = drive(policy, draws, batch=2)
    pairs = found.n.reshape(3, 2)
    assert (pairs[:, 0] == pairs[:, 1]).all()
    assert found.failed.tolist() == [0, 2, 0, 0, 0, 0]
    assert found.calls.sum() in (79, 80)
    np.testing.assert_array_equal(policy.pulls(found), pairs[:, 0])
    np.testing.assert_allclose(policy.means(found), found.mean.reshape(3, 2).mean(axis=1))


def test_a_cycle_costs_the_prices_of_its_judges():
    arms = {"item": ["a", "b"], "judge": ["x", "y"]}
    prices = {"judge": {"x": 0.25, "y": 0.5}}
    policy = q.scores.adaptive("uniform", arms=arms, budget=3.1, prices=prices, cycle="judge")
    found = drive(policy, np.ones((4, 20)))
    assert policy.pulls(found).tolist() == [2, 2]
    assert policy.spent(found) == 3.0
    assert policy.sentence(found) == "3.00 of 3.10 spent on 8 calls made, 0 of them failed"


def test_scores_beyond_the_scale_do_not_get_in():
    policy = q.scores.adaptive(arms=["a", "b"], budget=60, scale=SCALE, delta=WIDE, target=0.5)
    cells = policy.next_cells(policy.start(), 2)
    with pytest.raises(InvalidData, match=r'6 for "[ab]" is not from 1 to 5, the scale of the policy; give None'):
        policy.start().answered(cells, [3, 6])
    table = q.read(pl.DataFrame({"item": ["a", "b"], "score": [0, 3]}), facets={"item": "item"})
    with pytest.raises(InvalidData, match='0 for "a" is not from 1 to 5'):
        policy.resume(table)
    with pytest.raises(InvalidInput, match="its scores were not checked against the scale"):
        policy.next_cells(q.Progress.start(["a", "b"]))


def test_more_spent_than_the_budget_is_done():
    policy = q.scores.adaptive("uniform", arms=["a", "b"], budget=10)
    progress = replace(policy.start(), failed=np.array([6, 6]))
    assert policy.done(progress)
    assert policy.sentence(progress).startswith("12 of 10 calls made, 12 of them failed")
    assert not policy.done(replace(progress, pending=np.array([1, 0])))


def test_an_arm_whose_only_call_fails_last_is_named():
    policy = q.scores.adaptive("uniform", arms=["a", "b"], budget=2)
    cells = policy.next_cells(policy.start(), 2)
    progress = policy.start().answered(cells, np.where(cells.column("item") == "a", np.nan, 3.0))
    assert policy.done(progress)
    assert (
        policy.sentence(progress)
        == "2 of 2 calls made, 1 of them failed; the budget ended before any answer for: arm a"
    )


@pytest.mark.slow
def test_ten_thousand_arms_take_milliseconds():
    arms = 10_000
    rng = np.random.default_rng(0)
    policy = q.scores.adaptive(arms=range(arms), budget=1_000_000, scale=SCALE)
    n = np.full(arms, 30)
    now = replace(policy.start(), n=n, mean=rng.uniform(1, 5, arms), ss=n * rng.uniform(0, 2, arms))
    start = time.process_time()
    for _ in range(10):
        policy.next_cells(now, 100)
    assert (time.process_time() - start) / 10 < 0.02


@pytest.mark.slow
def test_one_call_among_a_thousand_arms_takes_less_than_two_milliseconds():
    policy = q.scores.adaptive(arms=range(1000), budget=100_000, scale=SCALE)
    now = replace(policy.start(), n=np.full(1000, 30), mean=np.full(1000, 3.0), ss=np.linspace(1, 60, 1000))
    policy.next_cells(now)
    start = time.process_time()
    for _ in range(50):
        policy.next_cells(now)
    assert (time.process_time() - start) / 50 < 0.002


def test_what_a_policy_refuses():
    policy = q.scores.adaptive("uniform", arms=["a", "b"], budget=10)
    with pytest.raises(InvalidInput, match="of other cells than the policy"):
        policy.next_cells(q.Progress.start(["a", "c"]))
    with pytest.raises(InvalidInput, match="2 attributes, the policy has 1"):
        policy.next_cells(q.Progress.start(["a", "b"], attributes=["x", "y"]))
    with pytest.raises(InvalidInput, match="10, but 12 is spent already; raise the budget"):
        policy.next_cells(replace(policy.start(), failed=np.array([6, 6])))
    with pytest.raises(InvalidInput, match="batch: must be a whole number from 1"):
        policy.next_cells(policy.start(), 0)
    assert repr(policy) == "Policy(uniform: 2 arms, budget 10 calls)"


def pulled_in_turn(priority, level, failed, rank, count):
    """Always the arm of the greatest priority."""
    level, out = level.copy(), []
    every = np.arange(len(level))
    for _ in range(count):
        keys = priority(every, level[:, None])[:, 0]
        if keys.max(initial=-np.inf) == -np.inf:
            break
        turn = np.where(np.isposinf(keys) | (keys == 0), level + failed, 0)
        arm = min(every.tolist(), key=lambda i: (-keys[i], turn[i], rank[i]))
        out.append((arm, int(level[arm])))
        level[arm] += 1
    return out


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=12),
    st.integers(1, 30),
    st.integers(0, 5),
    st.integers(0, 100),
)
def test_the_pulls_that_would_be_made_pulled_in_turn(arms, count, forced, seed):
    """Many ties, pulls that must be made, and arms that are not to be pulled (of value 4) or only up to a level."""
    value, level, failed = (np.array(column) for column in zip(*arms, strict=True))
    rank = np.random.default_rng(seed).permutation(len(arms))

    def priority(some, levels):
        keys = np.where(levels < forced, np.inf, value[some, None] / np.maximum(levels, 1) ** 2)
        return np.where((value[some, None] == 4) | (levels > 9), -np.inf, keys)

    found = best(priority, level, failed, rank, count)
    assert list(zip(found.arm.tolist(), found.level.tolist(), strict=True)) == pulled_in_turn(
        priority, level, failed, rank, count
    )


# What pulls are for: prices, weights, the worst or the average, a boundary, a target.


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
        "robin", arms=range(len(arms)), budget=budget, variances=variance, prices={"item": dict(enumerate(price))}
    )
    n = drive(policy, np.ones((len(arms), 100)), batch=5).n
    assert (variance / n).max() <= min((variance / m).max() for m in _allocations(price, budget)) + 1e-12


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 4)), min_size=2, max_size=3), st.integers(0, 12))
def test_the_average_is_least_for_what_was_spent(arms, more):
    variance, price = np.array([v for v, _ in arms], float), [c for _, c in arms]
    prices = {"item": dict(enumerate(price))}
    policy = q.scores.adaptive(
        "robin", arms=range(len(arms)), budget=sum(price) + more, variances=variance, prices=prices, objective="average"
    )
    found = drive(policy, np.ones((len(arms), 100)))
    least = min((variance / m).sum() for m in _allocations(price, policy.spent(found)))
    assert (variance / found.n).sum() <= least + 1e-12


def test_weights_move_pulls():
    policy = q.scores.adaptive(
        "robin", arms=["a", "b"], budget=90, variances={"a": 1, "b": 1}, weights={"a": 1, "b": 2}
    )
    assert drive(policy, np.ones((2, 90))).n.tolist() == [30, 60]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        arms=["a", "b"], budget=60, bounds=(0, 1), floor=False, delta=WIDE, target=0.1, interval="t", together=False
    )
    found = drive(policy, np.full((2, 60), score), batch=6)
    assert not policy.reached(found)
    assert found.n.tolist() == [30, 30]
    assert policy.half_widths(found).tolist() == [1, 1]
    assert policy.sentence(found).endswith("2 of 2 are not known as well, the widest 1")
