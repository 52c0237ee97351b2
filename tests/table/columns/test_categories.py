from __future__ import annotations

from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quorate.table.collapse.eager import coded

LABELS = ["b", None, "a", "b", "ü"]

TEXTS = {
    "polars": pl.Series(LABELS),
    "polars categories": pl.Series(LABELS, dtype=pl.Categorical),
    "polars enumeration": pl.Series(LABELS, dtype=pl.Enum(["ü", "unused", "b", "a"])),
    "pandas": pd.Series(LABELS),
    "pandas objects": pd.Series(LABELS, dtype=object),
    "pandas categories": pd.Series(pd.Categorical(LABELS, categories=["ü", "unused", "b", "a"])),
    "pyarrow": pa.chunked_array([LABELS]),
    "pyarrow in chunks": pa.chunked_array([LABELS[:2], LABELS[2:]]),
    "pyarrow dictionary in chunks": pa.chunked_array([LABELS[:2], LABELS[2:]], pa.string()).dictionary_encode(),
}


@pytest.mark.parametrize("series", TEXTS.values(), ids=TEXTS)
def test_text_is_coded_alike_in_every_library(series):
    found = coded(nw.from_native(series, series_only=True))
    assert found.levels == ("a", "b", "ü")
    np.testing.assert_array_equal(found.codes, [1, -1, 0, 1, 2])
    assert found.values is None


NUMBERS = {
    "polars": pl.Series([10, None, 2]),
    "pandas": pd.Series([10, None, 2]),
    "pandas nullable": pd.Series([10, None, 2], dtype="Int16"),
    "pandas objects": pd.Series([10, None, 2], dtype=object),
    "pyarrow": pa.chunked_array([[10, None, 2]]),
    "unsigned": pl.Series([10, None, 2], dtype=pl.UInt8),
}


@pytest.mark.parametrize("series", NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_coded_alike_in_every_library(series):
    found = coded(nw.from_native(series, series_only=True))
    assert found.levels == ("2", "10")
    np.testing.assert_array_equal(found.codes, [1, -1, 0])
    np.testing.assert_array_equal(found.values, [2.0, 10.0])


BOOLEANS = {
    "polars": pl.Series([True, None, False]),
    "pandas objects": pd.Series([True, None, False], dtype=object),
    "pandas nullable": pd.Series([True, None, False], dtype="boolean"),
    "pyarrow": pa.chunked_array([[True, None, False]]),
}


@pytest.mark.parametrize("series", BOOLEANS.values(), ids=BOOLEANS)
def test_booleans_are_coded_alike_in_every_library(series):
    found = coded(nw.from_native(series, series_only=True))
    assert found.levels == ("false", "true")
    np.testing.assert_array_equal(found.codes, [1, -1, 0])


def test_mixed_kinds_become_text():
    found = coded(nw.from_native(pd.Series([1, "b", 2.0, True, Decimal("0.5")], dtype=object), series_only=True))
    assert found.levels == ("0.5", "1", "2", "b", "true")
    assert found.values is None


@pytest.mark.parametrize("series", [pl.Series([None, None]), pl.Series([], dtype=pl.String)])
def test_no_labels_no_levels(series):
    found = coded(nw.from_native(series, series_only=True))
    assert found.levels == ()
    assert (found.codes == -1).all()


def test_levels_of_other_columns_leave_no_trace():
    """Polars keeps one set of categories for the whole process."""
    pl.Series(["one", "two", "three"]).cast(pl.Categorical)
    assert coded(nw.from_native(pl.Series(["z"]), series_only=True)).levels == ("z",)
