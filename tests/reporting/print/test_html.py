from __future__ import annotations

import re

from quorate.reporting.page import Caption, Figure, Page, Section
from quorate.reporting.print.html import as_html


def made(*sections: Section, **options) -> Page:
    return Page("T", "S.", sections, Figure("facts", Caption("Read"), [{"rows": 3}]), "As usual.", dict, **options)


def test_a_page_without_charts_needs_no_script_to_draw_them():
    assert len(as_html(made())) < 50_000


def test_controls_and_directions_are_taken_out_wherever_they_are():
    rows = [{"na\u202eme": "x\x00\ny", "n": 1}]
    figure = Figure("f", Caption("find\x07ing", ("li\u2066ne",)), rows, headers={"n": "num\u202dber"})
    parts = (Section("a", "tit\x1ble", ("pa\rragraph",), (figure,)),)
    text = as_html(made(*parts, caveats=("ca\x08veat",), prompts=(("la\u202ebel", "one\x00\ntwo"),)))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", re.sub("<style>.*?</style>", "", text))
    assert "<pre><bdi>one\ntwo</bdi></pre>" in text
