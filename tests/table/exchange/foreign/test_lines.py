"""JSON of other tools: lines and documents."""

from __future__ import annotations

import gzip

import pytest

from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.foreign import records
from quorate.table.exchange.foreign.records import document, objects


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
