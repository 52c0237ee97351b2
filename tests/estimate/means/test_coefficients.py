from __future__ import annotations

import numpy as np
import pytest

import quorate as q
from quorate.estimate.means.intervals import coefficients, is_of_known_levels
from quorate.numerics.mixed.information import weights
from quorate.numerics.mixed.reml import squares

SIZES = {"item": 8, "prompt": 3, "judge": 2}


@pytest.fixture(scope="module")
def fit(judged):
    return q.decompose(judged(SIZES, replicates=2, seed=3))


def of_balanced(names, fit):
    """One over the levels of a term, which is its coefficient where all of its facets are drawn."""
    sizes = SIZES | {"replicate": 2}
    whole = {"cell": "item:prompt:judge", "replicate": "item:prompt:judge:replicate"}
    return [1 / np.prod([sizes[one] for one in whole.get(name, name).split(":")]) for name in names]


def test_coefficients_are_one_over_the_levels_and_none_for_levels_that_are_all_there_is(fit):
    given = weights(fit.assembled.problem, fit.point.solved, fit.assembled.fixed.mean)
    drawn = {"item": "population", "prompt": "population", "judge": "panel"}
    names = fit.assembled.names
    assert coefficients(fit, given, drawn) == pytest.approx(of_balanced(names, fit))
    assert coefficients(fit, given, drawn) == pytest.approx(squares(fit.assembled.problem, given))
    themselves = dict.fromkeys(SIZES, "panel")
    found = dict(zip(names, coefficients(fit, given, themselves), strict=True))
    assert {name for name, value in found.items() if value > 1e-12} == {"replicate"}
    assert [name for name in names if is_of_known_levels(fit, name, {**drawn, "prompt": "panel"})] == [
        "prompt",
        "prompt:judge",
    ]
