"""Formats that judgments are written in."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import UnknownTerm

TABLE = q.read(pl.DataFrame({"item": ["a", "b"], "score": [1, 2]}), announce=False)


def test_without_a_format_the_name_says_it(tmp_path):
    written = q.export(TABLE, tmp_path / "out.csv")
    assert written.path.read_text().splitlines()[0] == "item,score,status"


def test_a_format_that_is_not_there(tmp_path):
    with pytest.raises(UnknownTerm, match='no format "xml"'):
        q.export(TABLE, tmp_path / "out", format="xml")
