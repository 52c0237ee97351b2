from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput

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
        ({"policy": "greedy"}, 'policy: one of uniform, robin, robin-hood, got "greedy"'),
        ({"objective": "best"}, 'objective: one of worst, average, boundary, got "best"'),
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
        ({"budget": float("nan")}, "budget: a finite number above 0, got nan"),
        ({"budget": "100"}, "budget: a finite number above 0, got '100'"),
        ({"policy": "uniform", "budget": 1}, "one pull of each of 2 arms takes 2, got 1"),
        ({"prices": {"item": {"a": 1}}}, "prices: no price for item b"),
        ({"prices": {"call": 10}}, "the warm-up of ROBIN-HOOD for 2 arms takes 400, got 100; give budget=400"),
        ({"prices": {"call": 10}, "delta": 2}, "delta: a number between 0 and 1"),
        ({"delta": 0}, "delta: a number between 0 and 1"),
        ({"variant": "both"}, "variant: one of"),
        ({"objective": "boundary", "tolerance": 0.5}, "needs either at=, a threshold, or between="),
        ({"objective": "boundary", "at": 3, "between": "system", "tolerance": 0.5}, "needs either"),
        ({"at": 3}, "others need none"),
        ({"objective": "boundary", "at": 3}, "a distance that does not matter"),
        ({"objective": "boundary", "at": 3, "tolerance": 0}, "tolerance: a finite number above 0, got 0"),
        ({"objective": "boundary", "at": float("nan"), "tolerance": 1}, "at: a finite score, got nan"),
        ({"tolerance": 1}, "others need none"),
        ({"attributes": {"x": 0}}, "x: a finite number above 0, got 0"),
        ({"weights": [1, -1]}, 'above 0, got -1.0 for "b"'),
        ({"target": 0}, "target: a half-width above 0"),
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
