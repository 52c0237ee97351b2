"""Pipelines by name: pooled, by level, by cell."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.estimate.agreement.agreement import agreement
from quorate.estimate.agreement.labelled import pipelines_of


def votes(judges=("a", "b", "h")):
    rows = [
        (p, judge, variant, "x", "y", swapped, "x" if (p + len(variant) + swapped) % 2 else "y")
        for p in range(6)
        for judge in judges
        for variant in ("v", "ww")
        for swapped in (False, True)
    ]
    columns = ["prompt", "judge", "variant", "model_a", "model_b", "swapped", "winner"]
    return q.read_votes(pl.DataFrame(rows, schema=columns, orient="row"), facets={"variant": "variant"}, announce=False)


def test_single_cells_of_several_roles():
    found, people = pipelines_of(votes(), "h", ("judge", "variant", "order"), "prompt")
    cells = [f"{judge}, {v}, {order}" for judge in "ab" for v in ("v", "ww") for order in ("as listed", "swapped")]
    assert list(found) == ["judges", *cells]
    assert [found[name].rows for name in cells] == [6] * 8
    assert set(found["a, v, swapped"].order) == {1}
    assert people.rows == 24
    assert list(pipelines_of({"all": votes("ab")}, votes("h"), "judge", "prompt")[0]) == ["all", "all, a", "all, b"]


def test_cells_against_all_cells():
    found = agreement(votes(), "h", each=["judge", "order"], resamples=100)
    pooled = [one for one in found.differences if one.first == "judges" and one.kind == "overall"]
    assert [one.second for one in pooled] == ["a, as listed", "a, swapped", "b, as listed", "b, swapped"]


def test_two_pipelines_of_one_name_are_refused():
    with pytest.raises(InvalidInput, match='each: two pipelines would be called "judges"; name the table'):
        agreement(votes(("judges", "b", "h")), "h", each="judge")
