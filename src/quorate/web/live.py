"""Page of the owner: how far the study is."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from quorate.web.person import stranger
from quorate.web.site import Site


def routes(site: Site) -> list[BaseRoute]:
    """The route of the page."""

    async def show(request: Request) -> Response:
        if await site.visitor(request, owner=True) is None:
            return stranger(site)
        judges = await site.desk.do(lambda people: people.ledger.status())
        return site.page("live.html", {"title": site.study.path.stem, "judges": judges})

    return [Route("/study", show)]
