"""Entrance: a link is opened once in each browser, which keeps its word as a cookie; the address forgets it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from quorate.collect.ledger.seats import LINK, OWNER
from quorate.web.site import Site


def routes(site: Site) -> list[BaseRoute]:
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
