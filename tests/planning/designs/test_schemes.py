from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.planning.designs.dstudy import cheapest, cost, known
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import Scheme, balanced_blocks, fewest_turns, interleaved


def concurrences(blocks, judges):
    """Blocks that two judges share, for every pair of judges."""
    member = np.zeros((len(blocks), judges), dtype=np.int64)
    member[np.arange(len(blocks))[:, None], blocks] = 1
    return (member.T @ member)[np.triu_indices(judges, 1)]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_weighted_cycles_spread_every_judge(places):
    cycle = interleaved(tuple(places))
    np.testing.assert_array_equal(np.bincount(cycle), places)
    for judge, count in enumerate(places):
        at = np.flatnonzero(cycle == judge)
        for place, turn in enumerate(at):  # never far from where equal steps would put it
            assert abs((place + 0.5) / count - (turn + 0.5) / len(cycle)) <= len(places) / len(cycle)


def test_judges_in_turn():
    np.testing.assert_array_equal(Scheme("cyclic").order({"judge": 3})["judge"].ravel(), [0, 1, 2])
    assert fewest_turns(Scheme("cyclic").order({"judge": 3})) == 3


def test_every_pair_in_turn():
    order = Scheme("latin").order({"prompt": 2, "judge": 2})
    pairs = list(zip(order["prompt"].ravel().tolist(), order["judge"].ravel().tolist(), strict=True))
    assert pairs == [(0, 0), (1, 1), (1, 0), (0, 1)]
    assert fewest_turns(order) == 4


def test_pairs_of_one_turn_differ_in_both():
    order = Scheme("latin", 3).order({"prompt": 3, "judge": 4})
    for levels in order.values():
        assert all(len(set(turn)) == 3 for turn in levels.tolist())


def test_places_by_judge():
    assert Scheme("weighted", places=(2, 1), judges=("a", "b")).named_places == {"a": 2, "b": 1}
    assert Scheme("weighted", places=(2, 1)).named_places == {"1": 2, "2": 1}
    assert Scheme("cyclic").named_places is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "spiral"}, "layout: must be one of factorial, random, cyclic, weighted, latin, blocks"),
        ({"layout": "blocks"}, "per_item: is needed with"),
        ({"layout": "cyclic", "per_item": 2}, "per_item: is needed with"),
        ({"layout": "weighted"}, "places: is needed with"),
        ({"layout": "cyclic", "places": (1, 2)}, "places: goes with"),
        ({"layout": "weighted", "places": (0, 2)}, "places: must be whole numbers from 1"),
        ({"layout": "weighted", "places": (1.5, 2)}, "places: must be whole numbers from 1"),
        ({"layout": "weighted", "places": (True, 2)}, "places: must be whole numbers from 1"),
        ({"layout": "cyclic", "balanced": 1.2}, "balanced: must lie between 0"),
        ({"layout": "cyclic", "balanced": float("nan")}, "balanced: must lie between 0"),
        ({"layout": "cyclic", "balanced": "no"}, "balanced: must lie between 0"),
    ],
)
def test_schemes_that_are_none(options, message):
    with pytest.raises(InvalidInput, match=message):
        Scheme(**options)


@pytest.mark.parametrize(
    ("scheme", "counts", "message"),
    [
        (Scheme("weighted", places=(1, 2)), {"judge": 3}, "places: one for each of 3 judges is needed, got 2"),
        (Scheme("blocks", 4), {"judge": 3}, "between 1 and the number of judges, 3; got 4"),
        (Scheme("latin", 7), {"judge": 3, "prompt": 2}, r"number of \(prompt, judge\) pairs, 6; got 7"),
        (Scheme("latin"), {"judge": 3}, "there is no prompt here"),
        (Scheme("latin"), {"judge": 10_000, "prompt": 10_000}, "at most 10,000,000 combinations"),
    ],
)
def test_schemes_that_do_not_fit(scheme, counts, message):
    with pytest.raises(InvalidInput, match=message):
        scheme.order(counts)


@pytest.mark.parametrize(("prompts", "judges"), [(2, 3), (3, 3), (5, 3), (4, 6)])
def test_any_run_of_turns_meets_all_prompts_and_all_judges_about_equally(prompts, judges):
    order = Scheme("latin").order({"prompt": prompts, "judge": judges})
    for name, count in (("prompt", prompts), ("judge", judges)):
        turns = np.tile(order[name].ravel(), 2)
        for start in range(prompts * judges):
            uses = np.bincount(turns[start : start + judges * prompts // 2], minlength=count)
            assert np.ptp(uses) <= 2


def test_every_layout_has_a_name():
    assert tuple(LAYOUTS) == get_args(LayoutName)


@pytest.mark.parametrize(
    ("judges", "size", "blocks", "shared"),
    [(7, 3, 7, 1), (13, 4, 13, 1), (11, 5, 11, 2), (5, 2, 10, 1), (9, 4, 18, 3), (6, 5, 6, 4), (4, 4, 1, 1)],
)
def test_difference_families_are_found(judges, size, blocks, shared):
    """Hall (1986), Combinatorial Theory, table of balanced incomplete block designs: b and lambda."""
    found = balanced_blocks(judges, size)
    assert len(found) == blocks
    np.testing.assert_array_equal(concurrences(found, judges), shared)


@given(st.integers(1, 25), st.integers(1, 25))
def test_every_judge_equally_often_and_pairs_nearly(judges, size):
    if size > judges:
        return
    found = balanced_blocks(judges, size)
    assert all(len(set(block)) == size for block in found.tolist())
    np.testing.assert_array_equal(np.bincount(found.ravel(), minlength=judges), len(found) * size // judges)
    if judges > size > 1:
        shared = concurrences(found, judges)
        assert shared.sum() == len(found) * size * (size - 1) // 2
        assert np.ptp(shared) <= max(2, 0.1 * shared.mean())


def test_after_every_turn_through_the_judges_each_was_asked_equally_often():
    found = balanced_blocks(10, 3)
    for start in range(0, len(found), 10):
        np.testing.assert_array_equal(np.bincount(found[start : start + 10].ravel(), minlength=10), 3)


def test_blocks_are_the_same_every_time_and_cannot_be_changed():
    found = balanced_blocks(24, 12)
    balanced_blocks.cache_clear()
    np.testing.assert_array_equal(found, balanced_blocks(24, 12))
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 3


def test_too_many_judges():
    with pytest.raises(InvalidInput, match="at most 1,000 judges, got 1,001"):
        balanced_blocks(1001, 2)


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
