import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.schema import HELD, PATIENCE
from quorate.collect.ledger.stores import SqliteStore
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
