from __future__ import annotations

import pytest

import quorate as q
from quorate.plan.designs.sources import Design, from_fit
from quorate.plan.search.limits import around


@pytest.fixture(scope="module")
def fit(simulate):
    frame = simulate({"item": 30, "prompt": 3, "judge": 4, "temperature": 2}, replicates=2, seed=9)
    return q.decompose(q.read(frame, facets={n: n for n in ("item", "prompt", "judge", "temperature", "replicate")}))


def test_designs_around_the_one_at_hand(fit):
    found = around(from_fit(fit, Design(targets={"judge": "population"})), {"call": 1.0})
    assert (min(found["items"]), max(found["items"]), len(found["items"])) == (2, 120, 119)
    assert found["prompt"] == (1, 2, 3, 4, 5, 6)
    assert found["judge"] == tuple(range(1, 9))
    assert found["replicates"] == (1, 2, 3)
    assert "temperature" not in found  # a panel: with fewer levels the mean would be of something else


def test_no_more_judges_than_have_a_price(fit):
    source = from_fit(fit, Design(targets={"judge": "population"}))
    assert around(source, {"judge": {"a": 1.0, "b": 2.0}})["judge"] == (1, 2)
    assert "judge" not in around(from_fit(fit, Design()), {"judge": {"a": 1.0, "b": 2.0}})


def test_a_large_study_is_searched_at_steps(fit):
    items = around(from_fit(fit, Design(items=10_000)), {"call": 1.0})["items"]
    assert len(items) == 2000
    assert max(items) == 40_000


def test_optimize_uses_them(fit):
    best = q.optimize(fit, budget=240, targets={"judge": "population"})
    assert best.calls <= 240
    assert best.own.calls == 1440
    assert best.candidates > 5000
