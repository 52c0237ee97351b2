"""Page of the owner on the people of a study: how far each is, and whether the study is open to them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quorate.study.people import People
from quorate.web.person import fields, stranger
from quorate.web.site import Site, Visitor, from_own_form
from quorate.wording import duration, inert

PATH = "/people"


def routes(site: Site) -> list[BaseRoute]:
    """The routes of the page."""

    async def show(request: Request) -> Response:
        found = await site.serve(request, lambda people, _: people.progress(), owner=True)
        if found is None:
            return stranger(site)
        visitor, progress = found
        return site.page("raters.html", {"form": visitor.form, "people": progress, "duration": duration})

    async def change(request: Request) -> Response:
        form = await fields(request)

        found = await site.serve(request, partial(changed, form), owner=True)
        if found is None:
            return stranger(site)
        if not found[1]:
            return site.message("That did not work", "Load the page again, and try it there.", status=403)
        return RedirectResponse(PATH, 303)

    async def comments(request: Request) -> Response:
        found = await site.serve(request, lambda people, _: people.comments(), owner=True)
        if found is None:
            return stranger(site)
        headers = {"Content-Disposition": 'attachment; filename="comments.csv"'}
        return Response(table(found[1]), media_type="text/csv", headers=headers)

    return [Route(PATH, show), Route(PATH, change, methods=["POST"]), Route(f"{PATH}/comments.csv", comments)]


def changed(form: Mapping[str, str], people: People, owner: Visitor) -> bool:
    """Close or open the study as a form says, to one person or, without a name, to all; False if it is not our form."""
    if not from_own_form(owner, form.get("form", "")):
        return False
    for field, closed in (("close", True), ("open", False)):
        if field in form:
            people.set_closed(people.settings if form[field] == "" else [form[field]], closed=closed)
    return True


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as CSV in which no text is a formula: raters write what a spreadsheet opens."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["comment"])
    writer.writeheader()
    writer.writerows({name: inert(value) for name, value in row.items()} for row in rows)
    return out.getvalue()
