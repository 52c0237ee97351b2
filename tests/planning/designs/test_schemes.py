from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidInput
from quorate.planning.designs.schemes import Scheme, fewest_turns, interleaved


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
        ({"layout": "spiral"}, "layout: one of factorial, random, cyclic, weighted, latin, blocks is needed"),
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
