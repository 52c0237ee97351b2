from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.means.effects import configuration_facets, configurations

ROWS = [
    ("a", "p", "x", 1.0),
    ("a", "p", "x", 3.0),
    ("b", "p", "x", 4.0),
    ("a", "p", "y", 5.0),
    ("b", "p", "y", 9.0),
    ("c", "p", "y", 1.0),
    ("a", "q", "x", 7.0),
]


@pytest.fixture
def judgments():
    frame = pl.DataFrame(ROWS, schema=["item", "prompt", "judge", "score"], orient="row")
    return q.read(frame, facets={name: name for name in ("item", "prompt", "judge")})


def test_every_configuration_that_occurs(judgments):
    found = {(c.labels["prompt"], c.labels["judge"]): c for c in configurations(judgments, ("prompt", "judge"))}
    assert set(found) == {("p", "x"), ("p", "y"), ("q", "x")}
    first = found["p", "x"]  # items 2 (the mean of two answers) and 4
    assert (first.value, first.n_items) == (3.0, 2)
    assert first.se == pytest.approx(np.std([2, 4], ddof=1) / np.sqrt(2))
    assert found["p", "y"].se == pytest.approx(np.std([5, 9, 1], ddof=1) / np.sqrt(3))


def test_one_item_has_no_standard_error(judgments):
    one = next(c for c in configurations(judgments, ("prompt", "judge")) if c.labels["prompt"] == "q")
    assert one.value == 7.0
    assert np.isnan(one.se)


def test_facets_that_are_not_fixed_are_averaged_within_items(judgments):
    by_judge = {c.labels["judge"]: c for c in configurations(judgments, ("judge",))}
    assert by_judge["x"].value == pytest.approx(np.mean([np.mean([2, 7]), 4]))


def test_a_configuration_fixes_neither_items_nor_what_belongs_to_them(simulate):
    frame = simulate({"item": 4, "answer": 2, "prompt": 2, "judge": 2})
    frame = frame.with_columns(category=pl.col("item").str.slice(-1), benchmark=pl.col("item").str.slice(-1))
    facets = {name: name for name in ("item", "answer", "prompt", "judge", "benchmark")}
    judgments = q.read(frame, facets=facets, nested={"item": "category", "answer": "item"})
    assert configuration_facets(judgments, frozenset({"benchmark"})) == ("prompt", "judge")
