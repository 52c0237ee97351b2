from __future__ import annotations

import copy
import pickle

import pytest

from quorate.table.notes import Note, left_unused, not_used, read_as

NOTES = (read_as("judge", ["who, exactly"]), Note("judge: 1 row without a label"), *left_unused(["a, b", "c"]))


def test_a_note_is_its_text_and_knows_its_columns():
    assert NOTES == ("judge = column who, exactly", "judge: 1 row without a label", "not used: a, b, c")
    assert [(note.role, note.columns) for note in NOTES] == [
        ("judge", ("who, exactly",)),
        ("", ()),
        ("", ("a, b", "c")),
    ]
    assert not_used(NOTES) == ["a, b", "c"]
    assert left_unused([]) == ()


def test_a_brief_note_leaves_out_what_is_said_of_all():
    assert read_as("a", ["= column b"], "c").brief == "a = = column b, a in c"
    assert [note.brief for note in NOTES] == ["judge = who, exactly", *NOTES[1:]]
    assert read_as("wins", ["a", "b"]).brief == "wins = columns a, b"


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda note: pickle.loads(pickle.dumps(note))])
def test_a_copy_keeps_the_columns(again):
    assert [(again(note), again(note).role, again(note).columns) for note in NOTES] == [
        (note, note.role, note.columns) for note in NOTES
    ]
