"""A runner at work: leases blocks of cells, keeps requests in flight, and commits what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from quorate.collect.budget import Budget
from quorate.collect.judge import Judge, Reply, Request
from quorate.collect.ledger import Ledger
from quorate.collect.ledger_lease import DONE, GIVEN_UP, LeasedCell, Settled
from quorate.collect.ledger_schema import HELD, PATIENCE
from quorate.collect.runner_lane import Lane
from quorate.collect.runner_limits import Limits
from quorate.collect.runner_outcome import Ended, Outcome, Update
from quorate.collect.runner_settle import settled
from quorate.errors import InvalidInput

Build = Callable[[LeasedCell], Request]
Clock = Callable[[], float]
Report = Callable[[Update], None]

_IDLE = 1.0
_LOCKED = 0.002
_TELL = 0.5
_WINDOW = 20


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
    ) -> None:
        self._ledger, self._judges, self._build = ledger, judges, build
        self._limits, self._budget, self._clock = limits, budget, clock
        self._tell, self._stop = on_progress, stop
        self._runner = ledger.enlist(limits.lease)
        unfinished, pauses = ledger.unfinished(), ledger.pauses()
        self._lanes = [Lane(name, limits, pauses.get(name, 0.0)) for name in judges if name in unfinished]
        self._left = sum(unfinished.values())
        self._results: list[Settled] = []
        self._unsent: list[LeasedCell] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="quorate-ledger")
        self._fault: Exception | None = None
        self._aborted = False
        self._finished = self._given_up = self._late = 0
        self._began = self._told = clock()
        self._renewed = 0.0
        self._pace: deque[tuple[float, int]] = deque([(self._began, 0)], maxlen=_WINDOW)

    def abort(self) -> None:
        """End now: what is in flight is not waited for, and counts as lost."""
        self._aborted = True

    async def ended(self) -> Outcome:
        """Ask until there is a reason to end, and end."""
        try:
            ended = await self._until_ended()
        except Exception as error:  # noqa: BLE001 -- raised again once all is recorded that can be
            self._fault = self._fault or error
            ended = Ended.STOPPED
        try:
            await self._wind_down()
        except InvalidInput as error:
            self._fault = self._fault or error
        finally:
            self._disk.shutdown()
        if self._fault is not None:
            raise self._fault
        return self._outcome(ended)

    async def _until_ended(self) -> Ended:
        while True:
            if self._ending:
                return Ended.STOPPED
            began = time.monotonic()
            await self._tick()
            self._send()
            self._report()
            ended = self._why_end() if not self._busy else None
            if ended is not None:
                return ended
            await asyncio.sleep(max(0.0, self._limits.every - (time.monotonic() - began)))

    @property
    def _busy(self) -> bool:
        return bool(self._results) or any(lane.busy for lane in self._lanes)

    @property
    def _ending(self) -> bool:
        return self._aborted or self._fault is not None or (self._stop is not None and self._stop.is_set())

    def _send(self) -> None:
        now = self._clock()
        for lane in self._lanes:
            while (cell := self._next(lane, now)) is not None:
                task = asyncio.create_task(self._ask(lane, cell, now))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def _next(self, lane: Lane, now: float) -> LeasedCell | None:
        return None if self._ending else lane.next(now)

    async def _ask(self, lane: Lane, cell: LeasedCell | None, now: float) -> None:
        """Ask a cell, then the next one, as long as there is one that may be sent."""
        while cell is not None:
            request = self._request(lane, cell)
            if request is None:
                return
            reply = await self._reply(lane, request)
            if reply is None:
                return
            sent, now = now, self._clock()
            lane.saw(cell, reply, sent, now)
            self._results.append(settled(cell, reply, request.digest, self._limits, now))
            cell = self._next(lane, now)

    def _request(self, lane: Lane, cell: LeasedCell) -> Request | None:
        try:
            return self._build(cell)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it ends the run and is raised there
            self._unsent.append(lane.flying.pop(cell.id))
            self._fault = self._fault or error
            return None

    async def _reply(self, lane: Lane, request: Request) -> Reply | None:
        try:
            return await self._judges[lane.judge].ask(request)
        except Exception as error:  # noqa: BLE001 -- a judge that breaks its promise; its cell stays in flight, so is lost
            self._fault = self._fault or error
            return None

    # ---- the ledger

    async def _tick(self) -> None:
        """Commit what came and lease what is wanted, in one transaction; nothing is sent before it is on the disk."""
        now = self._clock()
        wants = {} if self._ending else self._wants(now)
        resting = [lane for lane in self._lanes if lane.asked_to_rest]
        self._unsent += [cell for lane in self._lanes for cell in lane.dropped(now)]
        renew = now - self._renewed >= min(self._limits.lease / 4, self._limits.lease if self._busy else _IDLE)
        if not (self._results or wants or resting or self._unsent or renew):
            return
        results, self._results = self._results, []
        unsent, self._unsent = self._unsent, []
        try:
            leased = await self._recorded(results, unsent, wants, resting, renew)
        except BaseException:
            self._ledger.undo()
            self._results, self._unsent = results + self._results, unsent + self._unsent
            raise
        self._count(results)
        for lane in self._lanes:
            lane.take(leased.get(lane.judge, []), wants.get(lane.judge, 0), now)

    def _wants(self, now: float) -> dict[str, int]:
        """Cells to lease by judge; answers may have freed some of the budget, so then it is worth a look."""
        wanted = {lane.judge: lane.wanted(now, anyway=bool(self._results)) for lane in self._lanes}
        return {judge: count for judge, count in wanted.items() if count}

    async def _begun(self) -> None:
        """Begin a transaction; while another process writes, requests go on."""
        until = time.monotonic() + PATIENCE
        while not self._ledger.begins():
            if time.monotonic() > until:
                raise InvalidInput(f"ledger: {self._ledger.path}: {HELD}")
            await asyncio.sleep(_LOCKED)

    async def _recorded(
        self,
        results: list[Settled],
        unsent: list[LeasedCell],
        wants: Mapping[str, int],
        resting: list[Lane],
        renew: bool,
    ) -> dict[str, list[LeasedCell]]:
        ledger, runner = self._ledger, self._runner
        await self._begun()
        self._late += ledger.commit(runner, results)
        if renew:
            ledger.renew(runner, self._limits.lease)
            ledger.expire()
            self._renewed = self._clock()
        for lane in resting:
            ledger.pause(lane.judge, lane.resting)
            lane.asked_to_rest = False
        ledger.release(runner, unsent)
        leased = {judge: ledger.lease(runner, judge, count, self._budget) for judge, count in wants.items()}
        await asyncio.get_running_loop().run_in_executor(self._disk, ledger.end)
        return leased

    def _count(self, results: list[Settled]) -> None:
        done = sum(result.state in (DONE, GIVEN_UP) for result in results)
        self._finished += done
        self._left -= done
        self._given_up += sum(result.state == GIVEN_UP for result in results)

    # ---- the end

    def _why_end(self) -> Ended | None:
        """Why to end, if nothing is under way here and nothing will be."""
        alive = [lane for lane in self._lanes if not lane.dead]
        due = {lane: when for lane in alive if (when := self._ledger.due(lane.judge)) is not None}
        elsewhere = any(self._ledger.under_way(lane.judge) for lane in alive)
        if not due and not elsewhere:
            return Ended.JUDGES if self._ledger.unfinished() else Ended.COMPLETE
        if elsewhere:
            return None
        if not any(self._ledger.affords(lane.judge, self._budget) for lane in due):
            return Ended.BUDGET
        soonest = min(max(when, lane.resting) for lane, when in due.items())
        return Ended.WAITING if soonest - self._clock() > self._limits.patience else None

    async def _wind_down(self) -> None:
        """Wait for what is in flight, record it, and give the rest back."""
        grace = 0.0 if self._aborted else self._limits.grace
        until = time.monotonic() + grace
        while self._tasks and not self._aborted and (left := until - time.monotonic()) > 0:
            await asyncio.wait(self._tasks, timeout=min(left, self._limits.lease / 4, 0.2))
            with contextlib.suppress(InvalidInput):  # what cannot be recorded now is tried again below
                await self._tick()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._close()

    async def _close(self) -> None:
        ledger, runner = self._ledger, self._runner
        self._unsent += [cell for lane in self._lanes for cell in lane.queue]
        await self._begun()
        try:
            self._late += ledger.commit(runner, self._results)
            ledger.release(runner, self._unsent)
            ledger.lose(runner, [cell for lane in self._lanes for cell in lane.flying.values()])
            ledger.renew(runner, 0.0)
            ledger.end()
        except BaseException:
            ledger.undo()
            self._resign()
            raise
        self._count(self._results)

    def _resign(self) -> None:
        """Where answers cannot be recorded, say that nobody waits for them: the next run counts them as lost."""
        for step in (
            lambda: self._ledger.release(self._runner, self._unsent),
            lambda: self._ledger.renew(self._runner, 0.0),
        ):
            with contextlib.suppress(InvalidInput):
                step()

    # ---- what is said

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
                sum(len(lane.flying) for lane in self._lanes),
                rate,
                max(0, self._left) / rate if rate else None,
                self._ledger.spend(),
            )
        )

    def _outcome(self, ended: Ended) -> Outcome:
        return Outcome(
            ended,
            self._finished,
            self._given_up,
            sum(self._ledger.unfinished().values()),
            {lane.judge: lane.calls for lane in self._lanes},
            {lane.judge: lane.dead for lane in self._lanes if lane.dead},
            self._late,
            self._clock() - self._began,
            self._ledger.spend(),
        )
