from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl

import quorate as q
from quorate.reporting.pages.agents import hazard_page


def test_the_page_has_every_turn():
    draw = np.random.default_rng(2).normal(5, 1, (20, 3))
    rows = [(i, t, draw[i, t] + t) for i, t in product(range(20), range(3))]
    table = q.read(pl.DataFrame(rows, schema=["item", "turn", "score"], orient="row"), announce=False)
    found = q.agents.hazard(q.decompose(table), 8)
    made = hazard_page(found, table)
    hazards, survival = made.figures
    assert [row["hazard"] for row in hazards.rows] == [one.hazard.value for one in found.turns]
    assert survival.rows[-1]["survival"] == found.turns[-1].survival.value
    assert made.sentence == found.sentence
    assert all(figure.chart()["layer"] for figure in made.figures)
