"""What differs between attempts, and the plausible standard errors behind the intervals."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.decide.gaming import Mitigation, Played, attempts_targets, mitigations, projected, standard_errors
from quorate.errors import InvalidInput

DESIGNS = [
    {"prompts": 1, "judges": 1},
    {"prompts": 2, "judges": 3, "layout": "latin"},
    {"judges": 3, "layout": "cyclic", "items": 90},
    {"judges": 3, "layout": "blocks", "per_item": 2},
    {"judges": ["judge0000", "judge0002"]},
    {"judges": 3, "layout": "weighted", "places": [2, 1, 1], "balanced": 0.5},
]


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged({"item": 60, "prompt": 4, "judge": 3}, seed=2, replicates=2))


def test_targets_of_a_fit(fit):
    everything = {"item": "population", "prompt": "population", "judge": "population"}
    assert attempts_targets(fit, None) == (everything, ("item", "prompt", "judge"), ())
    some = {"item": "finite", "prompt": "population", "judge": "population"}
    assert attempts_targets(fit, ("judge", "prompt")) == (some, ("prompt", "judge"), ())
    assert attempts_targets(fit, ())[0] == {"item": "finite", "prompt": "finite", "judge": "panel"}


@pytest.mark.parametrize(("name", "why"), [("system", "equally good"), ("topic", "it groups the items")])
def test_systems_and_groups_are_not_redrawn(name, why):
    rng = np.random.default_rng(1)
    rows = [(f"i{i:02d}", f"t{i % 3}", s, j, rng.normal()) for i in range(12) for s in "xy" for j in "abc"]
    frame = pl.DataFrame(rows, schema=["item", "topic", "system", "judge", "score"], orient="row")
    facets = {"item": "item", "topic": "topic", "system": "system", "judge": "judge"}
    table = q.decompose(q.read(frame, facets=facets, nested={"item": "topic"}, announce=False))
    with pytest.raises(InvalidInput, match=f'redrawn: "{name}" cannot be, .*{why}'):
        attempts_targets(table, (name, "item"))


def test_targets_of_published_components():
    parts = q.components({"item": 1.0, "item:judge": 1.0, "category": 0.1}, sensitivity={"judge": 0.1})
    assert attempts_targets(parts, None) == ({"judge": "sensitivity"}, ("item", "judge"), ())
    assert attempts_targets(parts, ("judge",)) == ({"item": "panel", "judge": "sensitivity"}, ("judge",), ())
    assert attempts_targets(parts, ("item",)) == ({"judge": "panel"}, ("item",), ())


def test_groups_of_items_are_the_same_for_all_attempts(judged):
    table = judged({"item": 12, "judge": 3}, seed=2)
    rows = pl.DataFrame({"item": np.repeat(np.arange(12), 3), "judge": np.tile(np.arange(3), 12), "score": table.mean})
    grouped = q.read(rows.with_columns(category=pl.col("item") % 3), announce=False)
    assert attempts_targets(q.decompose(grouped), None)[0]["category"] == "fixed"
    assert attempts_targets(q.decompose(grouped), ("judge",))[0]["category"] == "finite"


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("redrawn", [None, ("prompt", "judge")], ids=str)
def test_the_median_of_plausible_errors_is_near_the_projection(fit, design, redrawn):
    """The same weights as `project`, on draws about the fitted components."""
    played = Played(fit, None, attempts_targets(fit, redrawn)[0], None)
    plan = projected(played, design)
    drawn = standard_errors(played, [plan], 100, 1)
    low, high = np.quantile(drawn[0], [0.1, 0.9])
    assert drawn.shape == (1, 100)
    assert low < plan.se < high


def test_draws_follow_the_components(fit, monkeypatch):
    """With draws that are the components themselves, every draw is the projection."""
    monkeypatch.setattr(
        "quorate.decide.gaming.plausible",
        lambda source, *_: np.array(list(source.values.values()))[:, None] * np.ones(3),
    )
    played = Played(fit, 45, attempts_targets(fit, None)[0], None)
    plans = [projected(played, one) for one in DESIGNS]
    assert standard_errors(played, plans, 100, 1) == pytest.approx(np.array([[plan.se] * 3 for plan in plans]))


def test_components_without_draws_have_none():
    played = Played(q.components({"item": 1.0}), 10, {}, None)
    assert np.isnan(standard_errors(played, [projected(played, {})], 100, 1)).all()
    with pytest.raises(InvalidInput, match='designs: no option "budget"'):
        projected(played, {"budget": 3})


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
