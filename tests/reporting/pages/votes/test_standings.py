"""The page of standings."""

from __future__ import annotations

import polars as pl
import pytest

from quorate.decide.stop import monitor_all
from quorate.reporting.pages.votes.standings import page
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def made():
    pairs = [("<b>x", "y"), ("y", "z"), ("<b>x", "z")]
    rows = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in pairs * 30]
    return page(monitor_all(read_votes(pl.DataFrame(rows), announce=False)))


def test_it_has_ranks_and_pairs(made):
    ranks, pairs = made.figures[:2]
    assert ranks.caption.finding == "3 systems of 3 have a known rank"
    assert [(row["system"], row["best"], row["worst"]) for row in ranks.rows] == [
        ("<b>x", 1, 1),
        ("y", 2, 2),
        ("z", 3, 3),
    ]
    assert pairs.caption.finding == "3 pairs have enough votes to be decided"
    assert {row["share"] for row in pairs.rows} == {1.0}


def test_its_charts_are_drawn_and_its_method_said(made):
    drawn = [figure.chart() for figure in made.figures if figure.chart]
    assert len(drawn) == 2
    assert (
        "at level 0.983333, or at what decided pairs leave of it (Holm, 1979), so that with a chance of 0.95"
        in made.methods
    )
    assert [tile.value for tile in made.tiles] == ["3", "0"]
