import sqlite3

import pytest

from quorate.collect.ledger import Ledger
from quorate.errors import InvalidInput


def test_every_commit_waits_for_the_disk(planned):
    connection = planned(1)._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(InvalidInput, match="is a database of another program; name another file"):
        Ledger.open(path)


def test_a_newer_format_is_refused(planned):
    ledger = planned(1)
    ledger._connection.execute("PRAGMA user_version = 2")
    with pytest.raises(InvalidInput, match="has format 2, this version reads 1"):
        Ledger.open(ledger.path)


@pytest.mark.parametrize(("name", "reason"), [("absent/study.db", "its folder exists"), ("text.db", "is not a ledger")])
def test_what_cannot_be_opened_is_said_in_one_line(tmp_path, name, reason):
    (tmp_path / "text.db").write_text("item,judge,score\n" * 100)
    with pytest.raises(InvalidInput, match=reason) as caught:
        Ledger.open(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE cells SET state = 'done'",
        "UPDATE cells SET state = 'leased'",
        "UPDATE cells SET state = 'lost'",
        "INSERT INTO cells (key, judge, f0, replicate) VALUES ('new', 0, 0, 1)",
        "INSERT INTO spend SELECT 2, 0, 0, 0, 0, 0, 0",
    ],
)
def test_the_tables_themselves_refuse_what_cannot_be(planned, change):
    with pytest.raises(sqlite3.IntegrityError):
        planned(1)._connection.execute(change)
