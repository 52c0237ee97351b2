from __future__ import annotations

from itertools import product

import numpy as np
from tables import scores_table

import quorate as q
from quorate.reporting.pages.agents import chain_page, ensemble_page, hazard_page


def test_the_page_has_every_stage():
    a, b, c = np.random.default_rng(1).normal(size=(3, 200))
    found = q.agents.chain({"plan": a, "code": a + b, "test": a + b + c}, ["plan", "code", "test"])
    made = chain_page(found)
    (figure,) = made.figures
    assert [row["stage"] for row in figure.rows] == ["plan", "code", "test"]
    assert [row["share"] for row in figure.rows] == [one.share for one in found.links]
    assert figure.chart()["layer"]
    assert "runs as independent" in made.methods


def test_the_page_has_every_number_of_agents():
    made = ensemble_page(q.agents.ensemble([1.0] * 4, 0.5))
    (figure,) = made.figures
    assert [row["agents"] for row in figure.rows] == list(range(1, 9))
    assert figure.caption.finding == "4 agents are worth 1.6 independent ones"
    assert figure.chart()["layer"]


def test_the_page_has_every_turn():
    draw = np.random.default_rng(2).normal(5, 1, (20, 3))
    rows = [(i, t, draw[i, t] + t) for i, t in product(range(20), range(3))]
    table = scores_table(rows, "item turn score")
    found = q.agents.hazard(q.decompose(table), 8)
    made = hazard_page(found, table)
    hazards, survival = made.figures
    assert [row["hazard"] for row in hazards.rows] == [one.hazard.value for one in found.turns]
    assert survival.rows[-1]["survival"] == found.turns[-1].survival.value
    assert made.sentence == found.sentence
    assert all(figure.chart()["layer"] for figure in made.figures)
