import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Reply
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import digest
from quorate.collect.runner import disk as runner_disk
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect
from quorate.errors import InvalidInput

OK = Reply("ok", 7.0)


def go(ledger, judge, build, **options):
    options.setdefault("limits", Limits(backoff=0.01, every=0.005))
    return asyncio.run(asyncio.wait_for(collect(ledger, {"a": judge}, build, **options), 60))


def test_in_flight_is_at_most_the_concurrency_and_leased_at_most_twice(planned, told, build):
    ledger, leased = planned(300), []

    def reply(*_):
        leased.append(other.under_way("a"))
        return OK

    judge = told("a", reply, delay=0.01)
    with Ledger.open(ledger.path) as other:
        go(ledger, judge, build, limits=Limits(pace=Pace(12)))
    assert judge.most == 12
    assert 12 < max(leased) <= 24


def test_a_request_that_cannot_be_made_ends_the_run_and_nothing_is_lost(planned, yes, build):
    def broken(cell):
        if cell.levels["item"] == "i7":
            raise InvalidInput("prompt: no column context")
        return build(cell)

    ledger, judge = planned(20), yes(delay=0.02)
    with pytest.raises(InvalidInput, match="no column context"):
        go(ledger, judge, broken)
    spend, (standing,) = ledger.spend(), ledger.status()
    assert (spend.reserved, spend.lost, spend.calls) == (0, 0, judge.asked.total())
    assert standing.done == judge.asked.total()
    assert go(ledger, judge, build).complete
    assert set(judge.asked.values()) == {1}


def test_a_judge_that_breaks_its_promise_is_no_excuse_to_lose_count(planned, told, yes, build):
    def reply(request, times):
        if "i3" in request.messages[0].content:
            raise RuntimeError("boom")
        return OK

    ledger, judge = planned(8), told("a", reply)
    with pytest.raises(RuntimeError, match="boom"):
        go(ledger, judge, build)
    assert (ledger.spend().calls, ledger.spend().lost, ledger.spend().reserved) == (judge.asked.total(), 1, 0)
    assert go(ledger, yes(), build).complete


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.fault("the disk is full")
def test_a_full_disk_is_one_line_and_no_answer_is_lost(planned, yes, build):
    ledger, judge = planned(2000), yes(delay=0.005)
    limit = ledger._connection.execute
    (pages,) = limit("PRAGMA page_count").fetchone()
    limit(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(InvalidInput, match="the disk is full; everything recorded so far is kept") as caught:
        go(ledger, judge, build)
    assert "\n" not in str(caught.value)
    done, asked = ledger.status()[0].done, judge.asked.total()
    assert 0 < done < 2000
    assert asked - done <= 128
    limit("PRAGMA max_page_count = 1000000")
    outcome = go(ledger, judge, build)
    assert outcome.complete
    assert judge.asked.total() == 2000  # what came when nothing could be written was left beside it
    assert outcome.spend.lost <= 128
    assert outcome.spend.calls == 2000 + outcome.spend.lost
    assert limit("SELECT count(*) FROM attempts WHERE status = 'ok'").fetchone() == (2000,)


def test_grace_has_an_end(planned, yes, build):
    async def main():
        stop = asyncio.Event()
        work = asyncio.create_task(collect(ledger, {"a": judge}, build, limits=Limits(grace=0.1), stop=stop))
        await judge.busy(64)
        stop.set()
        return await work

    ledger, judge = planned(100), yes(delay=30)
    outcome = asyncio.run(main())
    assert (outcome.spend.lost, outcome.spend.reserved, outcome.left) == (64, 0, 100)


def test_cancelling_counts_what_is_in_flight_as_lost(planned, yes, build):
    async def main():
        work = asyncio.create_task(collect(ledger, {"a": judge}, build))
        await judge.busy(64)
        work.cancel()
        await work

    ledger, judge = planned(100), yes(delay=30)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert (ledger.spend().lost, ledger.spend().reserved) == (64, 0)


def test_progress_is_told(planned, yes, build):
    said = []
    outcome = go(planned(400), yes(delay=0.1), build, limits=Limits(pace=Pace(32)), on_progress=said.append)
    assert outcome.complete
    assert len(said) >= 2
    for update in said:
        assert update.finished + update.left == 400
        assert update.spend.calls >= update.finished
        assert bool(update.left) <= update.in_flight <= 32
    assert 100 < said[-1].rate < 500
    assert said[-1].eta == pytest.approx(said[-1].left / said[-1].rate)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_ledger_that_another_process_holds_is_one_line(planned, told, yes, build, tmp_path, monkeypatch):
    monkeypatch.setattr(runner_disk, "PATIENCE", 0.1)

    def reply(*_):
        held.append(bool(held and held[-1]) or other.begins())
        return OK

    ledger, held = planned(300), []
    with Ledger.open(tmp_path / "study.db") as other:
        with pytest.raises(InvalidInput, match="is held by another process for more than"):
            go(ledger, told("a", reply, delay=0.05), build, limits=Limits(lease=0.5))
        other.undo()
    outcome = go(ledger, yes(), build)
    assert outcome.complete
    assert outcome.spend.lost <= 128


@pytest.mark.slow
def test_ten_times_the_cells_take_little_more_memory():
    script = Path(__file__).parents[3] / "benchmarks" / "collect.py"
    few, many = (
        float(subprocess.run([sys.executable, script, "--peak", str(n)], capture_output=True, check=True).stdout)
        for n in (10_000, 100_000)
    )
    assert many - few < 20


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("way", ["removed", "moved", "its log removed"])
def test_a_ledger_that_goes_away_stops_the_run_and_what_was_answered_is_kept_beside(planned, told, build, way):
    ledger, answered = planned(400), []
    path = ledger.path

    def reply(_, __):
        answered.append(1)
        if len(answered) == 40:
            if way == "removed":
                path.unlink()
            elif way == "moved":
                path.rename(path.with_name("elsewhere.db"))
            else:
                path.with_name("study.db-wal").unlink()
                path.with_name("study.db-shm").unlink()
        return OK

    judge = told("a", reply, delay=0.01)
    with pytest.raises(InvalidInput, match=r"removed, moved or replaced .* everything so far is in .*study-kept-1\.db"):
        go(ledger, judge, build, limits=Limits(pace=Pace(8), every=0.005))
    assert judge.asked.total() < 100
    with Ledger.open(path.with_name("study-kept-1.db")) as kept:
        (found,) = kept.status()
        assert (found.done, found.leased, kept.spend().calls) == (judge.asked.total(), 0, judge.asked.total())


def test_a_ledger_that_was_made_anew_is_not_taken_for_the_one_before(planned, yes, build):
    ledger = planned(20)
    judge = yes(delay=0.2)

    async def main():
        work = asyncio.create_task(collect(ledger, {"a": judge}, build, limits=Limits(lease=0.2, every=0.01)))
        await judge.busy()
        with Ledger.open(ledger.path) as other:
            other._connection.execute("UPDATE runners SET name = 'another'")
        return await work

    with pytest.raises(InvalidInput, match="was replaced while it was written to"):
        asyncio.run(main())


def test_only_a_question_whose_answer_was_lost_is_sent_again_under_its_name(planned, told, build):
    names = []

    def reply(request, times):
        names.append(request.once)
        return Reply("error", retryable=True) if times == 1 else OK

    ledger = planned(1)
    runner = ledger.enlist(60.0)
    (lost,) = ledger.lease(runner, "a", 1, Budget())
    ledger.lose(runner, [lost])
    go(ledger, told("a", reply), build)
    first, after = names
    assert first == digest([ledger.name, lost.key, 0])
    assert after == digest([ledger.name, lost.key, 1])
    (cell,) = ledger._connection.execute("SELECT asked, failed FROM cells").fetchall()
    assert cell == (3, 1)
    go(planned(1, name="other.db"), told("a", lambda request, _: names.append(request.once) or OK), build)
    assert len({*names}) == 3
