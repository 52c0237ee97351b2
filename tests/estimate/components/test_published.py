from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidInput


def test_facets_in_the_order_they_are_named():
    found = q.components({"item": 0.1, "item:judge": 0.2, "cell": 0.3, "replicate": 0.1}, sensitivity={"prompt": 0.4})
    assert found.facets == ("item", "judge", "prompt")
    assert found.random["item:judge"] == 0.2
    assert found.sensitivity == {"prompt": 0.4}


def test_the_mapping_is_copied():
    given = {"item": 0.1}
    found = q.components(given)
    given["item"] = 5.0
    assert found.random["item"] == 0.1


@pytest.mark.parametrize("value", [0, 0.0, np.float64(0.1), np.float32(0.1), np.int64(2), Fraction(1, 10)])
def test_any_kind_of_number_is_a_variance(value):
    assert q.components({"item": value}).random["item"] == value


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "0.1", None, True, [0.1]])
def test_anything_else_is_refused(value):
    with pytest.raises(InvalidInput, match='components: "item" must be a finite variance'):
        q.components({"item": value})
    with pytest.raises(InvalidInput, match='components: "judge" must be a finite variance'):
        q.components({"item": 0.1}, sensitivity={"judge": value})


def test_at_least_one_term():
    with pytest.raises(InvalidInput, match="at least one random term"):
        q.components({}, sensitivity={"judge": 0.1})


def test_generations_are_nested_in_items_as_in_a_fit(simulate):
    sd = {"generation": 0.5, "item": 0.3, "item:judge": 0.2, "cell": 0.3}
    table = q.read(simulate({"item": 30, "generation": 4, "judge": 3}, sd=sd, seed=1), announce=False)
    fit = q.decompose(table)
    known = {name.split(" + ")[0]: value for name, value in fit.variances.items()}
    same, crossed = q.components(known), q.components(known, nested={})
    for sizes in (
        {"items": 30, "levels": {"generation": 4, "judge": 3}},
        {"items": 60, "levels": {"generation": 2, "judge": 3}},
    ):
        fitted = q.project(fit, targets={"judge": "panel"}, **sizes)
        drawn = {"judge": "panel"}
        assert q.project(same, targets=drawn, **sizes).se == pytest.approx(fitted.se, rel=1e-9)
        assert q.project(crossed, targets=drawn, **sizes).se > 1.5 * fitted.se
    assert same.above == {"generation": ("item",)}


@pytest.mark.parametrize("nested", [{"generation": "student"}, {"person": "item"}, {"item": "judge", "judge": "item"}])
def test_nesting_must_be_among_the_facets(nested):
    with pytest.raises(InvalidInput, match="nested: "):
        q.components({"item": 1.0, "generation": 1.0, "judge": 1.0}, nested=nested)
