"""What never ends is not read: pipes and devices, wherever a file is named."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput
from quorate.table.exchange.encoding import ordinary

ENDLESS = ("fifo.csv", "zero.csv", "zero.jsonl", "zero.parquet", "zero.yaml", "zero.json", "zero.txt")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ENDLESS:
        os.mkfifo(name) if "fifo" in name else Path(name).symlink_to("/dev/zero")
    Path("s.csv").write_text("item,judge,score\na,x,1\nb,x,2\n")
    return tmp_path


@pytest.mark.parametrize("read", [q.read, q.read_votes])
@pytest.mark.parametrize("name", [*ENDLESS[:4], "/dev/zero"])
def test_tables(folder, read, name):
    with pytest.raises(InvalidInput, match="is a pipe or a device, and no ordinary file"):
        read(name)


@pytest.mark.parametrize(
    "words",
    [
        "doctor zero.csv",
        "judges s.csv --people fifo.csv",
        "plan zero.json --budget 9",
        "assign --items zero.txt --judges a,b",
        "run zero.yaml",
        "analyze s.csv --no-report --study zero.yaml",
        "import study.yaml fifo.csv",
        "import study.yaml zero.json",
    ],
)
def test_commands(folder, capsys, words):
    assert main(["init", "study.yaml", "--recipe", "people"]) == 0
    assert main(words.split()) == 1
    assert "is a pipe or a device" in capsys.readouterr().err


@pytest.mark.parametrize("head", [b"", b"item,judge,score\n" + os.urandom(100_000)])
@pytest.mark.parametrize("name", ["s.csv.gz", "s.jsonl.gz", "s.json.gz", "s.eval"])
def test_a_bomb_is_not_unpacked(tmp_path, name, head):
    with gzip.open(tmp_path / name, "wb") as packed:
        packed.write(head)
        for _ in range(40):
            packed.write(b"\0" * 1_000_000)
    with pytest.raises(InvalidInput, match=r"cannot be read .unpacked it is more than 200 times as long; unpack it"):
        q.read(tmp_path / name)


def test_what_is_cut_off_is_no_bomb(tmp_path):
    packed = gzip.compress(b"item,judge,score\n" + os.urandom(100_000).hex().encode())
    (tmp_path / "s.csv.gz").write_bytes(packed[:80_000] + b"\xff\xff\xff\xff")
    assert ordinary(tmp_path / "s.csv.gz")


def test_what_repeats_is_no_bomb(tmp_path):
    rows = "".join(f"{i},{j},{(i * j) % 5}\n" for i in range(2000) for j in range(30))
    with gzip.open(tmp_path / "s.csv.gz", "wt") as packed:
        packed.write("item,judge,score\n" + rows)
    assert q.read(tmp_path / "s.csv.gz", announce=False).n_answers == 60_000


@pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "a\0.csv"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(InvalidInput, match=r"source: .* cannot be read \(") as caught:
        q.read(name)
    assert len(str(caught.value)) < 2001
    with pytest.raises(OSError, match=r"such a name|too long"):
        ordinary(Path(name))
