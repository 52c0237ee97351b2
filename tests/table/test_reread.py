"""What judgments were read from is read again with every choice that was made at the first reading."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData
from quorate.table.long import rows_of
from quorate.table.progress import calls_in_order, item_values
from quorate.table.reread import answers


def test_words_read_as_a_share_are_words_again(tmp_path):
    frame = pl.DataFrame(
        {"item": ["a", "a", "b"], "rep": [2, 1, 1], "verdict": ["good", "bad", "good"], "len": [3, 3, 4]}
    )
    frame.write_csv(path := tmp_path / "words.csv")
    for source in (frame, frame.lazy(), path):
        table = q.read(
            source, score="verdict", label="good", facets={"item": "item", "replicate": "rep"}, announce=False
        )
        assert answers(table).values.tolist() == [0, 1, 1]
        assert rows_of(table).score.tolist() == [1, 0, 1]
        assert item_values(table, "len") == {"a": 3, "b": 4}
        calls = calls_in_order(table)
        assert calls is not None
        assert sorted(zip(calls.cell.tolist(), calls.replicate.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 1)]


def test_a_wide_table_is_as_long_again(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("item,len,ann,bob\na,3,1,2\nb,4,5,\n", encoding="utf-8")
    table = q.read(path, wide={"judge": ["ann", "bob"]}, announce=False)
    assert answers(table).values.tolist() == [1, 2, 5]
    assert item_values(table, "len") == {"a": 3, "b": 4}


@pytest.mark.parametrize("form", ["polars", "lazy", "pandas"])
def test_dates_and_numbers_with_gaps_are_the_labels_they_were(form):
    frame = pl.DataFrame(
        {
            "item": [1, 2, 2],
            "judge": [7, None, 8],
            "day": [dt.date(2026, 1, day) for day in (1, 2, 2)],
            "score": [0.5, 1.5, 2.5],
        }
    )
    source = {"polars": frame, "lazy": frame.lazy(), "pandas": frame.to_pandas()}[form]
    table = q.read(source, facets={"item": "item", "judge": "judge", "day": "day"}, announce=False)
    assert sorted(answers(table).values.tolist()) == sorted(rows_of(table).score.tolist()) == [0.5, 1.5, 2.5]


def test_rows_whose_scores_changed_are_refused():
    frame = pl.DataFrame({"item": ["a", "b"], "score": [1.0, 2.0]}).to_pandas()
    table = q.read(frame, facets={"item": "item"}, announce=False)
    frame.loc[0, "score"] = 3.0
    with pytest.raises(InvalidData, match="changed since"):
        rows_of(table)
