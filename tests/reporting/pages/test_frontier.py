from __future__ import annotations

from charts import marks_of, spec

import quorate as q
from quorate.reporting.pages.designs import ON_THE_FRONTIER, frontier, within_reach

SAFETY = {"item": 0.0104, "item:judge": 0.0251, "replicate": 0.012}
LIMITS = {"items": range(20, 141, 10), "judges": range(1, 4), "replicates": [1, 2]}


def optimum(**options):
    safety = q.components(SAFETY, sensitivity={"judge": 4.65e-4})
    return q.plan(safety, budget=150, limits=LIMITS, own={"items": 100, "judges": 1}, **options)


def test_designs_with_names_come_before_the_frontier():
    places = [row["place"] for row in within_reach(optimum())]
    assert places[0] == "as it is"
    assert ON_THE_FRONTIER not in places[: places.index(ON_THE_FRONTIER)]
    assert set(places[places.index(ON_THE_FRONTIER) :]) == {ON_THE_FRONTIER}


def test_the_frontier_is_drawn_with_the_designs_that_have_names():
    best = optimum(prices={"call": 0.5, "item": 1.0})
    found = frontier(best)
    assert {"as it is", "best for what was asked"} <= {row["place"] for row in found.rows}
    assert spec(found)["layer"][0]["encoding"]["x"]["title"] == "price, USD (log scale)"
    assert marks_of(found)[:3] == ["point", "line", "point"]
    assert spec(frontier(optimum()))["layer"][0]["encoding"]["x"]["title"] == "number of calls (log scale)"
