"""Rows whose votes decide who is first: left out by their numbers, another system is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q


@pytest.fixture(scope="module")
def frame():
    """Votes on three systems of which two are close, either way round, by several judges on prompts of their own."""
    rng = np.random.default_rng(3)
    sides = [rng.permutation(["x", "y", "z"])[:2] for _ in range(150)]
    strength = {"x": 0.5, "y": 0.4, "z": -0.5}
    chance = [1 / (1 + np.exp(strength[b] - strength[a])) for a, b in sides]
    winner = np.where(rng.random(150) < 0.1, "tie", np.where(rng.random(150) < chance, *np.transpose(sides)))
    columns = {"model_a": [a for a, _ in sides], "model_b": [b for _, b in sides], "winner": winner}
    return pl.DataFrame(columns | {"judge": [f"j{i % 4}" for i in range(150)], "prompt": np.arange(150)})


@pytest.mark.parametrize("by", ["win rate", "bradley-terry"])
def test_without_the_named_rows_another_system_is_first(frame, by):
    found = q.votes.fragility(q.read_votes(frame, announce=False), by=by)
    rows = [one.row for one in found.dropped_rows]
    assert (len(rows), rows) == (found.dropped, sorted(set(rows)))
    for one in found.dropped_rows:
        row = frame.row(one.row - 1, named=True)
        assert {one.winner, one.loser} == {row["model_a"], row["model_b"]}
        assert (row["winner"], row["judge"], str(row["prompt"])) == (
            one.winner,
            one.labels["judge"],
            one.labels["prompt"],
        )
    left = frame.with_row_index("row", offset=1).filter(~pl.col("row").is_in(rows)).drop("row")
    votes = q.read_votes(left, announce=False)
    if by == "bradley-terry":
        assert q.rank(votes, ties="half", cluster=()).systems[0] == found.contender
    else:
        pairs = votes.pairs()
        won = dict.fromkeys(votes.models, 0.0)
        of = dict(won)
        for k, (a, b) in enumerate(pairs.names):
            tied = pairs.ties[k] / 2
            won[a], won[b] = won[a] + pairs.a_wins[k] + tied, won[b] + pairs.b_wins[k] + tied
            of[a], of[b] = of[a] + pairs.votes[k], of[b] + pairs.votes[k]
        assert max(won, key=lambda name: won[name] / of[name]) == found.contender


def test_rows_keep_their_numbers_where_others_are_left_out(frame):
    votes = q.read_votes(frame, announce=False)
    some = votes.only("judge", "j1")
    assert some.source_row.tolist() == [i + 1 for i in range(150) if i % 4 == 1]
    assert some.reordered(np.arange(some.rows)[::-1]).source_row[0] == some.source_row[-1]


def test_counted_rows_have_no_numbers(frame, tmp_path):
    frame.drop("prompt", "judge").write_parquet(tmp_path / "votes.parquet")
    votes = q.read_votes(tmp_path / "votes.parquet", counted=True, announce=False)
    assert votes.rows < 150
    assert votes.source_row is None
    found = q.votes.fragility(votes)
    assert found.dropped_rows == ()
    assert found.dropped == q.votes.fragility(q.read_votes(frame, announce=False)).dropped


def test_votes_of_rows_that_stand_for_several():
    frame = pl.DataFrame({"model_a": "x", "model_b": "y", "winner": ["x", "y", "x"], "count": [5, 4, 5]})
    found = q.votes.fragility(q.read_votes(frame, announce=False))
    assert sum(one.votes for one in found.dropped_rows) == found.dropped
    assert [(one.row, one.votes) for one in found.dropped_rows] == [(1, 5), (3, found.dropped - 5)]
