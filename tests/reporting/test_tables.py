from __future__ import annotations

import math

import pytest

from quorate.reporting import tables


def test_intervals_are_naive_panel_population(demo):
    rows = {row["interval"]: row for row in tables.intervals(demo)}
    assert list(rows) == ["naive", "this panel", "judges like these"]
    assert rows["this panel"]["se"] == demo.fit.mean.se
    assert (rows["naive"]["low"], rows["naive"]["n"]) == (demo.naive.overall.low, 1773)


def test_the_name_of_the_only_interval(shape):
    assert [row["interval"] for row in tables.intervals(shape("one judge"))] == ["naive", "this judge"]
    assert [row["interval"] for row in tables.intervals(shape("items only"))] == ["naive", "corrected"]


def test_components_are_sorted_and_hold_the_fitted_variance(analysis):
    rows = tables.components(analysis)
    assert [row["share_of_variance"] for row in rows] == sorted((r["share_of_variance"] for r in rows), reverse=True)
    fitted = {one.name: one.variance for one in analysis.fit.components}
    assert all(fitted[row["component"]] == row["variance"] for row in rows if row["component"] in fitted)
    assert [row["estimated_at_zero"] for row in rows] == [row["variance"] <= 0 or row["se"] == 0 for row in rows]


def test_shares_of_one_judgment_sum_to_one(analysis):
    assert sum(row["share_of_variance"] for row in tables.per_judgment(analysis)) == pytest.approx(1)


def test_what_if_names_the_facet_that_changes(demo):
    rows = {row["change"]: row for row in tables.what_if(demo)}
    assert rows["as it is"]["facet"] == ""
    assert rows["double the items"]["facet"] == "item"
    assert rows["one more judge"]["facet"] == "judge"
    assert rows["one replicate only"]["facet"] == "replicate"
    assert rows["one judge per item, in turn"]["facet"] == "judge"


def test_a_design_that_cannot_be_projected_says_why(shape):
    row = next(row for row in tables.what_if(shape("two judges, no replicates")) if row["se"] is None)
    assert row["change"] == "one more replicate"
    assert row["why_not"]


def test_effects_come_highest_first(demo):
    rows = tables.effects(demo, "judge")
    assert [row["level"] for row in rows] == ["judge-a", "judge-b", "judge-c"]
    assert rows[0]["effect"] == demo.effects["judge"][0].effect


def test_means_are_those_of_the_cells(demo):
    rows = {(row["row"], row["column"]): row["mean"] for row in tables.means(demo)}
    assert rows["judge-b", "prompt-2"] == demo.means.mean[1, 1]
    assert len(rows) == 15


def test_leaving_one_out_changes_the_mean(demo):
    row = tables.leave_one_out(demo)[0]
    assert row["change"] == pytest.approx(demo.leave_one_out[0].estimate.value - demo.mean.value)


def test_categories(demo):
    assert len(tables.by_category(demo)) == 12


def test_a_part_without_an_estimate_says_why(table):
    import polars as pl

    import quorate as q
    from quorate.analysis.judgments import analyze_judgments

    frame = table().with_columns(
        category=pl.when(pl.col("item") == "item 0").then(pl.lit("alone")).otherwise(pl.lit("rest"))
    )
    rows = {row["level"]: row for row in tables.by_category(analyze_judgments(q.read(frame)))}
    assert rows["alone"]["mean"] is None
    assert rows["alone"]["why_not"]
    assert rows["rest"]["why_not"] == ""


def test_single_configurations(demo):
    rows = tables.single(demo)
    assert len(rows) == 15
    assert sum(row["naive_misses"] for row in rows) == sum(one.misses for one in demo.naive.single)
    assert [row["mean"] for row in rows] == sorted(row["mean"] for row in rows)


def test_configurations_are_named_by_what_differs(shape):
    assert {row["configuration"] for row in tables.single(shape("one judge"))} == {"prompt 0", "prompt 1"}


def test_what_is_missing(demo):
    rows = tables.missing(demo, "judge")
    assert sum(row["without_score"] for row in rows) == 27
    assert rows[0]["share"] == max(row["share"] for row in rows)
    assert {row["status"]: row["rows"] for row in tables.statuses(demo)}["ok"] == 1773


def test_every_pair_of_facets_meets(demo):
    assert {(row["facet"], row["with"]): row["layout"] for row in tables.crossings(demo)}[
        "item", "category"
    ] == "nested"


def test_support_puts_what_is_not_possible_first(demo):
    assert [row["possible"] for row in tables.support(demo)] == sorted(one.possible for one in demo.support.analyses)


def test_known_drops_rows_with_gaps():
    assert tables.known([{"a": 1.0}, {"a": None}, {"a": math.nan}, {"a": math.inf}], "a") == [{"a": 1.0}]


def test_designs_beside_the_study_come_before_the_frontier(demo):
    rows = tables.frontier(demo)
    assert [row["place"] for row in rows[:4]] == [
        "as it is",
        "best at the same cost",
        "cheapest as precise",
        "on the frontier",
    ]
    assert rows[0]["se"] == demo.optimum.own.se
    costs = [row["cost"] for row in rows[3:]]
    assert costs == sorted(costs)
    assert all(row["se"] <= tables.FAR * rows[0]["se"] for row in [*rows, *tables.cloud(demo), *tables.edge(demo)])
    assert len(tables.cloud(demo)) <= tables.MOST_DESIGNS
    assert len(tables.edge(demo)) <= tables.MOST_STEPS


def test_flagged_items_have_their_spread_in_score_units_and_their_rows(demo):
    rows, found = tables.flagged(demo), demo.flags.flags
    assert [row["spread"] ** 2 for row in rows] == pytest.approx([one.variance for one in found])
    assert rows[0]["rows"] == f"\"item_id\" = '{found[0].labels['item']}'"


def test_scores_of_flagged_items_are_those_of_their_cells(demo):
    first = demo.flags.flags[0]
    rows = [row for row in tables.flagged_scores(demo) if row["item"] == first.labels["item"]]
    assert len(rows) == first.cells == 15
    assert sum(row["judgments"] for row in rows) == first.n
    assert [row["mean"] for row in rows] == sorted(row["mean"] for row in rows)
    assert (min(row["lowest"] for row in rows), max(row["highest"] for row in rows)) == (first.lowest, first.highest)


def test_of_many_configurations_both_ends_are_listed(shape):
    rows = tables.flagged_scores(shape("many levels"))
    assert len(rows) == 2 * tables.MOST_ENDS * len(shape("many levels").flags.flags)


def test_every_configuration_of_a_flagged_item_is_in_the_picture(demo, shape):
    for analysis in (demo, shape("many levels"), shape("hostile items")):
        rows = tables.flagged_spread(analysis)
        items = [row["item"] for row in tables.flagged(analysis)]
        counts = [sum(row["configurations"] for row in rows if row["item"] == item) for item in items]
        assert counts == [one.cells for one in analysis.flags.flags]
        assert len(rows) <= (tables.BINS + 1) * len(items)
