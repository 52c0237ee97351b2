"""Looks of a ledger: only added, in the transaction in which their cells are planned, on both databases."""

import sqlite3
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Reply
from quorate.collect.ledger import money
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import Dependency
from quorate.collect.ledger.schema import tables, tables_on_postgres
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
    places, examples = count(), 5
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


@pytest.mark.parametrize(
    "change",
    [
        *("UPDATE cells SET state = 'done'", "UPDATE cells SET state = 'leased'", "UPDATE cells SET state = 'lost'"),
        "INSERT INTO cells (key, judge, f0, replicate) VALUES ('new', 0, 0, 1)",
        "INSERT INTO spend SELECT 2, 0, 0, 0, 0, 0, 0",
    ],
)
def test_the_tables_themselves_refuse_what_cannot_be(planned, change):
    with pytest.raises((sqlite3.IntegrityError, InvalidInput), match=r"(?i)constraint"):
        planned(1)._connection.execute(change)


def test_postgres_has_the_same_tables_with_numbers_as_wide():
    ours, theirs = list(tables()), list(tables_on_postgres())
    assert [one.split("(", 1)[0] for one in ours] == [one.split("(", 1)[0] for one in theirs]
    assert not [one for one in theirs if "INTEGER" in one or "REAL" in one or "ROWID" in one]
    assert "id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, key TEXT NOT NULL UNIQUE" in "".join(theirs)
