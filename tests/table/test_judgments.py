from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments
from quorate.table.read import read


@pytest.fixture
def table() -> Judgments:
    frame = pl.DataFrame(
        {
            "item": ["a", "a", "b", "b", "a", "b"],
            "section": ["g", "g", "g", "g", "h", "h"],
            "judge": ["x", "y", "x", "y", "x", "x"],
            "rep": [0, 0, 0, 0, 0, 0],
            "score": [1.0, 2.0, 3.0, None, 5.0, 6.0],
        }
    )
    facets = {"item": "item", "judge": "judge", "replicate": "rep"}
    return read(frame, facets=facets, nested={"item": "section"})


def test_counts(table):
    assert (table.n_cells, table.n_answers) == (6, 5)
    assert table.names == ("item", "judge", "section")
    np.testing.assert_array_equal(table.rows, np.ones(6))


def test_levels_are_counted_within_parents(table):
    assert len(table.facet("item").levels) == 2
    assert table.n_levels("item") == 4
    assert table.ancestors("item") == ("section",)
    assert table.n_levels("judge") == 2


def test_codes_of_combinations_are_dense_and_tell_them_apart(table):
    codes = table.level_codes(["item", "judge"])
    assert sorted(set(codes.tolist())) == list(range(6))
    np.testing.assert_array_equal(table.level_codes([]), np.zeros(6))


def test_keeping_cells_drops_levels_that_no_longer_occur(table):
    only = table.only("judge", "y")
    assert only.facet("judge").levels == ("y",)
    assert only.facet("section").levels == ("g",)
    assert only.n_answers == 1
    assert {name: counts.tolist() for name, counts in only.status.items()} == {"ok": [1, 0], "missing": [0, 1]}
    np.testing.assert_array_equal(only.distinct, [1, 1])


def test_only_and_without_share_the_cells(table):
    assert table.only("item", "a").n_cells + table.without("item", "a").n_cells == table.n_cells
    np.testing.assert_array_equal(table.without("judge", "y").mean, table.only("judge", "x").mean)


def test_values_follow_their_levels():
    frame = pl.DataFrame({"item": [1, 2, 3], "temperature": [0.0, 0.7, 1.0], "score": [1, 2, 3]})
    kept = read(frame).without("temperature", "0.7").facet("temperature")
    np.testing.assert_array_equal(kept.values, [0.0, 1.0])


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda t: t.facet("prompt"), 'no facet "prompt"; there are "item", "judge"'),
        (lambda t: t.only("judge", "z"), 'no judge "z"; there are "x", "y"'),
    ],
)
def test_unknown_names_are_told_with_those_that_exist(table, ask, line):
    with pytest.raises(UnknownTerm, match=line):
        ask(table)


def test_describe_is_the_facts(table):
    assert table.describe().rows == 6


def test_without_statuses_rows_are_answers():
    one = np.ones(1)
    bare = Judgments((Facet("item", "i", ("a",)),), "item", "s", np.zeros((1, 1), np.int32), one, one, one, one, one)
    np.testing.assert_array_equal(bare.rows, one)


@pytest.mark.parametrize("call", [q.decompose, q.doctor, q.scores.naive])
def test_a_path_is_read(call):
    with pytest.raises(InvalidInput, match=r"no such file scores\.csv"):
        call("scores.csv")
