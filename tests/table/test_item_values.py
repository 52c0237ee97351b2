from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, NotEstimable, UnknownColumn
from quorate.table.item_values import item_values


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
