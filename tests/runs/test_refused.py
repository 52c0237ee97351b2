"""What cannot be run is one line and exit 1, with nothing asked and nothing changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from quorate.collect.ledger.ledger import Ledger

ROW = '{"id": "q1", "prompt": "p", "response": "r"}\n'
ITEMS = {
    "empty": ("items.jsonl", "", "there are no items"),
    "header-alone": ("items.csv", "id,prompt,response\n", "there are no items"),
    "not-utf8": ("items.jsonl", b'{"id": "\xff"}\n', "is not UTF-8 text"),
    "not-utf8-csv": ("items.csv", b"id,prompt,response\nq1,\xff,r\n", "is not UTF-8 text"),
    "utf16": ("items.jsonl", ROW.encode("utf-16"), "is not UTF-8 text"),
    "binary": ("items.jsonl", b"\0" * 100, "line 1 is not JSON"),
    "twice": ("items.jsonl", ROW * 2, '"q1" stands twice'),
    "twice-csv": ("items.csv", "id,id,prompt,response\na,b,p,r\n", 'two columns are called "id"'),
    "nan": ("items.jsonl", '{"id": "a", "prompt": "p", "response": NaN}\n', "line 1 is not JSON (NaN"),
    "infinite": ("items.jsonl", '{"id": "a", "prompt": "p", "response": -1e999}\n', '"response" is -inf'),
    "nameless": ("items.jsonl", '{"id": null, "prompt": "p", "response": "r"}\n', '"id" must be a name'),
    "half-a-character": ("items.jsonl", '{"id": "a", "prompt": "p", "response": "\\ud800"}\n', "line 1 is not JSON"),
    "deep": ("items.jsonl", f'{{"id": {"[" * 99_999}\n', "line 1 is not JSON"),
    "no-answer": ("items.jsonl", '{"id": "a", "prompt": "p"}\n', "'response' is undefined"),
    "no-table": ("items.parquet", "no parquet", "items.parquet: cannot be read"),
    "other-kind": ("items.doc", ROW, "cannot tell the format"),
}


def refused(command, path, *words):
    ran = command("run", path, *(words or ("--yes",)))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("quorate: ")
    assert "internal error" not in ran.err
    assert len(ran.err) < 500
    return ran.err


@pytest.fixture
def study(panel):
    """A function that writes a study of one item."""
    return lambda **changes: panel(9, 1, **{"temperatures": None, "prompts": ["score"], **changes})


@pytest.mark.parametrize(("name", "content", "said"), ITEMS.values(), ids=ITEMS)
def test_items(study, command, tmp_path, name, content, said):
    path = study(items=name)
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert said in refused(command, path)
    assert not path.with_suffix(".db").exists()


@pytest.mark.parametrize(("name", "start"), [("items.jsonl", '{"id": "a", "response": "'), ("items.csv", 'id,x\na,"')])
def test_a_line_of_200_megabytes_is_not_read(study, command, tmp_path, name, start):
    path = study(items=name)
    with (tmp_path / name).open("w") as stream:
        stream.write(start)
        stream.truncate(200_000_000)  # nothing but null characters, which take no space
    assert "is longer than 16 MB" in refused(command, path)


CHANGES = {
    "items": ({"items": "none.jsonl"}, "cannot be read (No such file"),
    "budget": ({"budget": {"calls": -1}}, "budget.calls"),
    "prompt": ({"prompts": {"x": {"file": "none.j2", "scale": [1, 5]}}}, "prompts.x.file: "),
    "address": ({"judge": {"base_url": "http://127.0.0.1:99999/v1"}}, "must be an http or https address"),
    "ledger-nowhere": ({"ledger": "no/such/folder.db"}, "cannot be made; check that its folder exists"),
    "ledger-is-items": ({"ledger": "items.jsonl"}, "is not a ledger"),
    "ledger-is-a-folder": ({"ledger": "."}, "ledger: . is a folder or a device; name a file"),
    "ledger-is-the-root": ({"ledger": "/"}, "ledger: / is a folder or a device; name a file"),
    "ledger-is-a-device": ({"ledger": "/dev/null"}, "ledger: /dev/null is a folder or a device; name a file"),
}


@pytest.mark.parametrize(("changes", "said"), CHANGES.values(), ids=CHANGES)
def test_settings(study, command, changes, said):
    assert said in refused(command, study(**changes).name)  # in its own folder, where some paths have no name


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no settings"),
        (b"\0\xff", "is not UTF-8"),
        (b"items: [\n", "is not YAML: line"),
        (b"- a\n", "holds no"),
    ],
)
def test_study_files(study, command, content, said):
    path = study()
    path.write_bytes(content)
    assert said in refused(command, path)
    assert command("status", path).code == 1


def make_other(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (a)")


def make_later(path):
    Ledger.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1000")


def make_half(path):
    Ledger.open(path).close()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


LEDGERS = {
    "no-database": (lambda path: path.write_bytes(b"hello" * 1000), "is not a ledger"),
    "other-program": (make_other, "is a database of another program"),
    "later-version": (make_later, "has format 1000, this version reads"),
    "damaged": (make_half, "is damaged"),
}


@pytest.mark.parametrize(("make", "said"), LEDGERS.values(), ids=LEDGERS)
def test_ledgers(study, command, make, said):
    path = study()
    make(path.with_suffix(".db"))
    before = path.with_suffix(".db").read_bytes()[100:]  # what follows the header
    assert said in refused(command, path)
    ran = command("status", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert said in ran.err
    assert path.with_suffix(".db").read_bytes()[100:] == before


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_to(study, start, ended, tmp_path):
    """As root one may write everywhere, unless that right is given up."""
    path = study()
    rights = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    if os.geteuid() == 0 and (not shutil.which(rights[0]) or subprocess.run([*rights, "true"], check=False).returncode):
        pytest.skip("root may write everywhere, and cannot give that up here")
    tmp_path.chmod(0o555)
    try:
        ran = ended(start("run", path, "--yes", prefix=rights if os.geteuid() == 0 else ()))
    finally:
        tmp_path.chmod(0o755)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "study.db: cannot be made; check that its folder exists and can be written to" in ran.err


@pytest.mark.slow
def test_a_ledger_with_an_odd_name(panel, serve, command, ask, tmp_path):
    server = serve("loopback.py", 0.0, 60)
    name = "täglich ?#%20 \u2603's.db"
    path = panel(server.port, 2, ledger=name)
    assert command("run", path, "--yes").code == 0
    assert command("status", path).code == 0
    assert ask(tmp_path / name, "SELECT count(*) FROM judgments") == [(16,)]
    assert command("doctor", tmp_path / name).code in (0, 2)
