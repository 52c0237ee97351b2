from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.people.corrected import labels_page


@pytest.fixture(scope="module")
def plan():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=90)
    rows = [(i, f"c{i % 3}", "llm", truth[i] + 0.7 * rng.normal()) for i in range(90)]
    rows += [(i, f"c{i % 3}", "ann", truth[i]) for i in range(90)]
    frame = pl.DataFrame(rows, schema=["item", "category", "judge", "score"], orient="row")
    prices = {"human": 1.0, "call": 0.02}
    return q.agreement.plan_labels(
        q.read(frame, announce=False), "ann", prices=prices, half_width=0.1, strata="category"
    )


def test_the_split_stands_beside_people_alone_and_other_splits_of_its_price(plan):
    made = labels_page(plan)
    ways, same, strata = made.figures
    assert ways.rows == plan.rows()
    assert ways.caption.finding == f"The split saves {plan.saved:.0%} of the price of people alone"
    assert [row["labels"] for row in same.rows] == [way.labels for way in plan.same_price]
    assert len(same.chart()["layer"]) == 2
    assert [row["stratum"] for row in strata.rows] == ["c0", "c1", "c2"]
    assert made.sentence == plan.sentence
    assert made.sections[0].text == plan.says
    assert "within strata by Neyman's allocation" in made.methods
    assert {row["what"]: row["value"] for row in made.facts.rows}["labels of the pilot"] == 90
