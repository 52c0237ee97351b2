"""Mean squares of a design, against those of the analysis of variance of a crossed table."""

import numpy as np
import pytest

import quorate as q
from quorate.planning.designs.studies import mean_squares

FOUND = q.components({"item": 5.0, "prompt": 0.9, "item:prompt": 7.5})


def squares_of(plan):
    made = plan.studies
    return mean_squares(made.source, made.laid, made.parts)


def test_of_prompts_like_these():
    found = squares_of(q.project(FOUND, items=10, prompts=3))
    spread, noise, df = found.effects["prompt"]
    assert float(np.ravel(found.items)[0]) == pytest.approx(5 / 10 + 7.5 / 30)
    assert float(np.ravel(spread)[0]) == pytest.approx(0.9 / 3)
    assert float(np.ravel(noise)[0]) == pytest.approx(7.5 / 30)
    assert (float(np.ravel(found.df)[0]), float(np.ravel(df)[0])) == (9, 2)
    assert float(np.ravel(found.rest)[0]) == 0


def test_two_prompts_say_nothing_of_others():
    plan = q.project(FOUND, items=10, prompts=2)
    assert np.isinf(squares_of(plan).effects["prompt"][0]).all()
    assert plan.half_width == float("inf")


def test_of_these_prompts_there_are_items_alone():
    found = squares_of(q.project(FOUND, items=10, prompts=3, targets={"prompt": "panel"}))
    assert found.effects == {}
    assert float(np.ravel(found.df)[0]) == 9
