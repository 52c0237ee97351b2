"""What is in a column."""

from __future__ import annotations

import polars as pl
import pytest

from quorate.errors import InvalidInput
from quorate.table.exchange.rows import Rows
from quorate.table.facts.profile import looked_at

FRAME = pl.DataFrame(
    {"id": ["1", "2", "3", "3"], "x": ["a", " ", "b", "b"], "n": [1.5, None, 2, 2], "t": [True, False, True, True]}
)


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_columns(kind, tmp_path):
    source = FRAME
    if kind != "frame":
        source = tmp_path / f"t.{kind}"
        FRAME.write_csv(source) if kind == "csv" else FRAME.write_parquet(source)
    with looked_at(source, Rows()) as table:
        assert (table.rows, table.names) == (4, ("id", "x", "n", "t"))
        ids, words, numbers, truths = table.columns
        assert (ids.numeric, ids.whole, ids.distinct, ids.low, ids.high) == (True, True, 3, 1, 3)
        assert (words.numeric, words.filled, words.words) == (False, 3, ("b", "a"))
        assert (numbers.numeric, numbers.whole, numbers.filled, numbers.high) == (True, False, 3, 2)
        assert truths.distinct == 2
        assert (table.keys(["id"]), table.keys(["id", "x"]), table.keys([])) == (3, 3, 1)
        assert table.within("id", "x")
        assert not table.within("x", "id") or table.keys(["x"]) == 3


def test_too_many_columns_are_refused_in_one_line():
    wide = pl.DataFrame({f"c{i}": [1] for i in range(101)})
    with pytest.raises(InvalidInput, match="has 101 columns, more than the 100"), looked_at(wide, Rows()):
        pass
