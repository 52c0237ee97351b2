"""Rows that repeat a replicate, and the column that tells them apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table.facts.repeats import column_apart, drawn_cells, refuse_repeats, telling_apart
from quorate.table.read import read

REPEATED = pl.DataFrame(
    {
        "item": ["a", "a", "b", "b"],
        "replicate": [1, 1, 1, 2],
        "pool": [1, 1, 2, 2],
        "kind": [1, 2, 1, 1],
        "row": [1, 2, 3, 4],
        "score": [1, 2, 3, 4],
    }
)


@pytest.fixture(params=["csv", "parquet", "frame", "lazy frame", "relation"])
def source(request, tmp_path):
    """The same rows in a file, a frame and a relation."""
    if request.param in ("csv", "parquet"):
        path = tmp_path / f"rows.{request.param}"
        getattr(REPEATED, f"write_{request.param}")(path)
        return path
    if request.param == "relation":
        import duckdb

        return duckdb.connect().from_arrow(REPEATED.to_arrow())
    return REPEATED.lazy() if request.param == "lazy frame" else REPEATED


@pytest.mark.wide(2)
def test_a_replicate_that_comes_twice_is_refused_with_the_column_that_tells_rows_apart(source):
    judgments = read(source, announce=False)
    assert column_apart(judgments) == "kind"
    said = r"1 row repeats a key, the first at item a: .*, or name kind, which tells them apart, as a further facet"
    with pytest.raises(InvalidData, match=said):
        refuse_repeats(judgments)
    named = read(source, facets={"kind": "kind"}, recognise=True, announce=False)
    refuse_repeats(named)


def test_a_number_of_the_row_or_a_column_that_is_the_same_tells_nothing_apart():
    judgments = read(REPEATED.drop("kind"), announce=False)
    assert column_apart(judgments) is None
    with pytest.raises(InvalidData, match=r"name the column that tells them apart .*\(not used so far: pool, row\)$"):
        refuse_repeats(judgments)


def test_of_two_columns_the_one_with_fewest_labels_is_named():
    more = REPEATED.with_columns(pl.Series("case", ["p", "q", "r", "r"]))
    assert column_apart(read(more, announce=False)) == "kind"


def test_where_rows_cannot_be_read_again_columns_that_are_not_used_are_listed(tmp_path):
    path = tmp_path / "rows.csv"
    REPEATED.write_csv(path)
    judgments = read(path, announce=False)
    path.unlink()
    assert telling_apart(judgments).endswith("with facets={...} (not used so far: pool, kind, row)")


def test_at_most_five_columns_are_listed():
    unused = REPEATED.select("item", "replicate", "score").with_columns(**{name: pl.lit(1) for name in "uvwxyz"})
    judgments = read(unused, announce=False)
    assert telling_apart(judgments).endswith("with facets={...} (not used so far: u, v, w, x, y, ...)")


@pytest.mark.parametrize("given", [{"facets": {"item": "item"}}, {"facets": {"kind": "kind"}, "recognise": True}])
def test_without_replicates_or_with_all_facets_nothing_is_repeated(given):
    judgments = read(REPEATED, announce=False, **given)
    refuse_repeats(judgments)
    assert judgments.rows.sum() == 4


def test_items_are_drawn_of_every_category_alike():
    items = [f"{code:04d}" for code in range(1200)]
    rows = {"item": items * 2, "judge": ["a"] * 1200 + ["b"] * 1200, "score": np.arange(2400) % 7}
    frame = pl.DataFrame(rows | {"subset": ["rare" if int(item) % 10 == 0 else "usual" for item in items] * 2})
    judgments = q.read(frame, nested={"item": "subset"})
    drawn = judgments.keep(drawn_cells(judgments, 1200))
    assert drawn_cells(judgments, 2400) is None, "all of them"
    assert drawn_cells(judgments, 900) is None, "too few items"
    assert drawn.n_levels("item") == 600
    assert np.bincount(drawn.level_codes(["subset"])).tolist() == [120, 1080]
