"""Differences in which categories count for shares that are given."""

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import stratified_difference

GROUP = np.repeat(["code", "law", "math"], [12, 8, 5])
SHARES = {"code": 0.2, "law": 0.5, "math": 0.3}


def test_it_is_the_weighted_sum_of_those_on_the_categories():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 25))
    rows = {
        "item": np.tile(np.arange(25), 2),
        "category": np.tile(GROUP, 2),
        "system": np.repeat(["x", "y"], 25),
        "score": np.concatenate([x, y]),
    }
    table = q.read(pl.DataFrame(rows), announce=False)
    found = stratified_difference(table, "x", "y", SHARES)
    own = [(x - y)[name == GROUP] for name in SHARES]
    weights = np.array(list(SHARES.values()))
    parts = [w**2 * each.var(ddof=1) / len(each) for w, each in zip(weights, own, strict=True)]
    assert found.value == pytest.approx(sum(w * each.mean() for w, each in zip(weights, own, strict=True)))
    assert found.se == pytest.approx(np.sqrt(sum(parts)), rel=1e-6)
    assert found.df == pytest.approx(sum(parts) ** 2 / sum(np.square(parts) / [11, 7, 4]), rel=1e-6)
    with pytest.raises(NotEstimable, match='category "verse" has no scores yet'):
        stratified_difference(table, "x", "y", {"code": 0.5, "verse": 0.5})
