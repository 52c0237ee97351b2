from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from charts import drawn, marks_of, spec

from quorate.analysis.designs import in_words
from quorate.reporting.pages import designs as frontier_page
from quorate.reporting.pages.judgments import purchases
from quorate.reporting.pages.judgments.purchases import frontier, section, what_if


def plans(demo, **changes):
    """The demo with another optimum."""
    names = (
        "own",
        "same_cost",
        "same_se",
        "candidates",
        "plan",
        "along",
        "edge",
        "cloud",
        "reach",
        "measure",
        "searched",
    )
    changed = replace(demo)
    best = SimpleNamespace(**{name: getattr(demo.optimum, name) for name in names} | changes)
    changed.__dict__["_optimum"] = (best, "")
    return changed


def rows_of(layer, chart):
    """Rows of the data of one layer, which may stand with the chart."""
    data = layer.get("data", chart.get("data", {}))
    return data.get("values") or chart["datasets"][data["name"]]


def test_designs_beside_the_study_come_before_the_frontier(demo):
    rows = frontier(demo).rows
    places = ["as it is", "best at the same cost", "cheapest as precise", "on the frontier"]
    assert [row["place"] for row in rows[:4]] == places
    assert rows[0]["reach"] == demo.optimum.own.half_width()
    costs = [row["cost"] for row in rows[3:]]
    assert costs == sorted(costs)


def test_designs_that_are_drawn_are_near_and_not_too_many(demo):
    own, figure = demo.optimum.own.half_width(), frontier(demo)
    cloud, edge = (rows_of(layer, spec(figure)) for layer in spec(figure)["layer"][:2])
    assert all(row["reach"] <= frontier_page.FAR * own for row in [*figure.rows, *cloud, *edge])
    assert len(cloud) <= frontier_page.MOST_DESIGNS
    assert len(edge) <= frontier_page.MOST_STEPS


def test_the_finding_of_the_frontier_is_what_is_saved_or_gained(demo):
    best = demo.optimum
    gain = 1 - best.same_cost.half_width() / best.own.half_width()
    found = f"One judge per item in turn: {gain:.0%} narrower an interval at the same price"
    assert frontier(demo).caption.finding == found
    cheap = replace(best.own, cost=0.03 * best.own.cost, layout="latin")
    saved = "One prompt and judge per item in turn: the same precision for 3% of the price"
    assert frontier(plans(demo, same_cost=best.own, same_se=cheap)).caption.finding == saved


def test_a_study_that_nothing_beats_is_said_to_be_so(demo):
    for changes in ({"same_cost": demo.optimum.own, "same_se": demo.optimum.own}, {"same_cost": None, "same_se": None}):
        finding = frontier(plans(demo, **changes)).caption.finding
        assert finding == "No design within reach is better than the study as it is, at its price"


def test_both_designs_are_spelled_out(demo):
    text = " ".join(frontier(demo).caption.lines)
    assert f"Cheapest as precise: {in_words(demo.optimum.same_se)}." in text
    assert f"of {demo.optimum.candidates:,} designs within reach, for prompts and judges like these" in text


def test_the_study_and_the_best_designs_are_named_on_the_frontier(demo):
    rows = [row for row in drawn(frontier(demo)) if "text" in row]
    assert [row["place"] for row in rows] == ["as it is", "best at the same cost", "cheapest as precise"]
    assert marks_of(frontier(demo))[:3] == ["point", "line", "point"]
    own, same_cost, same_se = rows
    assert same_cost["reach"] < own["reach"]
    assert same_se["cost"] < own["cost"]


@pytest.mark.parametrize(
    ("name", "title"), [("demo", "price in USD (log scale)"), ("balanced", "judgments in all (log scale)")]
)
def test_the_axis_of_prices_is_a_log_axis_in_the_unit_that_is_known(shape, name, title):
    x = spec(frontier(shape(name)))["layer"][0]["encoding"]["x"]
    assert (x["title"], x["scale"]["type"]) == (title, "log")


def test_without_a_price_none_is_listed(shape):
    assert {row["cost"] for row in frontier(shape("balanced")).rows} == {None}


def test_what_if_names_the_facet_that_changes(demo):
    base, *changes = demo.what_if
    named = {one.label: purchases.changed(base.projection, one.projection) for one in changes if one.projection}
    assert purchases.changed(base.projection, base.projection) == ""
    assert named["double the items"] == "item"
    assert named["one more judge"] == "judge"
    assert named["one replicate only"] == "replicate"
    assert named["one judge per item, in turn"] == "judge"


def test_what_buys_most(demo):
    best = demo.purchases[0]
    assert what_if(demo).caption.finding == (
        f"Studies of 1,773 judgments like this find ±0.41; {best.label} takes off {-best.change:.0%} "
        f"for {best.more_calls:,} more"
    )


def test_the_judgments_at_hand_give_the_standard_error_of_the_headline(analysis):
    if analysis.what_if:
        first = analysis.what_if[0].projection
        assert first.se == analysis.widest.se
        assert first.calls == analysis.judgments.rows.sum()


def test_no_two_changes_share_a_place(demo):
    """One row of the chart for each, whatever their intervals."""
    rows = [row for row in drawn(what_if(demo)) if "change" in row]
    assert len({row["change"] for row in rows}) == len(rows) == sum(one.projection is not None for one in demo.what_if)
    assert [row["half"] for row in rows] == sorted(row["half"] for row in rows)


def test_designs_that_cannot_be_projected_are_named_with_the_reason(shape):
    found = shape("two judges, no replicates")
    assert "Not known: one more replicate. This design weighs" in " ".join(section(found).text)
    row = next(row for row in what_if(found).rows if row["half"] is None and row["change"] == "one more replicate")
    assert row["calls"] is None


def test_designs_that_were_not_compared_are_said(demo):
    changed = replace(demo)
    changed.__dict__["_optimum"] = (None, "only the sum is known")
    found = section(changed)
    assert [figure.name for figure in found.figures] == ["what-if"]
    assert "Designs within reach were not compared: only the sum is known." in found.text


def test_without_a_price_that_is_said(shape):
    assert "No price per call" in " ".join(section(shape("items only")).text)
