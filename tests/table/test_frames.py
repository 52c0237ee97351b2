from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import quorate as q
from quorate.errors import InvalidInput
from quorate.table import results as frames

COLUMNS = {"judge": ["a", "b"], "mean": np.array([1.0, 2.0])}


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("polars", pl.DataFrame), ("pandas", pd.DataFrame), ("pyarrow", pa.Table), (None, pl.DataFrame)],
)
def test_a_frame_in_the_library_asked_for(backend, kind):
    built = frames.frame(COLUMNS, backend)
    assert isinstance(built, kind)
    assert list(built["judge"]) == ["a", "b"] or built["judge"].to_pylist() == ["a", "b"]


def test_a_library_that_is_not_known():
    with pytest.raises(InvalidInput, match='backend: expects one of polars, pandas, pyarrow, got "duckdb"'):
        frames.frame(COLUMNS, "duckdb")


@pytest.mark.parametrize(("backend", "fix"), [(None, "pip install polars"), ("pandas", "pip install pandas")])
def test_nothing_installed_says_what_to_install(monkeypatch, backend, fix):
    monkeypatch.setattr(frames, "find_spec", {}.get)
    with pytest.raises(InvalidInput, match=fix):
        frames.frame(COLUMNS, backend)


def test_the_first_library_installed_is_taken(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None if name == "polars" else importlib.util.find_spec(name))
    assert isinstance(frames.frame(COLUMNS), pd.DataFrame)


def test_a_frame_of_langsmith_as_the_page_on_frames_reads_it(shared):
    """Published figures: evaluators run on empty outputs too, and what they say there is no judgment."""
    wide = pl.read_csv(shared / "data" / "formats" / "langsmith" / "experiment.csv")
    marked = wide.with_columns(
        replicate=pl.int_range(pl.len()).over("example_id"),
        status=pl.when(pl.col("error").is_null()).then(pl.lit("ok")).otherwise(pl.lit("error")),
        **{"feedback.exact": pl.col("feedback.exact").cast(pl.Float64)},
    )
    kept = ["example_id", "replicate", "status"]
    long = marked.unpivot(["feedback.exact", "feedback.judge_a"], index=kept, variable_name="judge", value_name="score")
    table = q.read(long, announce=False)
    assert {one.name: one.rows for one in table.describe().statuses} == {"ok": 4, "error": 4}
    for judge, mean in (("feedback.exact", 1.0), ("feedback.judge_a", 0.8)):
        one = table.only("judge", judge)
        assert (one.n_answers, float(one.mean[one.n > 0].mean())) == (2, mean)
