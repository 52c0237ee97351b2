from __future__ import annotations

import re

from quorate.reporting.markdown import markdown

from quorate.reporting.reproduce import Provenance


def test_the_same_sections_with_tables(demo):
    text = markdown(demo, Provenance(note="Simulated, not real judgments."))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "How far the mean can be trusted",
        "Where the uncertainty comes from",
        "What to buy next",
        "Judges and prompts",
        "The panel of judges",
        "What a single configuration would have told",
        "Data health",
        "Items to send to people",
        "Methods",
    ]
    assert "> Simulated, not real judgments." in text
    assert f"**{demo.sentence}**" in text
    assert "| judge-a | 0.2206 |" in text


def test_every_shape_is_written(analysis):
    assert markdown(analysis, Provenance()).startswith("# Judgments from a polars frame\n")


def test_hostile_labels_are_text(shape):
    text = markdown(shape("hostile labels"), Provenance(command="quorate <script>"))
    assert not re.search(r"<(script|img|b)\b", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_long_tables_are_cut_and_say_so(shape):
    assert "And 2,705 more rows." in markdown(shape("many levels"), Provenance())
