"""Site: what the pages of a study share."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import hmac
import io
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quorate.collect.judge import Expects
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import LINK, OWNER
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.reporting.print.html import HEAD
from quorate.study.file import Study
from quorate.study.people import MOST_COMMENT, People, PersonStanding
from quorate.study.questions import Questions
from quorate.wording import duration, inert

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
        self._templates.globals["head"] = HEAD

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

    async def owner(self, request: Request) -> Visitor:
        """The owner, who asks for a page."""
        return await self.serve(request, lambda _, visitor: visitor, owner=True)

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
            return name, step(people, Visitor(name, _form_word(word)))

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


def _form_word(word: str) -> str:
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


# Pages about people: where a link lets them in, their questions, and how far they are for the owner.
#
# A link is opened once in each browser, which keeps its word as a cookie; the address forgets it. A person has one
# question at a time, answered by a button or a key and saved at once.


def entrance(site: Site) -> list[BaseRoute]:
    """The route of the entrance."""

    async def enter(request: Request) -> Response:
        word = request.path_params["word"]
        name = await site.desk.do(lambda people: people.whose(word))
        if name is None:
            text = "Ask whoever sent it for a new one."
            return site.message("This link does not work, or no longer", text, status=404)
        # A page that goes on by itself, for a browser that comes from another site does not show a strict cookie to
        # what it is redirected to.
        response = site.page("enter.html", {"to": "/study" if name == OWNER else "/"})
        response.headers["Referrer-Policy"] = "no-referrer"
        site.admit(response, request, word, owner=name == OWNER)
        return response

    return [Route(f"{LINK}{{word:str}}", enter)]


_TIES = frozenset({"tie", "equal", "same", "draw"})
_MOST_POINTS = 21
_MOST_FIELDS = 20


@dataclass(frozen=True)
class Choice:
    """An answer that is a button.

    Parameters
    ----------
    word : str
        What is sent.
    shown : str
        What stands on it.
    key : str
        The key that presses it; empty if none does.
    """

    word: str
    shown: str
    key: str


def question(site: Site) -> list[BaseRoute]:
    """The routes of the page."""

    async def show(request: Request) -> Response:
        try:
            return page(site, *await site.serve(request, lambda people, own: (own, people.standing(own.name))))
        except Refused:
            await site.owner(request)
            return RedirectResponse("/study", 303)

    async def answer(request: Request) -> Response:
        form = await fields(request)
        word = None if "skip" in form else form.get("answer", "")
        shown = int(form["shown"]) if form.get("shown", "").isdecimal() and len(form["shown"]) < 10 else -1
        key, comment = form.get("task", ""), form.get("comment", "")
        by_script = request.headers.get("sec-fetch-dest") == "empty"  # which shows what it gets, wherever it is from

        def taken(people: People, visitor: Visitor) -> tuple[Visitor, PersonStanding | None]:
            check_form(visitor, form, back=True)
            if "undo" in form:
                people.undo(visitor.name, key)
            else:
                people.answer(visitor.name, key, shown, word, comment)
            return visitor, people.standing(visitor.name) if by_script else None

        visitor, standing = await site.serve(request, taken)
        return RedirectResponse("/", 303) if standing is None else page(site, visitor, standing)

    return [Route("/", show), Route("/answer", answer, methods=["POST"])]


def page(site: Site, visitor: Visitor, standing: PersonStanding) -> Response:
    """The page of somebody who is so far."""
    task = standing.task
    far = {"done": standing.done, "total": standing.total, "undoable": standing.undoable, "form": visitor.form}
    if task is None:
        return site.page("rest.html", {**far, "closed": standing.closed})
    # What to decide is read once, unless it is not always the same.
    unfold = standing.done == 0 or len(site.study.prompts) > 1
    words = {"task": task, "choices": choices(task.expects), "most": MOST_COMMENT, "unfold": unfold}
    return site.page("task.html", {**far, **words, "expects": task.expects})


def choices(expects: Expects) -> list[Choice]:
    """The answers that are buttons, in the order in which they stand; none where a number is typed."""
    if expects.labels:
        keys = iter("123456789")
        return [
            Choice(word, word[:1].upper() + word[1:], "T" if word.casefold() in _TIES else next(keys, ""))
            for word in expects.labels
        ]
    points = [f"{point:g}" for point in expects.points]
    if len(points) > _MOST_POINTS:
        return []
    keyed = {str(number): str(number) for number in range(10)} | ({} if "0" in points else {"10": "0"})
    return [Choice(point, point, keyed.get(point, "")) for point in points]


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form, each once."""
    text = (await request.body()).decode("utf-8", "replace")
    if text.count("&") >= _MOST_FIELDS:
        raise InvalidInput(f"form: must have at most {_MOST_FIELDS} fields")
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


_PEOPLE = "/people"


def overview(site: Site) -> list[BaseRoute]:
    """The routes of the page."""

    async def show(request: Request) -> Response:
        form, progress = await site.serve(request, lambda people, own: (own.form, people.progress()), owner=True)
        return site.page("raters.html", {"form": form, "people": progress, "duration": duration})

    async def change(request: Request) -> Response:
        form = await fields(request)

        def changed(people: People, owner: Visitor) -> None:
            check_form(owner, form)
            for field, closed in (("close", True), ("open", False)):
                if field in form:
                    people.set_closed(people.settings if form[field] == "" else [form[field]], closed=closed)

        await site.serve(request, changed, owner=True)
        return RedirectResponse(_PEOPLE, 303)

    async def comments(request: Request) -> Response:
        said = await site.serve(request, lambda people, _: people.comments(), owner=True)
        headers = {"Content-Disposition": 'attachment; filename="comments.csv"'}
        return Response(table(said), media_type="text/csv", headers=headers)

    return [Route(_PEOPLE, show), Route(_PEOPLE, change, methods=["POST"]), Route(f"{_PEOPLE}/comments.csv", comments)]


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as CSV in which no text is a formula: raters write what a spreadsheet opens."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["comment"])
    writer.writeheader()
    writer.writerows({name: inert(value) for name, value in row.items()} for row in rows)
    return out.getvalue()
