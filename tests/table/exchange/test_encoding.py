"""Text that is not UTF-8: UTF-16 with its mark, Windows-1252, and what is neither."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import duckdb
import numpy as np
import pytest

import quorate as q
from quorate.cli import main
from quorate.errors import InvalidData, InvalidInput
from quorate.table import files
from quorate.table.exchange.encoding import begins_in, encoding_of, ordinary
from quorate.table.exchange.engine import connection
from quorate.table.exchange.format import Format, Opened, head, literal, pattern
from quorate.table.files import opened

TEXT = 'item,juge né,score\n"é, ‘x’",Zoë €,4\nß,Zoë €,\n'
ROWS = (("item", "juge né", "score"), [("é, ‘x’", "Zoë €", "4"), ("ß", "Zoë €", None)])
SAID = {"cp1252": "Windows-1252", "utf-16": "UTF-16"}


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16-be"])
def test_the_same_rows_in_every_encoding(tmp_path, encoding, name):
    path, mark = tmp_path / name, "\ufeff" * encoding.startswith("utf-16")
    content = (mark + TEXT).encode(encoding)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with opened(path) as file:
        assert (file.columns, file.relation.fetchall()) == ROWS
        said = [str(note) for note in file.notes]
    expected = next((words for start, words in SAID.items() if encoding.startswith(start)), None)
    assert [expected in note for note in said] == ([] if expected is None else [True])


@pytest.mark.slow
def test_letters_far_from_the_beginning(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"item,score\n" + b"q,1\n" * 300_000 + b"\xfc,2\n")
    assert encoding_of(path) == "cp1252"
    table = q.read(path, announce=False)
    assert table.facet("item").levels == ("q", "ü")
    assert any("Windows-1252" in str(note) for note in table.notes)


def test_what_is_neither_is_refused_where_it_is_not_utf8(tmp_path):
    for content in (b"item,score\n\xfc\x81,1\n", b"item,score\n\xfc\x02,1\n"):
        (tmp_path / "a.csv").write_bytes(content)
        with pytest.raises(InvalidData, match="line 2 is not UTF-8 text; save the file as UTF-8"):
            q.read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_bytes("\ufeffitem,score\nq,1,2\n".encode("utf-16-be"))
    with pytest.raises(InvalidData, match="line 2: the header has 2 columns, this line 3"):
        q.read(tmp_path / "a.csv")
    assert begins_in("é".encode()[:1]) == "utf-8-sig"


def test_exports_of_people_too(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_bytes("HITId,WorkerId,Answer.note,Input.topic\nh,Zoë,3,né\n".encode("cp1252"))
    table = q.read(path, announce=False)
    assert table.facet("judge").levels == ("Zoë",)
    assert any("Windows-1252" in str(note) for note in table.notes)


def test_a_name_is_seen_by_its_own_connection_alone():
    one, other = connection(), connection()
    one.register("mine", {"a": np.arange(2)})
    assert one.sql("SELECT count(*) FROM mine").fetchall() == [(2,)]
    with pytest.raises(duckdb.CatalogException):
        other.sql("SELECT * FROM mine")


def test_no_two_formats_share_a_name_or_a_suffix():
    names = [form.name for form in files.FORMATS]
    suffixes = [suffix for form in files.FORMATS for suffix in form.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)


def test_one_more_format_is_one_value(tmp_path, monkeypatch):
    """A format that claims its files by their first bytes is read by everything that reads files."""

    def open_pipes(connection, path):
        rows = [line.split("|") for line in head(path).splitlines()[1:]]
        values = ", ".join(f"({literal(item)}, {literal(score)})" for item, score in rows)
        return Opened(connection.sql(f"SELECT * FROM (VALUES {values}) AS t(item, score)"), ("item", "score"), False)

    pipes = Format("pipes", open_pipes, claims=lambda glance: glance.block.startswith(b"PIPES"))
    monkeypatch.setattr(files, "FORMATS", (pipes, *files.FORMATS))
    path = tmp_path / "scores.log"
    path.write_text("PIPES\na|1\nb|3\n", encoding="utf-8")
    assert files.located(path).form is pipes
    assert q.read(path, announce=False).mean.tolist() == [1, 3]


def test_a_pattern_names_one_file_whatever_its_name_holds(tmp_path):
    assert pattern(tmp_path / "a*[b]'.csv").endswith("a[*][[]b]''.csv'")


@pytest.mark.parametrize("text", [b"a\0b", b"\xff\xe9a"])
def test_what_is_not_text_has_no_head(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    with pytest.raises(InvalidData, match="not UTF-8 text"):
        head(path)


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
        *("doctor zero.csv", "judges s.csv --people fifo.csv", "plan zero.json --budget 9"),
        *("assign --items zero.txt --judges a,b", "run zero.yaml", "analyze s.csv --no-report --study zero.yaml"),
        *("import study.yaml fifo.csv", "import study.yaml zero.json"),
    ],
)
def test_commands(folder, capsys, words):
    assert main(["init", "study.yaml", "--recipe", "people"]) == 0
    assert main(words.split()) == 1
    assert "is a pipe or a device" in capsys.readouterr().err


@pytest.fixture(scope="module")
def zeros() -> bytes:
    """40 million of them, packed."""
    return gzip.compress(bytes(40_000_000))


@pytest.mark.wide(3)
@pytest.mark.parametrize(
    ("name", "real"), [("s.csv.gz", 0), ("s.csv.gz", 100_000), ("s.jsonl.gz", 100_000), ("s.json.gz", 0), ("s.eval", 0)]
)
def test_a_bomb_is_not_unpacked(tmp_path, zeros, name, real):
    head = b"item,judge,score\n" + os.urandom(real) if real else b""
    (tmp_path / name).write_bytes(gzip.compress(head) + zeros)
    with pytest.raises(InvalidInput, match=r"cannot be read .unpacked it is more than 200 times as long; unpack it"):
        q.read(tmp_path / name)


def test_what_is_cut_off_is_no_bomb(tmp_path):
    packed = gzip.compress(b"item,judge,score\n" + os.urandom(100_000).hex().encode())
    (tmp_path / "s.csv.gz").write_bytes(packed[:80_000] + b"\xff\xff\xff\xff")
    assert ordinary(tmp_path / "s.csv.gz")


def test_what_repeats_is_no_bomb(tmp_path):
    rows = "".join(f"{i},{j},{(i * j) % 5}\n" for i in range(500) for j in range(30))
    with gzip.open(tmp_path / "s.csv.gz", "wt") as packed:
        packed.write("item,judge,score\n" + rows)
    assert q.read(tmp_path / "s.csv.gz", announce=False).n_answers == 15_000


@pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "a\0.csv"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(InvalidInput, match=r"source: .* cannot be read \(") as caught:
        q.read(name)
    assert len(str(caught.value)) < 2001
    with pytest.raises(OSError, match=r"such a name|too long"):
        ordinary(Path(name))
