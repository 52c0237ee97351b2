"""What never ends is not read: pipes and devices, wherever a file is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidInput
from quorate.table.exchange.ordinary import ordinary

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
        "agree s.csv --people fifo.csv",
        "project zero.json",
        "assign --items zero.txt --judges a,b",
        "run zero.yaml",
        "analyze s.csv --no-report --study zero.yaml",
    ],
)
def test_commands(folder, capsys, words):
    assert main(words.split()) == 1
    assert "is a pipe or a device" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "a\0.csv"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(InvalidInput, match=r"source: .* cannot be read \(") as caught:
        q.read(name)
    assert len(str(caught.value)) < 2001
    with pytest.raises(OSError, match=r"such a name|too long"):
        ordinary(Path(name))
