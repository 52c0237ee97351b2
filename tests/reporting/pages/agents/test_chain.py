from __future__ import annotations

import numpy as np

import quorate as q
from quorate.reporting.pages.agents import chain_page


def test_the_page_has_every_stage():
    a, b, c = np.random.default_rng(1).normal(size=(3, 200))
    found = q.agents.chain({"plan": a, "code": a + b, "test": a + b + c}, ["plan", "code", "test"])
    made = chain_page(found)
    (figure,) = made.figures
    assert [row["stage"] for row in figure.rows] == ["plan", "code", "test"]
    assert [row["share"] for row in figure.rows] == [one.share for one in found.links]
    assert figure.chart()["layer"]
    assert "runs as independent" in made.methods
