"""A ledger that is looked at while a run writes to it: no look drops a lock, and no look ends a run."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import quorate as q
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.table.files import sha256

PARTS = ("", "-wal", "-shm")
OPENED = []


@pytest.fixture(scope="session")
def opened():
    """Names of files that Python opens other than by SQLite."""
    sys.addaudithook(lambda event, given: OPENED.append(given[0]) if event == "open" else None)
    return OPENED


def locks(ledger):
    """What this process has locked of a ledger."""
    numbers = {path.stat().st_ino for path in ledger.parent.glob(f"{ledger.name}*")}
    rows = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
    own = [row for row in rows if row[4] == str(os.getpid()) and int(row[5].rpartition(":")[2]) in numbers]
    return sorted(row[1:] for row in own)


@pytest.fixture
def studied(goal, serve, command, monkeypatch):
    """A study with a goal that has been run, with what holds its ledger open as a runner does."""
    if not Path("/proc/locks").exists():
        pytest.skip("needs a system that says what is locked")
    server = serve("loopback.py", 0.0, 120)
    server.ask("spread/4")
    path = goal(server.port)
    assert command("run", path, "--yes").code == 0
    with Ledger.open(path.with_suffix(".db")) as ledger:
        ledger.spend()
        yield path


WORDS = [
    *("status study.yaml", "status --interim study.yaml", "run study.yaml --yes"),
    *("run study.yaml --quote --studies 4", "analyze study.db --report r.html", "analyze study.db --file-format csv"),
    *("analyze .", "analyze . --partitions", "analyze study.db-wal", "analyze study.db-shm --file-format csv"),
    *("compare study.db x y", "rank study.db", "doctor study.db", "doctor study.db --fit"),
    *("report study.db --study study.db", "run study.yaml --quote --components study.db --studies 4"),
    *("export study.db out.csv", "status study.db", "run other.yaml --quote", "run prompt.yaml --quote"),
]


@pytest.mark.fault("a ledger is looked at")
def test_no_look_at_a_ledger_drops_a_lock(studied, command, opened):
    ledger, text = studied.with_suffix(".db"), studied.read_text(encoding="utf-8")
    (studied.parent / "other.yaml").write_text(text.replace("items.jsonl", "study.db"), encoding="utf-8")
    prompt = text.replace('["score"]', '{"p": {"file": "study.db", "scale": [1, 10]}}')
    (studied.parent / "prompt.yaml").write_text(prompt, encoding="utf-8")
    before = locks(ledger)
    assert len(before) > 1
    for words in WORDS:
        opened.clear()
        ran = command(*words.split())
        assert locks(ledger) == before, words
        assert not {f"{ledger}{part}" for part in PARTS} & {str(Path(str(name)).absolute()) for name in opened}, words
        assert "Traceback" not in ran.err, words
        assert "no such command" not in ran.err, words
    opened.clear()
    table = q.read(ledger)
    q.report(table, studied.parent / "more.html")
    assert (sha256(ledger), q.status(studied).finished > 0) == (table.source.sha256, True)
    with pytest.raises(InvalidInput, match="is a SQLite database and no csv; leave the format out"):
        q.read(ledger, format="csv")
    assert locks(ledger) == before
    assert str(ledger) not in map(str, opened)
    ledger.open("rb").close()  # what the test is about
    assert locks(ledger) != before


@pytest.mark.slow
def test_the_hash_of_a_ledger_is_that_of_what_is_in_it(studied, tmp_path):
    ledger, copy = studied.with_suffix(".db"), tmp_path / "copy.db"
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute(f"VACUUM INTO '{copy}'")
    assert sha256(copy) == sha256(ledger)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE labels SET label = 'another' WHERE code = 0")
    assert sha256(copy) != sha256(ledger)


@pytest.mark.slow
@pytest.mark.fault("a ledger is looked at")
@pytest.mark.parametrize("runners", [1, 2])
def test_a_goal_study_is_not_ended_by_who_looks_at_it(goal, serve, start, ended, command, ask, runners):
    server, rng = serve("loopback.py", 0.05, 300), random.Random(runners)
    server.ask("spread/4")
    path = goal(server.port, judge={"concurrency": 4})
    running = [start("run", path, "--yes") for _ in range(runners)]
    while any(process.poll() is None for process in running):
        for words in (("status", path), ("status", "--interim", path)):
            assert "replaced" not in command(*words).err
        time.sleep(rng.uniform(0, 0.3))
    said = [ended(process) for process in running]
    assert {one.code for one in said} == {0}, [one.err for one in said]
    assert not list(path.parent.glob("*kept*"))
    cells = "SELECT count(*), count(accepted) FROM cells"
    ((planned, answered),) = ask(path.with_suffix(".db"), cells)
    assert planned == answered == server.counts().total()
