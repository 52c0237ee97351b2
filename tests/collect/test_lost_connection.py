"""A server that goes away, or that is not heard, costs no answer: what was asked is asked once and recorded once."""

from __future__ import annotations

import asyncio
import time

import pytest

from quorate.collect.judge import Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres import session as postgres
from quorate.table.exchange.postgres.session import Interrupted, Session

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("store", ["postgres"], indirect=True)]

LIMITS = Limits(pace=Pace(16), every=0.005, backoff=0.01, grace=2.0)
PRICE = 0.5


async def beside(ledger, judge, build, trouble, folder=None):
    """Collect while there is trouble in another thread."""
    work = asyncio.create_task(collect(ledger, {"a": judge}, build, limits=LIMITS, beside=folder))
    await asyncio.to_thread(trouble)
    return await asyncio.wait_for(work, 60)


def wait_for(judge, calls):
    while judge.asked.total() < calls:
        time.sleep(0.005)


def check(ledger, judge, outcome, cells):
    assert outcome.complete
    assert set(judge.asked.values()) == {1}
    assert len(judge.asked) == cells
    assert (outcome.finished, outcome.late, outcome.given_up) == (cells, 0, 0)
    spend = ledger.spend()
    assert (spend.calls, spend.lost, spend.reserved, spend.reserved_money) == (cells, 0, 0, 0.0)
    assert spend.money == cells * PRICE
    read = ledger._connection.execute
    assert read("SELECT count(*), count(DISTINCT cell) FROM attempts").fetchall() == [(cells, cells)]


@pytest.mark.fault("the database server goes away")
def test_connections_that_are_cut_are_made_again(planned, yes, build):
    ledger, judge = planned(600, prices={"a": PRICE}), yes(delay=0.01)

    def cut():
        with Session(ledger.path) as killer:
            for _ in range(10):
                time.sleep(0.03)
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE application_name = 'quorate' AND pid <> pg_backend_pid()"
                )

    check(ledger, judge, asyncio.run(beside(ledger, judge, build, cut)), 600)


@pytest.mark.fault("the database server goes away")
def test_a_server_that_crashes_and_comes_back_has_everything(planned, yes, build, cluster):
    ledger, judge = planned(400, prices={"a": PRICE}), yes(delay=0.02)

    def crash():
        time.sleep(0.15)
        cluster.stop("immediate")
        cluster.start()

    check(ledger, judge, asyncio.run(beside(ledger, judge, build, crash)), 400)


@pytest.mark.fault("the database server goes away")
def test_a_commit_whose_end_is_not_heard_is_not_made_twice(planned, yes, build, monkeypatch):
    ledger, judge, ends, commit = planned(300, prices={"a": PRICE}), yes(delay=0.005), [], Session.end

    def unheard(session):
        commit(session)
        ends.append(1)
        if len(ends) % 3 == 0:
            session.close()
            raise Interrupted("the connection was lost")

    monkeypatch.setattr(Session, "end", unheard)
    outcome = asyncio.run(beside(ledger, judge, build, lambda: None))
    check(ledger, judge, outcome, 300)
    assert len(ends) > 9


@pytest.mark.fault("the database server goes away")
def test_a_server_that_stays_away_ends_the_run_with_one_line_and_the_next_run_goes_on(
    planned, told, build, cluster, monkeypatch, tmp_path
):
    monkeypatch.setattr(postgres, "_AGAIN", (0.0, 0.1))
    ledger, judge = planned(400, prices={"a": PRICE}), told("a", lambda *_: Reply("ok", 7.0), delay=0.02)

    def stop():
        wait_for(judge, 60)
        cluster.stop("immediate")

    try:
        with pytest.raises(
            InvalidInput, match=r"everything recorded so far is kept: run it again.*; \d+ answers"
        ) as said:
            asyncio.run(beside(ledger, judge, build, stop, tmp_path))
    finally:
        cluster.start()
    assert "\n" not in str(said.value)
    assert len(list(tmp_path.glob("unsaved-*.jsonl"))) == 1
    with Ledger.open(ledger.path) as again:
        held = again.under_way("a")
        assert again._connection.execute("UPDATE runners SET until = 0").rowcount >= 1
        outcome = asyncio.run(collect(again, {"a": judge}, build, limits=LIMITS, beside=tmp_path))
        assert outcome.complete
        assert set(judge.asked.values()) == {1}  # answers that had no place to go are not asked for again
        assert len(judge.asked) == 400
        lost = outcome.spend.lost  # leased and never sent, which nobody could say any more
        assert lost < held <= 32
        assert (outcome.spend.calls, outcome.spend.reserved) == (400 + lost, 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.fault("the database server goes away")
def test_a_schema_that_is_dropped_ends_the_run_and_a_copy_that_is_put_back_goes_on(
    planned, told, build, cluster, tmp_path
):
    ledger, judge = planned(300, prices={"a": PRICE}), told("a", lambda *_: Reply("ok", 7.0), delay=0.02)
    schema = ledger.path.identifier

    def move():
        wait_for(judge, 60)
        with Session(ledger.path) as other:
            other.execute(f"ALTER SCHEMA {schema} RENAME TO away")

    match = r"lacks tables that were there before: .*; \d+ answers that it could not take: see"
    with pytest.raises(InvalidInput, match=match):
        asyncio.run(beside(ledger, judge, build, move, tmp_path))
    with Session(ledger.path) as other:
        other.execute(f"ALTER SCHEMA away RENAME TO {schema}")
    with Ledger.open(ledger.path) as again:
        again._connection.execute("UPDATE runners SET until = 0")
        outcome = asyncio.run(collect(again, {"a": judge}, build, limits=LIMITS, beside=tmp_path))
        assert outcome.complete
        assert set(judge.asked.values()) == {1}
        assert outcome.spend.calls == 300 + outcome.spend.lost


@pytest.mark.fault("the database server goes away")
def test_the_loop_goes_on_while_the_server_is_away(planned, yes, build, cluster):
    ledger, judge, late, said = planned(48, prices={"a": PRICE}), yes(delay=0.6), [], []

    async def beating():
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            late.append(time.monotonic() - began)

    def away():
        time.sleep(0.3)
        cluster.stop("immediate")
        time.sleep(1.5)
        cluster.start()

    async def main():
        beat = asyncio.create_task(beating())
        work = asyncio.create_task(collect(ledger, {"a": judge}, build, limits=LIMITS, on_progress=said.append))
        await asyncio.to_thread(away)
        outcome = await asyncio.wait_for(work, 60)
        beat.cancel()
        return outcome

    check(ledger, judge, asyncio.run(main()), 48)
    assert max(late) < 1.0
    assert len(said) > 2


@pytest.mark.fault("the database server goes away")
def test_a_doubt_stays_until_a_turn_has_succeeded(planned, yes, build, monkeypatch):
    ledger, judge, ends, commit, lease = planned(200), yes(delay=0.03), [], Session.end, Ledger.lease

    def unheard(session):
        commit(session)
        ends.append(1)
        if len(ends) == 4:
            session.close()
            raise Interrupted("the connection was lost")

    def full(*arguments):
        if len(ends) == 4:
            raise InvalidInput("ledger: has a full disk")
        return lease(*arguments)

    monkeypatch.setattr(Session, "end", unheard)
    monkeypatch.setattr(Ledger, "lease", full)
    with pytest.raises(InvalidInput, match="has a full disk"):
        asyncio.run(beside(ledger, judge, build, lambda: None))
    assert ledger.under_way("a") == 0
    spend = ledger.spend()
    assert (spend.calls, spend.lost, spend.reserved) == (judge.asked.total(), 0, 0)
