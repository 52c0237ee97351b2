from __future__ import annotations

import datetime as dt

import narwhals as nw
import polars as pl
import pytest

from quorate.errors import InvalidData
from quorate.table.collapse.eager import choose, has_numbers
from quorate.table.columns.roles import Roles
from quorate.table.judgments import Facet

ROLES = Roles((Facet("item", "it", ()), Facet("day", "day", ())), "item", "points", status="st", replicate="rep")


def test_columns_come_under_our_names_with_one_kind_of_absence():
    frame = pl.DataFrame(
        {
            "rep": [1],
            "st": [" OK "],
            "points": [3],
            "day": [dt.date(2026, 1, 2)],
            "it": [float("nan")],
            "more": [0],
        }
    )
    chosen = choose(nw.from_native(frame), ROLES)
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
