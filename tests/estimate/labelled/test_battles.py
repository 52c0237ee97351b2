from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import quorate as q
from quorate.estimate.labelled.corrected_ratings import board_of

ROWS = [
    ("p1", "llm", "x", "y", "x"),
    ("p1", "llm", "y", "x", "x"),
    ("p1", "ann", "y", "x", "y"),
    ("p1", "bob", "x", "y", "x"),
    ("p2", "llm", "x", "y", "tie"),
    ("p2", "ann", "x", "y", "x"),
    ("p3", "llm", "x", "y", "y"),
    ("p3", "lee", "x", "y", "x"),
    ("p4", "ann", "x", "y", "x"),
]


def votes(*judges):
    rows = [row for row in ROWS if row[1] in judges]
    return q.read_votes(
        pl.DataFrame(rows, schema=["prompt", "judge", "model_a", "model_b", "winner"], orient="row"), announce=False
    )


@pytest.fixture
def board():
    options = {"ties": "half", "key": "prompt", "strata": None, "chance": None, "pooled": False}
    return board_of(votes("llm", "lee"), votes("ann", "bob"), **options)


def test_votes_are_matched_by_battle_whatever_side_they_were_written_on(board):
    (lee, llm), (lee_other, llm_other) = board.battles.said, board.battles.others
    assert board.judges == ("lee", "llm")
    assert board.unpredicted == 1
    # Two people share the first battle; the two votes of the judge on it are one.
    assert board.battles.share.tolist() == [0.5, 0.5, 1.0]
    assert board.battles.people.toarray().tolist() == [[0, 0.5, 0], [0.5, 0, 0], [1, 0, 0]]
    assert llm.toarray().tolist() == [[0.5, 0, 0], [0.5, 0, 0], [0, 0, 1]]
    assert not lee.toarray().any()
    assert (lee_other.toarray().tolist(), llm_other.toarray().tolist()) == ([[1, 0, 0]], [[0, 1, 0]])
    assert board.judged.tolist() == [1.5, 0.5, 1.0]
    assert board.labels.tolist() == [2, 2]


def test_every_labelled_battle_stands_for_others(board):
    assert board.battles.worth.tolist() == [1.5, 1.5, 1.5]
    assert board.battles.beyond.tolist() == [0.5, 0.5, 0.5]
    clustered, names, counts = board.clustered(("judge", "prompt"), by_default=True)
    assert (names, counts) == (("judge",), (2,))
    own, others = clustered.battles.clusters[0]
    assert len(np.unique(own)) == 2
    assert not set(own) & set(others)
