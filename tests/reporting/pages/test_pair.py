from __future__ import annotations

import polars as pl
import pytest

from quorate.analysis.votes import pair_view
from quorate.reporting.pages.verdict import page as verdict_page
from quorate.reporting.pages.votes.standings import pair_page, ways
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.report import page_of, report
from quorate.table.read_votes import read_votes


@pytest.fixture(scope="module")
def votes():
    """Three systems: x is far behind, y and z are nearly tied; votes of a prompt come in twos that agree."""
    rows = [
        (a, b, b if i // 2 % 10 < wins else a, f"p{i // 2}")
        for a, b, wins in (("x", "y", 8), ("y", "z", 5), ("x", "z", 8))
        for i in range(400)
    ]
    frame = pl.DataFrame(rows, schema=["model_a", "model_b", "winner", "prompt"], orient="row")
    return read_votes(frame, announce=False)


def test_the_verdict_comes_before_all_pairs(votes):
    page = pair_page(pair_view(votes, "x", "y"))
    first, second, *_ = page.sections
    assert (first.name, second.name) == ("verdict", "margins")
    assert page.sentence.startswith("x is worse than y: x wins 20.0% of 400 decisive votes")
    assert [figure.name for figure in first.figures] == ["verdict", "ways"]


def test_the_exhibits_are_those_of_the_page_on_the_verdict():
    frame = pl.DataFrame({"model_a": ["x"] * 300, "model_b": ["y"] * 300, "winner": ["x"] * 160 + ["y"] * 140})
    view = pair_view(read_votes(frame, announce=False), "x", "y")
    alone, among = page_of(view.verdict), page_of(view)
    shared = [figure.name for figure in alone.figures]
    assert shared == ["verdict", "next-step"]
    for name in shared:
        one, other = (next(figure for figure in page.figures if figure.name == name) for page in (alone, among))
        assert (one.caption, one.rows, one.headers) == (other.caption, other.rows, other.headers)
    assert (alone.sentence, alone.tiles) == (among.sentence, among.tiles)
    assert among.methods.startswith(alone.methods)


def test_without_other_pairs_the_reason_is_said(votes):
    parts = pair_page(pair_view(votes, "x", "y", minimum=1000)).sections
    assert [part.name for part in parts] == ["verdict", "margins", "health"]
    assert parts[1].text[0].startswith("All pairs are not compared: ")


def test_every_way_to_count_has_its_interval_and_outcome(votes):
    figure = ways(pair_view(votes, "y", "x", margin=0.05))
    asked, other = figure.rows
    assert (asked["way"], other["way"]) == ("by prompt", "votes independent")
    assert asked["low"] < asked["wins"] < asked["high"]
    assert asked["outcome"] == "better"
    assert asked["p_equal"] > 0.9
    assert figure.caption.finding == "Counted in 2 ways, the votes say better in each"


def test_facts_of_a_pilot_are_what_was_read(votes):
    pilot, study = (pair_page(pair_view(votes, "x", "y", minimum=minimum)) for minimum in (1000, 200))
    assert "pairs used" not in {row["what"] for row in pilot.facts.rows}
    assert "pairs used" in {row["what"] for row in study.facts.rows}


def test_what_is_said_around_the_figures(votes):
    view = pair_view(votes, "y", "z", margin=0.05, cluster="prompt")
    page = page_of(view, origin=Provenance(note="a note"))
    clustered = "standard errors clustered by prompt (Liang and Zeger, 1986), 200 clusters; ties were left out"
    assert clustered in page.methods
    assert "Equivalence is shares from 0.45 to 0.55, by two one-sided tests" in page.methods
    assert page.options.startswith("level 0.95, power 0.9, margin 0.05, ties drop, cluster prompt; all pairs: minimum ")
    alone = pair_view(votes, "x", "y", cluster=())
    assert page_of(alone).caveats[0] == verdict_page(alone.verdict).caveats[0]


def test_two_systems_come_with_the_charts_as_files(votes, tmp_path):
    view = pair_view(votes, "y", "z", margin=0.05, cluster="prompt")
    text = report(view, tmp_path / "two.html", charts=tmp_path / "charts").read_text(encoding="utf-8")
    assert '<h1 class="sentence">Undecided whether y or z is preferred' in text
    assert text.index('id="verdict"') < text.index('id="margins"')
    for name in ("verdict", "ways"):
        assert (tmp_path / "charts" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
