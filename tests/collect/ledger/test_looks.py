"""Looks of a ledger: only added, in the transaction in which their cells are planned, on both databases."""

import pytest

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import Dependency


def test_looks_are_held_in_their_order(planned, cells):
    ledger = planned(2)
    assert ledger.looks() == ()
    assert not ledger.for_goal()
    ledger.add_look({"number": 1, "sentence": "naïve", "se": None})
    ledger.plan(*cells(3))
    ledger.add_look({"number": 2})
    first, second = ledger.looks()
    assert (first.number, first.last, first.content) == (1, 2, {"number": 1, "sentence": "naïve", "se": None})
    assert (second.number, second.last, second.content) == (2, ledger.last, {"number": 2})
    assert first.at <= second.at
    ledger.declare([Dependency("setting", "goal", "d")])
    assert ledger.for_goal()


def test_what_is_undone_is_not_held(planned):
    ledger = planned(1)
    ledger.begin()
    ledger.add_look({"number": 1})
    ledger.undo()
    assert ledger.looks() == ()
    with pytest.raises(ValueError, match="JSON"):
        ledger.add_look({"se": float("nan")})


def test_a_ledger_of_an_earlier_version_gets_the_table(planned, place):
    ledger = planned(2, name="old.db")
    ledger.store.connection.execute("DROP TABLE looks")
    ledger.close()
    with Ledger.open(place("old.db")) as again:
        assert again.looks() == ()
        assert again.last == 2
