"""A column for each judge becomes a row for each judgment."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.reread import answers

TEXT = "item,topic,gpt,claude,o'neil\n1,a,3,4,\n2,b,5,4,2\n"


@pytest.fixture
def path(tmp_path):
    out = tmp_path / "w.csv"
    out.write_text(TEXT)
    return out


def test_values_stand_under_the_name_of_their_column(path):
    table = q.read(path, wide={"judge": ["gpt", "claude", "o'neil"]}, announce=False)
    assert (table.facet("judge").levels, table.n_answers, table.status["missing"].sum()) == (
        ("claude", "gpt", "o'neil"),
        5,
        1,
    )
    assert table.only("judge", "gpt").mean.tolist() == [3, 5]
    assert answers(table).values.tolist() == [4, 3, 4, 5, 2]
    assert any("3 columns are judges" in note for note in table.notes)


def test_other_columns_stay(path):
    table = q.read(path, wide={"rater": ["gpt", "claude"]}, where="topic = 'b'", announce=False)
    assert table.facet("judge").column == "rater"
    assert table.n_answers == 2


@pytest.mark.parametrize(
    ("wide", "error", "said"),
    [
        ({"judge": ["gpt"]}, InvalidInput, "needs two columns or more"),
        ({"judge": "gpt"}, InvalidInput, "needs two columns or more"),
        ({"a": ["gpt"], "b": ["claude"]}, InvalidInput, "expects one role with its columns"),
        ({"judge": ["rater*"]}, UnknownColumn, r'no column "rater\*"'),
        ({"judge": ["gpt", "gtp"]}, UnknownColumn, 'no column "gtp"'),
        ({"topic": ["gpt", "claude"]}, InvalidInput, 'has a column "topic" already'),
    ],
)
def test_what_is_refused(path, wide, error, said):
    with pytest.raises(error, match=said):
        q.read(path, wide=wide, announce=False)


def test_a_frame_is_read_as_a_file_is():
    table = q.read(pl.DataFrame({"item": [1, 2], "a": [1, 3], "b": [2, 4]}), wide={"judge": ["a", "b"]}, announce=False)
    assert answers(table).values.tolist() == [1, 2, 3, 4]
    assert table.notes[0] == "2 columns are judges: one row for each judgment"


def test_a_relation_of_the_engine_is_read_as_a_file_is(path):
    relation = duckdb.read_csv(str(path))
    table = q.read(relation, wide={"judge": ["gpt", "claude", "o'neil"]}, announce=False)
    assert (table.n_answers, answers(table).values.tolist()) == (5, [4, 3, 4, 5, 2])


def test_a_pattern_stands_for_the_columns_that_it_matches():
    rows = {"item": [1, 2], "rater2": [1, 3], "rater10": [2, 4], "v*": [5, 5], "a[1]": [1, 1], "a[2]": [1, 2]}
    frame = pl.DataFrame(rows)

    def judges(pattern):
        return q.read(frame, wide={"judge": [pattern]}, announce=False).facet("judge").levels

    assert judges("r*r*") == ("rater10", "rater2")
    assert judges("a[*") == ("a[1]", "a[2]")


def test_many_columns_of_one_name_are_asked_about_as_a_pattern(tmp_path):
    path = tmp_path / "f.csv"
    columns = [f"v{n}" for n in range(12)]
    rows = [f"q{i}," + ",".join(str((i * n) % 5 + 1) for n in range(12)) for i in range(20)]
    path.write_text("\n".join(["id," + ",".join(columns), *rows]))
    with pytest.raises(InvalidInput, match=r'wide=\{"judge": \("v\*",\)\}'):
        q.read(path, announce=False)
    read = q.read(path, wide={"judge": ("v*",)}, facets={"item": "id"}, announce=False)
    assert read.facet("judge").levels == tuple(sorted(columns))
