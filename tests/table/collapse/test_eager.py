from __future__ import annotations

import math
import os
import subprocess
import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidData
from quorate.table.collapse.eager import collapse, moments
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import as_missing
from quorate.table.judgments import Facet

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
