"""Columns that are not used, though their values repeat as ids do."""

from __future__ import annotations

import polars as pl
import pytest

import quorate as q
from quorate.table.columns.repeating import looks_like_ids

ROWS = 60
VOTES = {
    "model_a": ["x"] * ROWS,
    "model_b": ["y"] * ROWS,
    "winner": ["x", "y"] * (ROWS // 2),
    "student": [f"s{i % 6}" for i in range(ROWS)],
    "comment": [f"text {i}" for i in range(ROWS)],
    "language": ["de", "en"] * (ROWS // 2),
}
SAID = (
    "student repeats as ids do: if votes of one resemble each other, name it (cluster=student, --role cluster=student)"
)


def test_votes_say_which_column_could_be_a_cluster(tmp_path):
    frame = pl.DataFrame(VOTES)
    path = tmp_path / "votes.csv"
    frame.write_csv(path)
    for source in (frame, frame.lazy(), path):
        assert SAID in q.read_votes(source, announce=False).notes
    named = q.read_votes(frame, cluster="student", announce=False)
    assert not [note for note in named.notes if "repeat" in note]


def test_scores_say_which_column_could_be_a_facet(tmp_path):
    columns = {"item": range(ROWS), "score": [i % 5 for i in range(ROWS)], "batch": [i // 6 for i in range(ROWS)]}
    path = tmp_path / "scores.csv"
    pl.DataFrame(columns).write_csv(path)
    said = "batch repeats as ids do: if scores of one resemble each other, name it (a facet, --facet batch=batch)"
    for source in (pl.DataFrame(columns), path):
        assert said in q.read(source, facets={"item": "item"}, announce=False).notes


@pytest.mark.parametrize(
    ("name", "values", "like"),
    [
        ("worker_id", list(range(20)) * 3, True),
        ("hash", [f"a{i}" for i in range(20)] * 3, True),
        ("language", ["de", "en", "fr", "it", "es"] * 9, False),
        ("tokens", list(range(20)) * 3, False),
        ("length", ["0.5", "0.25", "1.5", "2.5", "3.5"] * 9, False),
        ("user", [f"u{i}" for i in range(60)], False),
        ("user", ["a", "b"] * 30, False),
        ("user", [{"id": i % 6} for i in range(60)], False),
        ("session", [None] * 60, False),
    ],
)
def test_what_looks_like_ids(name, values, like):
    assert looks_like_ids(name, values) == like
