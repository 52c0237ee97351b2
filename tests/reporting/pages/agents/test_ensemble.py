from __future__ import annotations

import quorate as q
from quorate.reporting.pages.agents import ensemble_page


def test_the_page_has_every_number_of_agents():
    made = ensemble_page(q.agents.ensemble([1.0] * 4, 0.5))
    (figure,) = made.figures
    assert [row["agents"] for row in figure.rows] == list(range(1, 9))
    assert figure.caption.finding == "4 agents are worth 1.6 independent ones"
    assert figure.chart()["layer"]
