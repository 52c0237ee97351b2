from __future__ import annotations

import math

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidData
from quorate.table.collapse import eager as collapse_eager
from quorate.table.collapse import lazy as collapse_lazy
from quorate.table.columns.roles import Roles
from quorate.table.columns.scales import as_missing
from quorate.table.judgments import Facet

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


def collapsed(frame, missing=(), roles=ROLES):
    return collapse_lazy.collapse(nw.from_native(frame), roles, as_missing(missing))


@pytest.mark.parametrize("missing", [(), ("2", "nan")])
@pytest.mark.parametrize("score", [pl.col("score"), pl.col("score").cast(pl.String)])
def test_the_engine_finds_what_a_frame_in_memory_gives(missing, score):
    frame = FRAME.with_columns(score)
    lazy = collapsed(frame, missing)
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
    assert collapsed(FRAME).rows.sum() == 5


def test_the_first_offender_is_looked_for_only_then():
    with pytest.raises(InvalidData, match=r"1 value that is not a finite number \(first: inf in row 3\)"):
        collapsed(FRAME.with_columns(score=pl.Series([1.0, None, math.inf, 2, 3])))


def test_unknown_statuses_are_named():
    with pytest.raises(InvalidData, match=r'not known: \(empty\), "bad"; use one of'):
        collapsed(FRAME.with_columns(st=pl.Series(["ok", "BAD", None, "ok", "ok"])))
