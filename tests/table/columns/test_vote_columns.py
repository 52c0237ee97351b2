from __future__ import annotations

import datetime as dt
import math

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest
from ledgers import write_ledger

import quorate as q
from quorate.errors import InvalidData, InvalidInput
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
        prompt=[3, None, 1], judge=["b\n\"'", None, "ä"], cluster=[0.5, math.nan, 2.0], category=[True, None, False]
    )
    one, other = by_both(frame)
    assert one.labels.keys() == other.labels.keys()
    for name, coded in one.labels.items():
        assert coded.levels == other.labels[name].levels
        np.testing.assert_array_equal(coded.codes, other.labels[name].codes)
    assert one.labels["judge"].levels == ("b\n\"'", "ä")
    assert one.labels["cluster"].levels == ("0.5", "2")
    assert one.labels["prompt"].codes.tolist() == [1, -1, 0]


DAY = 86_400.0


@pytest.mark.wide(3)
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


ROWS = [
    ("q1", "x", "y", "p", "j", "listed", 1, 1.0, "ok"),
    ("q1", "x", "y", "p", "j", "swapped", 1, 0.0, "ok"),
    ("q2", "y", "x", "p", "j", "listed", 1, 0.5, "ok"),
    ("q2", "y", "x", "p", "j", "swapped", 1, None, "refused"),
]
NAMES = ("item", "system_a", "system_b", "prompt", "judge", "order", "replicate", "score", "status")


@pytest.fixture
def ledger(tmp_path):
    """A function that makes a ledger of these rows."""
    return lambda rows=ROWS, names=NAMES: write_ledger(tmp_path / "pairs.db", names, rows)


def test_columns_of_a_ledger_are_what_votes_need(ledger):
    votes = q.read_votes(ledger(), announce=False)
    assert (votes.models, votes.wins("x", "y"), votes.wins("y", "x"), votes.totals[2]) == (("x", "y"), 1, 1, 1)
    assert votes.statuses == {"ok": 3, "refused": 1}
    assert votes.names == ("prompt", "judge", "variant", "replicate")
    assert votes.facet("prompt").levels == ("q1", "q2")
    assert votes.facet("variant").column == "prompt"
    assert [bool(one) for one in votes.order == 0] == [True, False, False, True]
    assert (votes.dated, votes.time.tolist()) == (True, [1e9] * 4)


def test_what_the_caller_declares_goes_first(ledger):
    path = ledger()
    votes = q.read_votes(path, prompt="prompt", judge="", facets={"item": "item"}, announce=False)
    assert (votes.names, votes.facet("prompt").levels) == (("prompt", "item", "replicate"), ("p",))
    columns = {"model_a": "system_a", "model_b": "system_b", "winner": "judge", "prompt": "item", "judge": ""}
    named = q.read_votes(path, **columns, outcomes={"tie": "j"}, announce=False)
    assert named.totals[2] == 3


def test_another_scale_is_read_as_the_caller_says(ledger):
    path = ledger([(*row[:7], score, "ok") for row, score in zip(ROWS, (7, 1, 4, 6), strict=True)])
    with pytest.raises(InvalidData, match=r'"score" has .*which outcomes does not cover'):
        q.read_votes(path, announce=False)
    votes = q.read_votes(path, outcomes={"a": [5, 6, 7], "tie": 4, "b": [1, 2, 3]}, announce=False)
    assert (votes.wins("x", "y"), votes.wins("y", "x"), votes.tie_share) == (1, 2, 0.25)


def test_pairs_and_single_responses_in_one_ledger_are_refused(ledger):
    path = ledger([*ROWS, ("q3", "", "", "safety", "j", "listed", 1, 1.0, "ok")])
    with pytest.raises(InvalidData, match=r"both judgments of pairs and 1 \(of 5\) that name no two systems"):
        q.read_votes(path, announce=False)


def test_a_ledger_of_scores_has_no_votes(ledger):
    plain = [name for name in NAMES if not name.startswith("system")]
    path = ledger([(row[0], *row[3:]) for row in ROWS], plain)
    with pytest.raises(InvalidInput, match=r"does not name two systems: use quorate.read; .* items.system_a"):
        q.read_votes(path, announce=False)
    assert q.read(path, announce=False).n_answers == 3


ROWS_OF_RANKINGS = [
    ("r1", "a", 1, "j"),
    ("r1", "b", 2, "j"),
    ("r1", "c", 2, "j"),
    ("r2", "c", 1, "k"),
    ("r2", "a", 3, "k"),
]


def frame(rows):
    return pl.DataFrame(rows, schema=["ranking", "system", "place", "judge"], orient="row")


def test_a_vote_for_every_pair(tmp_path):
    path = tmp_path / "rankings.csv"
    frame([*ROWS_OF_RANKINGS, ("r2", "b", None, "k"), ("r3", "a", 1, "k")]).write_csv(path)
    for source in (path, frame([*ROWS_OF_RANKINGS, ("r2", "b", None, "k"), ("r3", "a", 1, "k")])):
        votes = q.read_votes(source, rank="place", announce=False)
        rows = [(votes.models[a], votes.models[b]) for a, b in zip(votes.model_a, votes.model_b, strict=True)]
        assert rows == [("a", "b"), ("a", "c"), ("b", "c"), ("a", "c")]
        assert votes.outcome.tolist() == [0, 0, 2, 1]
        assert [votes.facet("judge").levels[code] for code in votes.column("judge")] == ["j", "j", "j", "k"]
        assert "system = column system" in votes.notes
        assert "rank: 1 rows without a place or a ranking are left out" in votes.notes
        assert "rank: 1 rankings of one system are left out" in votes.notes


@pytest.mark.parametrize(
    ("row", "said"),
    [(("r1", "a", 3, "j"), "row 1 has a system twice, a"), (("r1", "d", 3, "k"), "row 1 has several levels of judge")],
)
def test_what_is_no_ranking(row, said):
    with pytest.raises(InvalidData, match=said):
        q.read_votes(frame([*ROWS_OF_RANKINGS, row]), rank="place", announce=False)


def test_what_cannot_be_read():
    words = frame(ROWS_OF_RANKINGS).with_columns(place=pl.lit("best"))
    with pytest.raises(InvalidData, match='column "place": expects numbers, 1 for the best, got "best"'):
        q.read_votes(words, rank="place", announce=False)
    with pytest.raises(InvalidInput, match="cluster: nothing says which rows are of one ranking"):
        q.read_votes(frame(ROWS_OF_RANKINGS).rename({"ranking": "x"}), rank="place", announce=False)
    with pytest.raises(InvalidInput, match="count: not with rank"):
        q.read_votes(frame(ROWS_OF_RANKINGS), rank="place", count="place", announce=False)
    with pytest.raises(InvalidData, match="no ranking has two systems"):
        q.read_votes(frame(ROWS_OF_RANKINGS[:1]), rank="place", announce=False)
