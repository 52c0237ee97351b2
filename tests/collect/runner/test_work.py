"""A runner with judges of both kinds: what is lost of one goes on at the other."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from quorate.collect.budget import Budget
from quorate.collect.judge import Expects, Message, Reply, Request, lasts
from quorate.collect.ledger.lease import LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import digest
from quorate.collect.runner import disk as runner_disk
from quorate.collect.runner import disk as unsaved
from quorate.collect.runner.disk import Unsaved, found, set_aside
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.session import Interrupted, Session

OK = Reply("ok", 7.0)


def go(ledger, judge, build, **options):
    options.setdefault("limits", Limits(backoff=0.01, every=0.005))
    return asyncio.run(asyncio.wait_for(collect(ledger, {"a": judge}, build, **options), 60))


@pytest.mark.slow
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
    ledger, judge = planned(800), yes(delay=0.005)
    limit = ledger._connection.execute
    (pages,) = limit("PRAGMA page_count").fetchone()
    limit(f"PRAGMA max_page_count = {pages + 8}")
    with pytest.raises(InvalidInput, match="the disk is full; everything recorded so far is kept") as caught:
        go(ledger, judge, build)
    assert "\n" not in str(caught.value)
    done, asked = ledger.status()[0].done, judge.asked.total()
    assert 0 < done < 800
    assert asked - done <= 128
    limit("PRAGMA max_page_count = 1000000")
    outcome = go(ledger, judge, build)
    assert outcome.complete
    assert judge.asked.total() == 800  # what came when nothing could be written was left beside it
    assert outcome.spend.lost <= 128
    assert outcome.spend.calls == 800 + outcome.spend.lost
    assert limit("SELECT count(*) FROM attempts WHERE status = 'ok'").fetchone() == (800,)


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


ITEMS = [f"i{n}" for n in range(10)]


class Slow:
    """Answers when it is told to; what was asked once is answered at once when it is asked again."""

    def __init__(self, name, *, lasting=False, unsent=()):
        self.name, self.lasting, self.gathered = name, lasting, set(unsent)
        self.asked, self.open = [], asyncio.Event()

    def unsent(self):
        return frozenset(request.key for request in self.asked if request.cell["item"] in self.gathered)

    async def ask(self, request):
        self.asked.append(request)
        await self.open.wait()
        return Reply("ok", 1.0, cost=0.0)

    async def close(self):
        pass


def build(cell):
    said = (Message("user", cell.levels["item"]),)
    return Request(cell.key, said, {}, Expects(0, 1), cell.judge, dict(cell.levels))


@pytest.fixture
def ledger(planned):
    return planned(len(ITEMS), ("plain", "batch"))


LIMITS = Limits(pace=Pace(100, first=100), grace=0.3, every=0.005)


def carried(ledger, judges, *, stop_when=None, open_=True):
    async def main():
        stop = asyncio.Event()
        for judge in judges.values():
            if open_:
                judge.open.set()
        run = asyncio.create_task(collect(ledger, judges, build, limits=LIMITS, stop=stop))
        while stop_when is not None and not stop_when():
            await asyncio.sleep(0.005)
        if stop_when is not None:
            stop.set()
        return await run

    return asyncio.run(main())


def test_a_stop_loses_what_is_in_flight_and_keeps_what_goes_on(ledger):
    judges = {"plain": Slow("plain"), "batch": Slow("batch", lasting=True, unsent=["i0", "i1"])}
    outcome = carried(
        ledger, judges, stop_when=lambda: all(len(one.asked) == 10 for one in judges.values()), open_=False
    )
    assert (outcome.finished, outcome.left, outcome.held) == (0, 20, {"batch": 8})
    assert "8 of them wait in batches of batch, which go on" in outcome.sentence
    states = {one.judge: (one.planned, one.leased, one.statuses) for one in ledger.status()}
    assert states == {"plain": (10, 0, {"lost": 10}), "batch": (2, 8, {})}
    again = {"plain": Slow("plain"), "batch": Slow("batch", lasting=True)}
    outcome = carried(ledger, again)
    assert (outcome.complete, outcome.spend.calls, outcome.spend.lost, outcome.spend.reserved) == (True, 30, 10, 0)
    assert sorted(one.key for one in again["batch"].asked) == sorted(one.key for one in judges["batch"].asked)
    assert {one.asked for one in again["batch"].asked} == {0}


def test_a_question_asked_again_after_an_answer_is_another_one(ledger):
    class Failing(Slow):
        async def ask(self, request):
            self.asked.append(request)
            if request.asked == 0:
                return Reply("error", error="late", cost=0.0, retryable=True)
            return Reply("ok", 1.0, cost=0.0)

    judges = {"plain": Slow("plain"), "batch": Failing("batch", lasting=True)}
    limits = Limits(pace=Pace(100, first=100), backoff=0.01, cooldown=0.01, every=0.005)

    async def main():
        judges["plain"].open.set()
        return await collect(ledger, judges, build, limits=limits)

    assert asyncio.run(main()).complete
    assert sorted(one.asked for one in judges["batch"].asked) == [0] * 10 + [1] * 10


def test_only_judges_that_say_so_last():
    assert lasts(Slow("x", lasting=True))
    assert not lasts(Slow("x"))
    assert not lasts(object())


class Waiting(Slow):
    """Says that its questions may be in a batch, which it has sent or not."""

    cost = None

    async def ask(self, request):
        self.asked.append(request)
        return Reply("error", error="401 no such key", cost=self.cost, fatal=True, waits=True)


class Unsure(Waiting):
    cost = 0.0


def test_questions_that_wait_are_held_as_they_are_and_collected_by_the_next_run(ledger):
    judges = {"plain": Slow("plain"), "batch": Waiting("batch", lasting=True)}
    outcome = carried(ledger, judges)
    assert (outcome.ended.name, outcome.left, outcome.held) == ("JUDGES", 10, {"batch": 10})
    assert outcome.dead == {"batch": "401 no such key"}
    assert (outcome.spend.calls, outcome.spend.reserved) == (10, 10)
    unsure = Unsure("batch", lasting=True)
    outcome = carried(ledger, {"plain": Slow("plain"), "batch": unsure})
    assert (len(unsure.asked), outcome.held, outcome.spend.reserved) == (10, {"batch": 10}, 10)
    again = Slow("batch", lasting=True)
    outcome = carried(ledger, {"plain": Slow("plain"), "batch": again})
    assert (outcome.complete, outcome.spend.calls, outcome.spend.reserved) == (True, 20, 0)
    assert [one.asked for one in again.asked] == [0] * 10


def test_questions_that_nobody_has_sent_are_given_back(ledger):
    outcome = carried(ledger, {"plain": Slow("plain"), "batch": Unsure("batch", lasting=True)})
    assert (outcome.ended.name, outcome.held, outcome.spend.calls, outcome.spend.reserved) == ("JUDGES", {}, 10, 0)
    states = {one.judge: (one.planned, one.leased, one.statuses) for one in ledger.status()}
    assert states["batch"] == (10, 0, {})


@pytest.mark.postgres
@pytest.mark.parametrize("store", ["postgres"], indirect=True)
def test_cells_taken_over_in_a_commit_that_is_not_heard_stay_reserved_and_are_asked(ledger, monkeypatch):
    first = {"plain": Slow("plain"), "batch": Slow("batch", lasting=True)}
    carried(ledger, first, stop_when=lambda: len(first["batch"].asked) == 10, open_=False)
    ends, end = [], Session.end

    def unheard(session):
        end(session)
        ends.append(1)
        if len(ends) == 3:  # the runner, its holder, and the first turn
            session.close()
            raise Interrupted("the connection was lost")

    monkeypatch.setattr(Session, "end", unheard)
    again = {"plain": Slow("plain"), "batch": Slow("batch", lasting=True)}
    outcome = carried(ledger, again, stop_when=lambda: len(again["batch"].asked) == 10, open_=False)
    assert len(ends) > 3
    assert outcome.held == {"batch": 10}
    assert outcome.spend.reserved == 10
    assert sorted(one.key for one in again["batch"].asked) == sorted(one.key for one in first["batch"].asked)


LIMITS_OF_UNSAVED = Limits(pace=Pace(4), every=0.005, grace=2.0)
CELL = LeasedCell(3, "key", "a", {"item": "i\u00e9", "judge": "a"}, 1, 5, 0, 1, 1)
ANSWER = Unsaved(7, Settled(CELL, Reply("ok", 7.0, '{"score": 7}', cost=None, latency=0.5), "done", 0.0, "digest", 2.0))


def test_answers_come_back_as_they_were(tmp_path):
    error = ANSWER._replace(result=ANSWER.result._replace(reply=Reply("error", error="no"), blamed=False))
    said = set_aside(tmp_path, "f" * 64, [ANSWER, error])
    ((path, answers),) = found(tmp_path, "f" * 64)
    assert answers == [ANSWER, error]
    assert said == f"2 answers that it could not take: see {path}, which the next run records"
    assert list(found(tmp_path, "0" * 64)) == []


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_lose_them(tmp_path, monkeypatch):
    monkeypatch.setattr(unsaved.tempfile, "gettempdir", lambda: str(tmp_path))
    said = set_aside(tmp_path / "gone", "f" * 64, [ANSWER])
    assert said.endswith(f"which the next run records, once it is moved to {tmp_path / 'gone'}")
    assert len(list(found(tmp_path, "f" * 64))) == 1
    said = set_aside(tmp_path / "gone", "f" * 64, [ANSWER])  # a file is there already: it is not touched
    assert said == "1 answer that it could not take are lost, for no file can be written either"
    assert len(list(found(tmp_path, "f" * 64))) == 1


@pytest.mark.parametrize("line", ["{", "[]", '{"runner": 1}', "\xff"])
def test_a_damaged_file_is_one_line(tmp_path, line):
    (tmp_path / f"unsaved-{'f' * 16}-1.jsonl").write_text(line, encoding="latin-1")
    with pytest.raises(InvalidInput, match=r"answers of an earlier run cannot be read .*; move it elsewhere") as caught:
        list(found(tmp_path, "f" * 64))
    assert "\n" not in str(caught.value)


def test_what_the_ledger_cannot_take_is_recorded_by_the_next_run(planned, yes, build, tmp_path, monkeypatch):
    ledger, judge, end, ends = planned(12), yes(delay=0.01), Ledger.end, []

    def full(self):
        ends.append(1)
        if len(ends) > 3:
            raise InvalidInput("ledger: has a full disk")
        end(self)

    def run():
        return asyncio.run(collect(ledger, {"a": judge}, build, limits=LIMITS_OF_UNSAVED, beside=tmp_path))

    monkeypatch.setattr(Ledger, "end", full)
    with pytest.raises(InvalidInput, match=r"has a full disk; \d+ answers? that it could not take: see"):
        run()
    monkeypatch.setattr(Ledger, "end", end)
    left = list(tmp_path.glob("unsaved-*.jsonl"))
    assert len(left) == 1
    copy = left[0].read_bytes()
    assert run().complete
    assert not left[0].exists()
    assert set(judge.asked.values()) == {1}
    spend = ledger.spend()
    assert (len(judge.asked), spend.calls - spend.lost, spend.reserved) == (12, 12, 0)
    left[0].write_bytes(copy)  # as if a kill had come before it was removed: nothing is recorded twice
    assert run().complete
    assert (ledger.spend(), left[0].exists()) == (spend, False)
