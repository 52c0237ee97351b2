"""Rankings read as votes on all their pairs."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput

ROWS = [("r1", "a", 1, "j"), ("r1", "b", 2, "j"), ("r1", "c", 2, "j"), ("r2", "c", 1, "k"), ("r2", "a", 3, "k")]


def frame(rows):
    return pl.DataFrame(rows, schema=["ranking", "system", "place", "judge"], orient="row")


def test_a_vote_for_every_pair(tmp_path):
    path = tmp_path / "rankings.csv"
    frame([*ROWS, ("r2", "b", None, "k"), ("r3", "a", 1, "k")]).write_csv(path)
    for source in (path, frame([*ROWS, ("r2", "b", None, "k"), ("r3", "a", 1, "k")])):
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
    [
        (("r1", "a", 3, "j"), "row 1 has a system twice, a"),
        (("r1", "d", 3, "k"), "row 1 has several levels of judge"),
    ],
)
def test_what_is_no_ranking(row, said):
    with pytest.raises(InvalidData, match=said):
        q.read_votes(frame([*ROWS, row]), rank="place", announce=False)


def test_what_cannot_be_read():
    words = frame(ROWS).with_columns(place=pl.lit("best"))
    with pytest.raises(InvalidData, match='column "place": expects numbers, 1 for the best, got "best"'):
        q.read_votes(words, rank="place", announce=False)
    with pytest.raises(InvalidInput, match="cluster: nothing says which rows are of one ranking"):
        q.read_votes(frame(ROWS).rename({"ranking": "x"}), rank="place", announce=False)
    with pytest.raises(InvalidInput, match="count: not with rank"):
        q.read_votes(frame(ROWS), rank="place", count="place", announce=False)
    with pytest.raises(InvalidData, match="no ranking has two systems"):
        q.read_votes(frame(ROWS[:1]), rank="place", announce=False)
