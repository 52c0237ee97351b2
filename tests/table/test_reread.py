"""What judgments were read from is read again with every choice that was made at the first reading."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, NotEstimable, UnknownColumn
from quorate.table.long import rows_of
from quorate.table.progress import calls_in_order, highest_replicates, item_values
from quorate.table.reread import answers, reopened


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


@pytest.mark.slow
def test_a_wide_table_is_as_long_again(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("item,len,ann,bob\na,3,1,2\nb,4,5,\n", encoding="utf-8")
    table = q.read(path, wide={"judge": ["ann", "bob"]}, announce=False)
    assert answers(table).values.tolist() == [1, 2, 5]
    assert item_values(table, "len") == {"a": 3, "b": 4}


def test_columns_with_few_labels_are_held_and_not_scanned_again(tmp_path):
    frame = pl.DataFrame({"item": range(100), "lang": ["en", "de"] * 50, "text": [f"t{i}" for i in range(100)]})
    frame.with_columns(score=pl.col("item") % 5).write_csv(path := tmp_path / "few.csv")
    with reopened(q.read(path, facets={"item": "item"}, announce=False)) as again:
        rows, few = again.with_few(["lang", "text"], 30)
        path.unlink()
        assert (few, rows.columns) == (["lang"], ("item", "score", "lang"))
        assert rows.cells("score").n.tolist() == [1] * 100


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


@pytest.fixture
def frame():
    """Two dimensions of two items, with a human score of each; and columns that are of no use."""
    return pl.DataFrame(
        {
            "item": ["a", "a", "b", "b"] * 2,
            "dimension": ["clear"] * 4 + ["short"] * 4,
            "replicate": [1, 2] * 4,
            "score": [1, 2, 3, None, 5, 6, 7, 8],
            "status": ["refused"] + ["ok"] * 7,
            "human": [1.5, 1.5, 2.5, 2.5, 3.5, 3.5, None, None],
            "length": [10, 10, 20, 20] * 2,
            "words": ["good"] * 8,
        }
    )


FACETS = {"item": "item", "dimension": "dimension", "replicate": "replicate"}


@pytest.mark.wide(2)
@pytest.mark.parametrize("kind", ["polars", "pandas", "csv", "parquet", "lazy"])
def test_values_of_one_level_from_any_source(frame, kind, tmp_path):
    if kind == "csv":
        frame.write_csv(source := tmp_path / "x.csv")
    elif kind == "parquet":
        frame.write_parquet(source := tmp_path / "x.parquet")
    else:
        source = {"polars": frame, "pandas": frame.to_pandas(), "lazy": frame.lazy()}[kind]
    judgments = q.read(source, facets=FACETS, announce=False)
    assert item_values(judgments.only("dimension", "clear"), "human") == {"a": 1.5, "b": 2.5}
    assert item_values(judgments.only("dimension", "short"), "human") == {"a": 3.5}
    assert item_values(judgments, "length") == {"a": 10, "b": 20}
    assert item_values(judgments.without("item", "a"), "length") == {"b": 20}


def test_an_item_with_two_values_is_refused(frame):
    with pytest.raises(InvalidData, match=r'"human": 1 of 2 item labels have several values, the first "a" \(1.5 and'):
        item_values(q.read(frame, facets=FACETS), "human")


def test_words_are_refused_and_marks_of_no_score_are_none(frame):
    with pytest.raises(InvalidData, match='"words" has 8 values that are not'):
        item_values(q.read(frame, facets=FACETS), "words")
    marked = frame.with_columns(human=pl.col("human").fill_null(-1))
    judgments = q.read(marked, facets=FACETS, missing=["-1"])
    assert item_values(judgments.only("dimension", "short"), "human") == {"a": 3.5}


def test_columns_that_are_not_there(frame):
    with pytest.raises(UnknownColumn, match=r'values: no column "humans"; .* did you mean "human"'):
        item_values(q.read(frame, facets=FACETS), "humans")


def test_sources_that_changed_or_are_unknown(frame, tmp_path):
    frame.write_csv(tmp_path / "x.csv")
    judgments = q.read(tmp_path / "x.csv", facets=FACETS, announce=False)
    frame.with_columns(human=np.arange(8)).write_csv(tmp_path / "x.csv")
    with pytest.raises(InvalidData, match="has changed"):
        item_values(judgments, "human")
    with pytest.raises(NotEstimable, match="not read from rows"):
        item_values(replace(judgments, origin=None), "human")


def test_items_nested_in_systems(frame):
    named = frame.rename({"dimension": "system"}).with_columns(item=pl.concat_str("system", "item"))
    judgments = q.read(named, announce=False)
    assert item_values(judgments, "human") == {"cleara": 1.5, "clearb": 2.5, "shorta": 3.5}


NUMBERED = {"item": ["a", "a", "b", "c"], "score": [1, None, 2, 3]}


def numbered(replicates, source=pl.DataFrame, **more):
    frame = source({**NUMBERED, "rep": replicates})
    return q.read(frame, facets={"item": "item", "replicate": "rep", **more})


@pytest.mark.parametrize(
    ("replicates", "wanted"),
    [
        ([3, 7, None, 1], [7, 1, 1]),
        (["7", "3", "5", "1"], [7, 5, 1]),
        (["r1", "r9", "r3", "1"], [2, 1, 1]),
        ([-3, -2, 0, 4], [2, 1, 4]),
    ],
)
@pytest.mark.parametrize("source", [pl.DataFrame, pl.LazyFrame])
def test_the_highest_number_of_every_cell(replicates, wanted, source):
    assert highest_replicates(numbered(replicates, source)).tolist() == wanted


@pytest.mark.parametrize("source", [pl.DataFrame, pl.LazyFrame])
def test_calls_have_the_order_of_their_replicates(source):
    table = numbered([10, 9, 2, 1], source)
    found = calls_in_order(table.without("item", "b"))
    order = np.lexsort((found.replicate, found.cell))
    assert found.cell[order].tolist() == [0, 0, 1]
    assert found.replicate[order].tolist() == [9, 10, 1]
    wanted = dict(zip([10, 9, 1], [NUMBERED["score"][at] is not None for at in (0, 1, 3)], strict=True))
    assert found.answered[order].tolist() == [wanted[9], wanted[10], wanted[1]]


@pytest.mark.parametrize("replicates", [["r1", "r9", "r3", "1"], [3, 7, None, 1]])
def test_without_numbers_there_is_no_order(replicates):
    assert calls_in_order(numbered(replicates)) is None
    assert calls_in_order(q.read(pl.DataFrame(NUMBERED), facets={"item": "item"})) is None


def test_a_part_of_a_table_and_a_file(tmp_path):
    table = numbered([3, 7, 5, 1])
    assert highest_replicates(table.without("item", "b")).tolist() == [7, 1]
    path = tmp_path / "log.csv"
    pl.DataFrame({**NUMBERED, "rep": [3, 7, 5, 1]}).write_csv(path)
    table = q.read(path, facets={"item": "item", "replicate": "rep"})
    assert highest_replicates(table).tolist() == [7, 5, 1]
    pl.DataFrame({**NUMBERED, "rep": [3, 7, 5, 2]}).write_csv(path)
    with pytest.raises(InvalidData, match="has changed since it was read"):
        highest_replicates(table)


def test_without_replicates_it_is_the_number_of_rows():
    table = q.read(pl.DataFrame(NUMBERED), facets={"item": "item"})
    assert highest_replicates(table).tolist() == [2, 1, 1]


def test_what_is_refused():
    with pytest.raises(InvalidData, match="1 cells have two rows of one replicate"):
        highest_replicates(numbered([3, 3, 3, 3]))
    with pytest.raises(InvalidData, match="replicates are numbers up to"):
        highest_replicates(numbered(np.array([1, 10**17, 1, 1])))
