from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.designs import allowed, amount, certainty, in_words, layout_named, scope, sentence


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


LIMITS = {"items": [20, 50, 100], "judges": range(1, 4)}


@pytest.fixture(scope="module")
def safety():
    return q.components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})


def test_what_is_best_and_how_it_compares(safety):
    best = q.plan(safety, budget=100, limits=LIMITS, own={"items": 100, "judges": 1})
    assert sentence(best).startswith("Best of 15 designs for a budget of 100 calls: ")
    assert " Its interval is 18% narrower than that of the design at hand (100 calls)." in sentence(best)
    assert allowed(best).startswith("20 to 100 items (the best has the most); 1 to 3 judges (the best has the most)")


def test_the_design_at_hand_may_be_the_best(safety):
    own = {"items": 400, "judges": 3, "layout": "cyclic"}
    best = q.plan(safety, budget=500, limits=LIMITS, own=own)
    assert best.stays
    assert sentence(best).endswith("That is the design at hand.")


def test_what_was_asked_for(safety):
    assert "for an interval of ±0.1" in sentence(q.plan(safety, half_width=0.1, limits=LIMITS))
    priced = q.plan(safety, target_se=0.03, limits=LIMITS, prices={"call": 0.5})
    assert "for a standard error of 0.03" in sentence(priced)
    assert amount(priced, 3.0) == "$3.00"
    assert amount(priced, None) == "price unknown"


def test_how_sure_the_choice_is(shape):
    best = q.plan(shape("balanced").fit, budget=300, limits={"items": [10, 30], "prompts": [1, 3]})
    assert any("pilots redrawn from this fit" in line for line in certainty(best, best.ranking(100, rng=1)))
