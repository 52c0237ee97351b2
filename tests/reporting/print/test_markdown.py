from __future__ import annotations

from quorate.reporting.page import Caption, Figure, Section
from quorate.reporting.print.markdown import MOST_ROWS, markdown_page

SAID = {
    "title": "a_b <i>",
    "note": "simulated",
    "sentence": "It *holds*.",
    "caveats": ["few items"],
    "methods": "As usual.",
    "provenance": {"seed": "1"},
}


def test_text_figures_and_origin_in_order():
    rows = [{"n": i} for i in range(MOST_ROWS + 5)]
    parts = [
        Section("a", "First", ("one", "two"), (Figure("f", Caption("Rows", ("All of them.",)), rows),)),
        Section("b", "Second", (), ()),
    ]
    text = markdown_page(parts, Figure("last", Caption("What was read", ()), [{"what": "rows", "n": 3}]), SAID)
    order = ["# a\\_b &lt;i&gt;", "> simulated", "**It \\*holds\\*.**", "- few items", "## First\n\n- one\n- two"]
    order += [
        "### Rows",
        "And 5 more rows.",
        "All of them.",
        "## Second\n\n## Methods",
        "### What was read",
        "- seed: 1",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n| ") == 2 + MOST_ROWS + 3


def test_without_note_and_caveats():
    text = markdown_page((), Figure("last", Caption("x", ()), [{"a": 1}]), {**SAID, "note": None, "caveats": []})
    assert text.startswith("# a\\_b &lt;i&gt;\n\n**It \\*holds\\*.**\n\n## Methods")
