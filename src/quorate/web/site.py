"""Site: what the pages of a study share."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import OWNER
from quorate.study.file import Study
from quorate.study.people import People
from quorate.study.questions import Questions

T = TypeVar("T")
HERE = Path(__file__).parent
MONTH = 30 * 86_400


@dataclass(frozen=True)
class Visitor:
    """Whose link a request goes by.

    Parameters
    ----------
    name : str
        Name of the judge, empty for the owner.
    form : str
        What forms of this visitor's pages carry, and nobody else knows.
    """

    name: str
    form: str


class Refused(Exception):
    """A page that says why a request is not let in, and may lead back to the question."""

    def __init__(self, title: str, text: str, *, back: bool = False) -> None:
        self.title, self.text, self.back = title, text, back
        super().__init__(title)


class Site:
    """The pages of one study.

    Parameters
    ----------
    asked : Questions
        Of the study, whose cells are planned in its ledger.
    """

    def __init__(self, asked: Questions) -> None:
        self.asked, self.desk = asked, Desk(asked)
        self._known: dict[str, str] = {}
        self.closing: list[Callable[[], Awaitable[None]]] = []
        self._name = self.desk.done(lambda people: people.ledger.name)[:12]
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.filters["visible"] = visible

    @property
    def study(self) -> Study:
        """The study."""
        return self.asked.study

    def page(self, template: str, values: Mapping[str, Any], *, status: int = 200) -> HTMLResponse:
        """A page made of a template in which every value is text."""
        return HTMLResponse(self.part(template, values), status)

    def part(self, template: str, values: Mapping[str, Any]) -> str:
        """A part of a page, made as a page is."""
        return self._templates.get_template(template).render(values)

    def message(self, title: str, text: str, *, status: int = 200, back: bool = False) -> HTMLResponse:
        """A page that says one thing, and may lead back to the question."""
        return self.page("message.html", {"title": title, "text": text, "back": back}, status=status)

    async def visitor(self, request: Request, *, owner: bool = False) -> Visitor:
        """Who asks for a page of people, or of the owner."""
        return await self.serve(request, lambda _, visitor: visitor, owner=owner)

    async def serve(self, request: Request, step: Callable[[People, Visitor], T], *, owner: bool = False) -> T:
        """What a step gives for them, in one turn of the desk.

        Raises
        ------
        Refused
            If the request has no cookie of theirs.
        """
        word = request.cookies.get(self._cookie(owner), "")

        def known(people: People) -> tuple[str, T]:
            name = people.whose(word)
            if name is None or (name == OWNER) != owner:
                raise Refused("Open your link first", "This page is for those who were sent a link to it.")
            return name, step(people, Visitor(name, form_word(word)))

        self._known[word], found = await self.desk.do(known)
        return found

    def who(self, request: Request) -> str:
        """Whose rate a request counts against: that of a link that has worked, or else of the address it comes from.

        Everybody behind one address shares its rate until they have a cookie; one that is made up is none.
        """
        words = (request.cookies.get(self._cookie(owner), "") for owner in (False, True))
        known = next((self._known[word] for word in words if word in self._known), None)
        return f"judge {known}" if known is not None else request.client.host if request.client else ""

    def admit(self, response: Response, request: Request, word: str, *, owner: bool) -> None:
        """Let the browser that gets a response keep a link's word, out of reach of scripts and of other sites."""
        secure = request.url.scheme == "https"
        response.set_cookie(
            self._cookie(owner), word, max_age=MONTH, httponly=True, samesite="strict", secure=secure, path="/"
        )

    def _cookie(self, owner: bool) -> str:
        return f"quorate-{self._name}{'-owner' if owner else ''}"  # ports of one machine share cookies


def form_word(word: str) -> str:
    """What forms carry against requests from other sites: it follows from the cookie, and the cookie not from it."""
    return hashlib.sha256(f"form/{word}".encode("utf-8", "replace")).hexdigest()[:32]


def check_form(visitor: Visitor, form: Mapping[str, str], *, back: bool = False) -> None:
    """Refuse a form that is not one of this visitor's own pages."""
    if not hmac.compare_digest(visitor.form.encode(), form.get("form", "").encode("utf-8", "replace")):
        raise Refused("That did not work", "Load the page again, and try it there.", back=back)


_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_OVERRIDES = dict.fromkeys((0x202D, 0x202E), 0xFFFD)
"""By which text is shown in another order than that in which it is written."""


def visible(text: str) -> str:
    """A text with a sign in the place of each character that steers a terminal, or turns the order of others round."""
    return text.replace("\r\n", "\n").translate(_CONTROLS | _OVERRIDES)


Step = Callable[[People], Any]
_MOST = 64
"""Steps of one transaction."""


class Desk:
    """A thread with a ledger.

    Parameters
    ----------
    asked : Questions
        Of a study whose cells are planned.
    """

    def __init__(self, asked: Questions) -> None:
        self._queue: SimpleQueue[tuple[Step, Future[Any]] | None] = SimpleQueue()
        opened: Future[None] = Future()
        self._thread = Thread(target=self._work, args=(asked, opened), name="quorate-desk", daemon=True)
        self._thread.start()
        opened.result()

    async def do(self, step: Callable[[People], T]) -> T:
        """What a step gives; it may be carried out twice if the first time was undone, and is durable then."""
        return await asyncio.wrap_future(self._given(step))

    def done(self, step: Callable[[People], T]) -> T:
        """The same where no loop runs."""
        return self._given(step).result()

    def _given(self, step: Callable[[People], T]) -> Future[T]:
        future: Future[T] = Future()
        self._queue.put((step, future))
        return future

    def close(self) -> None:
        """Do what has come in, and let go of the ledger."""
        self._queue.put(None)
        self._thread.join()

    def _work(self, asked: Questions, opened: Future[None]) -> None:
        try:
            ledger = Ledger.open(asked.study.database)
        except BaseException as error:  # noqa: BLE001  (raised by whoever makes the desk)
            opened.set_exception(error)
            return
        with ledger:
            people = People(ledger, asked)
            opened.set_result(None)
            while (first := self._queue.get()) is not None:
                ended = self._together(people, [first, *(batch := self._waiting())])
                if ended or None in batch:
                    return

    def _waiting(self) -> list[Any]:
        found: list[Any] = []
        while len(found) < _MOST - 1:
            try:
                found.append(self._queue.get_nowait())
            except Empty:
                break
        return found

    def _together(self, people: People, batch: list[Any]) -> bool:
        """Carry steps out in one transaction, or one by one where one of them fails; whether the end is among them."""
        steps = [given for given in batch if given is not None]
        try:
            results = people.ledger.whole(lambda: [step(people) for step, _ in steps])
        except Exception:  # noqa: BLE001  (said to the one whose step it is)
            for step, future in steps:
                _alone(people, step, future)
        else:
            for (_, future), result in zip(steps, results, strict=True):
                future.set_result(result)
        return len(steps) < len(batch)


def _alone(people: People, step: Step, future: Future[Any]) -> None:
    try:
        future.set_result(people.ledger.insist(lambda: step(people)))
    except Exception as error:  # noqa: BLE001  (raised where the step came from)
        future.set_exception(error)
