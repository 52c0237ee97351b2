"""Page of the owner: how far the study is, what it says so far, and what may be done with it."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from quorate.errors import InvalidInput
from quorate.study.judges import people
from quorate.study.loop import carry_out
from quorate.study.status import Status
from quorate.web.estimator import WIDTHS
from quorate.web.machine import Machine
from quorate.web.person import fields, stranger
from quorate.web.site import Site, Visitor, from_own_form
from quorate.web.watch import Watch

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
        self._people = people(site.study)
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
        async for change in self.changes(owner):
            if await self.site.visitor(request, owner=True) is None:
                return
            yield change

    async def chart(self, request: Request, _: Visitor) -> Response:
        """A chart of the latest estimate."""
        drawn = self.watch.estimate["charts"].get(request.path_params["name"], {})
        wide, narrow = WIDTHS
        svg = drawn.get(narrow if narrow in request.query_params else wide)
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
        if not from_own_form(owner, form.get("form", "")):
            return self.site.message("That did not work", "Load the page again, and press it there.", status=403)
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
            owner = await self.site.visitor(request, owner=True)
            return stranger(self.site) if owner is None else await page(request, owner)

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
