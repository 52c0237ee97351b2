"""Rows put together one by one."""

from __future__ import annotations

import gzip
from math import nan
from pathlib import Path

import pytest

from quorate.errors import InvalidData, InvalidInput, UnknownTerm
from quorate.table.exchange.engine import connection
from quorate.table.exchange.foreign import records
from quorate.table.exchange.foreign.records import (
    Records,
    beside,
    chosen,
    columns_of,
    document,
    identity,
    identity_in_sql,
    labelled,
    list_at,
    name_at,
    no_parts,
    number_at,
    object_at,
    objects,
    shown,
)


def test_rows_as_text_and_numbers():
    rows = Records("item", "judge", "score", "topic")
    rows.add(item=1, judge="x", score=0.5)
    rows.add(item="01", score=None)
    opened = rows.opened(connection(), "scores", facets=("topic",))
    assert opened.columns == ("item", "judge", "score")
    assert opened.relation.fetchall() == [("1", "x", 0.5), ("01", None, None)]
    assert (opened.kind, opened.facets, len(rows)) == ("scores", (), 2)


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="judeg"):
        Records("item").add(judeg="x")


def test_what_every_table_needs_stays_though_empty():
    rows = Records("item", "score")
    rows.add(item="a")
    assert rows.opened(connection(), "scores").relation.fetchall() == [("a", None)]


def test_of_no_rows_every_column_stays():
    assert Records("item", "judge", "score").opened(connection(), "scores").columns == ("item", "judge", "score")


def test_an_identity_is_short_and_tells_apart():
    one, other = identity("x " * 100), identity("x " * 101)
    assert len(one) <= 57
    assert one != other
    assert identity("\ud800") != identity("\udfff")


def test_text_that_utf8_cannot_hold_stays_apart():
    rows = Records("item", "score")
    for item in ("\ud800", "\udfff", "a\0b"):
        rows.add(item=item, score=1)
    kept = [item for item, _ in rows.opened(connection(), "scores").relation.fetchall()]
    assert kept == ["\\ud800", "\\udfff", "a\0b"]


@pytest.mark.parametrize("text", ["Who wrote Faust?", "", "  a\n\tb  ", "é" * 90, "x" * 39 + " yz"])
def test_an_identity_is_the_same_in_duckdb(text):
    ((found, none),) = (
        connection()
        .execute(f"SELECT {identity_in_sql('$1::VARCHAR')}, {identity_in_sql('NULL::VARCHAR')}", [text])
        .fetchall()
    )
    assert (found, none) == (identity(text), None)


FOUND = {"match": [1.0, 0.0], "rating": [7.0, nan], "a,b": [nan, nan]}


def test_they_are_listed_with_number_range_and_what_is_missing():
    with pytest.raises(InvalidInput, match=r"3 scorers.*match \(2, 0 to 1\); rating \(2, 7 to 7, 50% missing\); "):
        chosen(None, FOUND, "scorer")


def test_named_ones():
    assert chosen("rating, match", FOUND, "scorer") == ("rating", "match")
    assert chosen("a,b", FOUND, "scorer") == ("a,b",)
    with pytest.raises(UnknownTerm, match="ratign"):
        chosen("ratign", FOUND, "scorer")


def test_numbers_that_are_all_one_are_asked_about_beside_words():
    english, best = [1.0, 1.0, nan, 1.0], ["A", "B", "A", "A"]
    with pytest.raises(InvalidInput, match=r"best \(4, words: A, B\); why \(4 texts\)"):
        chosen(None, {"english": english, "best": best, "why": ["a", "b", "c", "d"]}, "answer")
    assert chosen(None, {"passed": english, "why": ["a", "b", "c", "d"]}, "answer") == ("passed",)


def test_the_command_names_its_own_option():
    with pytest.raises(InvalidInput) as caught:
        chosen(None, FOUND, "scorer")
    assert ("part", "match") in {(one.name, one.value) for one in caught.value.arguments}


def test_a_log_of_one_thing_has_no_parts():
    no_parts(None, Path("log"))
    with pytest.raises(InvalidInput, match='log has no parts to choose from, got "x"; leave it out'):
        no_parts("x", Path("log"))


@pytest.mark.parametrize("value", [None, "", "  ", True, nan, ["gpt-4"], {"model": "m"}])
def test_what_is_no_name_is_refused(value):
    with pytest.raises(InvalidData, match=r"line 2: model is .*; a name or a number is needed"):
        name_at(value, "line 2: model")


@pytest.mark.parametrize("value", [True, "many", "inf", 10**400, [1], {}])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InvalidData, match=r"line 2: score is .*; a number is needed"):
        number_at(value, "line 2: score")


def test_names_are_as_they_are_written():
    assert [name_at(value, "") for value in ("007", 7, 7.0, 10**400)] == ["007", "7", "7.0", str(10**400)]


def test_numbers_and_what_is_missing():
    assert [number_at(value, "") for value in (1, 0.5, "1", "nan", nan, None)] == [1, 0.5, 1, None, None, None]


def test_a_value_is_shown_on_one_short_line():
    assert shown("a\nb") == r'"a\nb"'
    assert len(shown({"long": list(range(1000))})) == 60


def test_objects_and_lists():
    assert (object_at(None, "a"), object_at({"b": 1}, "a"), list_at(None, "a"), list_at([1], "a")) == (
        {},
        {"b": 1},
        [],
        [1],
    )
    for of, value in ((object_at, "x"), (list_at, {"a": 1}), (object_at, 0), (list_at, "")):
        with pytest.raises(InvalidData, match=r"run: field is .* is needed there"):
            of(value, "run: field")


def test_lines_with_their_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{"a": NaN, "b": 2}')
    assert [number for number, _ in objects(path, "a")] == [1, 3]
    packed = tmp_path / "b"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(list(objects(packed))) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a": 1}\n{"a"', r"line 2 is not JSON \(.*\); the file is cut off"),
        (b'{"a": 1\n{"a": 1}\n', r"line 1 is not JSON"),
        (b"[1]\n", "line 1 is not a JSON object"),
        (b'{"b": 1}\n', 'line 1 has no "a"'),
        (b'{"a": ' + b"1" * 5000 + b"}\n", "too many digits"),
        (b'{"a": "\xff"}\n', r"line 1 is not JSON \(not UTF-8\)"),
        (b"[" * 200_000, r"nested too deeply"),
    ],
)
def test_a_broken_line_is_named(tmp_path, text, said):
    path = tmp_path / "a.jsonl"
    path.write_bytes(text)
    with pytest.raises(InvalidData, match=said) as caught:
        list(objects(path, "a"))
    assert "\n" not in str(caught.value)


def test_who_writes_the_key_that_lacks(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{}")
    with pytest.raises(InvalidData, match=r'line 1 has no "a", which A 2.0 writes$'):
        list(objects(path, "a", of="A 2.0"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a": [1, 2', "cut off"),
        (b'{"a": "half', "cut off"),
        (b'{"a" 1}', "Expecting ':' delimiter"),
        (b"", "is not JSON"),
    ],
)
def test_a_broken_document(tmp_path, text, said):
    path = tmp_path / "a.json"
    path.write_bytes(text)
    with pytest.raises(InvalidData, match=said):
        document(path, "write lines")


def test_a_document_that_is_too_large_says_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MOST_BYTES", 20)
    path = tmp_path / "a.json"
    path.write_text("[" + "1, " * 20 + "1]")
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(b"[" + b"1," * 2000 + b"1]", mtime=0))
    monkeypatch.setattr(records, "MOST_BYTES", 61)
    for one in (path, packed):
        with pytest.raises(InvalidInput, match=r"more than 1 GB; write lines"):
            document(one, "write lines")


def test_each_role_is_taken_once_and_no_name_says_another():
    fields = ["prompt", "Item", "item_id", "model", "judge", "score", "Topic", "topic", "len", "LEN", "", "a\nb"]
    columns = columns_of(fields, "scores")
    assert columns == {
        "Item": "item",
        "model": "system",
        "Topic": "category",
        "prompt": "data.prompt",
        "item_id": "data.item_id",
        "judge": "data.judge",
        "score": "data.score",
        "topic": "data.topic",
        "len": "len",
        "LEN": "data.LEN",
    }


def test_of_votes_the_models_are_fields():
    columns = columns_of(["model_left", "model_right", "question", "winner"], "votes")
    assert columns == {"model_left": "model_a", "model_right": "model_b", "question": "prompt", "winner": "data.winner"}


def test_long_texts_are_labels_in_short_or_left_out():
    columns = columns_of(["item", "answer", "n", "tags"], "scores")
    held = labelled({"item": "x" * 500, "answer": "y" * 500, "n": 3, "tags": ["a"]}, columns)
    assert held.keys() == {"item", "n"}
    assert len(str(held["item"])) <= 57


def test_beside_roles_that_the_tool_says_only_the_category_is_one():
    fields = ["model", "subset", "Topic", "topic", "a\nb", "\ud800"]
    assert beside(fields, "data") == {"model": "data.model", "subset": "category", "Topic": "data.Topic"}
