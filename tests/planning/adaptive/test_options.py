from __future__ import annotations

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.planning.arms import Scale, by_arm, positive, prices_of, scales
from quorate.table.roster import crossed

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


def test_numbers_of_numpy_are_numbers():
    given = [1, 0.5, np.int64(1), np.float32(0.5), 0, -1, True, np.True_, np.inf, np.nan, "1", None]
    assert [positive(value) for value in given] == [True] * 4 + [False] * 8


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"judge": {"x": 1}}, "no price for judge y"),
        ({"judge": {"x": 1, "y": float("nan")}}, "above 0, got nan for judge y"),
        ({"call": 0}, "got 0 for a call"),
        ({"prompt": {"p": 1}}, "a facet .item, judge. one for every label"),
        ({"call": 1, "judge": {}}, "one kind"),
        (0.5, "one kind"),
    ],
)
def test_prices_that_are_none(prices, said):
    with pytest.raises(InvalidInput, match=said):
        prices_of(prices, PANEL)
