import sqlite3
from itertools import count

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.planning.assign import assign

ITEMS, PRICE, CAP = 12, 0.25, 9.0


def settled(cell, status="ok", cost=None, state="done"):
    return Settled(cell, Reply(status, 5.0 if status == "ok" else None, cost=cost), state, 0.0, "", 0.0)


class Collecting(RuleBasedStateMachine):
    """Some runners lease, answer, vanish and come back in any order; the books always balance."""

    def __init__(self, place):
        super().__init__()
        self.now = 0.0
        self.ledger = Ledger.open(place, clock=lambda: self.now)
        cells = assign(items=[f"i{n}" for n in range(ITEMS)], judges=["a"], layout="factorial")
        self.plan = lambda: self.ledger.plan(cells, [f"k{n}" for n in range(ITEMS)], {"a": PRICE})
        assert self.plan() == ITEMS
        self.runners = [self.ledger.enlist(10) for _ in range(3)]
        self.held = {runner: [] for runner in self.runners}
        self.accepted, self.grown = {}, False

    def teardown(self):
        self.ledger.close()

    @rule(who=st.integers(0, 2), count=st.integers(1, 5))
    def lease(self, who, count):
        got = self.ledger.lease(self.runners[who], "a", count, Budget(calls=30, money=CAP))
        self.held[self.runners[who]] += got

    @rule(who=st.integers(0, 2), status=st.sampled_from(["ok", "error", "refused"]), cost=st.sampled_from([None, 0.1]))
    def answer(self, who, status, cost):
        mine = self.held[self.runners[who]]
        if mine:
            cell = mine.pop()
            state = {"ok": "done", "error": "planned", "refused": "given_up"}[status]
            late = self.ledger.commit(self.runners[who], [settled(cell, status, cost, state)])
            if not late and state != "planned":
                assert cell.id not in self.accepted
                self.accepted[cell.id] = state

    @rule(who=st.integers(0, 2))
    def release(self, who):
        self.ledger.release(self.runners[who], self.held[self.runners[who]])
        self.held[self.runners[who]] = []

    @rule(seconds=st.sampled_from([1.0, 11.0]), renewing=st.sets(st.integers(0, 2)))
    def wait(self, seconds, renewing):
        self.now += seconds
        for who in renewing:
            self.ledger.renew(self.runners[who], 10)
        self.ledger.expire()

    @rule()
    def plan_again(self):
        assert self.plan() == 0

    @rule()
    def grow(self):
        added = self.ledger.plan(assign(items=["new"], judges=["a"], layout="factorial"), ["new"], {"a": PRICE})
        assert added == (not self.grown)
        self.grown = True

    @invariant()
    def books_balance(self):
        read = self.ledger._connection.execute
        states = dict(read("SELECT state, count(*) FROM cells GROUP BY state"))
        assert sum(states.values()) == ITEMS + self.grown
        attempts, lost, charged = read(
            "SELECT count(*), count(*) FILTER (WHERE status = 'lost'), sum(charged) FROM attempts"
        ).fetchone()
        spend = self.ledger.spend()
        assert (spend.calls, spend.lost, spend.reserved) == (attempts, lost, states.get("leased", 0))
        assert spend.money == (charged or 0) / 1e9
        assert spend.reserved_money == pytest.approx(PRICE * states.get("leased", 0))
        assert spend.calls + spend.reserved <= 30
        assert spend.money + spend.reserved_money <= CAP

    @invariant()
    def nobody_holds_what_another_holds(self):
        rows = self.ledger._connection.execute("SELECT id, runner FROM cells WHERE state = 'leased'").fetchall()
        for id_, runner in rows:
            assert id_ in {cell.id for cell in self.held[runner]}

    @invariant()
    def what_is_accepted_stays(self):
        rows = dict(self.ledger._connection.execute("SELECT id, state FROM cells WHERE accepted IS NOT NULL"))
        assert rows == self.accepted


def test_the_books_balance_whatever_happens(store, place):
    places, examples = count(), 20 if store == "sqlite" else 10
    run_state_machine_as_test(
        lambda: Collecting(":memory:" if store == "sqlite" else place(str(next(places)))),
        settings=settings(max_examples=examples, stateful_step_count=30, deadline=None),
    )


def test_planning_again_adds_nothing_and_more_adds_the_rest(planned, cells):
    ledger = planned(5)
    assert ledger.plan(*cells(5)) == 0
    assert ledger.plan(*cells(8)) == 3
    assert [one.planned for one in ledger.status()] == [8]


def test_replicates_are_cells_of_their_own(planned):
    assert planned(2, replicates=5).status()[0].planned == 10


def test_a_ledger_is_found_again(planned):
    ledger = planned(3)
    runner = ledger.enlist(10)
    ledger.commit(runner, [settled(cell) for cell in ledger.lease(runner, "a", 2, Budget())])
    ledger.close()
    with Ledger.open(ledger.path) as again:
        assert again.facets == ("item", "judge")
        assert (again.status()[0].done, again.status()[0].planned, again.spend().calls) == (2, 1, 2)


def test_an_answer_that_comes_after_its_lease_stays_lost(planned):
    now = [0.0]
    ledger = planned(1, clock=lambda: now[0])
    slow, quick = ledger.enlist(10), ledger.enlist(1000)
    (cell,) = ledger.lease(slow, "a", 5, Budget())
    now[0] = 20.0
    assert ledger.expire() == 1
    (again,) = ledger.lease(quick, "a", 5, Budget())
    assert again.id == cell.id
    assert again.asked == 1
    assert ledger.commit(slow, [settled(cell)]) == 1
    assert ledger.commit(quick, [settled(again)]) == 0
    assert (ledger.spend().calls, ledger.spend().lost) == (2, 1)


def test_attempts_are_only_ever_added(planned):
    ledger = planned(1)
    runner = ledger.enlist(10)
    ledger.commit(runner, [settled(cell) for cell in ledger.lease(runner, "a", 1, Budget())])
    for change in ("UPDATE attempts SET score = 1", "DELETE FROM attempts"):
        with pytest.raises((sqlite3.IntegrityError, InvalidInput), match="only ever added"):
            ledger._connection.execute(change)


def test_a_transaction_is_all_or_nothing(planned):
    ledger = planned(4)
    runner = ledger.enlist(10)
    ledger.begin()
    ledger.lease(runner, "a", 3, Budget())
    ledger.undo()
    assert ledger.spend().reserved == 0
    assert ledger.begins()
    ledger.lease(runner, "a", 3, Budget())
    ledger.end()
    assert ledger.spend().reserved == 3


def test_beginning_does_not_wait_for_another_writer(planned):
    ledger = planned(1)
    with Ledger.open(ledger.path) as other:
        other.begin()
        assert not ledger.begins()
        other.undo()
        assert ledger.begins()
        ledger.undo()


def test_an_unknown_judge_is_named(planned):
    with pytest.raises(InvalidInput, match='no cell is planned for "z"; there are a, b'):
        planned(1, ("a", "b")).pause("z", 1.0)


def test_pauses_are_kept(planned):
    ledger = planned(1, ("a", "b"))
    ledger.pause("b", 1e9)
    ledger.close()
    with Ledger.open(ledger.path) as again:
        assert [one.paused_until for one in again.status()] == [None, 1e9]


def test_judges_without_a_price_are_named(planned):
    assert planned(1, ("a", "b"), prices={"a": 1.0}).unpriced() == ("b",)


def test_the_budget_has_room_for_the_next_call_or_not(planned):
    ledger = planned(2, prices={"a": 0.5})
    assert ledger.affords("a", Budget(money=0.5))
    assert not ledger.affords("a", Budget(money=0.4))
    assert not ledger.affords("a", Budget(calls=0))
    ledger.lease(ledger.enlist(10), "a", 5, Budget())
    assert not ledger.affords("a", Budget())
