from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.designs import in_words, layout_named, scope


@pytest.fixture(scope="module")
def published():
    """Components without a study."""
    return q.components({"item": 0.1, "item:judge": 0.05}, sensitivity={"judge": 0.01})


def test_a_design_in_words(published):
    assert in_words(q.project(published, items=10, judges=3)) == "10 items × 3 judges"
    assert in_words(q.project(published, items=10, judges=3, layout="cyclic")).endswith(", one judge per item in turn")


def test_the_layout_says_how_many_judges_an_item_has(published):
    assert layout_named(q.project(published, items=10, judges=3, layout="cyclic")) == "cyclic"
    assert layout_named(q.project(published, items=10, judges=3, layout="blocks", per_item=2)) == "2 judges each"


def test_for_whom_a_design_speaks(simulate):
    frame = simulate({"item": 6, "judge": 3}, seed=1)
    fit = q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}))
    assert scope(q.project(fit, targets={"judge": "population"})) == ", for judges like these"
    assert scope(q.project(fit, targets={"judge": "panel"})) == ", with these 3 judges"
