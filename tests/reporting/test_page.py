from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from functools import partial

import pytest

import quorate as q
from quorate.reporting.page import Caption, Figure, Page, Section, source_of, title_of
from quorate.reporting.paper.reproduce import Provenance

FACTS = Figure("facts", Caption("What was read"), [{"rows": 3}])


def test_a_figure_is_a_table_unless_it_has_a_chart():
    figure = Figure("means", Caption("Means are alike"), [{"mean": 1.0}])
    assert (figure.chart, figure.headers, figure.folded, figure.unfolded) == (None, {}, False, False)


def test_a_section_is_not_changed_once_made():
    with pytest.raises(FrozenInstanceError):
        Section("panel", "The panel", ("text",)).title = "Another"


def test_the_title_is_the_file_where_there_is_one(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,model_a\n")
    assert title_of(q.read_votes(path, announce=False), "Votes") == "votes.csv"
    assert title_of(None, "Votes") == "Votes"


def test_a_frame_has_no_name(ballots):
    assert title_of(ballots(), "Votes") == "Votes, from a polars frame"


def test_where_it_comes_from(ballots):
    page = Page(
        "Votes",
        "They differ.",
        (),
        FACTS,
        "As usual.",
        dict,
        options="level 0.95",
        source=partial(source_of, ballots()),
    )
    found = replace(page, seed=1, origin=Provenance("quorate rank --api-key sk-1", 7)).provenance
    assert (found["seed"], found["options"]) == ("7", "level 0.95")
    assert "sk-1" not in found["command"]
    assert found["SHA-256 of the input"] == "none: not read from a file"
    assert page.provenance["seed"] == "fixed: the same input gives the same figures"
    assert replace(page, seed=3).provenance["seed"] == "3"
    assert replace(page, seed=3, origin=Provenance(seed=0)).provenance["seed"] == "0"
    assert {"input", "options"}.isdisjoint(replace(page, source=dict, options="").provenance)
