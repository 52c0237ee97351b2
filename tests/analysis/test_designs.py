from __future__ import annotations

import pytest

import quorate as q
from quorate.analysis.designs import default_targets, half_width, in_words, standard_errors


@pytest.fixture(scope="module")
def published():
    """Components without a study."""
    return q.components({"item": 0.1, "item:judge": 0.05}, sensitivity={"judge": 0.01})


def test_judges_stand_for_others_where_the_data_tell(shape, published):
    assert default_targets(shape("balanced").fit, {}) == {"judge": "population"}
    assert default_targets(shape("balanced").fit, {"judge": "panel"}) == {"judge": "panel"}
    assert default_targets(shape("one judge").fit, {"item": "population"}) == {"item": "population"}
    assert default_targets(published, {}) == {}


def test_half_an_interval_is_that_of_the_mean(shape, published):
    found = shape("balanced")
    assert half_width(found.fit, {"judge": "population"}) == (found.population.half_width(), found.population.se)
    ratio = found.population.half_width() / found.population.se
    assert standard_errors(found.fit, {"judge": "population"}) == ratio > 1.96
    assert half_width(published, {}) is None
    assert standard_errors(published, {}) == pytest.approx(1.959964, abs=1e-6)


def test_a_design_in_words(demo):
    assert in_words(demo.optimum.own) == "60 items × 5 prompts × 3 judges × 2 replicates"
    assert in_words(demo.optimum.same_se).endswith(", one prompt and judge per item in turn")
