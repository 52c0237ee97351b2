from __future__ import annotations

import polars as pl
import pytest

from quorate.analysis.votes import pair_view
from quorate.reporting.pages.votes import page as votes
from quorate.reporting.pages.votes.page import analyses, health, read, used
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def view():
    """Three pairs with 400 votes each, on prompts that come twice."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return votes.votes_view(read_votes(frame, announce=False))


def test_possible_analyses_come_first(view):
    figure = analyses(view.support)
    possible = [row["possible"] for row in figure.rows]
    assert possible == sorted(possible, reverse=True)
    assert len(set(possible)) == 2
    assert figure.caption.finding.endswith("analyses of these votes are possible")


def test_facts_say_what_was_left_out(view):
    said = {row["what"]: row["as_read"] for row in used(view).rows}
    assert (said["pairs used"], said["pairs left out"]) == ("3, with 200 decisive votes or more", "0, with fewer")
    assert said["levels of prompt"] == "200"


def test_what_was_read_needs_no_pair_with_enough_votes(view):
    figure = read(view.support)
    said = {row["what"]: row["as_read"] for row in figure.rows}
    assert figure.caption.finding == "1,200 votes between 3 models"
    assert said["votes"] == "1,200: 1,200 decisive, 0 ties, 0 both bad"
    assert "pairs used" not in said


def test_few_votes_of_other_pairs_are_in_data_health_alone():
    frame = pl.DataFrame(
        [("y", "z", "y" if i % 2 else "z") for i in range(300)] + [("x", "q", "x")] * 3,
        schema=["model_a", "model_b", "winner"],
        orient="row",
    )
    pair = pair_view(read_votes(frame, announce=False), "y", "z")
    assert "few-votes" in {one.code for one in pair.support.findings}
    assert pair.caveats == ()
    assert any("fewer than 30 decisive votes" in line for line in health(pair.support).text)
    assert any("fewer than 30" in caveat for caveat in votes.page(pair.every).caveats)
