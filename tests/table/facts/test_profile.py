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


@pytest.fixture(params=["few rows", "in the engine"], autouse=True)
def counted(request, monkeypatch):
    if request.param == "in the engine":
        monkeypatch.setattr("quorate.table.exchange.csv_text._MOST_PLAIN", 0)
        monkeypatch.setattr("quorate.table.facts.profile.MOST", 0)


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
        assert truths.words == ("true", "false")
        assert (truths.numeric, truths.high) == ((False, None) if kind == "csv" else (True, 1))
        assert (table.keys(["id"]), table.keys(["id", "x"]), table.keys([])) == (3, 3, 1)
        assert table.within("id", "x")
        assert not table.within("x", "id") or table.keys(["x"]) == 3


def test_too_many_columns_are_refused_in_one_line():
    wide = pl.DataFrame({f"c{i}": [1] for i in range(301)})
    with pytest.raises(InvalidInput, match="has 301 columns, more than the 300"), looked_at(wide, Rows()):
        pass


def test_words_for_scores_and_for_none():
    columns = {"words": ["good", "poor", "fair", "n/a"], "marks": ["1", "2", "3", "N/A"], "names": ["a", "b", "?", "c"]}
    with looked_at(pl.DataFrame(columns), Rows()) as table:
        words, marks, names = table.columns
        assert (words.scale.ends, words.strays, words.values) == ((1, 4), ("n/a",), {1, 2, 3})
        assert (marks.numeric, marks.strays, marks.scored, marks.values) == (False, ("N/A",), True, {1, 2, 3})
        assert (names.scored, names.strays, names.values) == (False, (), set())


def test_what_columns_tell_apart_is_counted_alike_in_memory_and_in_the_engine(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"{i % 7},{i % 5},{i % 35 or ''}\n" for i in range(100)))
    sets = [["a"], ["b"], ["c"], ["a", "b"], ["a", "a"], ["b", "a", "c"], []]
    with looked_at(path, Rows()) as table:
        assert table.held
        counted = [table.keys(names) for names in sets]
    assert counted == [7, 5, 35, 35, 7, 35, 1]
    monkeypatch.setattr("quorate.table.facts.profile.MOST_HASHED", 0)
    monkeypatch.setattr("quorate.table.facts.profile.MOST_BYTES", 0)
    with looked_at(path, Rows()) as table:
        assert not table.held
        assert [table.keys(names) for names in sets] == counted
