import pytest

from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "study.db") as opened:
        yield opened


def test_a_call_counts_at_its_worst_and_then_at_its_price(ledger):
    assert ledger.charge(0.5, Budget(calls=1, money=0.5))
    assert ledger.spend() == Spend(calls=1, money=0.5)
    ledger.settle(0.5, None)
    assert ledger.spend() == Spend(calls=1, money=0.5)
    ledger.settle(0.5, 0.1)
    assert ledger.spend() == Spend(calls=1, money=0.1)


def test_the_price_may_not_be_known(ledger):
    assert ledger.charge(None, Budget(calls=2))
    assert ledger.spend() == Spend(calls=1, unpriced=1)
    ledger.settle(None, 0.2)
    assert ledger.spend() == Spend(calls=1, money=0.2)
    assert not ledger.charge(None, Budget(money=9))


def test_without_room_nothing_is_counted(ledger):
    assert ledger.charge(0.4, Budget(calls=2, money=1))
    assert not ledger.charge(0.61, Budget(calls=2, money=1))
    assert ledger.charge(0.6, Budget(calls=2, money=1))
    assert not ledger.charge(0.0, Budget(calls=2, money=1))
    assert ledger.spend() == Spend(calls=2, money=1.0)


def test_cells_and_other_calls_share_the_budget(planned):
    ledger = planned(6, ("a",), prices={"a": 1.0})
    runner = ledger.enlist(10)
    assert len(ledger.lease(runner, "a", 2, Budget(calls=4))) == 2
    assert ledger.charge(1.0, Budget(calls=4))
    assert not ledger.charge(1.0, Budget(calls=3))
    assert len(ledger.lease(runner, "a", 9, Budget(calls=4))) == 1
    assert ledger.spend() == Spend(calls=1, reserved=3, money=1.0, reserved_money=3.0)
