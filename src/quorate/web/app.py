"""Application: the pages of a study behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from quorate.errors import QuorateError
from quorate.study.questions import Questions
from quorate.web import enter, live, person, raters
from quorate.web.guard import Guard, Rates
from quorate.web.site import HERE, Site

PAGES: tuple[Callable[[Site], list[BaseRoute]], ...] = (enter.routes, person.routes, live.routes, raters.routes)
"""The routes of every page."""


def application(asked: Questions, *, rates: Rates | None = None) -> Starlette:
    """The pages of a study, as an ASGI application.

    Parameters
    ----------
    asked : Questions
        Of a study whose cells are planned in its ledger.
    rates : Rates, optional
        How often each visitor may ask.
    """
    site = Site(asked)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        for close in site.closing:
            await close()
        site.desk.close()

    async def refused(_: Request, error: Exception) -> Response:
        return site.message("That did not work", str(error), status=400, back=True)

    async def absent(_: Request, error: Exception) -> Response:
        status: int = getattr(error, "status_code", 404)
        return site.message("There is nothing here", "Open the link that you were given.", status=status)

    routes = [route for page in PAGES for route in page(site)]
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=HERE / "static"))],
        middleware=[Middleware(Guard, rates=rates or Rates(), who=site.who)],
        exception_handlers={QuorateError: refused, 404: absent, 405: absent},
        lifespan=lifespan,
    )
    app.state.site = site
    return app
