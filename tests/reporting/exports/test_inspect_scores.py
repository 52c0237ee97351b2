"""Ratings for Inspect AI: a record for each item and epoch, none twice."""

from __future__ import annotations

import json

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput

FRAME = pl.DataFrame(
    {
        "item": ["q1", "q1", "q2", "q2"],
        "judge": ["ann", "bob", "ann", "bob"],
        "epoch": [2, 2, 3, 3],
        "score": [4.0, 5.0, None, None],
    }
)


def records(frame, path):
    written = q.export(q.read(frame, announce=False), path, format="inspect-scores")
    return written, [json.loads(line) for line in path.read_text().splitlines()]


def test_epochs_stay_and_judges_are_keys(tmp_path):
    written, lines = records(FRAME, tmp_path / "human.jsonl")
    assert lines == [{"id": "q1", "epoch": 2, "value": {"ann": 4.0, "bob": 5.0}}]
    assert (written.n, written.notes) == (1, ("2 judgments without a score: no value",))


def test_one_judge_has_a_number(tmp_path):
    _, lines = records(FRAME.filter(pl.col("judge") == "ann").drop("epoch"), tmp_path / "human.jsonl")
    assert lines == [{"id": "q1", "value": 4.0, "metadata": {"judge": "ann"}}]


@pytest.mark.parametrize(
    ("frame", "error", "said"),
    [
        (pl.concat([FRAME, FRAME]), InvalidData, "ann rated q1 more than once"),
        (FRAME.with_columns(system=pl.Series(["x", "y", "x", "y"])), InvalidInput, "a log is of one system"),
        (FRAME.with_columns(epoch=pl.lit("first")), InvalidInput, 'got the replicate "first"'),
    ],
)
def test_what_inspect_would_refuse(frame, error, said, tmp_path):
    with pytest.raises(error, match=said):
        q.export(q.read(frame, announce=False), tmp_path / "human.jsonl", format="inspect-scores")


def test_lines_need_their_ending(tmp_path):
    with pytest.raises(InvalidInput, match=r"must end in \.jsonl"):
        records(FRAME, tmp_path / "human.csv")
