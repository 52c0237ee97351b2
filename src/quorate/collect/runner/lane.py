"""Lane of one judge: how many requests it takes at once, when it needs a rest, and when it is dead."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from quorate.collect.judge import ERROR, Reply
from quorate.collect.ledger.lease import LeasedCell
from quorate.collect.runner.limits import Limits
from quorate.collect.runner.settle import asked_to_wait
from quorate.wording import counted

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
