"""A runner with judges of both kinds: what is lost of one goes on at the other."""

import asyncio

import pytest

from quorate.collect.judge import Expects, Message, Reply, Request, lasts
from quorate.collect.runner.lane import Limits, Pace
from quorate.collect.runner.run import collect
from quorate.table.exchange.postgres.session import Interrupted, Session

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
