from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quorate.errors import InvalidInput
from quorate.table import frames

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
