"""Several files of one tool are one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.engine import connection
from quorate.table.exchange.foreign.records import Records
from quorate.table.exchange.foreign.together import together


def opened(own, kind="scores", **columns):
    rows = Records(*columns)
    for values in zip(*columns.values(), strict=True):
        rows.add(**dict(zip(columns, values, strict=True)))
    return rows.opened(own, kind)


def test_columns_of_either_are_columns_of_both():
    own = connection()
    files = {
        Path("a"): opened(own, item=["1", "2"], system=["x", "x"], score=[1, 2]),
        Path("b"): opened(own, item=["1"], system=["y"], judge=["j"], score=[3]),
    }
    both = together(files)
    assert both.columns == ("item", "system", "score", "judge")
    assert both.relation.fetchall() == [("1", "x", 1, None), ("2", "x", 2, None), ("1", "y", 3, "j")]
    assert both.notes[0] == "2 files are one table"
    assert together({Path("a"): files[Path("a")]}) is files[Path("a")]


def test_the_same_judgment_twice_names_both_files():
    own = connection()
    files = {Path(name): opened(own, item=["1"], system=["x"], score=[1]) for name in ("a/run1", "b/run2")}
    with pytest.raises(InvalidData, match="run1 and run2 both have item 1, system x"):
        together(files)


def test_items_of_several_tasks_are_counted_in_each():
    own = connection()
    one, other = (opened(own, item=["1"], system=["x"], task=[task], score=[1]) for task in "tu")
    assert together({Path("a"): one, Path("b"): other}).nested == (("item", "task"),)
    with pytest.raises(InvalidData, match="a and b both have task t, item 1"):
        together({Path("a"): one, Path("b"): one})


def test_scores_and_votes_are_no_table():
    own = connection()
    votes = opened(own, "votes", model_a=["x"], model_b=["y"], winner=["x"])
    with pytest.raises(InvalidData, match="one has scores, one votes"):
        together({Path("a"): votes, Path("b"): opened(own, item=["1"], score=[1])})
