"""Page of the owner: how far the study is, what it says so far, and what may be done with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Literal, TypeVar, cast

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from quorate.collect.ledger import lease
from quorate.collect.ledger.lease import START, process_here, under_way
from quorate.collect.ledger.ledger import Ledger
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.study.file import Study
from quorate.study.goal import PythonSettings
from quorate.study.loop import carry_out
from quorate.study.status import Status, counted_in
from quorate.web.site import Refused, Site, Visitor, check_form, fields
from quorate.wording import listed

# Watch: a study as its owner sees it: sums at once, and the estimate as often as it costs little.


T = TypeVar("T")
FRESH = 1.0
"""Seconds for which sums are shown again."""

REST = 5.0
SHARE = 0.1
"""After an estimate some seconds of rest, and more where it would take more than this share of a processor."""

_LINE = 64 * 1024 * 1024  # charts and tables of an estimate in one line


class Watch:
    """What is known of a study, on a connection of its own and in a process of its own.

    Parameters
    ----------
    study : Study
        Whose ledger is there.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="quorate-watch")
        self._ledger: Ledger | None = None
        self._status: tuple[float, Status] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._one = asyncio.Lock()
        self._making: asyncio.Task[None] | None = None
        self._due = 0.0
        self.estimate: Mapping[str, Any] = {"sentence": "", "finished": 0, "looks": 0, "seconds": 0.0, "charts": {}}
        self.problem = ""

    async def status(self) -> Status:
        """How far the study is, or was a second ago, from sums; a new estimate is made if one is due."""
        if self._status is None or time.monotonic() - self._status[0] > FRESH:
            self._status = time.monotonic(), await self.read(lambda ledger: counted_in(ledger, self._study))
        status = self._status[1]
        making = self._making is not None and not self._making.done()
        known = self.estimate["finished"], self.estimate["looks"]
        if not making and time.monotonic() >= self._due and (status.finished, len(status.looks)) != known:
            self._making = asyncio.create_task(self._estimate())
        return status

    def forget(self) -> None:
        """Ask for sums again the next time: something was done."""
        self._status = None

    async def read(self, step: Callable[[Ledger], T]) -> T:
        """What a step gives that reads the ledger, which no answer waits for."""

        def opened() -> T:
            if self._ledger is None:
                self._ledger = Ledger.open(self._study.database)
            return step(self._ledger)

        return await asyncio.get_running_loop().run_in_executor(self._thread, opened)

    async def _estimate(self) -> None:
        try:
            self.estimate, self.problem = await self.order("estimate"), ""
        except InvalidInput as error:
            self.problem = str(error)
        self._due = time.monotonic() + max(REST, self.estimate["seconds"] / SHARE)

    async def order(self, do: str, **more: str) -> dict[str, Any]:
        """What the estimator gives; one order after the other.

        Raises
        ------
        InvalidInput
            If it could not, in its words.
        """
        async with self._one:
            process = await self._started()
            orders, answers = process
            line = b""
            with contextlib.suppress(OSError):  # it has ended meanwhile
                orders.write(json.dumps({"do": do, **more}).encode() + b"\n")
                await orders.drain()
                line = await answers.readline()
        if not line:
            raise InvalidInput("estimate: its process has ended; what it wrote last is where the server writes")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise InvalidInput(found["error"])
        return found

    async def _started(self) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
        process = self._process
        if process is None or process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            command = (sys.executable, "-m", "quorate.web.estimator", str(self._study.path))
            process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=_LINE)
            self._process = process
        return cast("asyncio.StreamWriter", process.stdin), cast("asyncio.StreamReader", process.stdout)

    async def close(self) -> None:
        """End the process and let go of the ledger."""
        if self._making is not None:
            self._making.cancel()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        if self._ledger is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._ledger.close)
            self._ledger = None
        self._thread.shutdown()


# Machine: a run of the study on this machine, begun and ended from its page.
#
# A run is a process of its own. It goes on when the server ends, and a server that is started again finds it by the
# ledger, in which every run that asks judges is named.


_ENDED = (0, 2, 130)  # all is answered; some is left; ended at once

Read = Callable[[Callable[[Ledger], Any]], Awaitable[Any]]

STARTING = 60.0
"""Seconds that a process may take to begin, and ten times as many that a run may take to read and plan."""

State = Literal["none", "starting", "running", "pausing", "elsewhere", "ended", "failed"]
_LAST, _LINES = 2000, 5  # bytes and lines of what it wrote last


@dataclass(frozen=True)
class Run:
    """How a run is.

    Parameters
    ----------
    state : str
        ``none``: none is under way; ``starting``; ``running`` and ``pausing`` here; ``elsewhere``, on another machine;
        ``ended`` or ``failed``: the one that was begun here is over.
    words : str
        What it wrote last, once it is over.
    """

    state: State
    words: str = ""

    @property
    def going(self) -> bool:
        """Whether one is under way."""
        return self.state in ("starting", "running", "pausing", "elsewhere")


class Machine:
    """Begins and ends runs of a study.

    Parameters
    ----------
    study : Study
        What is run.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._process: asyncio.subprocess.Process | None = None
        self._written: IO[bytes] | None = None
        self._told = False
        self._number: int | None = None

    @property
    def refusal(self) -> str:
        """Why no run can be begun from a page; empty if one can."""
        models = {name: one for name, one in self._study.judges.items() if name not in self._study.people}
        if not models and not self._study.grows:
            return "All judges of this study are people: they answer by their links, and nothing has to run."
        functions = [name for name, one in models.items() if isinstance(one, PythonSettings)]
        if functions:
            what = "is a function" if len(functions) == 1 else "are functions"
            return f"{listed(functions)} {what} of Python: run the study with quorate.run."
        return ""

    def look(self, ledger: Ledger) -> Run:
        """How the run is, by its process and by the ledger."""
        every = under_way(ledger.store.connection, ledger.clock())
        names = [name for name in every if not name.startswith(START)]
        here = any(process_here(name) is not None for name in names)
        code = None if self._process is None else self._process.returncode
        if self._process is not None and code is None:
            return Run("pausing" if self._told else "running" if here else "starting")
        if here:
            return Run("pausing" if self._told else "running")
        if names:
            return Run("elsewhere")
        if code is None and every:  # begun by another server
            return Run("starting")
        if code is not None:
            return Run("ended" if code in _ENDED else "failed", self._words())
        return Run("none")

    async def start(self, read: Read) -> None:
        """Begin a run, ``quorate run STUDY --yes`` in a process of its own, unless one is under way or being begun.

        Parameters
        ----------
        read : callable
            Gives what a step with the ledger gives.

        Raises
        ------
        InvalidInput
            If it cannot be begun from a page.
        """
        if self.refusal:
            raise InvalidInput(f"run: {self.refusal}")
        number = await read(self._claimed)
        if number is None:
            return
        await self.close()
        self._process, self._number = None, number
        self._written = tempfile.TemporaryFile()  # noqa: SIM115  (read when it has ended)
        self._told = False
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "quorate", "run", str(self._study.path), "--yes"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._written,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C to the server is none to it
        )
        name = lease.here(self._process.pid)
        await read(lambda ledger: ledger.insist(lambda: self._named(ledger, number, name)))

    def _claimed(self, ledger: Ledger) -> int | None:
        """The record by which this server, and no other, begins a run."""
        over = None if self._process is None or self._process.returncode is None else self._number
        now, here = ledger.clock(), lease.here()
        return ledger.whole(lambda: lease.claim(ledger.store.connection, here, now, now + STARTING, over=over))

    def _named(self, ledger: Ledger, number: int, name: str) -> None:
        lease.begun(ledger.store.connection, number, name, ledger.clock() + 10 * STARTING)

    async def close(self) -> None:
        """Let go of what the run wrote; the run goes on."""
        if self._written is not None:
            self._written.close()
            self._written = None

    def end(self, ledger: Ledger, *, at_once: bool = False) -> None:
        """Tell the runs of this machine to end: what is in flight is waited for, unless it is to be at once."""
        names = set(under_way(ledger.store.connection, ledger.clock())) - {f"{START}{lease.here()}"}
        found = {process_here(name.removeprefix(START)) for name in names} - {None}
        if self._process is not None and self._process.returncode is None:
            found.add(self._process.pid)
        for pid in found:
            for number in (signal.SIGINT, signal.SIGTERM) if at_once else (signal.SIGINT,):  # alike they may be one
                with suppress(ProcessLookupError):  # the first of them may have ended it
                    os.kill(pid, number)  # type: ignore[arg-type]  # None is taken away
        self._told = True

    def _words(self) -> str:
        """The end of what the run wrote."""
        if self._written is None:
            return ""
        size = self._written.seek(0, os.SEEK_END)
        self._written.seek(max(0, size - _LAST))
        lines = self._written.read().decode("utf-8", "replace").strip().splitlines()
        return "\n".join(lines[-_LINES:])


PAUSE = 2.0
"""Seconds between two looks of a page that is open."""

MOST_OPEN = 20
"""Pages of its owner that are told of changes at the same time."""

QUIET = 15.0
"""Seconds after which a page that has nothing new is told so, so that nobody on the way ends the connection."""

_SANDBOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"
"""A report has scripts of its own, which it names: it is shown as if it came from elsewhere, and reaches no cookie."""

_OF_CHARTS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


def _natural(name: str) -> list[tuple[int, str]]:
    """What names are sorted by, numbers in them as numbers."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]+)", name)]


class _Stream(StreamingResponse):
    """Events, and what is to be done when they end, though they may never have begun."""

    def __init__(self, events: AsyncIterator[str], closed: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._closed()


class Live:
    """What the page of the owner is made of.

    Parameters
    ----------
    site : Site
        The pages of the study.
    """

    def __init__(self, site: Site) -> None:
        self.site, self.watch, self.machine = site, Watch(site.study), Machine(site.study)
        self.title = site.study.path.stem
        self._people = site.study.people
        self._open = 0

    async def parts(self, visitor: Visitor) -> dict[str, str]:
        """The parts of the page that change, by the names under which they stand there."""
        status = await self.watch.status()
        run = await self.watch.read(self.machine.look)
        values: Mapping[str, Any] = {
            "status": status,
            "judges": sorted(status.judges, key=lambda one: (one.judge in self._people, _natural(one.judge))),
            "people": self._people,
            "run": run,
            "refusal": self.machine.refusal,
            "left": self._is_left(status),
            "form": visitor.form,
            "estimate": self.watch.estimate,
            "problem": self.watch.problem,
        }
        return {name: self.site.part(f"_live_{name}.html", values) for name in ("far", "run", "estimate")}

    def _is_left(self, status: Status) -> bool:
        """Whether a run has something to do: to ask models, or to look at what there is and buy more."""
        if status.complete:
            return False
        if any(one.planned + one.leased for one in status.judges if one.judge not in self._people):
            return True
        over = not self.site.study.grows or (status.looks and status.looks[-1].ending is not None)
        return not over and status.finished == status.cells

    async def changes(self, visitor: Visitor, pause: float = PAUSE) -> AsyncIterator[str]:
        """Parts as they change, as server-sent events."""
        shown: dict[str, str] = {}
        silent = 0.0
        while True:
            new = {name: part for name, part in (await self.parts(visitor)).items() if shown.get(name) != part}
            shown |= new
            for name, part in new.items():
                yield f"event: {name}\ndata: {json.dumps(part)}\n\n"
            silent = 0.0 if new else silent + pause
            if silent >= QUIET:
                silent = 0.0
                yield ": nothing new\n\n"
            await asyncio.sleep(pause)

    async def file(self, do: str, name: str) -> FileResponse:
        """A file that the estimator writes, and that is gone once it is sent."""
        folder = tempfile.TemporaryDirectory(prefix="quorate-")
        path = Path(folder.name) / name
        try:
            await self.watch.order(do, path=str(path))
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(path, background=BackgroundTask(folder.cleanup))

    # ---- what is asked for by its owner

    async def show(self, _: Request, owner: Visitor) -> Response:
        """The page."""
        return self.site.page("live.html", {"title": self.title, "parts": await self.parts(owner)})

    async def events(self, request: Request, owner: Visitor) -> Response:
        """Its parts as they change, for as long as the link holds."""
        if self._open >= MOST_OPEN:
            text = "Close some of them, and load this one again."
            return self.site.message("Too many pages of this study are open", text, status=429)
        self._open += 1  # before anything is waited for, in which others would be let in
        return _Stream(self.stream(request, owner), self._closed)

    def _closed(self) -> None:
        self._open -= 1

    async def stream(self, request: Request, owner: Visitor) -> AsyncIterator[str]:
        """What is sent of `changes`, until the page is closed or its link has ended."""
        with contextlib.suppress(Refused):
            async for change in self.changes(owner):
                await self.site.owner(request)
                yield change

    async def chart(self, request: Request, _: Visitor) -> Response:
        """A chart of the latest estimate."""
        drawn = self.watch.estimate["charts"].get(request.path_params["name"], {})
        svg = drawn.get("narrow" if "narrow" in request.query_params else "wide")
        if svg is None:
            return self.site.message("There is no such chart", "Load the page of the study again.", status=404)
        return Response(svg, media_type="image/svg+xml", headers=_OF_CHARTS)

    async def judgments(self, request: Request, _: Visitor) -> Response:
        """Every finished cell, to be kept."""
        kind = request.path_params["kind"]
        if kind not in _TYPES:
            return self.site.message("There is nothing here", "Judgments are there as CSV and Parquet.", status=404)
        response = await self.file("judgments", f"judgments.{kind}")
        response.headers["Content-Type"] = _TYPES[kind]
        response.headers["Content-Disposition"] = f'attachment; filename="judgments.{kind}"'
        return response

    async def report(self, _: Request, __: Visitor) -> Response:
        """The report of what there is."""
        response = await self.file("report", "report.html")
        response.headers["Content-Security-Policy"] = _SANDBOX
        return response

    async def start(self, _: Request, owner: Visitor) -> Response:
        """What a run may come to, before it is begun."""
        if self.machine.refusal:
            raise InvalidInput(self.machine.refusal)
        quote = (await asyncio.to_thread(carry_out, self.site.study, yes=False)).quote
        models = replace(quote, judges=tuple(one for one in quote.judges if one.judge not in self._people))
        return self.site.page("start.html", {"title": self.title, "quote": models, "form": owner.form})

    async def act(self, request: Request, owner: Visitor) -> Response:
        """A button of the page."""
        form = await fields(request)
        do = form.get("do", "")
        check_form(owner, form)
        if do == "start":
            await self.machine.start(self.watch.read)
        elif do in ("pause", "stop"):
            await self.watch.read(lambda ledger: self.machine.end(ledger, at_once=do == "stop"))
        self.watch.forget()
        return RedirectResponse("/study", 303)

    def owned(
        self, page: Callable[[Request, Visitor], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """A page that the owner alone gets."""

        async def answer(request: Request) -> Response:
            return await page(request, await self.site.owner(request))

        return answer


def routes(site: Site) -> list[BaseRoute]:
    """The routes of the page."""
    live = Live(site)
    site.closing += [live.watch.close, live.machine.close]
    return [
        Route("/study", live.owned(live.show)),
        Route("/study/events", live.owned(live.events)),
        Route("/study/chart/{name}.svg", live.owned(live.chart)),
        Route("/study/judgments.{kind}", live.owned(live.judgments)),
        Route("/study/report", live.owned(live.report)),
        Route("/study/start", live.owned(live.start)),
        Route("/study/act", live.owned(live.act), methods=["POST"]),
    ]
