"""Cells that stay leased when their runner ends, and are taken over by the next one, with nothing counted."""

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.hold import HOLD
from quorate.collect.ledger.lease import DONE, Settled
from quorate.collect.ledger.ledger import Ledger


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(planned, clock):
    return planned(3, ("a", "b"), prices={"a": 2.0, "b": 1.0}, clock=clock)


def answered(cells, clock):
    return [Settled(cell, Reply("ok", 3.0, cost=1.0), DONE, 0.0, "d", clock()) for cell in cells]


def spending(ledger):
    spend = ledger.spend()
    return spend.calls, spend.lost, spend.reserved, spend.money, spend.reserved_money


def test_cells_are_taken_over_when_their_runner_is_gone_and_not_before(ledger, clock):
    first = ledger.enlist(60)
    held = ledger.lease(ledger.holder(first), "a", 2, Budget(money=100))
    assert len(held) == 2
    second = ledger.enlist(3600)
    holder = ledger.holder(second)
    assert ledger.adopt(holder, "a") == []
    clock.now += 61
    assert ledger.expire() == 0
    assert ledger.adopt(holder, "b") == []
    assert ledger.adopt(holder, "a") == held
    assert ledger.adopt(holder, "a") == []
    assert spending(ledger) == (0, 0, 2, 0, 4.0)
    assert ledger.commit(holder, answered(held, clock)) == 0
    assert spending(ledger) == (2, 0, 0, 2.0, 0)


def test_a_runner_that_was_asleep_comes_too_late(ledger, clock):
    first = ledger.enlist(60)
    before = ledger.holder(first)
    held = ledger.lease(before, "a", 1, Budget())
    clock.now += 61
    second = ledger.holder(ledger.enlist(60))
    assert ledger.adopt(second, "a") == held
    assert ledger.commit(before, answered(held, clock)) == 1
    assert spending(ledger)[:3] == (0, 0, 1)


def test_other_cells_of_a_runner_that_is_gone_are_lost_as_ever(ledger, clock):
    first = ledger.enlist(60)
    ledger.lease(ledger.holder(first), "a", 1, Budget())
    ledger.lease(first, "b", 2, Budget())
    clock.now += 61
    assert ledger.expire() == 2
    assert spending(ledger)[:3] == (2, 2, 1)
    assert {one.judge: one.held for one in ledger.status()} == {"a": 1, "b": 0}


def test_after_a_month_they_are_lost(ledger, clock):
    ledger.lease(ledger.holder(ledger.enlist(60)), "a", 1, Budget())
    clock.now += HOLD - 1
    assert ledger.expire() == 0
    clock.now += 2
    assert ledger.expire() == 1
    assert spending(ledger)[:3] == (1, 1, 0)


def test_the_name_of_a_ledger_stays(ledger, clock, place):
    name = ledger.name
    clock.now += 5
    ledger.declare([], seed=3)
    assert ledger.name == name
    with Ledger.open(place("other.db"), clock=clock) as other:
        assert other.name != name
    with Ledger.open(place("study.db"), clock=clock) as again:
        assert again.name == name
