"""Lane of one judge: how many requests it takes at once, when it needs a rest, and when it is dead."""

from __future__ import annotations

import math
import zlib
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, fields, replace
from enum import Enum

from quorate import rules
from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import ERROR, Judge, Reply
from quorate.collect.ledger.lease import DONE, GIVEN_UP, PLANNED, LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.table.facets import OK
from quorate.wording import counted

MOST = 100_000
"""Requests that may be in flight."""


@dataclass(frozen=True)
class Pace:
    """How hard one judge is asked.

    Parameters
    ----------
    concurrency : int
        Most requests in flight at once; fewer while the endpoint says that it is too much.
    rate : float, optional
        Most requests per second.
    first : int
        Requests in flight to begin with. A judge that gathers questions into batches wants as many as a batch holds.
    """

    concurrency: int = 64
    rate: float | None = None
    first: int = 64

    def __post_init__(self) -> None:
        for name in ("concurrency", "first"):
            rules.whole(f"limits: {name}", getattr(self, name), 1, MOST)
        if self.rate is not None:
            rules.number("limits: rate", self.rate, above=0)


@dataclass(frozen=True)
class Limits:
    """How hard judges are asked, and how long one waits for them; times in seconds.

    Parameters
    ----------
    pace : Pace
        Of every judge that is not in ``paces``.
    paces : mapping of str to Pace
        Of single judges.
    tries : int
        Answers of a cell that may fail before it is given up. Being told to wait is no failure.
    backoff, longest_backoff : float
        Wait before a failed cell is asked again: this, doubled with every failure up to the longest.
    breaker : int
        Failures in a row after which a judge is left alone for a while.
    cooldown : float
        That while, doubled each time.
    trips : int
        Times in a row that a judge is left alone before it counts as dead; at most twice if it has answered nothing.
    patience : float
        Longest wait for anything before the run ends, to be resumed later.
    lease : float
        How long cells belong to a runner that no longer answers, where the system cannot tell that it is gone.
    grace : float
        How long requests in flight may take after the run was told to stop.
    every : float
        Between two commits.
    """

    pace: Pace = Pace()
    paces: Mapping[str, Pace] = field(default_factory=dict)
    tries: int = 5
    backoff: float = 1.0
    longest_backoff: float = 60.0
    breaker: int = 20
    cooldown: float = 5.0
    trips: int = 4
    patience: float = 900.0
    lease: float = 60.0
    grace: float = 30.0
    every: float = 0.02

    def __post_init__(self) -> None:
        for name in ("tries", "breaker", "trips"):
            rules.whole(f"limits: {name}", getattr(self, name), 1)
        for option in fields(self)[3:]:
            value = getattr(self, option.name)
            if not value >= 0 or (option.name in ("lease", "every") and value == 0):
                raise InvalidInput(f"limits: {option.name}: must be a number of seconds, not negative, got {value}")

    def of(self, judge: str) -> Pace:
        """Pace of a judge."""
        return self.paces.get(judge, self.pace)


# Settling of a cell after a reply: it is done, asked again later, or given up.


LONGEST_PAUSE = 7 * 86_400.0
"""Seconds for which an endpoint may ask to be left alone; more is taken as this."""

_DOUBLINGS = 60


def settled(cell: LeasedCell, reply: Reply, request: str, limits: Limits, now: float) -> Settled:
    """A reply, and what becomes of its cell.

    An answer without a score is final where asking again would not help. A fatal one says nothing about the cell, and
    neither does being told to wait, or what was never sent.
    """
    pause = asked_to_wait(reply)
    blamed = not (reply.fatal or reply.unsent) and pause is None
    failed = cell.failed + blamed
    if reply.status == OK:
        state, due = DONE, 0.0
    elif reply.fatal:
        state, due = PLANNED, now
    elif not reply.retryable or failed >= limits.tries:
        state, due = GIVEN_UP, 0.0
    elif pause is not None:
        state, due = PLANNED, now + pause
    else:  # doubled with every failure, and spread by half either way so that cells do not come back all at once
        spread = 0.5 + zlib.crc32(f"{cell.key}/{cell.asked}".encode()) / 2**32
        wait = min(limits.backoff * 2.0 ** min(cell.failed, _DOUBLINGS), limits.longest_backoff) * spread
        state, due = PLANNED, now + wait
    return Settled(cell, reply, state, due, request, now, blamed)


def spared(result: Settled, limits: Limits) -> Settled:
    """The same for a judge that has never answered: its failures say nothing about a cell, which is not given up."""
    return result._replace(state=PLANNED, next_at=result.at + limits.backoff, blamed=False)


def blames(result: Settled) -> bool:
    """Whether a cell is given up for errors, not for an answer that cannot be used."""
    return result.state == GIVEN_UP and result.reply.status == ERROR


def asked_to_wait(reply: Reply) -> float | None:
    """Seconds for which a judge asked to be left alone; None where it did not, or not sensibly."""
    pause = reply.retry_after
    if not reply.retryable or pause is None or math.isnan(pause) or pause < 0:
        return None
    return min(pause, LONGEST_PAUSE)


_MEMORY = 0.05
_MEMORY_OF_PACE = 0.2
_BAD = 0.25
_LOOK = 0.25
_SOON = 1.0
_TRIPS_UNANSWERED = 2


class Lane:
    """The cells of one judge that are leased, and how fast they may be sent.

    The window, the number of requests in flight, grows by one with every answer until the first congestion, then by
    one with every window of answers, and is halved at congestion (additive increase, multiplicative decrease: Chiu and
    Jain 1989). Congestion is being told to wait, or that more than a quarter of the last twenty answers or so are
    errors.

    A failure is an error that may pass. As long as a judge has answered nothing, every error is one: what it refuses
    without exception, such as a parameter that it does not know, is not the fault of a cell.

    Parameters
    ----------
    judge : str
        Name of the judge.
    limits : Limits
        How hard it may be asked.
    resting : float
        Until when it is to be left alone, in seconds since 1970.
    lasting : bool
        Whether its questions outlive the process, gathered in batches: then the window stays as it is, since a smaller
        one would only make smaller batches, and cells that may have been sent already are not given back.
    most : int, optional
        Failures after which it is dead if it has answered nothing by then, being told to wait left out: every try of
        every cell, so that a judge that is not there takes no more calls than one that always fails.
    """

    def __init__(
        self, judge: str, limits: Limits, resting: float = 0.0, *, lasting: bool = False, most: int | None = None
    ) -> None:
        self.judge, self.lasting = judge, lasting
        self._most, self._unanswered = float("inf") if most is None else most, 0
        self.queue: deque[LeasedCell] = deque()
        self.flying: dict[int, LeasedCell] = {}
        self.resting = resting
        self.dead: str | None = None
        self.answered = False
        self.silent: str | None = None
        self.calls = self.failures = 0
        self.asked_to_rest = False
        self._limits = limits
        self._pace = limits.of(judge)
        self._window = float(min(self._pace.first, self._pace.concurrency))
        self._slow = float(self._pace.concurrency)
        self._errors = 0.0
        self._dry = 0.0
        self._streak = self._trips = self._came = 0
        self._answers = 0.0
        self._cut = self._tripped = float("-inf")
        self._tokens, self._filled = 1.0, resting

    @property
    def window(self) -> int:
        """Requests that may be in flight."""
        return self._pace.concurrency if self.lasting else int(self._window)

    @property
    def busy(self) -> bool:
        """Whether something is in flight or about to be."""
        return bool(self.flying or (self.queue and not self.dead))

    def wanted(self, now: float, *, anyway: bool = False) -> int:
        """Cells to lease: those that can be sent now, and as many as answers will make room for until the next time.

        What is leased counts as sent if the process is killed, so that no more is than is about to be. Where there were
        not enough a moment ago there are none now, unless one looks ``anyway``.
        """
        self._answers += _MEMORY_OF_PACE * (self._came - self._answers)
        self._came = 0
        if self.dead or (now < self._dry and not anyway) or self._away(now):
            return 0
        if self.lasting:
            return max(0, self.window - len(self.queue) - len(self.flying))
        return max(0, self._sendable(now) - len(self.queue))

    def _sendable(self, now: float) -> int:
        """Requests that can be sent until one looks again."""
        room = self.window - len(self.flying) + min(round(self._answers), self.window)
        if not self.answered and self._most < float("inf"):
            room = min(room, int(self._most) - self._unanswered - len(self.flying))
        if self._pace.rate is not None:
            room = min(room, max(int(self._saved(now)), 1))
        return room if now >= self.resting else 0

    def take(self, cells: Sequence[LeasedCell], wanted: int, now: float) -> None:
        """Cells that were leased, of those wanted; where there were not enough, look again a little later."""
        self.queue.extend(cells)
        if len(cells) < wanted:
            self._dry = now + _LOOK

    def dropped(self, now: float) -> list[LeasedCell]:
        """Cells that go back to the ledger, because they will not be sent soon; some of those that last are held there.

        A rest is no reason where questions last: they may be in a batch.
        """
        if not (self.dead or (self._away(now) and not self.lasting)):
            return []
        cells = list(self.queue)
        self.queue.clear()
        return cells

    def next(self, now: float) -> LeasedCell | None:
        """The next cell to send now, which is then in flight; None if none may be sent."""
        if not self.queue or self.dead or now < self.resting or len(self.flying) >= self.window:
            return None
        if not self.answered and self._unanswered + len(self.flying) >= self._most:
            return None
        if self._pace.rate is not None:
            self._tokens, self._filled = self._saved(now), now
            if self._tokens < 1:
                return None
            self._tokens -= 1
        cell = self.queue.popleft()
        self.flying[cell.id] = cell
        return cell

    def _saved(self, now: float) -> float:
        """Requests that the rate has saved up: at most those of a second."""
        rate = self._pace.rate or 0.0
        return min(self._tokens + max(0.0, now - self._filled) * rate, max(1.0, rate))

    def keeps(self, cell: LeasedCell, reply: Reply) -> bool:
        """Whether a question is left as it is, for a later run: it is not known to have ended. Nothing more is asked.

        A cell whose question was not sent goes back like those that are queued.
        """
        if not (reply.waits and self.lasting):
            return False
        self._landed(cell)
        if reply.cost == 0.0:
            self.queue.append(cell)
        self.dead = self.dead or reply.error or "it is not known how a batch ended"
        return True

    def saw(self, cell: LeasedCell, reply: Reply, sent: float, now: float) -> None:
        """Learn from the reply to a request that was sent at some time."""
        self._landed(cell)
        self.calls += not reply.unsent
        self._came += 1
        self.answered |= reply.status != ERROR
        failed = reply.status == ERROR and (reply.retryable or reply.fatal or not self.answered)
        self.failures += failed
        self._errors += _MEMORY * (failed - self._errors)
        if reply.fatal:
            self.dead = self.dead or reply.error or "every request is refused"
        elif failed:
            self._failed(reply, sent, now)
        else:
            self._streak, self._trips, self.silent = 0, 0, None
            wider = self._window + (1 if self._window < self._slow else 1 / self._window)
            self._window = min(wider, float(self._pace.concurrency))

    def _landed(self, cell: LeasedCell) -> None:
        if self.flying.get(cell.id) is cell:  # not if its lease ran out and it was leased again
            del self.flying[cell.id]

    def _failed(self, reply: Reply, sent: float, now: float) -> None:
        pause = asked_to_wait(reply)
        if (pause is not None or self._errors > _BAD) and sent >= self._cut:
            self._window = self._slow = max(1.0, self._window / 2)
            self._cut = now
        if sent >= self._tripped:
            self._streak += 1
        if pause is not None:
            self._tripped = now
            self._rest(now + pause)
        if not self.answered:  # what is waited for is said at once, and not for long
            self.silent = reply.error or reply.status
            self._unanswered += pause is None
            if self._unanswered >= self._most:
                self.dead = self._given_up()
        trips = self._limits.trips if self.answered else min(self._limits.trips, _TRIPS_UNANSWERED)
        if self._streak >= self._limits.breaker:  # leave it alone for a while, then see whether one request is answered
            self._trips += 1
            self.silent = reply.error or reply.status
            if self._trips > trips or not reply.retryable:
                self.dead = self._given_up()
            self._rest(now + self._limits.cooldown * 2.0 ** (self._trips - 1))
            self._streak, self._tripped = self._limits.breaker - 1, now
            self._window, self._slow = 1.0, float(self._pace.concurrency)

    def _given_up(self) -> str:
        return f"given up after {counted(self.failures, 'failure')}, the last: {self.silent}"

    def _away(self, now: float) -> bool:
        return self.resting - now > _SOON

    def _rest(self, until: float) -> None:
        if until > self.resting:
            self.resting, self.asked_to_rest = until, True


# Outcome of a run: how far it is while it goes on, why it ends, and what it has done then.


class Ended(Enum):
    """Why a run ended; the values are the words that the user reads."""

    COMPLETE = "every cell is answered or given up"
    BUDGET = "the budget has no room for another call"
    STOPPED = "stopped on request"
    PEOPLE = "every cell of a program is answered or given up"
    JUDGES = "a judge does not answer"
    WAITING = "a judge asked for a long wait"
    REACHED = "the goal is reached"
    OPEN = "the goal is not reached, and nothing more is asked for it"


@dataclass(frozen=True)
class Update:
    """How far a run is.

    Parameters
    ----------
    finished, given_up : int
        Cells finished since the run began, and those of them that were given up.
    left : int
        Cells still to be finished, as far as this runner knows.
    in_flight : int
        Requests in flight.
    rate : float
        Cells finished per second, over the last seconds.
    eta : float, optional
        Seconds until nothing is left, at this rate; None where there is none.
    spend : Spend
        Of the whole ledger.
    stopping : bool
        Whether the run was told to stop, and waits for what is in flight.
    silent : mapping of str to str
        Judges that have not answered yet, or are left alone after too many failures in a row, and what was the matter
        with the last one.
    held : int
        Questions that wait in batches, besides the requests in flight.
    """

    finished: int
    given_up: int
    left: int
    in_flight: int
    rate: float
    eta: float | None
    spend: Spend
    stopping: bool = False
    silent: Mapping[str, str] = field(default_factory=dict)
    held: int = 0


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended. What it collected is in the ledger.

    Parameters
    ----------
    ended : Ended
        Why.
    finished, given_up : int
        Cells finished by this run, and those of them that were given up.
    left : int
        Cells of the ledger that are not finished, but for those of people.
    calls : mapping of str to int
        Requests of this run, by judge.
    dead : mapping of str to str
        Judges that do not answer, and what was the matter. Their cells wait for the next run.
    late : int
        Answers that came after their lease had run out, and count as lost.
    seconds : float
        How long it took.
    spend : Spend
        Of the whole ledger.
    held : mapping of str to int
        Cells of the ledger whose questions go on at a judge, as in a batch, by judge; a later run collects the answers.
    people : int
        Cells that wait for people, who answer on the pages of ``quorate serve``.
    """

    ended: Ended
    finished: int
    given_up: int
    left: int
    calls: Mapping[str, int]
    dead: Mapping[str, str] = field(default_factory=dict)
    late: int = 0
    seconds: float = 0.0
    spend: Spend = field(default_factory=Spend)
    held: Mapping[str, int] = field(default_factory=dict)
    people: int = 0

    @property
    def complete(self) -> bool:
        """Whether every cell is answered or given up, or the goal is reached without those that are left."""
        return self.ended in (Ended.COMPLETE, Ended.REACHED)

    @property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        failed = f", {self.given_up:,} of them without a score" if self.given_up else ""
        fix = "mend the judge or its key, then run" if self.dead and self.ended is Ended.JUDGES else "run"
        over = {Ended.REACHED: ", which it does not need", Ended.OPEN: ""}
        then = over.get(self.ended, f": {fix} it again to go on")
        rest = f"; {counted(self.left, 'cell')} {'is' if self.left == 1 else 'are'} left{then}" if self.left else ""
        held = "".join(f"; {n:,} of them wait in batches of {name}, which go on" for name, n in self.held.items())
        rest += f"; {self.people:,} wait for people, who are asked by quorate serve" if self.people else ""
        why = [f"{name} does not answer ({why})" for name, why in self.dead.items()]
        ended = "; ".join(why if why and self.ended is Ended.JUDGES else [self.ended.value, *why])
        return f"{self.finished:,} cells finished{failed}: {ended}{rest}{held}"

    def then(self, later: RunOutcome) -> RunOutcome:
        """Both runs as one."""
        judges = self.calls.keys() | later.calls.keys()
        return replace(
            later,
            finished=self.finished + later.finished,
            given_up=self.given_up + later.given_up,
            calls={name: self.calls.get(name, 0) + later.calls.get(name, 0) for name in sorted(judges)},
            late=self.late + later.late,
            seconds=self.seconds + later.seconds,
        )


def why_end(
    ledger: Ledger,
    lanes: Sequence[Lane],
    judges: Mapping[str, Judge],
    budget: Budget,
    limits: Limits,
    now: float,
    more: Callable[[Mapping[str, int]], None],
    people: Collection[str] = (),
) -> Ended | None:
    """Why to end, if nothing is under way here and nothing will be; None to go on."""
    alive = [lane for lane in lanes if not lane.dead]
    due = {lane: when for lane in alive if (when := ledger.due(lane.judge)) is not None}
    elsewhere = any(ledger.under_way(lane.judge) for lane in alive)
    if not due and not elsewhere:
        left, dead = ledger.unfinished(), {lane.judge for lane in lanes if lane.dead}
        if not left.keys() & judges.keys() - dead:
            if left.keys() <= set(people):
                return Ended.PEOPLE if left else Ended.COMPLETE
            return Ended.JUDGES
        more(left)
    if elsewhere or not due:
        return None
    if not any(ledger.affords(lane.judge, budget) for lane in due):
        return Ended.BUDGET
    soonest = min(max(when, lane.resting) for lane, when in due.items())
    return Ended.WAITING if soonest - now > limits.patience else None
