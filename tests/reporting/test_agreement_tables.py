from __future__ import annotations

import pytest

from quorate.analysis.agreement import AgreementView
from quorate.reporting import agreement_tables as tables


def test_one_row_per_pipeline_category_and_kind(agreed):
    rows = tables.rates(agreed())
    assert len(rows) == 3 * 3 * 2
    assert {row["judged_by"] for row in rows} == {"judges", "careful", "hasty"}
    best = next(row for row in rows if row["judged_by"] == "careful" and row["of"] == "all")
    assert (best["battles"], best["agreement"], best["clusters"]) == (80, pytest.approx(0.9), None)


def test_differences_are_in_points(agreed):
    view = agreed()
    for row, one in zip(tables.differences(view), view.found.differences, strict=True):
        assert (row["points"], row["low"]) == pytest.approx((100 * one.value, 100 * one.low), nan_ok=True)


def test_cells_are_best_first_and_positions_by_judge(agreed):
    view = agreed()
    shares = [row["right"] for row in tables.cells(view)]
    assert shares == sorted(shares, reverse=True)
    assert [row["judge"] for row in tables.positions(view)] == ["careful", "hasty"]
    assert tables.positions(view)[1]["shown_first"] > 0.6
    assert tables.cells(AgreementView(view.found)) == []


def test_ties_and_facts(agreed):
    view = agreed()
    assert [row["judged_by"] for row in tables.ties(view)] == ["judges", "careful", "hasty"]
    assert {"what": "categories", "value": 2} in tables.facts(view)


def test_hostile_labels_are_made_harmless_and_told_apart(agreed, hostile):
    rows = tables.ties(agreed(hostile[:3]))
    assert len({row["judged_by"] for row in rows}) == 4
    assert all("\n" not in row["judged_by"] for row in rows)
