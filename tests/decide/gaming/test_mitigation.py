"""Changes to a design, and what each takes away."""

from __future__ import annotations

import math

import pytest

import quorate as q
from quorate.decide.gaming.mitigation import Mitigation, mitigations
from quorate.decide.gaming.source import Played, attempts_targets, projected

PARTS = {"item": 0.09, "item:judge": 0.04, "prompt": 0.001, "replicate": 0.05}


def changes(base, prices=None, redrawn=None):
    parts = q.components(PARTS, sensitivity={"judge": 0.003})
    targets, kept, _ = attempts_targets(parts, redrawn)
    played = Played(parts, 100, targets, prices)
    return {one.label: one for one in mitigations(played, base, projected(played, base), kept, 2.0)}


def test_every_change_is_a_projection():
    found = changes({"prompts": 1, "judges": 1})
    labels = [
        "3 judges in turn, one per item",
        "one more judge",
        "10 more items",
        "one more prompt",
        "one more replicate",
    ]
    assert sorted(found) == sorted(labels)
    variance = 0.13 / 100 + 0.001 + 0.05 / 100 + 0.003
    after = variance - (0.04 / 100 + 0.003 + 0.05 / 100) / 2
    one = found["one more judge"]
    assert one.value == pytest.approx(2 * math.sqrt(after))
    assert one.reduction == pytest.approx(2 * (math.sqrt(variance) - math.sqrt(after)))
    assert one.more_calls == 100
    assert one.rate == pytest.approx(one.reduction / 100)


def test_the_order_is_that_of_what_a_change_buys():
    rates = [one.rate for one in changes({"prompts": 1, "judges": 1}).values()]
    assert rates[0] == math.inf
    assert rates == sorted(rates, reverse=True)


def test_prices_decide_where_there_are_any():
    found = changes({"prompts": 1, "judges": 1}, {"call": 0.1, "item": 5.0})
    more = found["10 more items"]
    assert more.more_cost == pytest.approx(10 * (5 + 0.1))
    assert more.rate == pytest.approx(more.reduction / 51)


def test_only_what_is_redrawn_is_worth_changing():
    kept = changes({"prompts": 1, "judges": 1}, redrawn=("item", "prompt"))
    assert not any("judge" in label for label in kept)
    found = changes({"prompts": 1, "judges": 1}, redrawn=("judge",))
    assert set(found) == {"3 judges in turn, one per item", "one more judge", "one more replicate"}


def test_judges_in_turn_are_no_change_where_there_are_several():
    assert "3 judges in turn, one per item" not in changes({"judges": 2})
    assert "one more judge" not in changes({"judges": 3, "layout": "weighted", "places": [2, 1, 1]})


def test_nothing_for_nothing():
    projection = q.project(q.components({"item": 1.0}), items=10)
    assert Mitigation("", projection, 1.0, 0.0, 0, None).rate == 0
    assert Mitigation("", projection, 1.0, -0.1, 0, None).rate == -math.inf
