from __future__ import annotations

import pytest
from charts import drawn

from quorate.reporting.pages.judgments.page import components, per_judgment
from quorate.reporting.pages.judgments.people import effects


def test_components_are_sorted_and_hold_the_fitted_variance(analysis):
    rows = components(analysis).rows
    assert [row["share_of_variance"] for row in rows] == sorted((r["share_of_variance"] for r in rows), reverse=True)
    fitted = {one.name: one.variance for one in analysis.fit.components}
    assert all(fitted[row["component"]] == row["variance"] for row in rows if row["component"] in fitted)
    assert [row["estimated_at_zero"] for row in rows] == [row["variance"] <= 0 or row["se"] == 0 for row in rows]


def test_shares_of_one_judgment_sum_to_one(analysis):
    assert sum(row["share_of_variance"] for row in per_judgment(analysis).rows) == pytest.approx(1)


def test_the_largest_source_is_named(demo):
    assert components(demo).caption.finding == "65% of the uncertainty comes from the choice of judges: add judges"
    assert per_judgment(demo).caption.finding == "34% of the variance of one judgment comes from item × judge"


def test_a_component_at_zero_is_at_the_boundary(shape):
    rows = drawn(components(shape("balanced")))
    assert rows[-1]["text"] == "estimated at zero, the boundary"
    assert rows[0]["text"].startswith(f"{rows[0]['share_of_variance']:.0%} · add ")


def test_a_facet_has_one_colour_in_all_figures(demo):
    component = next(row for row in drawn(components(demo)) if row["component"] == "judge")
    assert {row["colour"] for row in drawn(effects(demo, "judge"))} == {component["colour"]}


def test_an_interval_beyond_the_axis_ends_in_an_arrow(demo):
    judge = next(row for row in drawn(components(demo)) if row["component"] == "judge")
    assert judge["beyond_high"]
    assert judge["shown_high"] < judge["high"]
