"""Page of the owner on the people of a study: how far each is, and whether the study is open to them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quorate.study.people import People
from quorate.web.person import fields, stranger
from quorate.web.site import Site, Visitor, from_own_form
from quorate.wording import duration

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

        def changed(people: People, visitor: Visitor) -> bool:
            if not from_own_form(visitor, form.get("form", "")):
                return False
            for field, closed in (("close", True), ("open", False)):
                if field in form:
                    people.set_closed(people.settings if form[field] == "" else [form[field]], closed=closed)
            return True

        found = await site.serve(request, changed, owner=True)
        if found is None:
            return stranger(site)
        if not found[1]:
            return site.message("That did not work", "Load the page again, and try it there.", status=403)
        return RedirectResponse(PATH, 303)

    return [Route(PATH, show), Route(PATH, change, methods=["POST"])]
