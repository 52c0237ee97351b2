import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.schema import HELD, PATIENCE, Adrift
from quorate.collect.ledger.stores import SqliteStore
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.address import place_of


@pytest.fixture
def opened(place):
    """A function that opens the same store again and again."""
    stores = []

    def make():
        where = place_of(place("study.db"))
        if isinstance(where, type(place_of("a"))):
            stores.append(SqliteStore(where))
        else:
            from quorate.collect.ledger.stores import PostgresStore

            stores.append(PostgresStore(where))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


def lost(store):
    return store.connection.execute("SELECT lost FROM spend").fetchall()


def test_one_writes_at_a_time_and_the_others_see_what_was_committed(opened):
    one, two = opened(), opened()
    assert one.begin()
    one.connection.execute("UPDATE spend SET lost = 1")
    assert not two.begin(wait=False)
    assert (lost(one), lost(two)) == ([(1,)], [(0,)])
    one.end()
    assert two.begin(wait=False)
    assert lost(two) == [(1,)]
    two.connection.execute("UPDATE spend SET lost = 2")
    two.undo()
    two.undo()
    assert lost(one) == lost(two) == [(1,)]


def test_whoever_closes_undoes_what_is_not_committed(opened):
    one, two = opened(), opened()
    one.begin()
    one.connection.execute("UPDATE spend SET lost = 1")
    one.close()
    assert two.begin()
    assert lost(two) == [(0,)]
    two.undo()


def test_clocks_agree_on_one_machine(opened):
    one, two = opened(), opened()
    one.begin()
    one.end()
    assert one.now() == pytest.approx(two.now(), abs=0.5)


def test_there_is_a_ledger_once_it_is_opened(place):
    assert not Ledger.exists(place("study.db"))
    Ledger.open(place("study.db")).close()
    assert Ledger.exists(place("study.db"))


def test_patience_is_said_as_it_is():
    assert f"more than {PATIENCE} seconds" in HELD


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
    with closing(sqlite3.connect(path)) as connection, connection:
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


@pytest.mark.slow
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


def taken(path):
    """Ways in which the file of a ledger goes away while it is open."""
    beside = [path.with_name(f"{path.name}{part}") for part in ("-wal", "-shm")]

    def replaced():
        for one in (path, *beside):
            one.unlink()
        SqliteStore(path).close()

    return {
        "removed": path.unlink,
        "moved": lambda: path.rename(path.with_name("elsewhere.db")),
        "replaced": replaced,
        "its log removed": lambda: [one.unlink() for one in beside],
        "of another program": lambda: made_by_another(path),
    }


def made_by_another(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA application_id = 7")
    connection.close()


@pytest.mark.parametrize("way", ["removed", "moved", "replaced", "its log removed", "of another program"])
@pytest.mark.parametrize("step", ["begin", "look", "end"])
def test_a_file_that_goes_away_is_noticed_at_every_step(made, path, way, step):
    if step == "end" and way == "of another program":
        pytest.skip("the file is held meanwhile")
    if step == "end":
        made.begin()
    taken(path)[way]()
    with pytest.raises(Adrift, match=r"study\.db was removed, moved or replaced while it was written to"):
        getattr(made, step)()


def test_the_log_of_a_file_that_was_taken_away_is_not_that_of_a_new_one(made, path):
    path.unlink()
    with pytest.raises(InvalidInput, match=r"study\.db-wal belongs to a file that is not there"):
        SqliteStore(path)
    assert not path.exists()


@pytest.mark.parametrize("way", ["removed", "moved", "replaced", "its log removed"])
def test_what_went_away_is_copied_with_all_that_was_committed(made, path, way):
    made.begin()
    made.connection.execute("UPDATE spend SET calls = 7")
    made.end()
    taken(path)[way]()
    (path.parent / "study-kept-1.db").touch()  # of an earlier time
    made.drift()
    made.begin()
    made.connection.execute("UPDATE spend SET lost = 3")
    made.end()
    kept = made.copy()
    assert kept == path.parent / "study-kept-2.db"
    store = SqliteStore(kept)
    assert store.connection.execute("SELECT calls, lost FROM spend").fetchall() == [(7, 3)]
    store.close()


@pytest.mark.fault("the clock jumps")
def test_the_clock_goes_on_whoever_sets_that_of_the_machine(path, monkeypatch):
    first, real = SqliteStore(path), time.time()
    for jump in (-7200.0, 7200.0):
        monkeypatch.setattr(time, "time", lambda jump=jump: real + jump)
        second = SqliteStore(path)
        assert first.now() == pytest.approx(second.now(), abs=0.1)
        assert first.now() == pytest.approx(real, abs=1)
        second.close()
    first.close()


@pytest.mark.fault("the clock jumps")
def test_after_a_start_of_the_machine_time_does_not_go_back(path, monkeypatch):
    first, real = SqliteStore(path), time.time()
    first.connection.execute("INSERT INTO runners VALUES (1, 'one', ?, ?)", (first.now(), first.now() + 60))
    first.close()
    monkeypatch.setattr(time, "time", lambda: real - 7200.0)
    for start in ("another", None):
        monkeypatch.setattr("quorate.collect.ledger.stores.start_of_machine", lambda start=start: start)
        second = SqliteStore(path)
        assert second.now() >= real - 1
        second.close()
