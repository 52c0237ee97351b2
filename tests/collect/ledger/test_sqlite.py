import sqlite3
import subprocess
import sys
import time

import pytest

from quorate.collect.ledger.sqlite import SqliteStore
from quorate.errors import InvalidInput


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


@pytest.fixture
def made(path):
    store = SqliteStore(path)
    yield store
    store.close()


def test_every_commit_waits_for_the_disk(made):
    assert made.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert made.connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_database_of_another_program_is_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="is a database of another program; name another file"):
        SqliteStore(path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_disk_that_cannot_be_written_is_said_to_be(made):
    with pytest.raises(InvalidInput, match=r"the disk cannot be written .* recorded so far is kept"), made.explained():
        raise sqlite3.OperationalError("disk I/O error")


def test_a_newer_format_is_refused(made, path):
    made.connection.execute("PRAGMA user_version = 2")
    with pytest.raises(InvalidInput, match="has format 2, this version reads 1"):
        SqliteStore(path)


@pytest.mark.parametrize(("name", "reason"), [("absent/study.db", "its folder exists"), ("text.db", "is not a ledger")])
def test_what_cannot_be_opened_is_said_in_one_line(tmp_path, name, reason):
    (tmp_path / "text.db").write_text("item,judge,score\n" * 100)
    with pytest.raises(InvalidInput, match=reason) as caught:
        SqliteStore(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_time_is_that_of_this_machine(made):
    assert made.now() == pytest.approx(time.time(), abs=1)
    assert not made.remote


def test_processes_that_make_one_ledger_at_once_all_open_it(tmp_path):
    """The change to WAL fails at once where another process makes it, whatever the patience."""
    script = (
        "import sys, time\n"
        "from quorate.collect.ledger.ledger import Ledger\n"
        "time.sleep(max(0.0, float(sys.argv[2]) - time.time()))\n"
        "for n in range(20):\n"
        "    Ledger.open(f'{sys.argv[1]}/{n}.db').close()\n"
    )
    start = str(time.time() + 1.5)
    command = [sys.executable, "-c", script, str(tmp_path), start]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[1] for process in running] == ["", "", ""]
