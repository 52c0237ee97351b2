from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.progress import crossed, judged


def test_names_and_columns_of_a_roster():
    roster = crossed({"item": ["a", "b"], "judge": ["x"]})
    assert roster.names() == ["a", "b"]
    assert crossed(["a"]).names() == ["a"]
    assert crossed({"item": ["a", "b"], "judge": ["x", "y"]}).names(slice(0, 2), without=["judge"]) == ["a", "a"]
    with pytest.raises(UnknownTerm, match="no facet"):
        roster.column("system")


def test_the_cells_of_judgments_without_their_attributes():
    rows = {"item": ["b", "b", "a"], "aspect": ["x", "y", "x"], "judge": ["j", "j", "k"], "score": [1, 2, 3]}
    facets = {"judge": "judge", "item": "item", "aspect": "aspect"}
    table = q.read(pl.DataFrame(rows), facets=facets)
    assert judged(table).names() == ["b, j, x", "b, j, y", "a, k, x"]
    assert judged(table, "aspect").names() == ["b, j", "a, k"]
    with pytest.raises(InvalidInput, match="other than the object"):
        judged(table, "item")


def test_rosters_are_compared_by_their_cells():
    assert crossed(["a", "b"]).same(crossed(["a", "b"]))
    assert not crossed(["a", "b"]).same(crossed(["b", "a"]))
