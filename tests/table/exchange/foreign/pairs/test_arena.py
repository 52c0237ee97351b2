"""Releases of Chatbot Arena."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from logs import read, statuses
from mutants import mutants, reads_or_refuses

import quorate as q
from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.exchange.foreign.records import identity


def battle(**changed):
    said = [{"role": "user", "content": "Who wrote\nFaust?", "num_tokens": 4}, {"role": "assistant", "content": "..."}]
    made = {"question_id": "q1", "model_a": "a", "model_b": "b", "winner": "model_a", "judge": "arena_user_1"}
    made |= {"conversation_a": said, "conversation_b": said, "turn": 1, "anony": True, "language": "German"}
    return made | {"tstamp": 1700000000.25} | changed


BATTLES = [
    battle(),
    battle(winner="tie (bothbad)", judge="arena_user_2", question_id="q2"),
    battle(winner="tie", anony=False),
    battle(winner="model_b", tstamp=None),
]


def kinds(votes):
    """How often each outcome is, of the models as the file names them: 0 and 1 for sides, 2 ties, 3 both bad."""
    sided = votes.swapped & (votes.outcome < 2)
    return Counter(np.where(sided, 1 - votes.outcome, votes.outcome).tolist())


def test_conversations(write_json):
    """One vote for each battle; models may be called what positions are called."""
    votes = read(write_json(BATTLES))
    assert kinds(votes) == {0: 1, 1: 1, 3: 1}
    assert {name: len(votes.facet(name).levels) for name in votes.names} == {"prompt": 1, "prompt_type": 1, "judge": 2}
    assert votes.facet("prompt").levels == (identity("Who wrote\nFaust?"),)
    assert votes.dated
    assert np.isnan(votes.time).sum() == 1
    assert "1 of 4 votes were cast with names shown (anony false): left out" in votes.notes
    assert read(write_json(BATTLES), part="all").rows == 4


@pytest.mark.slow
def test_order_is_known_only_if_the_reader_says_so(write_json):
    assert read(write_json(BATTLES)).order is None
    assert q.read_votes(write_json(BATTLES), order="model_a", announce=False).order.tolist() == [0, 0, 0]


def test_content_in_parts_and_tags(tmp_path):
    """As in the release of 140,000 votes."""
    made = [
        {
            "id": str(place),
            "model_a": "x",
            "model_b": "y",
            "winner": "both_bad" if place else "model_b",
            "evaluation_session_id": "s",
            "evaluation_order": place,
            "timestamp": "2025-05-01T10:00:00Z",
            "conversation_a": [{"role": "user", "content": [{"type": "text", "text": text, "image": None}]}],
            "category_tag": {"math_v0.1": {"math": bool(place)}, "if_v0.1": {"if": False, "score": 3}},
        }
        for place, text in enumerate(["Sum 1 and 2", "Hello"])
    ]
    path = tmp_path / "release.parquet"
    pl.DataFrame(made).write_parquet(path)
    votes = read(path)
    assert kinds(votes) == {1: 1, 3: 1}
    assert votes.facet("cluster").levels == ("s",)
    assert {level[17:] for level in votes.facet("prompt").levels} == {"Sum 1 and 2", "Hello"}
    assert read(path, where="math = 'true'").rows == 1


def test_one_column_for_each_outcome(tmp_path):
    """As in the release of 55,000 votes: lists of prompts as text, not always valid."""
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "model_a", "model_b", "prompt", "winner_model_a", "winner_model_b", "winner_tie"])
        for place, (ones, prompt) in enumerate(
            [((1, 0, 0), '["Hi", null]'), ((0, 0, 1), '["\\ud83d"]'), ((1, 1, 0), "[]"), ((0, 0, 0), '["Hi"]')]
        ):
            rows.writerow([place, "x", "y", prompt, *ones])
    votes = read(path)
    assert statuses(votes) == {"ok": 2, "error": 2}
    assert kinds(votes)[0] == kinds(votes)[2] == 1
    assert identity("Hi") in votes.facet("prompt").levels
    assert len(votes.facet("prompt").levels) == 3


def test_judges_who_cannot_be_told_apart_are_said(write_json):
    many = [battle(judge=f"arena_user_{place}") for place in range(60)]
    assert any(note.startswith("judge: 60 votes have 60 labels") for note in read(write_json(many)).notes)
    some = [battle(judge=f"arena_user_{place % 20}") for place in range(60)]
    assert not any("labels" in note for note in read(write_json(some)).notes)


@pytest.mark.slow
def test_several_files_are_one_table(write_json, tmp_path):
    write_json(BATTLES, "one.json")
    write_json([battle(model_b="c")], "two.json")
    assert read(tmp_path).models == ("a", "b", "c")


@pytest.mark.parametrize(
    ("battles", "said"),
    [
        ([battle(), battle(winner="model_c")], 'row 2: winner "model_c" is not known; known are model_a'),
        ([battle(), battle(model_b=None)], "row 2 does not name two models"),
        ([battle(), battle(tstamp="now")], 'record 2: Failed to cast value to numerical: "now"'),
        ([battle(), 3], "record 2: Expected OBJECT"),
        ([{"model_a": "a", "anony": True}], 'has no column "winner", which every release'),
    ],
)
def test_what_is_not_understood_is_one_line(write_json, battles, said):
    with pytest.raises(InvalidData, match=said):
        read(write_json(battles), format="arena")


def test_a_file_that_is_cut_off(write_json):
    path = write_json(BATTLES)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InvalidData, match="record 4 is cut off: export the file again"):
        read(path)


def test_parts(write_json):
    with pytest.raises(InvalidInput, match=r'all 1 votes were cast with the names.*part="all"'):
        read(write_json(BATTLES[2:3]))
    with pytest.raises(UnknownTerm, match="anonymous"):
        read(write_json(BATTLES), part="anony")


@pytest.mark.slow
def test_published_votes(shared):
    folder = shared / "data" / "formats" / "arena"
    old = read(folder / "55k-shape.csv")
    assert (kinds(old), len(old.models)) == ({0: 241, 1: 244, 2: 315}, 59)
    assert len(old.facet("prompt").levels) == 13
    for name, facet, levels in (("100k-shape", "judge", 100), ("140k-shape", "cluster", 622)):
        votes = read(folder / f"{name}.parquet")
        assert kinds(votes) == {0: 241, 1: 244, 2: 263, 3: 52}
        assert len(votes.facet(facet).levels) == levels
    for name, left in (("clean_battle_20231114", True), ("clean_battle_conv_20231114", False)):
        votes = read(folder / f"{name}.json")
        assert kinds(votes) == {0: 189, 1: 147, 2: 160, 3: 44}
        assert len(votes.facet("judge").levels) == 502
        assert any("60 of 600 votes" in note for note in votes.notes) is left
        assert any("540 votes have 502 labels" in note for note in votes.notes)
    every = read(folder / "clean_battle_20231114.json", part="all")
    assert (kinds(every), len(every.facet("judge").levels)) == ({0: 215, 1: 158, 2: 183, 3: 44}, 554)


@given(mutants(BATTLES[:2]))
@pytest.mark.slow
def test_whatever_is_in_it(tmp_path_factory, block):
    reads_or_refuses(tmp_path_factory.getbasetemp() / "fuzz-arena.json", block, format="arena")
