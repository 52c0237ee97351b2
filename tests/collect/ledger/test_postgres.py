import threading
import time
from dataclasses import replace

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.stores import PostgresStore, is_made
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.address import place_of
from quorate.table.exchange.postgres.session import Session

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("store", ["postgres"], indirect=True)]


@pytest.fixture
def address(place):
    return place_of(place("study"))


def test_several_studies_are_in_one_database_each_in_its_schema(planned):
    one, two = planned(3, name="one"), planned(5, ("b",), name="two")
    assert one.path.database == two.path.database
    assert [one.status()[0].planned, two.status()[0].planned] == [3, 5]


@pytest.mark.parametrize("name", ["Order", "select", 'my "study" 7', "µ'{x}?"])
def test_a_schema_may_have_any_name(address, cells, name):
    named = replace(address, schema=name)
    with Ledger.open(str(named)) as ledger:
        assert ledger.plan(*cells(2)) == 2
    assert is_made(named)
    with Session(named) as session:
        assert session.execute("SELECT count(*) FROM cells").fetchall() == [(2,)]
        session.execute(f"DROP SCHEMA {named.identifier} CASCADE")


def test_a_ledger_that_several_make_at_once_is_one(address):
    stores, errors = [], []

    def make():
        try:
            stores.append(PostgresStore(address))
        except InvalidInput as error:
            errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(stores), errors) == (4, [])
    assert stores[0].connection.execute("SELECT count(*) FROM study").fetchall() == [(1,)]
    for store in stores:
        store.close()


def test_a_schema_of_another_program_is_left_alone(address):
    with Session(address) as session:
        session.execute(f"CREATE SCHEMA {address.schema}; CREATE TABLE t (a TEXT)")
    for look in (PostgresStore, is_made):
        with pytest.raises(InvalidInput, match="the schema holds tables of another program; name another one"):
            look(address)


def test_a_schema_that_is_there_and_empty_will_do(address):
    with Session(address) as session:
        session.execute(f"CREATE SCHEMA {address.schema}")
    assert not is_made(address)
    PostgresStore(address).close()
    assert is_made(address)


def test_a_newer_format_is_refused(planned):
    ledger = planned(1)
    ledger._connection.execute("COMMENT ON TABLE study IS 'quorate ledger 2'")
    with pytest.raises(InvalidInput, match="has format 2, this version reads 1"):
        Ledger.open(ledger.path)


def test_time_is_that_of_the_server(planned, monkeypatch):
    ledger = planned(1)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    ((server,),) = ledger._connection.execute("SELECT extract(epoch FROM clock_timestamp())")
    assert ledger.clock() == pytest.approx(server, abs=0.5)
    runner = ledger.enlist(10)
    ((until,),) = ledger._connection.execute("SELECT until FROM runners WHERE id = ?", (runner,))
    assert until == pytest.approx(server + 10, abs=0.5)


def test_a_cluster_that_does_not_wait_for_the_disk_is_told_to(planned, cluster):
    with Session(place_of(cluster.place())) as session:
        session.execute("ALTER ROLE quorate SET synchronous_commit = off")
    shown = planned(1)._connection.execute("SHOW synchronous_commit").fetchall()
    with Session(place_of(cluster.place())) as session:
        session.execute("ALTER ROLE quorate RESET synchronous_commit")
    assert shown == [("on",)]


def test_who_may_only_read_can_see_how_far_it_is(planned):
    ledger = planned(2)
    name = ledger.path.schema
    ledger._connection.execute(
        f"CREATE ROLE reader_{name} LOGIN; GRANT USAGE ON SCHEMA {name} TO reader_{name}; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO reader_{name}"
    )
    with Ledger.open(str(ledger.path).replace("quorate@", f"reader_{name}@")) as reader:
        assert reader.status()[0].planned == 2
        with pytest.raises(InvalidInput, match="does not allow this user to do that"):
            reader.enlist(10)


def test_a_writer_that_waits_too_long_is_told_who_holds_the_ledger(planned, monkeypatch):
    ledger = planned(1)
    with Ledger.open(ledger.path) as other:
        other._connection.execute("SET lock_timeout = '100ms'")
        ledger.begin()
        with pytest.raises(InvalidInput, match="is held by another process for more than 30 seconds; end that first"):
            other.begin()
        ledger.undo()
        other.begin()
        other.undo()


def test_a_reply_with_a_zero_character_is_recorded(planned):
    ledger = planned(1)
    runner = ledger.enlist(10)
    (cell,) = ledger.lease(runner, "a", 1, Budget())
    ledger.commit(runner, [Settled(cell, Reply("unparsed", text="a\0b"), "given_up", 0.0, "", 0.0)])
    assert ledger._connection.execute("SELECT text FROM attempts").fetchall() == [("a\ufffdb",)]


def test_what_a_runner_holds_without_knowing_it_is_given_back(planned):
    ledger = planned(5, prices={"a": 1.0})
    runner = ledger.enlist(10)
    known = ledger.lease(runner, "a", 2, Budget())
    ledger.lease(runner, "a", 3, Budget())
    assert ledger.reclaim(runner, known) == 3
    assert ledger.reclaim(runner, known) == 0
    assert (ledger.under_way("a"), ledger.spend().reserved, ledger.spend().calls) == (2, 2, 0)


def test_a_cell_that_was_settled_and_leased_again_unheard_is_not_settled_twice(planned):
    ledger = planned(1, prices={"a": 1.0})
    runner = ledger.enlist(10)
    (cell,) = ledger.lease(runner, "a", 1, Budget())
    failed = [Settled(cell, Reply("error", retryable=True), "planned", 0.0, "", 0.0)]
    ledger.commit(runner, failed)
    ledger.lease(runner, "a", 1, Budget())  # nobody heard that both were committed
    assert ledger.reclaim(runner, [cell]) == 1
    assert ledger.commit(runner, failed) == 1
    assert (ledger.spend().calls, ledger.spend().reserved) == (1, 0)
