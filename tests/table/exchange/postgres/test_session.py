import math
import shutil
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

import quorate as q
from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.ledger import columns
from quorate.table.exchange.postgres import session as postgres
from quorate.table.exchange.postgres.address import place_of
from quorate.table.exchange.postgres.session import Away, Held, Interrupted, Rows, Session
from quorate.table.reread import answers

CANARY = "canary'7\\secret"


@pytest.fixture
def session(cluster):
    place = place_of(cluster.place())
    made = Session(place)
    made.execute(f"CREATE SCHEMA {place.schema}")
    made.execute("CREATE TABLE t (id BIGINT, name TEXT, size DOUBLE PRECISION)")
    yield made
    made.close()


def reload(session):
    """Let the server read its settings; it takes them over a little later."""
    session.execute("SELECT pg_reload_conf()")
    time.sleep(0.3)


def test_rows_are_taken_as_from_a_cursor():
    rows = Rows([(1,), (2,), (3,), (4,)], ["a"])
    assert rows.fetchone() == (1,)
    assert next(iter(rows)) == (2,)
    assert rows.fetchall() == [(3,), (4,)]
    assert list(rows) == []
    assert rows.fetchone() is None
    assert rows.description == (("a",),)


def test_without_the_driver_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(postgres, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r'needs a driver; run pip install "quorate\[postgres\]"'):
        q.read("postgresql://ann@127.0.0.1:1/evals")


@pytest.mark.skipif(not postgres.find_spec("pg8000"), reason="needs the extra quorate[postgres]")
def test_a_server_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.setattr(postgres, "_AGAIN", (0.0, 0.0))
    with pytest.raises(InvalidInput, match=r"ledger: postgresql://ann@127.0.0.1:1/evals: .* \(.*refused\)") as caught:
        q.read("postgresql://ann@127.0.0.1:1/evals")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not postgres.find_spec("pg8000"), reason="needs the extra quorate[postgres]")
@pytest.mark.parametrize("times", [2, 9])
@pytest.mark.parametrize("code", ["57P03", "53300"])
def test_a_server_that_is_starting_or_full_is_waited_for(monkeypatch, times, code):
    from pg8000.native import DatabaseError

    tried = []

    def starting(*_):
        tried.append(1)
        if len(tried) <= times:
            raise DatabaseError({"C": code, "M": "the database system is starting up"})
        raise DatabaseError({"C": "3D000", "M": "it has started"})

    monkeypatch.setattr(postgres, "_connected", starting)
    monkeypatch.setattr(postgres, "_AGAIN", (0.0,) * 3)
    monkeypatch.setattr(postgres, "_STARTS", (0.0,) * 5)
    with pytest.raises(InvalidInput, match="no such database" if times == 2 else "is starting up.*run it again"):
        Session(place_of("postgresql://ann@127.0.0.1:1/evals"))
    assert len(tried) == min(times + 1, 9)


@pytest.mark.postgres
def test_values_come_back_as_they_went(session):
    rows = [
        (n, text, n / 3) for n, text in enumerate(["plain, {x}", 'a "b"', "c\\d", "NULL", "", "äöü€😀", "two\nlines"])
    ]
    rows += [(2**62, None, None), (-1, "x" * 100_000, 1e-300)]
    session.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    assert session.execute("SELECT * FROM t").fetchall() == rows
    assert session.execute("SELECT name FROM t WHERE id = ? AND size = ?", (1, 1 / 3)).fetchall() == [('a "b"',)]
    assert session.execute("SELECT ?", ("a'b?",)).fetchall() == [("a'b?",)]
    assert session.execute("SELECT sum(id) FROM t WHERE id < ?", (9,)).fetchall() == [(20,)]


@pytest.mark.postgres
def test_numbers_may_be_of_numpy(session):
    session.executemany("INSERT INTO t VALUES (?, 'x', ?)", [(np.int64(3), np.float64(0.5)), (np.int32(4), np.nan)])
    assert session.execute("SELECT size FROM t WHERE id = ?", (np.int64(3),)).fetchall() == [(0.5,)]
    assert math.isnan(session.execute("SELECT size FROM t WHERE id = ?", (np.int64(4),)).fetchone()[0])


@pytest.mark.postgres
def test_a_database_that_cannot_hold_every_character_is_refused(session, cluster):
    session.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(InvalidInput, match="the database is in LATIN1; make one with ENCODING 'UTF8'"):
        Session(place_of(cluster.place().replace("/postgres?", "/latin?")))


@pytest.mark.skipif(not postgres.find_spec("pg8000"), reason="needs the extra quorate[postgres]")
def test_a_server_that_says_nothing_is_one_line(monkeypatch):
    monkeypatch.setattr(postgres, "_TIMEOUT", 0.1)
    monkeypatch.setattr(postgres, "_AGAIN", (0.0,))
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Away, match="timed out"):
        Session(place_of(f"postgresql://ann@127.0.0.1:{silent.getsockname()[1]}/d"))


@pytest.mark.postgres
def test_an_answer_that_does_not_come_is_not_waited_for_without_end(cluster, monkeypatch):
    monkeypatch.setattr(postgres, "PATIENCE", 0.1)
    monkeypatch.setattr(postgres, "IDLE", 0.1)
    said = r"timed out.*everything recorded so far is kept: run it again"
    with Session(place_of(cluster.place())) as made, pytest.raises(Away, match=said):
        made.execute("SELECT pg_sleep(20)")


@pytest.mark.postgres
@pytest.mark.parametrize("over_tcp", [False, True])
def test_another_thread_may_end_the_wait_for_a_server(cluster, over_tcp):
    with Session(place_of(cluster.place(over_tcp=over_tcp))) as made:
        threading.Timer(0.2, made.cut).start()
        began = time.monotonic()
        with pytest.raises(Interrupted, match="the connection was given up"):
            made.execute("SELECT pg_sleep(20)")
        assert made.execute("SELECT 1").fetchall() == [(1,)]
        made.begin("SELECT 1")
        threading.Timer(0.2, made.cut).start()
        with pytest.raises(Interrupted, match="the connection was given up"):
            made.execute("SELECT pg_sleep(20)")
        made.undo()
        assert made.execute("SELECT 1").fetchall() == [(1,)]
        assert time.monotonic() - began < 10


@pytest.mark.postgres
def test_a_row_that_another_session_holds_is_told_from_other_errors(session):
    session.execute("INSERT INTO t VALUES (1, 'x', 1)")
    with Session(session.address) as other:
        other.begin("SELECT id FROM t FOR UPDATE")
        session.execute("SET lock_timeout = '50ms'")
        with pytest.raises(Held, match="is held by another process"):
            session.begin("SELECT id FROM t FOR UPDATE")


@pytest.mark.postgres
def test_the_character_that_postgres_cannot_hold_is_marked(session):
    session.executemany("INSERT INTO t VALUES (?, ?, ?)", [(1, "a\0b", 0.0)])
    assert session.execute("SELECT name FROM t").fetchall() == [("a\ufffdb",)]


@pytest.mark.postgres
def test_many_rows_are_one_statement_each_some_thousands(session):
    session.executemany("INSERT INTO t VALUES (?, 'x', ?)", ((n, 1.0) for n in range(10_000)))
    session.executemany("UPDATE t SET size = size + ? WHERE id = ?", ((n, n) for n in range(10_000)))
    assert session.execute("SELECT count(*), sum(size), min(name) FROM t").fetchall() == [
        (10_000, 49_995_000 + 1e4, "x")
    ]
    blocks = [len(block.fetchall()) for block in session.blocks("SELECT * FROM t", 3000)]
    assert blocks == [3000, 3000, 3000, 1000]


@pytest.mark.postgres
def test_a_connection_that_is_lost_is_made_again_unless_something_was_under_way(session, cluster):
    (mine,) = session.execute("SELECT pg_backend_pid()").fetchall()[0]
    killer = Session(session.address)
    killer.execute("SELECT pg_terminate_backend(?)", (mine,))
    assert session.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
    session.begin("SELECT 1")
    session.execute("INSERT INTO t VALUES (1, 'x', 1)")
    (mine,) = session.execute("SELECT pg_backend_pid()").fetchall()[0]
    killer.execute("SELECT pg_terminate_backend(?)", (mine,))
    for _ in range(2):  # nothing goes on as if the first half had been made
        with pytest.raises(Interrupted, match="the connection was lost"):
            session.execute("INSERT INTO t VALUES (2, 'y', 1)")
    session.undo()
    assert session.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
    killer.close()


@pytest.mark.postgres
def test_whoever_does_nothing_in_a_transaction_is_ended_before_others_lose_patience(session):
    ((idle, patience),) = session.execute(
        "SELECT current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout')"
    )
    assert (idle, patience) == ("20s", "30s")


@pytest.mark.postgres
def test_a_login_that_fails_while_another_error_is_handled_says_its_own_reason(cluster):
    try:
        int("another")
    except ValueError:
        with pytest.raises(InvalidInput, match="has no such database"):
            Session(place_of(cluster.place().replace("/postgres?", "/absent?")))


@pytest.mark.postgres
def test_waiting_for_a_server_has_an_end(session, cluster, monkeypatch):
    monkeypatch.setattr(postgres, "_AGAIN", (0.0, 0.1))
    cluster.stop()
    try:
        with pytest.raises(InvalidInput, match="everything recorded so far is kept: run it again") as caught:
            session.execute("SELECT 1")
        assert "\n" not in str(caught.value)
    finally:
        cluster.start()
    assert session.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.postgres
def test_a_server_that_is_started_again_is_waited_for_also_at_first(cluster):
    place = place_of(cluster.place())
    cluster.stop()
    start = threading.Timer(0.3, cluster.start)
    start.start()
    try:
        with Session(place) as made:
            assert made.execute("SELECT 1").fetchall() == [(1,)]
    finally:
        start.join()


@pytest.mark.postgres
def test_passwords_come_from_the_environment_and_are_not_printed(session, cluster, monkeypatch):
    session.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{CANARY.replace(chr(39), chr(39) * 2)}'")
    asked = cluster.folder / "data" / "pg_hba.conf"
    trusted = asked.read_text()
    asked.write_text(f"host all guarded all scram-sha-256\n{trusted}")
    reload(session)
    place = place_of(f"postgresql://guarded@127.0.0.1:{cluster.port}/postgres?password_env=EVALS_PASSWORD")
    said = []
    for password in (None, "wrong" + CANARY, CANARY):
        monkeypatch.delenv("EVALS_PASSWORD", raising=False)
        if password:
            monkeypatch.setenv("EVALS_PASSWORD", password)
        try:
            with Session(place) as guarded:
                assert guarded.execute("SELECT current_user").fetchall() == [("guarded",)]
                said.append(repr(guarded))
        except InvalidInput as error:
            said.append(str(error))
    asked.write_text(trusted)
    reload(session)
    assert "asks for a password; put it into the environment variable EVALS_PASSWORD" in said[0]
    assert "lets nobody in under this user and password" in said[1]
    assert len(said) == 3
    assert CANARY not in "".join(said)


@pytest.mark.postgres
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make a certificate")
def test_a_connection_is_encrypted_and_a_stranger_is_not_trusted(session, cluster, tmp_path, monkeypatch):
    key, cert = cluster.folder / "data" / "server.key", cluster.folder / "data" / "server.crt"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    call = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, *names]
    subprocess.run(call, check=True, capture_output=True)
    for path in (key, cert):
        shutil.chown(path, cluster.folder.owner())
    key.chmod(0o600)
    session.execute("ALTER SYSTEM SET ssl = on")
    reload(session)
    place = f"postgresql://quorate@localhost:{cluster.port}/postgres?sslmode="
    encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    with Session(place_of(f"{place}require")) as made:
        assert made.execute(encrypted).fetchall() == [(True,)]
    with pytest.raises(InvalidInput, match="certificate verify failed") as caught:
        Session(place_of(f"{place}verify-full"))
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    with Session(place_of(f"{place}verify-full")) as made:
        assert made.execute(encrypted).fetchall() == [(True,)]
    session.execute("ALTER SYSTEM RESET ssl")
    reload(session)


@pytest.mark.postgres
@pytest.mark.parametrize(("change", "said"), [("/postgres?", "/absent?"), ("quorate@", "nobody@")])
def test_who_and_what_is_not_there_is_one_line(cluster, change, said):
    with pytest.raises(InvalidInput, match=r"has no such database|lets nobody in") as caught:
        Session(place_of(cluster.place().replace(change, said)))
    assert "\n" not in str(caught.value)


@pytest.fixture
def study(session):
    session.execute("""
        CREATE TABLE held (item TEXT, judge TEXT, replicate BIGINT, score FLOAT, status TEXT, cost FLOAT,
                           tokens_in BIGINT, tokens_out BIGINT, latency FLOAT, at FLOAT)
    """)
    rows = [
        ("i1", "a", 1, 4.0, "ok"),
        ("i1", "a", 2, 5.0, "ok"),
        ("i2", "a", 1, 3.0, "ok"),
        ("i2", "b", 1, None, "refused"),
    ]
    session.executemany("INSERT INTO held VALUES (?, ?, ?, ?, ?, NULL, 3, 4, 0.5, 1e9)", rows)
    session.execute("CREATE VIEW judgments AS SELECT * FROM held")
    return session.address


@pytest.mark.postgres
def test_a_ledger_is_read_by_its_address(study):
    table = q.read(str(study), announce=False)
    assert (table.names, table.replicate, table.n_answers) == (("item", "judge"), "replicate", 3)
    assert int(table.status["refused"].sum()) == 1
    assert table.source.sha256 is None
    assert table.source.name == f"Postgres ledger {study.schema}"
    assert sorted(answers(table).values.tolist()) == [3.0, 4.0, 5.0]


@pytest.mark.postgres
def test_what_is_being_written_to_may_be_read_in_blocks(study, session, monkeypatch):
    monkeypatch.setattr("quorate.table.exchange.ledger._BLOCK", 2)
    session.begin("SELECT 1")
    session.execute("INSERT INTO held SELECT * FROM held")
    found = columns(study)
    session.undo()
    assert found["item"].tolist() == ["i1", "i1", "i2", "i2"]
    assert found["tokens_in"].tolist() == [3.0] * 4
    session.execute("DELETE FROM held")
    assert {name: len(held) for name, held in columns(study).items()} == dict.fromkeys(found, 0)


@pytest.mark.postgres
def test_a_schema_without_a_plan_is_no_ledger(cluster):
    with pytest.raises(InvalidData, match='has no view "judgments"'):
        q.read(cluster.place())
