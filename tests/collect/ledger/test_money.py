import pytest

from quorate.collect.budget import Budget, Spend
from quorate.collect.ledger.ledger import Ledger


@pytest.fixture
def empty(tmp_path):
    with Ledger.open(tmp_path / "study.db") as opened:
        yield opened


def test_a_call_counts_at_its_worst_and_then_at_its_price(empty):
    assert empty.charge(0.5, Budget(calls=1, money=0.5))
    assert empty.spend() == Spend(calls=1, money=0.5)
    empty.settle(0.5, None)
    assert empty.spend() == Spend(calls=1, money=0.5)
    empty.settle(0.5, 0.1)
    assert empty.spend() == Spend(calls=1, money=0.1)


def test_the_price_may_not_be_known(empty):
    assert empty.charge(None, Budget(calls=2))
    assert empty.spend() == Spend(calls=1, unpriced=1)
    empty.settle(None, 0.2)
    assert empty.spend() == Spend(calls=1, money=0.2)
    assert not empty.charge(None, Budget(money=9))


def test_without_room_nothing_is_counted(empty):
    assert empty.charge(0.4, Budget(calls=2, money=1))
    assert not empty.charge(0.61, Budget(calls=2, money=1))
    assert empty.charge(0.6, Budget(calls=2, money=1))
    assert not empty.charge(0.0, Budget(calls=2, money=1))
    assert empty.spend() == Spend(calls=2, money=1.0)


def test_cells_and_other_calls_share_the_budget(planned):
    empty = planned(6, ("a",), prices={"a": 1.0})
    runner = empty.enlist(10)
    assert len(empty.lease(runner, "a", 2, Budget(calls=4))) == 2
    assert empty.charge(1.0, Budget(calls=4))
    assert not empty.charge(1.0, Budget(calls=3))
    assert len(empty.lease(runner, "a", 9, Budget(calls=4))) == 1
    assert empty.spend() == Spend(calls=1, reserved=3, money=1.0, reserved_money=3.0)
