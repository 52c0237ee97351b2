from __future__ import annotations

import quorate as q
from quorate.reporting.report import page_of


def test_what_a_table_holds_and_what_stands_in_the_way(judged):
    table = judged({"item": 12, "judge": 3}, keep=0.9, seed=2)
    page = page_of(q.doctor(table), source=table)
    figures = {figure.name: figure for figure in page.figures}
    assert "can be analysed" in page.sentence
    assert [row["levels"] for row in figures["facets"].rows] == [12, 3]
    assert {row["possible"] for row in figures["analyses"].rows} == {"yes", "no"}


def test_votes(between):
    page = page_of(q.doctor(between(3, 2)))
    assert "cannot be analysed as it is: " in page.sentence
    assert page.sections[0].figures[0].rows[0]["severity"] in ("error", "warning")
