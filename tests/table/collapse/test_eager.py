from __future__ import annotations

import datetime as dt
import math
import os
import subprocess
import sys
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidData
from quorate.table.collapse import eager as collapse_eager
from quorate.table.collapse import lazy as collapse_lazy
from quorate.table.collapse.eager import choose, coded, collapse, has_numbers
from quorate.table.collapse.grouped import moments
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import as_missing
from quorate.table.facets import Facet

NONE = as_missing(())


def roles(**options):
    return Roles((Facet("item", "item", ()),), "item", "score", **options)


def collapsed(native, missing=(), **options):
    return collapse(nw.from_native(native, eager_only=True), roles(**options), as_missing(missing))


def test_moments_by_hand():
    n, mean, ss, low, high = moments(np.array([2, 0, 2, 2]), np.array([1.0, 7.0, 2.0, 6.0]), 3)
    np.testing.assert_array_equal(n, [1, 0, 3])
    np.testing.assert_array_equal(mean, [7, np.nan, 3])
    np.testing.assert_array_equal(ss[n > 0], [0, 14])
    np.testing.assert_array_equal(low, [7, np.nan, 1])
    np.testing.assert_array_equal(high, [7, np.nan, 6])


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e6, 1e6)), min_size=1))
def test_moments_are_those_of_each_group(rows):
    cell, x = (np.array(column) for column in zip(*rows, strict=True))
    n, mean, ss, low, high = moments(cell, x.astype(float), 4)
    for group in set(cell.tolist()):
        mine = x[cell == group]
        assert n[group] == len(mine)
        assert math.isclose(mean[group], mine.mean(), rel_tol=1e-12, abs_tol=1e-6)
        assert math.isclose(ss[group], ((mine - mine.mean()) ** 2).sum(), rel_tol=1e-9, abs_tol=1e-6)
        assert (low[group], high[group]) == (mine.min(), mine.max())


def test_a_large_offset_does_not_swamp_the_spread():
    _, _, ss, _, _ = moments(np.zeros(4, int), 1e9 + np.array([4.0, 7.0, 13.0, 16.0]), 1)
    assert ss[0] == 90


def test_nan_is_a_score_that_is_no_number_where_the_library_tells_it_from_null():
    frame = pl.DataFrame({"item": ["a", "b"], "score": [1.0, math.nan]})
    with pytest.raises(InvalidData, match=r"1 value that is not a finite number \(first: nan in row 2\)"):
        collapsed(frame)


def test_nan_is_missing_where_it_is_null_and_where_the_user_says_so():
    values = {"item": ["a", "b"], "score": [1.0, math.nan]}
    np.testing.assert_array_equal(collapsed(pd.DataFrame(values)).n, [1, 0])
    np.testing.assert_array_equal(collapsed(pl.DataFrame(values), missing=("nan",)).n, [1, 0])


def test_infinite_scores_are_refused_unless_their_row_is_not_ok():
    frame = pl.DataFrame({"item": ["a", "b"], "score": [1.0, -math.inf], "st": ["ok", "error"]})
    with pytest.raises(InvalidData, match="first: -inf in row 2"):
        collapsed(frame)
    np.testing.assert_array_equal(collapsed(frame, status="st").n, [1, 0])


def test_a_number_that_stands_for_missing():
    frame = pl.DataFrame({"item": ["a", "a"], "score": [-1, 4]})
    np.testing.assert_array_equal(collapsed(frame, missing=("-1",)).mean, [4.0])


def test_the_row_of_the_first_offender_does_not_depend_on_the_index():
    frame = pd.DataFrame({"item": ["a", "b", "c"], "score": ["1", "x", "y"]}, index=[7, 7, 7])
    with pytest.raises(InvalidData, match=r'2 values that are not numbers \(first: "x" in row 2\)'):
        collapsed(frame)


def test_a_missing_status_is_unknown():
    frame = pl.DataFrame({"item": ["a", "b"], "score": [1, 2], "st": ["ok", None]})
    with pytest.raises(InvalidData, match=r"statuses that are not known: \(empty\)"):
        collapsed(frame, status="st")


def test_a_missing_replicate_counts_as_one():
    frame = pl.DataFrame({"item": ["a"] * 4, "score": [1, 2, 3, 4], "rep": [1, None, 1, None]})
    np.testing.assert_array_equal(collapsed(frame, replicate="rep").distinct, [2])


@pytest.mark.slow
def test_statuses_are_in_the_order_of_their_words_whatever_the_hash_seed():
    """Sets of text have another order in every process: here, and with a seed that is known."""
    script = (
        "import polars as pl, quorate as q\n"
        "words = ['ok', 'unparsed', 'refused', 'error', 'truncated'] * 2\n"
        "frame = pl.DataFrame({'item': list(range(10)), 'score': [1.0] * 10, 'status': words[::-1]})\n"
        "said = ' '.join(q.read(frame, announce=False).status)\n"
        "print(said)"
    )
    seeded, here = {**os.environ, "PYTHONHASHSEED": "1"}, {}
    ran = subprocess.run([sys.executable, "-c", script], env=seeded, capture_output=True, text=True, check=True)
    exec(script, here)
    assert ran.stdout.strip() == here["said"] == "ok unparsed refused error truncated"


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_every_blank_that_python_strips_is_stripped_from_a_status(library):
    blanks = [chr(code) for code in range(0x3001) if chr(code).isspace()]
    said = [status for blank in blanks for status in (f"ok{blank}", f"{blank}OK", "refused")]
    frame = library({"item": list(range(len(said))), "score": [1.0] * len(said), "st": said})
    np.testing.assert_array_equal(collapsed(frame, status="st").status["ok"], [1, 1, 0] * len(blanks))


FRAME = pl.LazyFrame(
    {
        "item": ["b", "a", "a", "b", None],
        "judge": [0.5, math.nan, 0.5, 0.5, 0.5],
        "score": [1, 2, None, 4, 5],
        "st": ["OK", "ok ", "valid", "failed", "ok"],
        "rep": [0, 0, 0, 1, None],
    }
)
ROLES = Roles((Facet("item", "item", ()), Facet("judge", "judge", ())), "item", "score", status="st", replicate="rep")


def collapsed_of_lazy(frame, missing=(), roles=ROLES):
    return collapse_lazy.collapse(nw.from_native(frame), roles, as_missing(missing))


@pytest.mark.parametrize("missing", [(), ("2", "nan")])
@pytest.mark.parametrize("score", [pl.col("score"), pl.col("score").cast(pl.String)])
def test_the_engine_finds_what_a_frame_in_memory_gives(missing, score):
    frame = FRAME.with_columns(score)
    lazy = collapsed_of_lazy(frame, missing)
    eager = collapse_eager.collapse(nw.from_native(frame.collect()), ROLES, as_missing(missing))
    by_cell = [np.lexsort([facet.codes for facet in found.facets]) for found in (lazy, eager)]
    assert [facet.levels for facet in lazy.facets] == [facet.levels for facet in eager.facets]
    for name in ("rows", "n", "mean", "low", "high", "distinct"):
        mine, theirs = getattr(lazy, name), getattr(eager, name)
        np.testing.assert_array_equal(mine[by_cell[0]], theirs[by_cell[1]], err_msg=name)
    for name, counts in eager.status.items():
        np.testing.assert_array_equal(lazy.status[name][by_cell[0]], counts[by_cell[1]], err_msg=name)


def test_numbers_are_grouped_without_bringing_rows_into_memory(monkeypatch):
    monkeypatch.setattr(collapse_eager, "collapse", None)
    assert collapsed_of_lazy(FRAME).rows.sum() == 5


def test_the_first_offender_is_looked_for_only_then():
    with pytest.raises(InvalidData, match=r"1 value that is not a finite number \(first: inf in row 3\)"):
        collapsed_of_lazy(FRAME.with_columns(score=pl.Series([1.0, None, math.inf, 2, 3])))


def test_unknown_statuses_are_named():
    with pytest.raises(InvalidData, match=r'not known: \(empty\), "bad"; use one of'):
        collapsed_of_lazy(FRAME.with_columns(st=pl.Series(["ok", "BAD", None, "ok", "ok"])))


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


@pytest.mark.parametrize("few", [0, 9])
@pytest.mark.parametrize("series", TEXTS.values(), ids=TEXTS)
def test_text_is_coded_alike_in_every_library(monkeypatch, series, few):
    monkeypatch.setattr(collapse_eager, "FEW", few)
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


ROLES_OF_CHOOSE = Roles(
    (Facet("item", "it", ()), Facet("day", "day", ())), "item", "points", status="st", replicate="rep"
)


def test_columns_come_under_our_names_with_one_kind_of_absence():
    frame = pl.DataFrame(
        {"rep": [1], "st": [" OK "], "points": [3], "day": [dt.date(2026, 1, 2)], "it": [float("nan")], "more": [0]}
    )
    chosen = choose(nw.from_native(frame), ROLES_OF_CHOOSE)
    assert chosen.rows(named=True) == [{"f0": None, "f1": "2026-01-02", "score": 3, "status": "ok", "replicate": 1}]


@pytest.mark.parametrize("labels", [[[1, 2]], [{"a": 1}], [b"x"]])
def test_records_lists_and_bytes_are_no_labels(labels):
    frame = pl.DataFrame({"it": labels, "points": [1]})
    with pytest.raises(InvalidData, match=r'column "it" holds .*; a facet needs text, numbers, booleans or dates'):
        choose(nw.from_native(frame), Roles((Facet("item", "it", ()),), "item", "points"))


def test_what_counts_as_numbers():
    assert has_numbers(nw.Int8())
    assert has_numbers(nw.Boolean())
    assert not has_numbers(nw.String())
