import asyncio
import json
import signal
import time

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Ended, Limits, Pace
from quorate.collect.runner.run import collect, run
from quorate.errors import InvalidInput

QUICK = Limits(backoff=0.01, longest_backoff=0.02, cooldown=0.02, every=0.005, grace=2.0)
OK = Reply("ok", 7.0)


def go(ledger, judges, build, **options):
    options.setdefault("limits", QUICK)
    return asyncio.run(asyncio.wait_for(collect(ledger, {one.name: one for one in judges}, build, **options), 60))


def is_first(request):
    return request.messages[0].content.endswith("Rate i0.")


def test_every_cell_is_asked_once(planned, yes, build):
    ledger, a, b = planned(50, ("a", "b"), 2), yes("a"), yes("b")
    outcome = go(ledger, [a, b], build)
    assert outcome.complete
    assert (outcome.finished, outcome.left, outcome.calls) == (200, 0, {"a": 100, "b": 100})
    assert set(a.asked.values()) == set(b.asked.values()) == {1}
    assert len(a.asked) == len(b.asked) == 100
    assert [one.done for one in ledger.status()] == [100, 100]


def test_a_finished_ledger_asks_nothing(planned, yes, build):
    ledger, judge = planned(5), yes()
    go(ledger, [judge], build)
    assert go(ledger, [judge], build).complete
    assert judge.asked.total() == 5


def test_what_is_planned_later_is_asked_later(planned, cells, yes, build):
    ledger, judge = planned(5), yes()
    go(ledger, [judge], build)
    assert ledger.plan(*cells(8)) == 3
    assert go(ledger, [judge], build).finished == 3
    assert set(judge.asked.values()) == {1}


def test_failures_are_asked_again_and_then_given_up(planned, told, build):
    def reply(_, times):
        return OK if times == 3 else Reply("error", retryable=True, error="500")

    ledger, judge = planned(4), told("a", reply)
    assert go(ledger, [judge], build).given_up == 0
    assert set(judge.asked.values()) == {3}
    seldom = told("a", lambda request, _: OK if is_first(request) else Reply("error", retryable=True, error="500"))
    ledger = planned(5, name="b.db")
    outcome = go(ledger, [seldom], build, limits=Limits(tries=3, backoff=0.01, breaker=1000))
    assert (outcome.complete, outcome.given_up) == (True, 4)
    assert seldom.asked.total() == 13
    assert ledger.status()[0].statuses == {"ok": 1, "error": 12}


@pytest.mark.wide(1)
@pytest.mark.parametrize("retryable", [True, False], ids=["unreachable", "refuses-everything"])
def test_no_cell_is_given_up_for_a_judge_that_never_answered(planned, cells, told, yes, build, retryable):
    ledger, limits = planned(3), Limits(tries=2, backoff=0.01, cooldown=0.01, every=0.005)
    wrong = told("a", lambda *_: Reply("error", retryable=retryable, error="no"))
    outcome = go(ledger, [wrong], build, limits=limits)
    assert (outcome.ended, outcome.given_up, outcome.left, set(outcome.dead)) == (Ended.JUDGES, 0, 3, {"a"})
    assert wrong.asked.total() <= 24
    seldom = told("a", lambda request, _: OK if is_first(request) else Reply("error", retryable=retryable))
    outcome = go(ledger, [seldom], build, limits=limits)
    assert (outcome.complete, outcome.finished, outcome.given_up) == (True, 3, 2)
    assert ledger.plan(*cells(4)) == 1
    outcome = go(ledger, [wrong], build, limits=limits)
    assert (outcome.complete, outcome.given_up) == (True, 1)  # it has answered before, so this one is the cell's fault


def test_the_budget_is_a_cap(planned, yes, build):
    ledger, judge = planned(100, prices={"a": 0.01}), yes(cost=0.01)
    outcome = go(ledger, [judge], build, budget=Budget(calls=30))
    assert (outcome.ended, judge.asked.total(), outcome.left) == (Ended.BUDGET, 30, 70)
    outcome = go(ledger, [judge], build, budget=Budget(money=0.555))
    assert (outcome.ended, judge.asked.total()) == (Ended.BUDGET, 55)
    assert outcome.spend.money == pytest.approx(0.55)


@pytest.mark.slow
def test_calls_that_cost_less_than_the_worst_case_leave_room_for_more(planned, yes, build):
    ledger, judge = planned(100, prices={"a": 0.10}), yes(cost=0.01)
    outcome = go(ledger, [judge], build, budget=Budget(money=0.50))
    assert outcome.spend.money <= 0.50
    assert 40 <= judge.asked.total() <= 50


def test_failed_calls_count_too(planned, told, build):
    judge = told("a", lambda *_: Reply("error", retryable=True))
    outcome = go(planned(5), [judge], build, budget=Budget(calls=8), limits=Limits(backoff=0.01, tries=100))
    assert (outcome.ended, judge.asked.total(), outcome.spend.calls) == (Ended.BUDGET, 8, 8)


def test_money_cannot_be_capped_without_a_price(planned, yes, build):
    judge = yes("b")
    with pytest.raises(InvalidInput, match="money cannot be capped, the price of b is not known"):
        go(planned(5, ("b",)), [judge], build, budget=Budget(money=1.0))
    assert not judge.asked


def test_a_panel_is_not_silently_shrunk(planned, yes, build):
    with pytest.raises(InvalidInput, match="cells are planned for b, which is not given"):
        go(planned(5, ("a", "b")), [yes("a")], build)


def test_retry_after_is_honoured_and_kept(planned, told, build):
    def reply(_, times):
        return OK if times > 1 else Reply("error", retryable=True, retry_after=0.6)

    ledger, judge = planned(3), told("a", reply)
    began = time.time()
    assert go(ledger, [judge], build).complete
    assert time.time() - began >= 0.6
    assert judge.asked.total() <= 6
    assert ledger.status()[0].paused_until >= began + 0.6


def test_a_pause_outlives_the_runner(planned, told, yes, build):
    ledger = planned(3)
    limits = Limits(patience=1.0)
    judge = told("a", lambda *_: Reply("error", retryable=True, retry_after=3600.0))
    assert go(ledger, [judge], build, limits=limits).ended is Ended.WAITING
    asked, again = judge.asked.total(), yes()
    assert asked <= 3
    outcome = go(ledger, [again], build, limits=limits)
    assert (outcome.ended, outcome.left) == (Ended.WAITING, 3)
    assert not again.asked
    assert ledger.spend().reserved == 0


def test_a_judge_that_refuses_the_key_stops_at_once_and_is_reported(planned, told, yes, build):
    wrong = told("b", lambda *_: Reply("error", fatal=True, error="401 unauthorized"))
    ledger, right = planned(200, ("a", "b")), yes("a")
    outcome = go(ledger, [right, wrong], build)
    assert (outcome.ended, outcome.dead) == (Ended.JUDGES, {"b": "401 unauthorized"})
    assert wrong.asked.total() <= 64
    assert [one.done for one in ledger.status()] == [200, 0]
    assert [one.given_up for one in ledger.status()] == [0, 0]
    assert go(ledger, [right, yes("b")], build).complete  # after the key was mended


def test_a_dead_judge_is_left_alone_and_reported(planned, told, yes, build):
    dead = told("b", lambda *_: Reply("error", retryable=True, error="connection refused"))
    ledger = planned(200, ("a", "b"))
    limits = Limits(backoff=0.01, breaker=10, cooldown=0.02, trips=3, every=0.005)
    outcome = go(ledger, [yes("a"), dead], build, limits=limits)
    assert outcome.ended is Ended.JUDGES
    assert "connection refused" in outcome.dead["b"]
    assert dead.asked.total() <= 64 + 10 + 3
    assert ledger.status()[0].done == 200
    assert ledger.status()[1].planned == 200


def test_an_endpoint_that_takes_little_is_asked_little(planned, told, build):
    def reply(*_):
        return OK if judge.now < 8 else Reply("error", retryable=True, retry_after=0.02)

    judge = told("a", reply, delay=0.005)
    limits = Limits(pace=Pace(64), breaker=10_000, every=0.005)
    outcome = go(planned(300), [judge], build, limits=limits)
    assert outcome.complete
    assert outcome.given_up == 0
    assert outcome.spend.calls < 500


def test_stopping_waits_for_what_is_in_flight_and_gives_the_rest_back(planned, yes, build):
    async def main():
        stop = asyncio.Event()
        work = asyncio.create_task(collect(ledger, {"a": judge}, build, limits=QUICK, stop=stop))
        await judge.busy(64)
        stop.set()
        return await work

    ledger, judge = planned(5000), yes(delay=0.1)
    outcome = asyncio.run(main())
    assert outcome.ended is Ended.STOPPED
    assert (outcome.spend.lost, outcome.spend.reserved) == (0, 0)
    assert outcome.finished == judge.asked.total() == outcome.spend.calls
    assert 64 <= outcome.finished < 1000


@pytest.mark.slow
def test_ctrl_c_stops_cleanly(planned, loopback, runner):
    path, server = planned(3000).path, loopback(0.1)
    process = runner(path, server.port)
    assert process.stdout.readline() == "started\n"
    while not server.counts():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    outcome = json.loads(process.communicate(timeout=30)[0])
    assert process.returncode == 0
    assert outcome["ended"] == "STOPPED"
    with Ledger.open(path) as ledger:
        spend = ledger.spend()
    assert (spend.lost, spend.reserved) == (0, 0)
    assert spend.calls == outcome["finished"] == server.counts().total() > 0


def test_a_second_ctrl_c_does_not_wait(planned, yes, build):
    ledger, judge = planned(100), yes(delay=30)

    async def main(stop):
        work = asyncio.create_task(collect(ledger, {"a": judge}, build, stop=stop))
        await judge.busy(64)
        signal.raise_signal(signal.SIGINT)
        await stop.wait()
        signal.raise_signal(signal.SIGINT)
        return await work

    with pytest.raises(KeyboardInterrupt):
        run(main)
    assert (ledger.spend().lost, ledger.spend().reserved) == (64, 0)
