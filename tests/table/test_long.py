"""Judgments as rows again: what was written is read as the same table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.table.long import rows_of, write

FRAME = pl.DataFrame(
    {
        "item": [1, 2, 10, 10, 10],
        "judge": ["a", "b, c", None, "a", "a"],
        "temperature": [0.5, 1.0, 0.5, 0.5, 0.5],
        "tier": ["x", "y", "x", "x", "x"],
        "epoch": ["e1", "e2", "e3", "e3", "e3"],
        "score": [1.5, None, 0.1, 1 / 3, 0.7],
        "status": ["ok", "ok", "ok", "ok", "refused"],
    }
)


def same(one, other):
    """Whether two tables are one, but for where they come from."""
    facets = [
        [(facet.name, facet.levels, facet.parent, facet.fixed) for facet in table.facets] for table in (one, other)
    ]
    statuses = [{name: rows.tolist() for name, rows in table.status.items() if rows.any()} for table in (one, other)]
    names = ("codes", "n", "mean", "ss", "low", "high")
    equal = (np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in names)
    return facets[0] == facets[1] and statuses[0] == statuses[1] and all(equal)


@pytest.fixture(params=["polars", "lazy", "pandas", "csv"])
def table(request, tmp_path):
    source = {"polars": FRAME, "lazy": FRAME.lazy()}.get(request.param)
    if request.param == "csv":
        FRAME.write_csv(tmp_path / "source.csv")
        source = tmp_path / "source.csv"
    if request.param == "pandas":
        source = pytest.importorskip("pandas").DataFrame(FRAME.to_dict(as_series=False))
    return q.read(source, facets={"tier": "tier"}, recognise=True, announce=False)


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    ("table", "ending"),
    [("polars", "csv"), ("lazy", "tsv"), ("pandas", "jsonl"), ("csv", "parquet"), ("csv", "csv")],
    indirect=["table"],
)
def test_a_file_is_the_same_table_again(table, tmp_path, ending):
    written = table.write(tmp_path / f"out.{ending}")
    assert (written.n, written.per) == (5, "answer")
    assert written.notes == ('read it again with facets={"tier": "tier"}',)
    again = q.read(written.path, facets={"tier": "tier"}, recognise=True, announce=False)
    assert same(table, again)
    assert np.array_equal(table.distinct, again.distinct)
    part = table.only("judge", "a")
    assert same(
        part, q.read(part.write(tmp_path / "p.csv").path, facets={"tier": "tier"}, recognise=True, announce=False)
    )


def test_labels_of_replicates_stay(table):
    assert sorted(rows_of(table).replicate) == ["e1", "e2", "e3", "e3", "e3"]


def test_means_alone_are_written_by_cell_and_that_is_said(table, tmp_path):
    means = replace(table, origin=None)
    written = write(means, tmp_path / "cells.csv")
    assert (written.per, written.n) == ("cell", table.n_cells)
    assert written.notes[0].startswith("one row per cell, with counts")
    cells = pl.read_csv(written.path)
    assert cells["n"].to_list() == table.n.tolist()
    assert cells["n_refused"].sum() == 1
    with pytest.raises(NotEstimable, match="hold means"):
        means.write(tmp_path / "cells.csv")


def test_a_source_that_changed_is_not_written(tmp_path):
    FRAME.write_csv(tmp_path / "source.csv")
    table = q.read(tmp_path / "source.csv", announce=False)
    FRAME[:3].write_csv(tmp_path / "source.csv")
    with pytest.raises(InvalidData, match="has changed since"):
        table.write(tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_name_without_a_format_is_refused(table, tmp_path):
    with pytest.raises(InvalidInput, match=r"must end in .csv, .tsv, .jsonl or .parquet"):
        table.write(tmp_path / "out.xlsx")


def test_a_log_of_another_tool_becomes_a_plain_file(shared, tmp_path):
    path = shared / "data" / "formats" / "label-studio" / "ratings.json"
    table = q.read(path, part="quality", announce=False)
    assert same(table, q.read(table.write(tmp_path / "out.parquet").path, announce=False))
