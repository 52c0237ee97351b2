from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.planning.arms import Scale, arms_of, by_arm, prices_of, scales, standing
from quorate.table.progress import Progress, Roster, crossed

GIVEN = {"arms": ["a", "b"], "budget": 100, "scale": range(1, 6)}
PAIRS = {"arms": {"item": ["a", "b"], "system": ["s", "t"]}}


def test_arms_from_judgments_and_from_their_progress():
    rows = pl.DataFrame({"item": ["a", "b", "a", "b"], "judge": ["x", "x", "y", "y"], "score": [1, 2, 3, 4]})
    table = q.read(rows, facets={"item": "item", "judge": "judge"})
    for arms in (table, q.Progress.of(table)):
        policy = q.scores.adaptive("uniform", arms=arms, budget=12)
        assert policy.start().calls.sum() == 0
        assert policy.resume(table).n.tolist() == [1, 1, 1, 1]
        assert len(policy.next_cells(policy.resume(table), 100)) == 8


def test_attributes_come_with_a_progress():
    start = q.Progress.start(["a", "b"], attributes=["x", "y"])
    assert q.scores.adaptive("uniform", arms=start, budget=9).attributes == ("x", "y")
    with pytest.raises(InvalidInput, match="attributes: the progress has"):
        q.scores.adaptive("uniform", arms=start, budget=9, attributes=["x"])


LONG = {"item": ["a", "a", "b", "b"], "aspect": ["true", "fluent"] * 2, "score": [1, 5, 3, 4]}


def test_attributes_that_are_a_facet_of_the_judgments():
    table = q.read(pl.DataFrame(LONG), facets={"item": "item", "aspect": "aspect"})
    given = {"arms": table, "budget": 12, "attribute": "aspect"}
    policy = q.scores.adaptive("uniform", **given)
    assert policy.attributes == ("fluent", "true")
    assert list(policy.arms.roster.levels) == ["item"]
    policy = q.scores.adaptive("uniform", **given, attributes={"true": 0.5, "fluent": 1}, target=1.0, scale=range(1, 6))
    assert policy.attributes == ("true", "fluent")
    assert policy.precision.units == (0.5, 1)
    progress = policy.resume(table, attribute="aspect")
    np.testing.assert_array_equal(policy.means(progress), [[1, 5], [3, 4]])
    assert len(policy.next_cells(progress, 100)) == 10
    assert progress.answered(policy.next_cells(progress, 2), [[2, 2], [3, np.nan]]).calls.tolist() == [2, 2]


def test_attributes_that_do_not_fit_the_facet():
    table = q.read(pl.DataFrame(LONG), facets={"item": "item", "aspect": "aspect"})
    with pytest.raises(InvalidInput, match='levels of aspect; give attribute="aspect"'):
        q.scores.adaptive("uniform", arms=table, budget=12, attributes=["fluent", "true"])
    with pytest.raises(InvalidInput, match="aspect has the levels"):
        q.scores.adaptive("uniform", arms=table, budget=12, attribute="aspect", attributes=["fluent"])
    with pytest.raises(InvalidInput, match="a facet of Judgments alone"):
        q.scores.adaptive("uniform", arms=["a"], budget=12, attribute="aspect")
    with pytest.raises(InvalidInput, match="other than the object"):
        q.scores.adaptive("uniform", arms=table, budget=12, attribute="item")


def test_intervals_that_hold_together_are_those_of_all_arms_and_attributes():
    given = {"arms": ["a", "b", "c"], "budget": 9, "attributes": ["x", "y"]}
    assert q.scores.adaptive("uniform", **given).precision.together == 6
    assert q.scores.adaptive("uniform", **given, together=False).precision.together == 1


def test_errors_count_in_the_units_of_the_attributes():
    given = {"arms": ["a", "b"], "budget": 60, "floor": False, "delta": 0.3, "attributes": {"x": 1, "y": 0.5}}
    policy = q.scores.adaptive(**given, weights=[1, 3])
    assert [np.ravel(rule.weight).tolist() for rule in policy.rules] == [[1, 3], [4, 12]]
    policy = q.scores.adaptive(**given, objective="boundary", at=3, tolerance=0.2)
    assert [rule.tolerance for rule in policy.rules] == [0.2, 0.1]
    assert [np.ravel(rule.weight).tolist() for rule in policy.rules] == [[1, 1], [1, 1]]


def test_numbers_of_numpy_do():
    policy = q.scores.adaptive("uniform", arms=["a"], budget=np.int64(9), attributes={"x": np.float32(0.5)})
    assert (policy.budget, policy.precision.units) == (9, (0.5,))


def test_the_warm_up_is_that_of_the_variant():
    assert q.scores.adaptive(**GIVEN).warmup == 20
    assert q.scores.adaptive(**{**GIVEN, "budget": 1000}, variant="theory").warmup > 100
    assert q.scores.adaptive("uniform", arms=["a"], budget=1).warmup == 1


def test_without_a_floor_no_scale_is_needed():
    assert q.scores.adaptive(arms=["a"], budget=30, floor=False).rules[0].step is None
    assert q.scores.adaptive(**GIVEN).rules[0].step == 1
    panel = {"item": ["a"], "judge": ["x", "y"]}
    assert q.scores.adaptive(arms=panel, cycle="judge", budget=100, scale=range(1, 6)).rules[0].step == 0.5


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"policy": "greedy"}, 'policy: must be one of uniform, robin, robin-hood, got "greedy"'),
        ({"objective": "best"}, 'objective: must be one of worst, average, boundary, got "best"'),
        ({"policy": "uniform", "objective": "average"}, "uniform asks every arm equally often"),
        ({"policy": "uniform", "weights": [1, 2]}, "uniform asks every arm equally often"),
        ({"policy": "robin"}, 'variances: "robin" needs the variance of every arm'),
        ({"variances": [1, 2]}, "the other policies do not use them"),
        ({"policy": "robin", "variances": [1, float("nan")]}, 'at least 0, got nan for "b"'),
        ({"policy": "robin", "variances": {"a": 1}}, 'got none for "b"'),
        ({"scale": None}, "scale: the possible scores, such as range"),
        (
            {"budget": 39},
            "budget: ROBIN-HOOD begins with 20 pulls of each of 2 arms, 40 in all, got 39; give budget=40",
        ),
        ({"budget": float("nan")}, "budget: must be above 0, got nan"),
        ({"budget": "100"}, 'budget: must be above 0, got "100"'),
        ({"policy": "uniform", "budget": 1}, "one pull of each of 2 arms takes 2, got 1"),
        ({"prices": {"item": {"a": 1}}}, "prices: no price for item b"),
        ({"prices": {"call": 10}}, "the warm-up of ROBIN-HOOD for 2 arms takes 400, got 100; give budget=400"),
        ({"prices": {"call": 10}, "delta": 2}, "delta: must lie between 0 and 1"),
        ({"delta": 0}, "delta: must lie between 0 and 1"),
        ({"variant": "both"}, "variant: must be one of"),
        ({"objective": "boundary", "tolerance": 0.5}, "needs either at=, a threshold, or between="),
        ({"objective": "boundary", "at": 3, "between": "system", "tolerance": 0.5}, "needs either"),
        ({"at": 3}, "others need none"),
        ({"objective": "boundary", "at": 3}, "a distance that does not matter"),
        ({"objective": "boundary", "at": 3, "tolerance": 0}, "tolerance: must be above 0, got 0"),
        ({"objective": "boundary", "at": float("nan"), "tolerance": 1}, "at: a finite score, got nan"),
        ({"tolerance": 1}, "others need none"),
        ({"attributes": {"x": 0}}, "x: must be above 0, got 0"),
        ({"weights": [1, -1]}, 'above 0, got -1.0 for "b"'),
        ({"target": 0}, "target: must be above 0"),
        ({"give_up": 0}, "give_up: must be a whole number from 1"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"arms": ["a", "a"]}, "is given twice"),
        ({"arms": []}, "name at least one label"),
    ],
)
def test_what_is_refused_in_one_line(changed, said):
    with pytest.raises(InvalidInput, match=said) as error:
        q.scores.adaptive(**{**GIVEN, **changed})
    assert "\n" not in str(error.value)


def test_a_pair_that_cannot_be_compared_is_left_alone():
    policy = q.scores.adaptive(
        **PAIRS, budget=60, scale=range(1, 6), delta=0.3, objective="boundary", between="system", tolerance=0.5
    )
    progress = policy.start()
    while not policy.done(progress):
        cells = policy.next_cells(progress, 4)
        scores = np.where((cells.column("item") == "a") & (cells.column("system") == "s"), np.nan, 3.0)
        progress = progress.answered(cells, scores)
    assert policy.given_up(progress) == ("a, s",)
    assert progress.calls[1] <= 5 + 4
    assert progress.calls.sum() == 60


PANEL = crossed({"item": ["1", "2"], "judge": ["x", "y"]})


def test_a_scale_gives_bounds_and_the_smallest_gap():
    assert scales([5, 1, 2.5, 2], None, ()) == (Scale(1, 5, 0.5),)
    assert scales(None, (0, 1), ("a", "b")) == (Scale(0, 1, None),) * 2
    assert scales({"a": [0, 1], "b": range(3)}, None, ("b", "a")) == (Scale(0, 2, 1), Scale(0, 1, 1))
    assert scales(None, None, ()) == (Scale(),)


@pytest.mark.parametrize(
    ("scale", "bounds", "attributes", "said"),
    [
        ([1, 2], (0, 1), (), "not both"),
        ([3], None, (), "two or more, such as range"),
        (["good"], None, (), "expects numbers"),
        ([1, float("nan")], None, (), "finite"),
        (None, (1, 1), (), "bounds: the least and the greatest"),
        ({"a": [1, 2]}, None, ("a", "b"), "one for every attribute, got a"),
    ],
)
def test_scales_that_are_none(scale, bounds, attributes, said):
    with pytest.raises(InvalidInput, match=said):
        scales(scale, bounds, attributes)


def test_numbers_by_arm():
    np.testing.assert_array_equal(by_arm({1: 4, "2": 0}, "v", ["1", "2"], 1, zero=True), [[4], [0]])
    np.testing.assert_array_equal(by_arm([1, 2], "v", ["a", "b"], 2, zero=False), [[1, 1], [2, 2]])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": 1}, 'v: one for every arm, got none for "b"'),
        ([1, float("nan")], 'finite numbers above 0, got nan for "b"'),
        ([0, 1], 'above 0, got 0.0 for "a"'),
        ([1, 2, 3], "one for each of 2 arms, got shape"),
        (["x", "y"], "expects a number for every arm"),
    ],
)
def test_numbers_that_are_none(given, said):
    with pytest.raises(InvalidInput, match=said):
        by_arm(given, "v", ["a", "b"], 1, zero=False)


def test_prices_of_calls():
    assert prices_of(None, PANEL).tolist() == [1, 1, 1, 1]
    assert prices_of({"call": 0.5}, PANEL).tolist() == [0.5] * 4
    assert prices_of({"judge": {"x": 1, "y": 2}}, PANEL).tolist() == [1, 2, 1, 2]
    assert prices_of({"item": {1: 1, 2: 2}}, PANEL).tolist() == [1, 1, 2, 2]
    assert prices_of({"call": np.int64(2)}, PANEL).tolist() == [2] * 4


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"judge": {"x": 1}}, "no price for judge y"),
        ({"judge": {"x": 1, "y": float("nan")}}, "prices: judge y: must be above 0, got nan"),
        ({"call": 0}, "prices: a call: must be above 0, got 0"),
        ({"prompt": {"p": 1}}, "a facet .item, judge. one for every label"),
        ({"call": 1, "judge": {}}, "one kind"),
        (0.5, "one kind"),
    ],
)
def test_prices_that_are_none(prices, said):
    with pytest.raises(InvalidInput, match=said):
        prices_of(prices, PANEL)


TWO = crossed({"item": ["a", "b"], "system": ["s", "t"], "judge": ["x", "y", "z"]})
UNIT = np.array([1.0])


def _filled(roster, n, mean, ss, **more):
    return replace(Progress.start(roster), n=np.array(n), mean=np.array(mean, float), ss=np.array(ss, float), **more)


def test_an_arm_is_a_cell_or_a_cycle():
    assert len(arms_of(TWO)) == 12
    panel = arms_of(TWO, cycle="judge")
    assert panel.cells.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert panel.names == ("a, s", "a, t", "b, s", "b, t")
    assert panel.parts == 3


def test_partners_differ_in_one_facet_alone():
    assert arms_of(TWO, cycle="judge", between="system").partner.tolist() == [1, 0, 3, 2]
    assert arms_of(TWO, between="system").partner.tolist() == [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]


def test_arms_that_cannot_be():
    with pytest.raises(UnknownTerm, match="prompt"):
        arms_of(TWO, cycle="prompt")
    with pytest.raises(InvalidInput, match='other than what is measured, got "item"'):
        arms_of(TWO, cycle="item")
    with pytest.raises(InvalidInput, match="between: two levels are compared, judge has 3"):
        arms_of(TWO, between="judge")
    with pytest.raises(InvalidInput, match='"system" is the cycle'):
        arms_of(TWO, cycle="system", between="system")
    with pytest.raises(InvalidInput, match="needs all 3 levels of judge; 1 of 4 lack some"):
        arms_of(Roster(TWO.levels, TWO.codes[:-1]), cycle="judge")


def test_the_variance_of_a_cycle_is_that_of_a_mean_of_independent_answers():
    roster = crossed({"item": ["a"], "judge": ["x", "y"]})
    progress = _filled(roster, [4, 5], [2, 4], [8, 10], pending=np.array([0, 1]), failed=np.array([2, 0]))
    found = standing(arms_of(roster, cycle="judge"), progress, UNIT, 5)
    assert found.n.tolist() == [4]
    assert found.asked.tolist() == [[4, 6]]
    assert found.failed.tolist() == [2]
    assert found.mean.tolist() == [[3]]
    assert found.variance.tolist() == [[(8 / 4 + 10 / 5) / 4]]


def test_what_a_progress_says_of_a_cell_without_answers_is_no_score():
    found = standing(arms_of(crossed(["a", "b"])), _filled(crossed(["a", "b"]), [0, 2], [7, 3], [np.nan, 2]), UNIT, 5)
    np.testing.assert_array_equal(found.mean, [[np.nan], [3]])
    assert found.variance.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("n", "failed", "lost"),
    [(0, 4, False), (0, 5, True), (1, 36, False), (1, 46, True), (20, 90, False), (20, 170, True)],
)
def test_failures_until_an_arm_is_given_up(n, failed, lost):
    roster = crossed(["a"])
    progress = _filled(roster, [n], [1.0], [0.0], failed=np.array([failed]))
    assert standing(arms_of(roster), progress, UNIT, 5).lost.tolist() == [lost]


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.sampled_from([1.0, 0.1, 1 / 3, 0.25]), st.randoms())
@example([1, 1, 1], 0.1, Random(0))
@example([-1, 0, 1, 50, -50], 0.1, Random(0))
def test_the_same_bits_in_whatever_order_answers_came(scores, unit, random):
    roster = crossed(["a"])
    found = []
    for _ in range(3):
        random.shuffle(scores)
        progress = Progress.start(roster)
        cut = random.randint(0, len(scores))
        for part in (scores[:cut], scores[cut:]):
            rows = np.zeros(len(part), dtype=np.int64)
            progress = progress.answered(roster.cells(rows, rows), [score * unit for score in part])
        now = standing(arms_of(roster), progress, np.array([unit]), 5)
        found.append((now.mean.item(), now.variance.item()))
    assert found[0] == found[1] == found[2]
    assert found[0][1] == pytest.approx(np.var(np.array(scores) * unit), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@given(st.floats(1e-3, 1e6), st.lists(st.integers(1, 40), min_size=1, max_size=6))
@example(0.1, [1] * 5)
@example(0.7, [3, 4, 1])
def test_equal_scores_have_a_variance_of_exactly_0(score, parts):
    roster = crossed(["a"])
    progress = Progress.start(roster)
    for part in parts:
        rows = np.zeros(part, dtype=np.int64)
        progress = progress.answered(roster.cells(rows, rows + 1), [score] * part)
    assert standing(arms_of(roster), progress, UNIT, 5).variance.item() == 0


def test_a_small_variance_far_from_0_is_kept():
    roster = crossed(["a"])
    rows = np.zeros(4, dtype=np.int64)
    progress = Progress.start(roster).answered(roster.cells(rows, rows + 1), 1e6 + np.array([0, 0.25, 0.5, 0.75]))
    assert standing(arms_of(roster), progress, UNIT, 5).variance.item() == pytest.approx(5 / 64, rel=1e-5)


@pytest.mark.parametrize(("rate", "chance"), [(0.5, 0.999), (0.2, 0.097), (0.1, 0.004)])
def test_how_often_one_that_fails_at_random_is_given_up(rate, chance):
    """docs/methods/adaptive.md has the numbers: five failures in a row within 400 calls."""
    alive, gone = [1.0, 0.0, 0.0, 0.0, 0.0], 0.0
    for _ in range(400):
        gone += alive[-1] * rate
        alive = [sum(alive) * (1 - rate), *(share * rate for share in alive[:-1])]
    assert gone == pytest.approx(chance, abs=1e-3)


def test_failures_in_a_row_are_counted_in_their_order_whatever_the_batches():
    scores = [4, None, None, None, None, 5, None, None, None, None, None, 3]
    progress, lost = Progress.start(["a"]), []
    policy = q.scores.adaptive("uniform", arms=["a"], budget=100)
    for number, score in enumerate(scores, 1):
        progress = progress.answered(progress.roster.cells(np.array([0]), np.array([number])), [score])
        lost.append(bool(standing(policy.arms, progress, UNIT, 5).lost[0]))
    assert lost == [False] * 10 + [True, False]
    cells = progress.roster.cells(np.zeros(12, dtype=int), np.arange(1, 13))
    for size in (11, 12):
        whole = Progress.start(["a"]).answered(cells.keep(np.arange(12) < size), scores[:size])
        assert whole.in_a_row.tolist() == [5 if size == 11 else 0]
