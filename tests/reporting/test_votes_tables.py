from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.analysis.votes import votes_view
from quorate.reporting import votes_tables as tables
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes_view(read_votes(frame, announce=False))


def test_cumulative_shares_rise_to_one(view):
    for law, margins in ((tables.ESTIMATED, 3), (tables.CORRECTED, 100)):
        rows = [row for row in tables.cumulative(view) if row["law"] == law]
        shares = [row["share"] for row in rows]
        assert len(rows) == margins + 1
        assert shares[0] == 0
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1)


def test_estimated_margins_step_where_pairs_are(view):
    rows = [row["margin"] for row in tables.cumulative(view) if row["law"] == tables.ESTIMATED]
    assert rows == pytest.approx([0, 0, 0.3, 0.3])


def test_the_closest_pair_comes_first(view):
    first, *rest = tables.pairs(view)
    assert (first["pair"], first["votes"], first["margin"], first["needed"]) == ("y vs z", 400, 0, None)
    assert np.isinf(first["implied"])
    assert all(row["margin"] == pytest.approx(0.3) for row in rest)


def test_decided_lies_in_its_interval(view):
    rows = tables.decided(view)
    assert len(rows) == len(view.found.budgets)
    assert all(row["low"] <= row["decided"] <= row["high"] for row in rows)


def test_votes_in_twos_that_agree_are_worth_half(view):
    (row,) = tables.dependence(view)
    assert row["by"] == "prompt"
    assert row["ratio"] == pytest.approx(2**0.5, abs=0.01)
    assert row["repeated"] == 1
    assert row["levels"] == 200


def test_possible_analyses_come_first(view):
    possible = [row["possible"] for row in tables.analyses(view.support)]
    assert possible == sorted(possible, reverse=True)
    assert len(set(possible)) == 2


def test_facts_say_what_was_left_out(view):
    said = {row["what"]: row["as_read"] for row in tables.facts(view)}
    assert (said["pairs used"], said["pairs left out"]) == ("3, with 200 decisive votes or more", "0, with fewer")
    assert said["levels of prompt"] == "200"


def test_quantiles_have_the_votes_they_need(view):
    rows = tables.quantiles(view)
    assert [row["share"] for row in rows] == [0.1, 0.25, 0.5, 0.75, 0.9]
    assert [row["n"] for row in rows] == list(view.quantiles.n)


def test_studies_of_more_votes_are_clearer(view):
    rows = tables.equal(view)
    assert [row["votes"] for row in rows] == [50, 100, 200, 500, 1000]
    assert all(row["low"] <= row["z"] <= row["high"] for row in rows)
    assert [row["z"] for row in rows] == sorted(row["z"] for row in rows)


def test_what_changed_most_surely_comes_first(view):
    rows = tables.drift(view.stability)
    assert [row["drift_p"] for row in rows] == sorted(view.stability.drift_p.tolist())
    assert {row["others"] for row in rows} == {350}


def test_what_was_read_needs_no_pair_with_enough_votes(view):
    said = {row["what"]: row["as_read"] for row in tables.read(view.support)}
    assert said["votes"] == "1,200: 1,200 decisive, 0 ties, 0 both bad"
    assert "pairs used" not in said
