from __future__ import annotations

from charts import drawn

from quorate.reporting.pages.judgments.page import changed, purchases_section, what_if


def test_what_if_names_the_facet_that_changes(demo):
    base, *changes = demo.what_if
    named = {one.label: changed(base.projection, one.projection) for one in changes if one.projection}
    assert changed(base.projection, base.projection) == ""
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
    assert "Not known: one more replicate. This design weighs" in " ".join(purchases_section(found).text)
    row = next(row for row in what_if(found).rows if row["half"] is None and row["change"] == "one more replicate")
    assert row["calls"] is None


def test_without_a_price_that_is_said(shape):
    assert "No price per call" in " ".join(purchases_section(shape("items only")).text)
