import asyncio

import pytest

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Reply
from quorate.collect.ledger.lease import Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Ended, Lane, Limits, RunOutcome, why_end
from quorate.collect.runner.run import collect


def test_a_complete_run_says_so():
    outcome = RunOutcome(Ended.COMPLETE, 1200, 0, 0, {"a": 1200})
    assert outcome.complete
    assert outcome.sentence == "1,200 cells finished: every cell is answered or given up"


def test_a_dead_judge_is_named_and_its_cells_are_counted():
    outcome = RunOutcome(Ended.JUDGES, 10, 2, 90, {"a": 12, "b": 1}, {"b": "401 no such key"}, spend=Spend(13))
    assert not outcome.complete
    assert outcome.sentence == (
        "10 cells finished, 2 of them without a score: b does not answer (401 no such key); "
        "90 cells are left: mend the judge or its key, then run it again to go on"
    )


LIMITS = Limits()


@pytest.fixture
def asked(yes):
    """Why a runner with some lanes would end, and the cells that it is told of."""

    def ask(ledger, lanes, judges=("a", "b"), now=0.0, **budget):
        told = []
        known = {name: yes(name) for name in judges}
        return why_end(ledger, lanes, known, Budget(**budget), LIMITS, now, told.append), told

    return ask


def finish(ledger, judge):
    runner = ledger.enlist(10)
    cells = ledger.lease(runner, judge, 100, Budget())
    ledger.commit(runner, [Settled(cell, Reply("ok", 3.0), "done", 0.0, "", 0.0) for cell in cells])


def test_it_goes_on_while_something_is_to_be_asked_here_or_elsewhere(planned, asked):
    ledger, lane = planned(2), Lane("a", LIMITS)
    assert asked(ledger, [lane]) == (None, [])
    cells = ledger.lease(runner := ledger.enlist(10), "a", 2, Budget())
    assert asked(ledger, [lane]) == (None, [])
    ledger.release(runner, cells)
    finish(ledger, "a")
    assert asked(ledger, [lane]) == (Ended.COMPLETE, [])


def test_a_budget_without_room_and_a_long_wait_end_it(planned, asked):
    ledger, lane = planned(2), Lane("a", LIMITS)
    assert asked(ledger, [lane], calls=0) == (Ended.BUDGET, [])
    lane.resting = LIMITS.patience + 1
    assert asked(ledger, [lane]) == (Ended.WAITING, [])


def test_a_dead_judge_ends_it_when_the_others_are_done(planned, asked):
    ledger, lanes = planned(2, ("a", "b")), [Lane("a", LIMITS), Lane("b", LIMITS)]
    lanes[1].dead = "no key"
    assert asked(ledger, lanes) == (None, [])
    finish(ledger, "a")
    assert asked(ledger, lanes) == (Ended.JUDGES, [])


def test_a_judge_for_whom_another_runner_has_planned_is_no_judge_that_does_not_answer(planned, asked):
    ledger, lane = planned(2, ("a", "b")), Lane("a", LIMITS)
    finish(ledger, "a")
    assert asked(ledger, [lane]) == (None, [{"b": 2}])
    assert asked(ledger, []) == (None, [{"b": 2}])
    assert asked(ledger, [lane], judges="a") == (Ended.JUDGES, [])


def test_a_runner_asks_what_another_one_has_planned_meanwhile(planned, place, cells, build, told):
    ledger = planned(2, ("a", "b"))
    finish(ledger, "b")

    def reply(request, count):
        with Ledger.open(place("study.db")) as other:
            other.plan(*cells(5, ("a", "b")))
        return Reply("ok", 7.0)

    judges = {name: told(name, reply) for name in "ab"}
    outcome = asyncio.run(collect(ledger, judges, build))
    assert (outcome.ended, outcome.left, outcome.calls) == (Ended.COMPLETE, 0, {"a": 5, "b": 3})


def test_two_runs_are_one():
    first = RunOutcome(Ended.COMPLETE, 10, 1, 0, {"b": 10}, late=1, seconds=2.0, spend=Spend(10))
    later = RunOutcome(Ended.BUDGET, 5, 0, 3, {"a": 5, "b": 1}, seconds=1.0, spend=Spend(16))
    both = first.then(later)
    assert (both.ended, both.finished, both.given_up, both.left) == (Ended.BUDGET, 15, 1, 3)
    assert (both.calls, both.late, both.seconds, both.spend) == ({"a": 5, "b": 11}, 1, 3.0, Spend(16))
