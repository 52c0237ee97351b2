from __future__ import annotations

import datetime as dt
import math

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from quorate.errors import InvalidData
from quorate.table.columns import vote_columns
from quorate.table.columns.vote_columns import from_duckdb, from_frame
from quorate.table.columns.vote_roles import resolve_votes
from quorate.table.exchange.format import Opened
from quorate.table.files import opened

PAIR = {"model_a": "model_a", "model_b": "model_b", "winner": "winner"}


def roles_of(frame, **declared):
    return resolve_votes(frame.columns, pair=PAIR, wins=(), facets={}, declared=declared)


def table(**columns):
    rows = len(next(iter(columns.values())))
    return pl.DataFrame({"model_a": ["x"] * rows, "model_b": ["y"] * rows, "winner": ["a"] * rows, **columns})


def by_both(frame, **declared):
    """The columns of a frame, and of the same as a DuckDB relation."""
    roles = roles_of(frame, **declared)
    yield from_frame(nw.from_native(frame, eager_only=True), roles)
    with duckdb.connect() as connection:
        relation = connection.from_arrow(frame.to_arrow())
        yield from_duckdb(Opened(relation, tuple(frame.columns), typed=True), roles)


def test_labels_of_every_kind_are_alike():
    frame = table(
        prompt=[3, None, 1],
        judge=["b\n\"'", None, "ä"],
        cluster=[0.5, math.nan, 2.0],
        category=[True, None, False],
    )
    one, other = by_both(frame)
    assert one.labels.keys() == other.labels.keys()
    for name, coded in one.labels.items():
        assert coded.levels == other.labels[name].levels
        np.testing.assert_array_equal(coded.codes, other.labels[name].codes)
    assert one.labels["judge"].levels == ("b\n\"'", "ä")
    assert one.labels["cluster"].levels == ("0.5", "2")
    assert one.labels["prompt"].codes.tolist() == [1, -1, 0]


def test_many_labels_get_the_same_codes_as_few(monkeypatch):
    labels = [f"q{i % 997}" if i % 10 else None for i in range(5000)]
    few = [columns.labels["prompt"] for columns in by_both(table(prompt=labels))]
    monkeypatch.setattr(vote_columns, "_MOST_WORDS", 10)
    many = [columns.labels["prompt"] for columns in by_both(table(prompt=labels))]
    for coded in (*few, *many):
        assert coded.levels == few[0].levels
        np.testing.assert_array_equal(coded.codes, few[0].codes)


def test_labels_whose_hashes_collide_are_refused_not_merged(monkeypatch):
    monkeypatch.setattr(vote_columns, "_MOST_WORDS", 1)
    monkeypatch.setattr(vote_columns, "_HASH", "length({})::UBIGINT")
    with pytest.raises(InvalidData, match='column "prompt" has labels that cannot be told apart by their hash'):
        list(by_both(table(prompt=["p", "q", "long"])))


DAY = 86_400.0


@pytest.mark.parametrize(
    ("values", "seconds", "dated"),
    [
        ([dt.datetime(1970, 1, 2, tzinfo=dt.UTC), None], [DAY, math.nan], True),
        ([dt.date(1970, 1, 2), dt.date(1970, 1, 3)], [DAY, 2 * DAY], True),
        (["1970-01-02T00:00:00+01:00", "1970-01-02 00:00:00.5"], [DAY - 3600, DAY + 0.5], True),
        (["1970-01-02", " "], [DAY, math.nan], True),
        ([1.7e9, 5.0], [1.7e9, 5.0], False),
        (["20", "7.5"], [20, 7.5], False),
        ([20, None], [20, math.nan], False),
        ([None, None], [math.nan, math.nan], False),
    ],
)
def test_times(values, seconds, dated):
    for columns in by_both(table(time=values)):
        np.testing.assert_allclose(columns.time, seconds, rtol=0, atol=1e-6)
        assert columns.dated == dated


@pytest.mark.parametrize("values", [["1970-01-02", "soon"], ["1970-01-02", "5"], [1.0, math.inf]])
def test_what_is_no_time(values):
    for place in (0, 1):
        with pytest.raises(InvalidData, match=r'column "time": .* in row \d is not a time .*time="" to leave it out'):
            list(by_both(table(time=values)))[place]


@pytest.mark.parametrize(
    ("values", "shown"),
    [([1, -1], '"-1" in row 2'), ([1.5, 1], '"1.5" in row 1'), ([2, None], "nothing in row 2"), (["1", "x"], '"x" in')],
)
def test_what_is_no_count(values, shown, tmp_path):
    frame = table(count=values)
    frame.write_parquet(tmp_path / "votes.parquet")
    match = rf'column "count": {shown}.* is not a count of votes \(1 rows like this\); use whole numbers'
    with pytest.raises(InvalidData, match=match):
        from_frame(nw.from_native(frame, eager_only=True), roles_of(frame))
    with opened(tmp_path / "votes.parquet") as file, pytest.raises(InvalidData, match=match):
        from_duckdb(file, roles_of(frame))


def test_lists_are_no_labels():
    frame = table(judge=[["a"], ["b"]])
    with pytest.raises(InvalidData, match='column "judge" holds list'):
        from_frame(nw.from_native(frame, eager_only=True), roles_of(frame))
    with duckdb.connect() as connection, pytest.raises(InvalidData, match=r'column "judge" holds varchar\[\]'):
        from_duckdb(Opened(connection.from_arrow(frame.to_arrow()), tuple(frame.columns), typed=True), roles_of(frame))


def test_ids_of_128_bits_stay_apart():
    with duckdb.connect() as connection:
        ids = ", ".join(f"({2**70 + i}::HUGEINT)" for i in range(3))
        relation = connection.sql(f"SELECT 'x' AS model_a, 'y' AS model_b, 'a' AS winner, i FROM (VALUES {ids}) t(i)")
        roles = resolve_votes(relation.columns, pair=PAIR, wins=(), facets={}, declared={"prompt": "i"})
        labels = from_duckdb(Opened(relation, tuple(relation.columns), typed=True), roles).labels["i"]
    assert labels.levels == tuple(str(2**70 + i) for i in range(3))
