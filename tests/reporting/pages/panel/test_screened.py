from __future__ import annotations

from quorate.planning.panel.screening import screen
from quorate.reporting.report import page_of


def test_who_is_chosen_and_what_else_the_money_buys(judged):
    found = screen(judged({"item": 24, "judge": 5}, seed=1), budget=60)
    page = page_of(found)
    panels, judges, frontier = page.figures
    assert panels.rows[0]["half"] == found.half_width
    assert {row["place"] for row in judges.rows} <= {"kept", "left out"}
    assert len(frontier.rows) == len(found.frontier)
    assert "resampled pilots" in page.sections[1].text[0]
