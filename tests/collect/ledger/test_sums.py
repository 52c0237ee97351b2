from dataclasses import replace

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger import money
from quorate.collect.ledger.lease import Settled

REPLIES = (
    Reply("ok", 3.0, tokens_in=10, tokens_out=2, cost=0.25),
    Reply("error", retryable=True, cost=0.0),
    Reply("refused"),
    Reply("ok", 4.0, tokens_in=7),
)


def answer(ledger, judge, at):
    runner = ledger.enlist(10)
    states = {"ok": "done", "error": "planned"}
    for reply in REPLIES:
        (cell,) = ledger.lease(runner, judge, 1, Budget())
        ledger.commit(runner, [Settled(cell, reply, states.get(reply.status, "given_up"), 1e12, "", at)])


@pytest.fixture
def answered(planned, monkeypatch):
    """A ledger with answers of two judges, one lost request, and the sums carried now and then."""

    def made(most):
        monkeypatch.setattr(money, "MOST_AFTER", most)
        ledger = planned(20, ("a", "b"), prices={"a": 1.0})
        for at in (1.0, 2.0):
            answer(ledger, "a", at)
            answer(ledger, "b", at)
        runner = ledger.enlist(10)
        ledger.lose(runner, ledger.lease(runner, "b", 1, Budget()))
        return ledger

    return made


@pytest.mark.parametrize("most", [0, 3])
def test_sums_that_are_carried_are_those_of_all_attempts(answered, most):
    ledger = answered(most)
    carried = ledger.status()
    ((kept,),) = ledger.seen(lambda: ledger.store.connection.execute("SELECT max(last) FROM sums").fetchall())
    assert kept >= 16 - most  # the last one was lost, with no commit after it
    ledger.store.connection.execute("DELETE FROM sums")
    assert ledger.status() == carried
    a, b = (replace(one, error="", unscored_why="") for one in carried)
    assert a.statuses == {"ok": 4, "error": 2, "refused": 2}
    assert b.statuses == {"ok": 4, "error": 2, "refused": 2, "lost": 1}
    assert (a.money, a.unpriced, a.tokens_in, a.tokens_out) == (4.5, 0, 34, 4)
    assert (b.money, b.unpriced) == (0.5, 5)
    assert (a.done, a.given_up, a.planned, a.cells) == (4, 2, 14, 20)


def test_speed_is_that_of_the_last_minutes(planned):
    ledger = planned(20)
    ledger.clock = lambda: 1000.0
    assert (ledger.status()[0].rate, ledger.status()[0].seconds_left) == (0.0, None)
    for at in (100.0, 800.0, 900.0):  # the first is long ago
        answer(ledger, "a", at)
    (one,) = ledger.status()
    assert one.rate == (6 - 1) / 200  # six cells finished since the first of them
    assert one.seconds_left == (20 - 9) / one.rate
