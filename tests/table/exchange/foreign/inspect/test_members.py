"""Members of archives, however they are packed."""

from __future__ import annotations

import sys
import zipfile
from importlib import import_module

import pytest

from quorate.errors import InvalidData
from quorate.table.exchange.foreign.inspect.attempts import BLOCK, blocks, directory

own_zip = zipfile if sys.version_info >= (3, 14) else import_module("backports.zstd.zipfile")
TEXT = b"some text " * 60_000
WAYS = {"stored": zipfile.ZIP_STORED, "deflate": zipfile.ZIP_DEFLATED, "zstandard": 93}


@pytest.fixture(params=WAYS)
def archive(tmp_path, request):
    path = tmp_path / "a.eval"
    with own_zip.ZipFile(path, "w", WAYS[request.param]) as writer:
        writer.writestr("one.json", TEXT)
        writer.writestr("empty.json", b"")
    return path


def test_whole_and_in_blocks(archive):
    held = directory(archive)
    read = list(blocks(archive, held["one.json"]))
    assert b"".join(read) == TEXT
    assert max(map(len, read)) <= BLOCK
    assert not any(blocks(archive, held["empty.json"]))


def test_damage_is_one_line(archive):
    held = directory(archive)["one.json"]
    whole = bytearray(archive.read_bytes())
    whole[60 + len("one.json")] ^= 0x55
    archive.write_bytes(whole)
    with pytest.raises(InvalidData, match=r"one\.json: is damaged \(.*\); copy the log again"):
        list(blocks(archive, held))
    archive.write_bytes(b"PK")
    with pytest.raises(InvalidData, match="is not where the archive says"):
        list(blocks(archive, held))


def test_an_archive_without_its_end(archive):
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(InvalidData, match=r"not a complete ZIP \(it has no central directory\): copy it again"):
        directory(archive)


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


def test_a_member_that_is_longer_than_it_says_is_left(archive):
    held = directory(archive)["one.json"]
    held.file_size = 1
    with pytest.raises(InvalidData, match="its length or checksum is another"):
        list(blocks(archive, held))


def test_packed_otherwise(tmp_path):
    with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_BZIP2) as writer:
        writer.writestr("a.json", b"1")
    with pytest.raises(InvalidData, match="packed in a way that Inspect AI does not use"):
        list(blocks(tmp_path / "a", directory(tmp_path / "a")["a.json"]))
