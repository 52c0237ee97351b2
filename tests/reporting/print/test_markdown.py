from __future__ import annotations

import re

import pytest

from quorate.reporting.page import Caption, Figure, Page, Section
from quorate.reporting.paper.reproduce import Provenance
from quorate.reporting.print.files import MARKDOWN_MOST_ROWS, as_markdown
from quorate.reporting.report import page_of


def made(*sections: Section, **options) -> Page:
    facts = Figure("facts", Caption("What was read"), [{"what": "rows", "n": 3}])
    return Page("a_b <i>", "It *holds*.", sections, facts, "As usual.", dict, **options)


def test_text_figures_and_origin_in_order():
    rows = [{"n": i} for i in range(MARKDOWN_MOST_ROWS + 5)]
    first = Section("a", "First", ("one", "two"), (Figure("f", Caption("Rows", ("All of them.",)), rows),))
    text = as_markdown(made(first, Section("b", "Second"), caveats=("few",), seed=1, origin=Provenance(note="made up")))
    order = ["# a\\_b &lt;i&gt;", "> made up", "**It \\*holds\\*.**", "- few", "## First\n\n- one\n- two", "### Rows"]
    order += ["And 5 more rows.", "All of them.", "## Second\n\n## Methods", "### What was read", "- seed: 1"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n| ") == 2 + MARKDOWN_MOST_ROWS + 3


def test_without_note_and_caveats():
    assert as_markdown(made()).startswith("# a\\_b &lt;i&gt;\n\n**It \\*holds\\*.**\n\n## Methods")


def test_controls_and_directions_are_taken_out_wherever_they_are():
    rows = [{"na\u202eme": "x\x00\ny", "n": 1}]
    figure = Figure("f", Caption("find\x07ing", ("li\u2066ne",)), rows, headers={"n": "num\u202dber"})
    text = as_markdown(made(Section("a", "tit\x1ble", ("pa\rragraph",), (figure,)), caveats=("ca\x08veat",)))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text)
    assert "| x y | 1 |" in text


def test_the_same_sections_with_tables(demo):
    text = as_markdown(page_of(demo, origin=Provenance(note="Simulated, not real judgments.")))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "How far the mean can be trusted",
        "Where the uncertainty comes from",
        "What to buy next",
        "Judges and prompts",
        "The panel of judges",
        "What a single configuration would have told",
        "Checks of the model",
        "Data health",
        "Items to send to people",
        "Methods",
    ]
    assert "> Simulated, not real judgments." in text
    assert demo.sentence in text
    assert "| judge-a | 0.22" in text


def test_every_shape_is_written(analysis):
    assert as_markdown(page_of(analysis)).startswith("# Judgments from a polars frame\n")


def test_hostile_labels_are_text(shape):
    text = as_markdown(page_of(shape("hostile labels"), origin=Provenance(command="quorate <script>")))
    assert not re.search(r"<(script|img|b)\b", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


@pytest.mark.slow
def test_long_tables_are_cut_and_say_so(shape):
    assert "And 2,705 more rows." in as_markdown(page_of(shape("many levels")))
