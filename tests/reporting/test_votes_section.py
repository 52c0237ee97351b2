from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from quorate.analysis.votes import votes_view
from quorate.reporting.votes_section import votes_facts, votes_sections
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


def test_sections_and_their_figures(view):
    found = {section.name: [figure.name for figure in section.figures] for section in votes_sections(view)}
    assert found == {
        "margins": ["margins", "pairs"],
        "decided": ["decided", "equal-budget"],
        "stability": ["stability"],
        "dependence": ["dependence"],
        "health": ["analyses"],
    }
    assert all(section.text for section in votes_sections(view))
    assert votes_facts(view).rows


def test_without_anything_shared_it_is_said_that_votes_count_as_independent(view):
    section = votes_sections(replace(view, dependence=()))[3]
    assert section.figures == ()
    assert "taken as independent" in section.text[0]


def test_what_is_within_reach_is_said(view):
    (line,) = votes_sections(view)[1].text
    assert line.startswith("Pairs that have power 0.9 or more at their estimated margin: 0% with 25, 67% with ")
    assert line.endswith("67% with 5,000 votes each.")


def test_pairs_that_stay_near_ties_are_counted(view):
    assert votes_sections(view)[2].text == (
        "1 of 1 pair with a margin of 0.1 or less in the first votes has one in all votes.",
    )


def test_why_early_votes_are_not_compared_is_said(view):
    section = votes_sections(replace(view, stability=None, stability_reason="no order"))[2]
    assert section.text == ("Early votes are not compared with later ones: no order.",)
    assert section.figures == ()
