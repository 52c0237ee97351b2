from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from quorate.table.facts.describe import crossing, crossings, full_crossing
from quorate.table.read import read


def table(rows, nested=None, **columns):
    names = list(columns)
    frame = pl.DataFrame(rows, schema=list(columns.values()), orient="row").with_columns(score=1.0)
    return read(frame, facets=dict(columns), object=names[0], nested=nested)


def grid(n, m):
    return [(i, j) for i in range(n) for j in range(m)]


@pytest.mark.parametrize(
    ("rows", "kind", "share"),
    [
        (grid(3, 2), "complete", 1.0),
        (grid(3, 2)[:-1], "partial", 5 / 6),
        ([(0, 0), (1, 0), (2, 1)], "nested", 0.5),
        ([(0, 0), (1, 1)], "one-to-one", 0.5),
        (grid(3, 1), "one level", 1.0),
    ],
)
def test_kinds_of_crossing(rows, kind, share):
    found = crossing(table(rows, item="i", judge="j"), "item", "judge")
    assert (found.kind, found.share) == (kind, share)


def test_the_inner_facet_comes_first():
    found = crossing(table([(0, 0), (0, 1), (1, 2)], item="i", judge="j"), "item", "judge")
    assert (found.a, found.b, found.kind) == ("judge", "item", "nested")


def test_levels_of_a_nested_facet_are_counted_within_its_parent():
    judgments = table([(0, 0), (1, 0), (0, 1), (1, 1)], nested={"item": "group"}, item="i", group="g")
    (found,) = crossings(judgments)
    assert (found.a, found.b, found.kind, found.pairs) == ("item", "group", "nested", 4)


def test_the_full_crossing_of_crossed_facets_is_their_product():
    full = full_crossing(table(grid(3, 2)[:-1], item="i", judge="j"))
    assert full.cells == 6
    np.testing.assert_allclose(full.by_label["item"], [2, 2, 2])
    np.testing.assert_allclose(full.by_label["judge"], [3, 3])


def test_the_full_crossing_respects_nesting():
    # two groups with 2 and 1 items, labels starting again, by 2 judges
    rows = [("x", "g", 0), ("y", "g", 0), ("x", "h", 1)]
    full = full_crossing(table(rows, nested={"item": "group"}, item="i", group="g", judge="j"))
    assert full.cells == 6
    np.testing.assert_allclose(full.by_label["item"], [4, 2])
    np.testing.assert_allclose(full.by_label["group"], [4, 2])
    np.testing.assert_allclose(full.by_label["judge"], [3, 3])


def test_two_facets_in_one_parent_cross_within_it():
    rows = [("a", "p", "g"), ("b", "q", "g"), ("c", "r", "h")]
    full = full_crossing(table(rows, nested={"item": "group", "part": "group"}, item="i", part="p", group="g"))
    assert full.cells == 2 * 2 + 1
    np.testing.assert_allclose(full.by_label["group"], [4, 1])
    np.testing.assert_allclose(full.by_label["part"], [2, 2, 1])


def test_a_chain_of_nesting():
    rows = [("a", "g", "d"), ("b", "g", "d"), ("c", "h", "e")]
    full = full_crossing(table(rows, nested={"item": "group", "group": "dept"}, item="i", group="g", dept="d"))
    assert full.cells == 3
    np.testing.assert_allclose(full.by_label["dept"], [2, 1])
