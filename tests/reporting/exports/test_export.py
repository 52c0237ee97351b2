"""Formats that judgments are written in."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm

TABLE = q.read(pl.DataFrame({"item": ["a", "b"], "score": [1, 2]}), announce=False)


def test_without_a_format_the_name_says_it(tmp_path):
    written = q.export(TABLE, tmp_path / "out.csv")
    assert written.path.read_text().splitlines()[0] == "item,score,status"


def test_a_format_that_is_not_there(tmp_path):
    with pytest.raises(UnknownTerm, match='no format "xml"'):
        q.export(TABLE, tmp_path / "out", format="xml")


def test_texts_that_a_spreadsheet_computes_are_led_by_an_apostrophe_where_that_is_wanted(tmp_path):
    names = ["=1+1", "+1", "-1", "@x", "a=b"]
    table = q.read(pl.DataFrame({"item": names, "judge": ["=j"] * 5, "score": [-1, 2, 3, 4, 5]}), announce=False)
    for wanted, led in ((False, names), (True, ["'=1+1", "'+1", "'-1", "'@x", "a=b"])):
        written = q.export(table, tmp_path / f"{wanted}.csv", no_formulas=wanted)
        found = pl.read_csv(written.path)
        assert sorted(found["item"]) == sorted(led)
        assert set(found["judge"]) == {"'=j" if wanted else "=j"}
        assert sorted(found["score"]) == [-1, 2, 3, 4, 5]
    for name, form in (("a.parquet", None), ("folder", "every-eval-ever")):
        with pytest.raises(InvalidInput, match=r"no_formulas=True: is for \.csv and \.tsv"):
            q.export(table, tmp_path / name, format=form, no_formulas=True)
