"""Conditions: expressions over columns, and nothing else."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownColumn
from quorate.table.exchange.rows import Rows
from quorate.table.exchange.variables import variables
from quorate.table.reread import answers


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "s.csv"
    lines = [f"i{i},j{j},{i * j},{k}" for i in range(5) for j in range(3) for k in (1, 2)]
    path.write_text("\n".join(["item,judge,score,Turn taken", *lines]) + "\n")
    return path


@pytest.mark.wide(5)
@pytest.mark.parametrize(
    ("where", "n"),
    [
        ('"turn taken" = 1', 15),
        ("judge <> 'j0' AND item IN ('i1', 'i2')", 8),
        ("score * 2 > 4", 10),
        ("score BETWEEN 1 AND 3 AND NOT item = 'i1'", 4),
        ("score IN (2, -4)", 4),
        ("lower(judge) LIKE '%1' -- a remark", 10),
        ("CASE WHEN round(score) >= 8 THEN true ELSE false END", 2),
        ("item IS NOT NULL AND score::DOUBLE < 1", 14),
        ("regexp_matches(item, '[01]$')", 12),
    ],
)
def test_rows_for_which_it_holds(path, where, n):
    found = q.read(path, where=where, announce=False)
    assert found.n_answers == n
    (caveat,) = found.source.caveats
    assert caveat.sentence == f"only rows where {where}: {n} of 30"


@pytest.mark.slow
def test_their_answers_are_read_again(path):
    for where, n in (('"turn taken" = 1', 15), ("lower(judge) LIKE '%1' -- a remark", 10)):
        assert len(answers(q.read(path, where=where, announce=False)).values) == n


@pytest.mark.parametrize(
    "where",
    [
        "getenv('HOME') = 'x'",
        "main.getenv('HOME') = 'x'",
        "current_setting('home_directory') = ''",
        "(SELECT 1) = 1",
        "EXISTS (FROM read_csv('/etc/passwd'))",
        "item IN (SELECT content FROM read_text('/etc/passwd'))",
        "read_text('/etc/passwd') IS NOT NULL",
        "1 = 1; DROP TABLE x",
        "1 = 1; ATTACH 'x.db'",
        "1 = 1 FROM 'x.csv'",
        "1 = 1 LIMIT 3",
        "score = 1) UNION (SELECT 1",
        "score = 1, score = 2",
        "row_number() OVER () < 2",
        "count(*) > 1",
        "COLUMNS(*) = 1",
        "list_transform([1], x -> x) = [1]",
        "CAST(score AS duckdb_types) = 1",
        "random() < .5",
        "nextval('s') = 1",
        "score = $1",
        "((((",
        "",
        " " * 20_000,
        "a." * 3000,
        "not " * 5000 + "true",
    ],
)
def test_anything_else_is_refused_in_a_line(path, where):
    with pytest.raises(InvalidInput, match="where: ") as caught:
        q.read(path, where=where)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_what_cannot_be_asked_of_these_rows(path):
    with pytest.raises(UnknownColumn, match='where: no column "turn"; the data have'):
        q.read(path, where="turn = 1")
    with pytest.raises(InvalidInput, match="holds for none of 30 rows"):
        q.read(path, where="score > 1000")
    with pytest.raises(InvalidInput, match="cannot be used"):
        q.read(path, where="judge")
    with pytest.raises(InvalidInput, match="where: is for files, and this is a polars frame"):
        q.read(pl.DataFrame({"item": ["i"], "score": [1]}), where="score = 1")


def test_votes_relations_and_names_that_need_quotes(tmp_path):
    relation = duckdb.sql("SELECT 'x' model_a, 'y' model_b, 'model_a' winner, range AS turn FROM range(20)")
    found = q.read_votes(relation, where="turn < 7", announce=False)
    assert (found.n, found.source.caveats[0].code) == (7, "chosen-rows")
    path = tmp_path / "v.parquet"
    pl.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": ["x"] * 4, 'a"b': range(4)}).write_parquet(path)
    assert q.read_votes(path, where='"a""b" >= 2', announce=False).n == 2


COLUMNS = {"length": [10.5, None, 30.0], "judge": ["x", None, "z"], "on": [True, False, True]}


def test_files_frames_and_mappings_give_the_same(tmp_path):
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_parquet(tmp_path / "rows.parquet")
    for source in (COLUMNS, frame, frame.lazy(), frame.to_pandas(), tmp_path / "rows.parquet"):
        found = variables(source)
        np.testing.assert_array_equal(found["length"], [10.5, np.nan, 30])
        assert found["judge"].tolist() == ["x", None, "z"]
        np.testing.assert_array_equal(found["on"], [1.0, 0.0, 1.0])
    text = variables(tmp_path / "rows.csv", ["judge", "length"])
    assert list(text) == ["judge", "length"]
    np.testing.assert_array_equal(text["length"], [10.5, np.nan, 30])
    assert variables(tmp_path / "rows.csv", ["judge"], rows=Rows("length > 20"))["judge"].tolist() == ["z"]


def test_what_stands_for_no_number_is_a_word_among_words():
    columns = {"size": ["NA", "2", None], "kind": ["none", "code", ""], "left": pd.array([1, None, 3], dtype="Int64")}
    found = variables(columns)
    np.testing.assert_array_equal(found["size"], [np.nan, 2, np.nan])
    assert found["kind"].tolist() == ["none", "code", None]
    np.testing.assert_array_equal(found["left"], [1, np.nan, 3])


def test_what_is_refused(tmp_path):
    with pytest.raises(UnknownColumn, match='x: no column "lenght"'):
        variables(COLUMNS, ["lenght"], argument="x")
    with pytest.raises(InvalidInput, match="x: columns have 1 to 2 values"):
        variables({"a": [1], "b": [1, 2]}, argument="x")
    with pytest.raises(InvalidInput, match="source: a: a sequence with one value for each row"):
        variables({"a": [[1, 2]]})
    with pytest.raises(InvalidInput, match="no such file"):
        variables(tmp_path / "none.csv")
