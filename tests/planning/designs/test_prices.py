from __future__ import annotations

import math

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.planning.designs.prices import cheapest, cost, known

COUNTS = {"item": 10, "judge": 2, "prompt": 3}


@pytest.mark.parametrize(
    ("prices", "wanted"),
    [
        ({"call": 0.5}, 30.0),
        ({"judge": 0.5}, 30.0),
        ({"judge": {"a": 1.0, "b": 3.0}}, 60 * 2.0),
        ({"judge": {"a": 9.0, "b": 3.0, "c": 1.0}}, 60 * 2.0),  # the two cheapest
        ({"call": 0.5, "item": 2.0}, 30 + 20),
        ({"call": 0.5, "prompt": 7.0}, 30 + 21),
        ({"call": 0}, 0.0),
    ],
)
def test_price_of_sixty_calls(prices, wanted):
    assert cost(prices, COUNTS, "item", 60) == pytest.approx(wanted)


@pytest.mark.parametrize("prices", [None, {}, {"item": 2.0}, {"judge": {"a": 1.0}}])
def test_an_unknown_price_is_none_not_zero(prices):
    assert known(cost(prices, COUNTS, "item", 60)) is None


def test_without_a_judge_facet_one_judge_is_paid():
    assert cost({"judge": {"a": 2.0, "b": 5.0}}, {"item": 10}, "item", 10) == 20.0


def test_the_object_of_measurement_is_what_costs_per_item():
    assert cost({"call": 0.0, "item": 2.0}, {"question": 5, "judge": 1}, "question", 5) == 10.0


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, "0.1", None, True])
def test_amounts_that_are_none(value):
    with pytest.raises(InvalidInput, match="prices: call must be a finite amount of at least 0"):
        cost({"call": value}, COUNTS, "item", 60)
    with pytest.raises(InvalidInput, match="prices: judge must be a finite amount"):
        cost({"judge": {"a": 1.0, "b": value}}, COUNTS, "item", 60)


def test_kinds_of_price_that_do_not_exist():
    with pytest.raises(InvalidInput, match="prices: annotator is unknown; use call, judge, item, generation, prompt"):
        cost({"annotator": 1.0}, COUNTS, "item", 60)
    with pytest.raises(InvalidInput, match="prices: item must be one number"):
        cost({"item": {"a": 1.0}}, COUNTS, "item", 60)


def test_the_cheapest_judges_answer_most():
    prices = {"judge": {"dear": 10.0, "cheap": 1.0}}
    assert cheapest(prices) == ("cheap", "dear")
    assert cost(prices, {"item": 3, "judge": 2}, "item", 3, np.array([2.0, 1.0])) == 12.0
    assert cost(prices, {"item": 3, "judge": 2}, "item", 3, np.array([1.0, 2.0])) == 21.0  # in the order of judges
    assert cost(prices, {"item": 3, "judge": 2}, "item", 3, np.array([1.0, 2.0]), ("dear", "cheap")) == 12.0


def test_many_designs_at_once():
    """Two judges have a price; a design with three has none."""
    counts = {"item": np.array([[10.0], [20.0]]), "judge": np.array([1.0, 2.0, 3.0])}
    found = cost({"judge": {"a": 1.0, "b": 3.0}, "item": 0.5}, counts, "item", counts["item"] * counts["judge"])
    np.testing.assert_array_equal(found, [[15, 45, np.nan], [30, 90, np.nan]])
