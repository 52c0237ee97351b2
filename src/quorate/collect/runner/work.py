"""Work of a runner: it leases blocks of cells, keeps requests in flight, and commits what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from quorate.collect.budget import Budget, Spend
from quorate.collect.judge import Judge, Lasting, Request, lasts
from quorate.collect.ledger.lease import DONE, GIVEN_UP, NO_ANSWERS, LeasedCell, Settled
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.plan import digest
from quorate.collect.ledger.schema import PATIENCE, Adrift
from quorate.collect.runner.disk import Disk, Unsaved, found, set_aside
from quorate.collect.runner.lane import Ended, Lane, Limits, RunOutcome, Update, blames, settled, spared, why_end
from quorate.errors import InvalidInput
from quorate.table.exchange.postgres.session import Away, Held, Interrupted

Build = Callable[[LeasedCell], Request]
Clock = Callable[[], float]
Report = Callable[[Update], None]
T = TypeVar("T")

_IDLE = 1.0
_TELL = 0.5
_WINDOW = 20


class _Recorded(NamedTuple):
    leased: dict[str, list[LeasedCell]]
    late: int
    spend: Spend


class Work:
    """One runner at work; everything happens on the loop's thread but waiting for the disk."""

    def __init__(
        self,
        ledger: Ledger,
        judges: Mapping[str, Judge],
        build: Build,
        limits: Limits,
        budget: Budget,
        on_progress: Report | None,
        clock: Clock,
        stop: asyncio.Event | None,
        beside: Path,
        people: frozenset[str] = frozenset(),
    ) -> None:
        self._ledger, self._judges, self._build = ledger, judges, build
        self._limits, self._budget, self._clock = limits, budget, clock
        self._tell, self._stop, self._beside, self._people = on_progress, stop, beside, people
        self._name, self._runner = ledger.name, ledger.enlist(limits.lease)
        for path, answers in found(beside, self._name):  # what an earlier run had to leave beside the ledger
            ledger.recover(self._runner, answers)
            path.unlink(missing_ok=True)
        self._lanes: list[Lane] = []
        self._left = 0
        self._begin_with(ledger.unfinished())
        self._hold = Hold(ledger, self._runner, judges)
        self._spend = ledger.spend()
        self._results: list[Settled] = []
        self._unsent: list[LeasedCell] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._going: set[asyncio.Task[None]] = set()
        self._disk = Disk(ledger)
        self._fault: Exception | None = None
        self._aborted = self._doubtful = False
        self._finished = self._given_up = self._late = 0
        self._began = self._told = clock()
        self._renewed = 0.0
        self._pace: deque[tuple[float, int]] = deque([(self._began, 0)], maxlen=_WINDOW)

    def _begin_with(self, unfinished: Mapping[str, int]) -> None:
        """Ask the judges of these cells too."""
        pauses, there = self._ledger.pauses(), {lane.judge for lane in self._lanes}
        for name, judge in self._judges.items():
            if name in unfinished and name not in there:
                most = unfinished[name] * self._limits.tries
                self._lanes.append(Lane(name, self._limits, pauses.get(name, 0.0), lasting=lasts(judge), most=most))
        self._left = sum(count for name, count in unfinished.items() if name not in self._people)

    def abort(self) -> None:
        """End now: what is in flight is not waited for, and counts as lost."""
        self._aborted = True
        self._disk.abort()

    async def ended(self) -> RunOutcome:
        """Ask until there is a reason to end, and end."""
        with contextlib.closing(self._disk):
            try:
                ended = await self._until_ended()
            except Exception as error:  # noqa: BLE001 -- raised again once all is recorded that can be
                self._fault = self._fault or error
                ended = Ended.STOPPED
            try:
                await self._wind_down()
            except InvalidInput as error:  # of two that are about the ledger, it says where the last answers are
                self._fault = self._fault if self._fault and not isinstance(self._fault, InvalidInput) else error
            if self._fault is not None:
                raise self._fault
            return await self._disk.looked(partial(self._outcome, ended))

    async def _until_ended(self) -> Ended:
        """Commit, lease and send, turn by turn; the reason why there is no other turn."""
        while not self._ending:
            began = time.monotonic()
            await self._tick()
            now = self._clock()
            for lane in self._lanes:
                while (cell := self._next(lane, now)) is not None:
                    task = asyncio.create_task(self._ask(lane, cell, now))
                    tasks = self._going if lane.lasting else self._tasks
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
            self._report()
            if not self._busy:  # is anything under way or to come, by the ledger as it is at one moment?
                with contextlib.suppress(Interrupted):
                    reason = partial(why_end, self._ledger, self._lanes, self._judges, self._budget, self._limits)
                    step = partial(reason, self._clock(), self._begin_with, self._people)
                    ended = await self._disk.looked(partial(self._ledger.seen, step))
                    if ended is not None:
                        return ended
            await asyncio.sleep(max(0.0, self._limits.every - (time.monotonic() - began)))
        return Ended.STOPPED

    @property
    def _busy(self) -> bool:
        return bool(self._results) or any(lane.busy for lane in self._lanes)

    @property
    def _ending(self) -> bool:
        return self._aborted or self._fault is not None or (self._stop is not None and self._stop.is_set())

    def _next(self, lane: Lane, now: float) -> LeasedCell | None:
        return None if self._ending else lane.next(now)

    async def _ask(self, lane: Lane, cell: LeasedCell | None, now: float) -> None:
        """Ask a cell, then the next one, as long as there is one that may be sent."""
        while cell is not None:
            try:
                once = digest([self._name, cell.key, cell.asked - cell.lost])
                request = replace(self._build(cell), asked=cell.asked, once=once)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it ends the run and is raised there
                self._unsent.append(lane.flying.pop(cell.id))
                self._fault = self._fault or error
                return
            try:
                reply = await self._judges[lane.judge].ask(request)
            except Exception as error:  # noqa: BLE001 -- a judge that breaks its promise; its cell in flight is lost
                self._fault = self._fault or error
                return
            sent, now = now, self._clock()
            if lane.keeps(cell, reply):
                return
            lane.saw(cell, reply, sent, now)
            self._results.append(settled(cell, reply, request.digest, self._limits, now))
            cell = self._next(lane, now)

    # ---- the ledger

    async def _tick(self) -> None:
        """Commit what came and lease what is wanted, in one transaction; nothing is sent before it is on the disk."""
        now = self._clock()
        wants: dict[str, int] = {}
        if not self._ending:  # answers may have freed some of the budget, so then it is worth a look
            wanted = {lane.judge: lane.wanted(now, anyway=bool(self._results)) for lane in self._lanes}
            wants = {judge: count for judge, count in wanted.items() if count}
        resting = [lane for lane in self._lanes if lane.asked_to_rest]
        self._unsent += [cell for lane in self._lanes for cell in lane.dropped(now)]
        renew = now - self._renewed >= min(self._limits.lease / 4, self._limits.lease if self._busy else _IDLE)
        if not (self._results or wants or resting or self._unsent or renew):
            return
        results, self._results = self._results, []
        unsent, self._unsent = self._unsent, []
        try:
            results = await self._kept(results)
            pauses = {lane.judge: lane.resting for lane in resting}
            for lane in resting:
                lane.asked_to_rest = False
            known = self._known(results, unsent)
            record = partial(self._record, results, unsent, wants, pauses, renew, known)
            recorded = await self._disk.written(record)
        except BaseException as error:
            self._results, self._unsent = results + self._results, unsent + self._unsent
            for lane in resting:
                lane.asked_to_rest = True
            self._doubtful |= self._ledger.remote or isinstance(error, Adrift)
            if not isinstance(error, Interrupted):
                raise
            return  # requests go on, and the next turn connects again, or says that it cannot
        self._count(results, recorded)
        self._renewed = now if renew else self._renewed
        for lane in self._lanes:
            lane.take(recorded.leased.get(lane.judge, []), wants.get(lane.judge, 0), now)

    async def _kept(self, results: list[Settled]) -> list[Settled]:
        """Results in which no cell is given up because its judge, in this run and before, has answered nothing."""
        answered = {lane.judge for lane in self._lanes if lane.answered}
        if all(result.cell.judge in answered for result in results if blames(result)):
            return results
        with contextlib.suppress(Interrupted):  # where that cannot be looked up now, no cell is given up now
            judges = await self._disk.looked(self._ledger.status)
            answered |= {judge.judge for judge in judges if judge.statuses.keys() - NO_ANSWERS}
        return [
            spared(result, self._limits) if blames(result) and result.cell.judge not in answered else result
            for result in results
        ]

    def _record(
        self,
        results: list[Settled],
        unsent: list[LeasedCell],
        wants: Mapping[str, int],
        pauses: Mapping[str, float],
        renew: bool,
        known: Sequence[LeasedCell] | None,
    ) -> _Recorded:
        """The one transaction of a turn, and what was leased in it."""
        ledger, runner = self._ledger, self._runner
        late = self._settle(results, known)
        adopted: Mapping[str, list[LeasedCell]] = {}
        if renew or known is not None:
            ledger.renew(runner, self._limits.lease)
            adopted = self._hold.adopted(self._lanes, known)
            ledger.expire()
        for judge, until in pauses.items():
            ledger.pause(judge, until)
        self._hold.release(unsent)
        number = self._hold.number
        leased = {judge: ledger.lease(number(judge), judge, count, self._budget) for judge, count in wants.items()}
        leased |= {judge: cells + leased.get(judge, []) for judge, cells in adopted.items()}
        return _Recorded(leased, late, ledger.spend())

    def _settle(self, results: list[Settled], known: Sequence[LeasedCell] | None) -> int:
        """Commit results; how many came too late. After an unheard commit, some of them may be there already."""
        if known is not None:
            self._hold.reclaim(known)
        late = self._hold.commit(results)
        return late if known is None else 0

    def _known(self, results: list[Settled], unsent: list[LeasedCell]) -> list[LeasedCell] | None:
        """The cells that this runner knows that it holds, where that is in doubt."""
        if not self._doubtful:
            return None
        lanes = [cell for lane in self._lanes for cell in (*lane.queue, *lane.flying.values())]
        return [*lanes, *(result.cell for result in (*results, *self._results)), *unsent, *self._unsent]

    def _count(self, results: list[Settled], recorded: _Recorded) -> None:
        self._late, self._spend, self._doubtful = self._late + recorded.late, recorded.spend, False
        done = sum(result.state in (DONE, GIVEN_UP) for result in results)
        self._finished += done
        self._left -= done
        self._given_up += sum(result.state == GIVEN_UP for result in results)

    # ---- the end

    async def _wind_down(self) -> None:
        """Wait for what is in flight, record it, and give the rest back."""
        grace = 0.0 if self._aborted else self._limits.grace
        until = time.monotonic() + grace
        while self._tasks and not self._aborted and (left := until - time.monotonic()) > 0:
            await asyncio.wait(self._tasks, timeout=min(left, self._limits.lease / 4, 0.2))
            with contextlib.suppress(InvalidInput):  # what cannot be recorded now is tried again below
                await self._tick()
            self._report()
        self._unsent += self._hold.unsent(self._lanes)
        unfinished = self._tasks | self._going
        for task in unfinished:
            task.cancel()
        if unfinished:
            await asyncio.wait(unfinished)
        self._unsent += [cell for lane in self._lanes for cell in lane.queue]
        try:
            await self._closed_at_last()
        except InvalidInput as error:
            if not self._results:
                raise
            answers = [Unsaved(self._hold.number(result.cell.judge), result) for result in self._results]
            raise InvalidInput(f"{error}; {set_aside(self._beside, self._name, answers)}") from error

    async def _closed_at_last(self) -> None:
        """Close, again while the connection is lost meanwhile; what cannot be recorded stays where it is."""
        try:
            await self._closed_patiently()
        except Adrift as error:
            self._ledger.store.drift()  # the last answers go where nobody else looks any more: all of it is copied
            await self._closed()
            copy = await self._disk.looked(self._ledger.store.copy)
            raise InvalidInput(
                f"{error}; nothing more was sent, and everything so far is in {copy}: to go on with it, move what "
                "is in its place now elsewhere and put it there; what it alone holds is paid for again otherwise"
            ) from error
        except (Away, Held):  # nothing more can be written to it
            raise
        except InvalidInput:  # say at least that nobody waits for answers: the next run counts them as lost
            for step in (partial(self._hold.release, self._unsent), partial(self._ledger.renew, self._runner, 0.0)):
                with contextlib.suppress(InvalidInput):
                    await self._disk.looked(step)
            raise

    async def _closed_patiently(self) -> None:
        until, again = time.monotonic() + PATIENCE, False
        while True:
            try:
                return await self._closed()
            except Interrupted:
                if again and (self._aborted or time.monotonic() > until):
                    raise
                again = self._doubtful = True

    async def _closed(self) -> None:
        self._results = await self._kept(self._results)
        recorded = await self._disk.written(partial(self._record_last, self._known([], [])))
        self._count(self._results, recorded)
        self._results = []

    def _record_last(self, known: Sequence[LeasedCell] | None) -> _Recorded:
        late = self._settle(self._results, known)
        self._hold.release(self._unsent)
        self._hold.lose(self._lanes)
        self._ledger.renew(self._runner, 0.0)
        return _Recorded({}, late, self._ledger.spend())

    # ---- progress and outcome

    def _report(self) -> None:
        now = self._clock()
        if self._tell is None or now - self._told < _TELL:
            return
        self._told = now
        self._pace.append((now, self._finished))
        (start, first) = self._pace[0]
        rate = (self._finished - first) / (now - start) if now > start else 0.0
        self._tell(
            Update(
                self._finished,
                self._given_up,
                max(0, self._left),
                sum(len(lane.flying) for lane in self._lanes if not lane.lasting),
                rate,
                max(0, self._left) / rate if rate else None,
                self._spend,
                self._ending,
                {lane.judge: lane.silent for lane in self._lanes if lane.silent},
                sum(len(lane.flying) for lane in self._lanes if lane.lasting),
            )
        )

    def _outcome(self, ended: Ended) -> RunOutcome:
        unfinished = self._ledger.unfinished()
        waiting = sum(unfinished.pop(name, 0) for name in self._people)
        return RunOutcome(
            ended,
            self._finished,
            self._given_up,
            sum(unfinished.values()),
            {lane.judge: lane.calls for lane in self._lanes},
            {lane.judge: lane.dead for lane in self._lanes if lane.dead},
            self._late,
            self._clock() - self._began,
            self._ledger.spend(),
            {judge.judge: judge.held for judge in self._ledger.status() if judge.held},
            waiting,
        )


class Hold:
    """What a runner holds in a ledger, for judges of both kinds.

    A judge whose questions outlive the process, as those in a batch do, has its cells leased by a number of their own.
    They stay leased when the runner ends, with their price reserved, and the next one takes them over and asks again;
    the judge then finds the answers that are on their way.

    Parameters
    ----------
    ledger : Ledger
        The ledger.
    runner : int
        The runner's own number.
    judges : mapping of str to Judge
        By name.
    """

    def __init__(self, ledger: Ledger, runner: int, judges: Mapping[str, Judge]) -> None:
        self._ledger, self._runner = ledger, runner
        self._lasting: Mapping[str, Lasting] = {
            name: judge for name, judge in judges.items() if lasts(judge) and isinstance(judge, Lasting)
        }
        self._holder = ledger.holder(runner) if self._lasting else runner
        self._adopted: set[int] = set()

    def number(self, judge: str) -> int:
        """The number that holds the cells of a judge."""
        return self._holder if judge in self._lasting else self._runner

    def commit(self, results: Sequence[Settled]) -> int:
        """Record answers; how many came too late."""
        self._adopted.difference_update(result.cell.id for result in results)
        parts = self._parts(results, lambda result: result.cell.judge)
        return sum(self._ledger.commit(number, part) for number, part in parts)

    def release(self, cells: Iterable[LeasedCell]) -> None:
        """Give back cells that were never sent; those taken over may have been, by another runner, and stay."""
        mine = [cell for cell in cells if cell.id not in self._adopted]
        for number, part in self._parts(mine, lambda cell: cell.judge):
            self._ledger.release(number, part)

    def lose(self, lanes: Iterable[Lane]) -> None:
        """Count what is in flight as lost, but for questions that go on."""
        cells = [cell for lane in lanes if not lane.lasting for cell in lane.flying.values()]
        self._ledger.lose(self._runner, cells)

    def reclaim(self, known: Sequence[LeasedCell]) -> None:
        """Give back cells that are held without being known, after a commit whose end was not heard.

        Those of judges whose questions go on may have been sent, by another runner: see `adopted`.
        """
        self._ledger.reclaim(self._runner, known)

    def adopted(self, lanes: Iterable[Lane], known: Sequence[LeasedCell] | None = None) -> dict[str, list[LeasedCell]]:
        """Cells taken over from runners that are gone, by judge; with those not known, after such a commit."""
        names = [lane.judge for lane in lanes if lane.lasting and not lane.dead]
        there = {(cell.id, cell.asked) for cell in known or ()}
        adopt = partial(self._ledger.adopt, self._holder, own=known is not None)
        adopted = {name: [cell for cell in adopt(name) if (cell.id, cell.asked) not in there] for name in names}
        self._adopted.update(cell.id for cells in adopted.values() for cell in cells)
        return adopted

    def unsent(self, lanes: Iterable[Lane]) -> list[LeasedCell]:
        """Cells in flight whose questions are in no batch yet; they are in flight no more."""
        cells = []
        for lane in lanes:
            keys = self._lasting[lane.judge].unsent() if lane.lasting else frozenset()
            cells += [lane.flying.pop(cell.id) for cell in list(lane.flying.values()) if cell.key in keys]
        return cells

    def _parts(self, rows: Sequence[T], judge: Callable[[T], str]) -> list[tuple[int, Sequence[T]]]:
        if not self._lasting:
            return [(self._runner, rows)]
        numbers = (self._runner, self._holder)
        return [(number, [row for row in rows if self.number(judge(row)) == number]) for number in numbers]
