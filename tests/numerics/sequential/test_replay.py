import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import NotEstimable
from quorate.numerics.sequential.bandit import Constants, Rule, constants, packed
from quorate.numerics.sequential.replay import Paths, forced, replay, start_length
from quorate.streams import stream


def paths_of(pools, length, seed=1):
    return Paths(pools, length, stream(seed, "first"), stream(seed, "further"))


def one_by_one(paths, rule, warmup, budget):
    """The policy as it is defined: after the warm-up, pull the arm of greatest priority, look, and decide anew.

    Of equals the first; but where the priority is 0 or infinite the one with the fewest pulls.
    """
    arms = np.arange(paths.pools.arms)
    level = next(level for level in range(64) if paths.reach(level) > budget)
    blocks = [paths.block(one, arms) for one in range(level + 1)]
    sums, squares = (np.concatenate([getattr(b, name) for b in blocks], axis=1) for name in ("sums", "squares"))

    def priority(arm):
        n = float(pulls[arm])
        mean = sums[arm, pulls[arm] - 1] / n
        variance = max(squares[arm, pulls[arm] - 1] / n - mean * mean, 0.0)
        return float(rule.priority(n, mean + paths.origin[arm], variance))

    pulls = np.full(len(arms), warmup)
    priorities = np.array([priority(arm) for arm in arms])
    for _ in range(budget - warmup * len(arms)):
        top = priorities == priorities.max()
        turn = pulls if priorities.max() in (0, np.inf) else 0 * pulls
        arm = int(np.lexsort((turn, ~top))[0])
        pulls[arm] += 1
        priorities[arm] = priority(arm)
    return pulls


@st.composite
def cases(draw):
    """Pools of few scores, so that there are many ties, and every kind of rule."""
    arms, parts, draws = (draw(st.integers(1, most)) for most in (6, 2, 5))
    values = draw(st.lists(st.integers(0, 3), min_size=arms * parts * draws, max_size=arms * parts * draws))
    pools = packed(np.array(values, dtype=float), [draws] * (arms * parts), parts)
    own = Constants(draw(st.sampled_from([0.0, 0.3, 1.0])), draw(st.integers(1, 4)))
    step = draw(st.sampled_from([None, 1.0]))
    rule = Rule(own.lam, step, draw(st.sampled_from(["worst", "average", "boundary"])), at=1.0)
    return pools, own, rule, draw(st.integers(0, 60)), draw(st.integers(1, 4)), draw(st.integers(0, 99))


@given(cases())
def test_one_sort_pulls_what_the_sequential_policy_pulls(case):
    pools, own, rule, more, spare, seed = case
    warmup = forced(own)
    budget = warmup * pools.arms + more
    length = max(warmup + spare, -(-budget // pools.arms) + 1)
    got = replay(paths_of(pools, length, seed), rule, warmup, [budget])[0]
    assert got.tolist() == one_by_one(paths_of(pools, length, seed), rule, warmup, budget).tolist()


def test_arms_that_cannot_vary_any_more_take_turns():
    """Else the first of them would get all that is left."""
    pools = packed(np.ones(8), [2] * 4)
    assert replay(paths_of(pools, 60), Rule(), 1, [60, 7]).tolist() == [[15] * 4, [2, 2, 2, 1]]


def test_arms_whose_bound_is_infinite_take_turns():
    pools = packed(np.arange(8.0), [2] * 4)
    assert replay(paths_of(pools, 60), Rule(1.0), 1, [12]).tolist() == [[3] * 4]


def test_priorities_that_are_no_numbers_are_refused():
    pools = packed(np.ones(8), [2] * 4)
    with pytest.raises(NotEstimable, match="priorities: 20 of 200 pulls are made, for some priorities are no numbers"):
        replay(paths_of(pools, 60), Rule(0.3, float("nan")), 5, [200])


@given(cases())
def test_a_point_of_a_curve_is_a_replay_of_that_budget(case):
    pools, own, rule, more, _, seed = case
    warmup = forced(own)
    most = warmup * pools.arms + more
    budgets = [most, max(most // 2, 1), most - more // 2]
    length = start_length(pools.arms, most) + warmup
    curve = replay(paths_of(pools, length, seed), rule, warmup, budgets)
    assert curve.sum(axis=1).tolist() == budgets
    for pulls, budget in zip(curve, budgets, strict=True):
        assert pulls.tolist() == replay(paths_of(pools, length, seed), rule, warmup, [budget])[0].tolist()
        if budget >= pools.arms:
            assert pulls.min() >= 1


@pytest.mark.slow
def test_it_agrees_with_the_sequential_policy_at_a_larger_scale():
    rng = np.random.default_rng(3)
    scores = rng.normal(2, rng.gamma(1.0, 0.5, (40, 1)), (40, 30))  # continuous, and paths that grow far
    pools = packed(scores.ravel(), [30] * 40)
    own = constants("experiment", 40, 4000, 0.07)
    rule = Rule(own.lam, None)
    got = replay(paths_of(pools, start_length(40, 4000)), rule, forced(own), [4000])[0]
    assert got.max() > 2 * start_length(40, 4000)
    assert got.tolist() == one_by_one(paths_of(pools, start_length(40, 4000)), rule, forced(own), 4000).tolist()


def test_draws_of_an_arm_do_not_depend_on_which_other_arms_get_far():
    pools = packed(np.arange(40.0), [5] * 8, parts=2)
    both, one, late = (paths_of(pools, 7) for _ in range(3))
    arms = np.array([1, 3])
    want = both.block(3, arms).sums
    late.block(1, np.array([0, 2]))
    assert (one.block(3, arms[1:]).sums == want[1:]).all()
    assert (late.block(3, arms[::-1]).sums == want[::-1]).all()


def test_means_are_those_of_the_draws():
    pools = packed(np.random.default_rng(1).integers(5, size=60).astype(float), [20] * 3)
    paths = paths_of(pools, 6)
    sums = np.concatenate([paths.block(level, np.arange(3)).sums for level in range(5)], axis=1)
    pulls = np.array([[1, 6, 7], [90, 2, 48]])
    want = [[paths.origin[i] + sums[i, n - 1] / n for i, n in enumerate(row)] for row in pulls]
    assert paths.means(pulls) == pytest.approx(np.array(want))


def test_draws_come_from_their_own_pool_alone_and_all_alike():
    pools = packed(np.array([0.0, 1.0, 2.0, 10.0, 11.0]), [3, 2])
    paths = paths_of(pools, 20_000)
    x = paths.origin[:, None] + np.diff(paths.block(0, np.arange(2)).sums, axis=1, prepend=0.0)
    for row, values in zip(x, ([0, 1, 2], [10, 11]), strict=True):
        seen, count = np.unique(row, return_counts=True)
        assert seen.tolist() == values
        assert count == pytest.approx(np.full(len(values), 20_000 / len(values)), rel=0.04)


def test_pulls_are_forced_while_the_bound_is_infinite():
    assert forced(Constants(4.9, 20)) == 20
    assert forced(Constants(5.0, 20)) == 21
    assert forced(Constants(24.77, 20)) == 100
    assert forced(Constants(0.0, 1)) == 1
