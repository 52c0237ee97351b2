"""The one pass over the rows in the user's own engine: the same cells as in memory, and no raw row leaves the engine.

``make engines`` installs the engines and runs this file; without it, those that are installed are tested.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData

ROWS = 600
FACETS = {"item": "item", "judge": "judge", "round": "round", "replicate": "rep"}


@dataclass(frozen=True)
class Engine:
    """An engine: its name, and how it holds a pandas frame."""

    name: str
    frame: Callable[[pd.DataFrame], Any]


def table(**columns):
    """600 rows in 90 cells: text and whole-number roles, some scores missing, some replicates repeated."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "item": [f"item {i:02d}" for i in rng.integers(0, 10, ROWS)],
            "judge": rng.choice(["a", "b", "c"], ROWS),
            "round": rng.integers(1, 4, ROWS),
            "rep": rng.integers(0, 20, ROWS),
            "score": rng.normal(5, 2, ROWS),
            "status": rng.choice(["ok", "OK ", "refused", "error", "parse_error"], ROWS, p=[0.6, 0.2, 0.1, 0.05, 0.05]),
        }
    )
    return frame.assign(**columns)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(folder))
        .getOrCreate()
    )
    yield session
    session.stop()


def _spark(request):
    session = request.getfixturevalue("spark")

    def frame(rows):
        path = request.getfixturevalue("tmp_path") / "rows.parquet"
        pl.from_pandas(rows, nan_to_null=False).write_parquet(path)
        return session.read.parquet(str(path))

    return frame


def _dask(_request):
    from dask.dataframe import from_pandas

    return lambda rows: from_pandas(rows, npartitions=3)


def _ibis(_request):
    import ibis

    return lambda rows: ibis.memtable(pl.from_pandas(rows, nan_to_null=False).to_arrow())


def _polars(_request):
    return lambda rows: pl.from_pandas(rows, nan_to_null=False).lazy()


def _duckdb(request):
    connection = duckdb.connect()
    request.addfinalizer(connection.close)
    return lambda rows: connection.from_arrow(pl.from_pandas(rows, nan_to_null=False).to_arrow())


ENGINES = {"pyspark": _spark, "dask": _dask, "ibis": _ibis, "polars": _polars, "duckdb": _duckdb}


INSTALLED = [name for name in ENGINES if find_spec(name) is not None]


@pytest.fixture(params=INSTALLED)
def engine(request):
    return Engine(request.param, ENGINES[request.param](request))


def test_all_engines_are_installed():
    if len(INSTALLED) < len(ENGINES):
        pytest.skip(f"not read from: {', '.join(ENGINES.keys() - INSTALLED)}; make engines")


def same(left, right):
    """Equal cell by cell."""
    assert [(f.name, f.levels) for f in left.facets] == [(f.name, f.levels) for f in right.facets]
    np.testing.assert_array_equal(left.codes, right.codes)
    np.testing.assert_array_equal(left.n, right.n)
    for name in ("mean", "ss", "low", "high"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), rtol=1e-12, atol=1e-12, err_msg=name)
    assert left.status.keys() == right.status.keys()
    for name, counts in right.status.items():
        np.testing.assert_array_equal(left.status[name], counts)
    assert (left.distinct is None) == (right.distinct is None)
    if right.distinct is not None:
        np.testing.assert_array_equal(left.distinct, right.distinct)


CASES = {
    "plain": ({}, {}),
    "whole scores": ({"score": np.arange(ROWS) % 7}, {}),
    "missing scores": ({"score": pd.array(np.where(np.arange(ROWS) % 5, 3.5, np.nan)).astype("Float64")}, {}),
    "missing by number": ({"score": np.arange(ROWS) % 7.0}, {"missing": ("-1", "3")}),
    "nan for none": ({"score": np.where(np.arange(ROWS) % 5, np.arange(ROWS) % 3.0, np.nan)}, {"missing": ("nan",)}),
    "booleans": ({"score": np.arange(ROWS) % 3 == 0}, {}),
    "status": ({}, {"status": "status"}),
    "text replicates": ({"rep": [f"run {i % 9}" for i in range(ROWS)]}, {}),
    "replicates that are missing": ({"rep": pd.array(np.arange(ROWS) % 9, dtype="Int64")}, {}),
    "labels that are missing": ({"judge": ["a" if i % 4 else None for i in range(ROWS)]}, {}),
}


@pytest.mark.wide(3)
@pytest.mark.parametrize(("columns", "options"), CASES.values(), ids=CASES)
def test_cells_are_those_of_the_frame_in_memory(engine, columns, options):
    rows = table(**columns)
    if isinstance(rows["rep"].dtype, pd.Int64Dtype):
        rows["rep"] = rows["rep"].mask(rows.index % 6 == 0)
    wanted = q.read(pl.from_pandas(rows, nan_to_null=False), facets=FACETS, **{"status": "", **options})
    same(q.read(engine.frame(rows), facets=FACETS, **{"status": "", **options}), wanted)


def test_votes_are_counted_by_the_engine(engine):
    rng = np.random.default_rng(4)
    votes = pd.DataFrame({name: rng.choice(["x", "y", "z"], ROWS) for name in ("model_a", "model_b")})
    votes["winner"] = rng.choice(["model_a", "model_b", "tie"], ROWS)
    votes["judge"] = pd.Series(rng.choice(["i", "j"], ROWS)).mask(votes.index % 7 == 0)
    wanted = q.read_votes(pl.from_pandas(votes), announce=False)
    found = q.read_votes(engine.frame(votes), counted=True, announce=False)
    assert (found.models, found.n, found.totals) == (wanted.models, wanted.n, wanted.totals)
    assert found.rows <= 6 * 3 * 3
    assert found.only("judge", "i").totals == wanted.only("judge", "i").totals


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_that_are_no_finite_numbers_are_refused(engine, score):
    rows = table(score=np.append(np.arange(ROWS - 1.0), score))
    if engine.name == "dask" and math.isnan(score):  # as in pandas, nan is how it writes that there is no score
        assert q.read(engine.frame(rows), facets=FACETS, status="").status["missing"].sum() == 1
        return
    with pytest.raises(InvalidData, match="finite number"):
        q.read(engine.frame(rows), facets=FACETS, status="")


def test_unknown_statuses_are_refused(engine):
    with pytest.raises(InvalidData, match='not known: "late"'):
        q.read(engine.frame(table(status="late")), facets=FACETS, status="status")


@pytest.mark.wide(5)
@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r\n", "\v\f"])
def test_blanks_around_a_status_do_not_count(engine, blank):
    padded = table(status=[f"{blank}ok{blank}" if i % 3 else f"refused{blank}" for i in range(ROWS)])
    plain = table(status=["ok" if i % 3 else "refused" for i in range(ROWS)])
    wanted = q.read(pl.from_pandas(plain, nan_to_null=False), facets=FACETS, status="status")
    same(q.read(engine.frame(padded), facets=FACETS, status="status"), wanted)


@pytest.mark.wide(1)
def test_a_fit_is_that_of_the_frame_in_memory(engine):
    rows = table()
    fit, wanted = (
        q.decompose(q.read(frame, facets={"item": "item", "judge": "judge"}, status=""))
        for frame in (engine.frame(rows), pl.from_pandas(rows, nan_to_null=False))
    )
    assert fit.criterion == pytest.approx(wanted.criterion, rel=1e-10)


def test_no_raw_row_leaves_the_engine(engine, monkeypatch):
    """What is collected has one row per cell."""
    rows = table()
    collected = []
    if engine.name == "duckdb":
        fetch = duckdb.DuckDBPyRelation.fetchnumpy

        def spy(self):
            answer = fetch(self)
            collected.append(len(next(iter(answer.values()))))
            return answer

        monkeypatch.setattr(duckdb.DuckDBPyRelation, "fetchnumpy", spy)
    else:
        collect = nw.LazyFrame.collect

        def spy(self, *arguments, **options):
            answer = collect(self, *arguments, **options)
            collected.append(len(answer))
            return answer

        monkeypatch.setattr(nw.LazyFrame, "collect", spy)
    found = q.read(engine.frame(rows), facets=FACETS, status="status")
    assert set(collected) == {found.n_cells}
    assert found.n_cells < ROWS / 5
