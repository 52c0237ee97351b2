"""Pages about people: where a link lets them in, their questions, and how far they are for the owner.

A link is opened once in each browser, which keeps its word as a cookie; the address forgets it. A person has one
question at a time, answered by a button or a key and saved at once.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quorate.collect.judge import Expects
from quorate.collect.ledger.seats import LINK, OWNER
from quorate.errors import InvalidInput
from quorate.study.people import MOST_COMMENT, People, Standing
from quorate.web.site import Refused, Site, Visitor, check_form
from quorate.wording import duration, inert


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
            await site.visitor(request, owner=True)
            return RedirectResponse("/study", 303)

    async def answer(request: Request) -> Response:
        form = await fields(request)
        word = None if "skip" in form else form.get("answer", "")
        shown = int(form["shown"]) if form.get("shown", "").isdecimal() and len(form["shown"]) < 10 else -1
        key, comment = form.get("task", ""), form.get("comment", "")
        by_script = request.headers.get("sec-fetch-dest") == "empty"  # which shows what it gets, wherever it is from

        def taken(people: People, visitor: Visitor) -> tuple[Visitor, Standing | None]:
            check_form(visitor, form, back=True)
            if "undo" in form:
                people.undo(visitor.name, key)
            else:
                people.answer(visitor.name, key, shown, word, comment)
            return visitor, people.standing(visitor.name) if by_script else None

        visitor, standing = await site.serve(request, taken)
        return RedirectResponse("/", 303) if standing is None else page(site, visitor, standing)

    return [Route("/", show), Route("/answer", answer, methods=["POST"])]


def page(site: Site, visitor: Visitor, standing: Standing) -> Response:
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
