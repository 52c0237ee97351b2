"""One reader: what a source holds decides, unless it is said."""

from __future__ import annotations

import json

import polars as pl
import pytest

import quorate as q
from quorate.errors import InvalidInput, UnknownTerm
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

BOTH = {"item": ["1", "2"], "model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["x", "y"], "score": [1.0, 2.0]}


@pytest.mark.wide(2)
@pytest.mark.parametrize("name", ["frame", "t.csv", "t.parquet", "t.jsonl"])
def test_columns_of_two_models_are_votes(tmp_path, name):
    source = pl.DataFrame(BOTH)
    if name != "frame":
        path = tmp_path / name
        {".csv": source.write_csv, ".parquet": source.write_parquet, ".jsonl": source.write_ndjson}[path.suffix](path)
        source = path
    assert isinstance(q.read(source, announce=False), Votes)
    assert isinstance(q.read(source, kind="scores", announce=False), Judgments)
    assert isinstance(q.read(source, facets={"item": "item"}, announce=False), Judgments)
    assert isinstance(q.read(source, fixed=(), announce=False), Judgments)
    named = q.read(source, facets={"prompt": "item"}, announce=False)
    assert isinstance(named, Votes)
    assert "prompt" in named.names


def test_arguments_say_it():
    frame = pl.DataFrame({"left": ["x"], "right": ["y"], "winner": ["left"], "score": [1.0], "item": ["1"]})
    options = {"model_a": "left", "model_b": "right", "outcomes": {"a": "left"}, "announce": False}
    assert isinstance(q.read(frame, **options), Votes)
    assert isinstance(q.read(frame, announce=False), Judgments)
    with pytest.raises(InvalidInput, match=r"fixed: for scores, and model_a is for votes"):
        q.read(frame, fixed=(), **options)
    with pytest.raises(InvalidInput, match=r"model_a: is not for scores"):
        q.read(frame, kind="scores", **options)
    with pytest.raises(InvalidInput, match=r'kind: expects "scores" or "votes", got \'words\''):
        q.read(frame, kind="words")


def test_a_folder_or_a_pattern_of_logs(tmp_path):
    for model in ("m", "n"):
        game = {"uid": "q", "judge": "j", "model": model, "baseline": "b", "games": [{"score": "A>B"}]}
        folder = tmp_path / "logs" / model
        folder.mkdir(parents=True)
        (folder / "j.jsonl").write_text(json.dumps(game))
        (folder / "readme.md").write_text("not a log")
    for source in (tmp_path / "logs", tmp_path / "logs" / "*" / "*.jsonl"):
        assert q.read(source, announce=False).models == ("b", "m", "n")
    assert q.read(tmp_path / "logs", announce=False).source.sha256 != q.read(tmp_path / "logs" / "m").source.sha256
    (tmp_path / "logs" / "m" / "j.jsonl").rename(tmp_path / "logs" / "j[1].jsonl")
    assert q.read(tmp_path / "logs" / "j[1].jsonl", announce=False).models == ("b", "m")


def test_the_format_can_be_said(tmp_path):
    path = tmp_path / "scores.dat"
    path.write_text("item,score\na,1\nb,2\n")
    assert q.read(path, format="csv", announce=False).n_answers == 2
    with pytest.raises(UnknownTerm, match="csb"):
        q.read(path, format="csb")


def test_a_part_is_for_logs(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("item,score\na,1\nb,2\n")
    with pytest.raises(InvalidInput, match="part: chooses among the scores of a log"):
        q.read(path, part="match")
    with pytest.raises(InvalidInput, match="part: is for files"):
        q.read(pl.DataFrame({"item": ["a"], "score": [1]}), part="match")
