from __future__ import annotations

import duckdb
import polars as pl
import pytest

import quorate as q
from quorate.reporting.pages.judgments.people import literal, where

LABELS = (
    "it's",
    '"',
    "'; DROP TABLE t; --",
    "two\nlines",
    "\u202eflip",
    "مرحبا",
    "=1+1",
    "%_\\",
    "tab\there",
    " ",
    "12",
)


@pytest.mark.parametrize("label", LABELS)
def test_a_condition_selects_the_rows_of_its_label_and_no_others(label):
    column = 'item "id"'
    frame = pl.DataFrame({column: [*LABELS, "other"], "score": range(len(LABELS) + 1)})
    judgments = q.read(frame, facets={"item": column})
    condition = where(judgments, {"item": label})
    found = duckdb.from_arrow(frame.to_arrow()).filter(condition).fetchall()
    assert [row[0] for row in found] == [label]
    assert condition.isprintable()


def test_numbers_and_what_has_no_label_are_found():
    frame = pl.DataFrame({"item": [1, 2, 3], "judge": ["x", None, "y"], "score": [1, 2, 3]})
    judgments = q.read(frame, facets={"item": "item", "judge": "judge"})
    relation = duckdb.from_arrow(frame.to_arrow())
    assert relation.filter(where(judgments, {"item": "2"})).fetchall() == [(2, None, 2)]
    absent = next(level for level in judgments.facet("judge").levels if level not in "xy")
    assert relation.filter(where(judgments, {"item": "2", "judge": absent})).fetchall() == [(2, None, 2)]


def test_an_empty_text_is_an_empty_text():
    assert literal("") == "''"
