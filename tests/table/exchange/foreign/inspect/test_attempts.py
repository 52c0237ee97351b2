"""Attempts of archives and JSON logs."""

from __future__ import annotations

import gzip
import json
import sys
import zipfile
from importlib import import_module

import pytest
from examples import any_text
from hypothesis import given
from hypothesis import strategies as st

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.attempts import BLOCK, Streamed, blocks, directory, read

RUN = {"model": "m", "task": "t", "dataset": {"sample_ids": ["a", "b"]}, "config": {"epochs": 2}, "task_args": {"k": 3}}
HEADER = {"version": 2, "status": "success", "eval": RUN, "plan": {}}
EDITED = {"value": 1, "history": [{"value": 2}, {"value": 1, "provenance": {"author": "ann"}}]}


def sample(item="a", epoch=1, **changed):
    return {"id": item, "epoch": epoch, "messages": [{"x": "{"}], "scores": {"s": {"value": "C"}}} | changed


@pytest.fixture
def archive(tmp_path):
    def write(**members):
        with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as writer:
            for name, value in members.items():
                writer.writestr(name + ".json", json.dumps(value))
        return tmp_path / "a.eval"

    return write


def test_what_summaries_cut_is_read_from_the_samples(archive):
    summary = sample(metadata={"topic": "x", "long": "y" * 101, "deep": {}, "flag": True}, limit="time")
    log = read(
        archive(
            header=HEADER,
            summaries=[summary, sample("b", error="no", scores={})],
            **{"samples/a_epoch_1": sample(scores={"s": EDITED}), "samples/b_epoch_1": {"id": "unread"}},
        )
    )
    one, other = log.attempts
    assert (one.given["s"].marks[""][0].score, one.editors) == (1, {"s": ("ann",)})
    assert (one.labels, one.limit, one.failed) == ({"topic": "x", "flag": "true"}, "time", False)
    assert (other.item, other.given, other.failed) == ("b", {}, True)
    assert (log.planned, log.status, log.arguments, log.version) == (4, "success", {"k": "3"}, ())


def test_samples_in_parts_beside_whole_ones(archive):
    members = {
        "header": HEADER,
        "samples/a_epoch_1/sample": {"id": "a", "epoch": 1, "scores": {}},
        "samples/a_epoch_1/metadata": {"topic": "x"},
        "samples/a_epoch_1/messages/0": [1],
        "samples/b/c_epoch_2": sample("b/c", 2, metadata={"topic": "y"}),
    }
    found = {one.item: (one.epoch, one.labels) for one in read(archive(**members)).attempts}
    assert found == {"a": (1, {"topic": "x"}), "b/c": (2, {"topic": "y"})}


def test_a_run_that_was_killed_has_what_its_journal_kept(archive):
    summaries = [sample(), sample("b", error="gone")]
    members = {
        "_journal/start": {"version": 2, "eval": RUN, "plan": {}},
        "samples/b_epoch_1": sample("b"),
        "_journal/summaries/2": summaries[1:],
        "_journal/summaries/1": summaries[:1],
    }
    log = read(archive(**members))
    assert [(one.item, one.failed) for one in log.attempts] == [("b", True)]
    assert (log.status, log.planned) == ("started", 4)


def test_attempts_declared_invalid_are_looked_for_where_the_header_says_so(archive):
    declared = sample(invalidation={"author": "x"})
    for invalidated in (True, False):
        header = HEADER | {"invalidated": invalidated}
        log = read(archive(header=header, summaries=[sample()], **{"samples/a_epoch_1": declared}))
        assert log.attempts[0].invalid is invalidated


def test_json_whole_and_packed(tmp_path):
    text = json.dumps(HEADER | {"results": {"total_samples": 5}, "samples": [sample(), sample(), sample("b")]})
    for name, held in (("a.json", text.encode()), ("b.json.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(held)
        log = read(tmp_path / name)
        assert (len(log.attempts), log.repeated, log.planned) == (2, 1, 5)
    (tmp_path / "b.json.gz").write_bytes(held[:-20])
    with pytest.raises(InvalidData, match="is not gzip to its end"):
        read(tmp_path / "b.json.gz")


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([sample(1), sample("1")], 'samples 1 and "1" differ only by quotes'),
        ([sample(epoch="x")], 'sample 1: epoch is "x"'),
        ([sample(None)], "sample 1: id is null"),
        ([sample(scores={"s": 3})], "sample 1: scores.s is 3; an object is needed"),
        ([3], "is not JSON at byte"),
    ],
)
def test_what_is_not_understood_is_named(tmp_path, samples, said):
    (tmp_path / "a.json").write_text(json.dumps(HEADER | {"samples": samples}))
    with pytest.raises(InvalidData, match=said):
        read(tmp_path / "a.json")


def test_other_archives_and_later_layouts(archive):
    with pytest.raises(InvalidData, match="is of version 3, and versions up to 2 are known"):
        read(archive(header=HEADER | {"version": 3}))
    with pytest.raises(InvalidData, match=r"neither header\.json nor _journal/start\.json"):
        read(archive(other=1))


own_zip = zipfile if sys.version_info >= (3, 14) else import_module("backports.zstd.zipfile")
TEXT = b"some text " * 60_000
WAYS = {"stored": zipfile.ZIP_STORED, "deflate": zipfile.ZIP_DEFLATED, "zstandard": 93}


@pytest.fixture(params=WAYS)
def archive_of_members(tmp_path, request):
    path = tmp_path / "a.eval"
    with own_zip.ZipFile(path, "w", WAYS[request.param]) as writer:
        writer.writestr("one.json", TEXT)
        writer.writestr("empty.json", b"")
    return path


def test_whole_and_in_blocks(archive_of_members):
    held = directory(archive_of_members)
    read = list(blocks(archive_of_members, held["one.json"]))
    assert b"".join(read) == TEXT
    assert max(map(len, read)) <= BLOCK
    assert not any(blocks(archive_of_members, held["empty.json"]))


def test_damage_is_one_line(archive_of_members):
    held = directory(archive_of_members)["one.json"]
    whole = bytearray(archive_of_members.read_bytes())
    whole[60 + len("one.json")] ^= 0x55
    archive_of_members.write_bytes(whole)
    with pytest.raises(InvalidData, match=r"one\.json: is damaged \(.*\); copy the log again"):
        list(blocks(archive_of_members, held))
    archive_of_members.write_bytes(b"PK")
    with pytest.raises(InvalidData, match="is not where the archive says"):
        list(blocks(archive_of_members, held))


def test_an_archive_without_its_end(archive_of_members):
    archive_of_members.write_bytes(archive_of_members.read_bytes()[:-30])
    with pytest.raises(InvalidData, match=r"not a complete ZIP \(it has no central directory\): copy it again"):
        directory(archive_of_members)


def test_the_last_of_one_name_counts(tmp_path):
    with zipfile.ZipFile(tmp_path / "a", "w") as writer:
        writer.writestr("a.json", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            writer.writestr("a.json", b"2")
    assert list(blocks(tmp_path / "a", directory(tmp_path / "a")["a.json"])) == [b"2"]


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("a.json", b" " * 20_000_000)
    with pytest.raises(InvalidData, match="unpacked it is more than 200 times as long"):
        directory(path)


def test_a_member_that_is_longer_than_it_says_is_left(archive_of_members):
    held = directory(archive_of_members)["one.json"]
    held.file_size = 1
    with pytest.raises(InvalidData, match="its length or checksum is another"):
        list(blocks(archive_of_members, held))


def test_packed_otherwise(tmp_path):
    with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_BZIP2) as writer:
        writer.writestr("a.json", b"1")
    with pytest.raises(InvalidData, match="packed in a way that Inspect AI does not use"):
        list(blocks(tmp_path / "a", directory(tmp_path / "a")["a.json"]))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def streamed(text, size=1 << 18):
    return Streamed(iter([text[start : start + size] for start in range(0, len(text), size)]), "log")


@given(st.dictionaries(any_text(max_size=2), VALUES), st.integers(1, 9), st.booleans(), st.booleans())
def test_wherever_a_block_ends(value, size, ascii_only, indented):
    """Fields that are wanted are read, and others passed over, texts with quotes, brackets and backslashes included."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2 if indented else None).encode()
    wanted = {key for place, key in enumerate(value) if place % 2}
    assert streamed(text, size).fields(wanted) == {key: value[key] for key in value if key in wanted}
    whole = streamed(b"[" + text + b" , 7]", size)
    elements = whole.elements()
    next(elements)
    assert whole.fields(set(), whole=True) == {}
    assert [whole.value() for _ in elements] == [7]


def test_what_follows_is_not_read_once_all_is_found():
    def blocks():
        yield b'{"id": 1, "scores": {"a": NaN}, "events": ['
        raise AssertionError("read on")

    assert str(Streamed(blocks(), "log").fields({"id", "scores"})) == "{'id': 1, 'scores': {'a': nan}}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a": "half', "log: is cut off"),
        (b'{"a": [1, 2', "log: is cut off"),
        (b'{"a": 1', "log: is cut off"),
        (b"", "log: is cut off"),
        (b"[1]", r"log: is not JSON at byte 0 \(b'\[' where b'{' is needed\)"),
        (b'{"a": tru}', r"log: is not JSON at byte 9 \(Expecting value\)"),
        (b'{"a" 1}', r"log: is not JSON at byte 5"),
        (b'{"a": 1 "b": 2}', r"log: is not JSON at byte 9"),
        (b"{1: 2}", "a key is no text"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number with too many digits"),
    ],
)
def test_what_is_not_json_is_one_line(text, said):
    with pytest.raises(InvalidData, match=said) as caught:
        streamed(text).fields({"a", "b"})
    assert "\n" not in str(caught.value)


def test_a_list_of_nothing():
    assert list(streamed(b"[ ]").elements()) == []
    assert streamed(b" { } ").fields({"a"}) == {}
