"""Server of a study: its cells planned, links for everybody, and its pages until it is stopped."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from quorate import rules
from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.seats import LINK, OWNER, Links
from quorate.errors import InvalidInput, QuorateError
from quorate.study.file import load
from quorate.study.judges import check
from quorate.study.loop import plan
from quorate.study.people import People
from quorate.study.questions import Questions, questions
from quorate.study.quote import worst
from quorate.web import live
from quorate.web.site import HERE, Refused, Site, entrance, overview, question

SELF = "owner"
"""What the owner of a study is called where names are given and shown."""


@dataclass(frozen=True)
class Opened:
    """A study whose pages can be served.

    Parameters
    ----------
    asked : Questions
        Of the study, whose cells are planned.
    links : mapping of str to str
        New links by the name of the judge, and of the owner under an empty one. They cannot be shown again.
    replaced : bool
        Whether there were others, which do not work any more.
    """

    asked: Questions
    links: Mapping[str, str]
    replaced: bool


def serve(
    study: str | os.PathLike[str],
    *,
    port: int = 8000,
    host: str = "127.0.0.1",
    public: bool = False,
    links: bool | Collection[str] = False,
    on_start: Callable[[Opened], None] | None = None,
) -> None:
    """Serve the pages of a study until Ctrl-C: people who are its judges answer there, and its owner watches.

    Everybody has a link of their own, with 128 random bits, of which the ledger holds a hash; a link is shown when it
    is made and never again. Every answer is in the study's ledger before the page says so, so that the server may be
    stopped, killed and started again at any time, or several of them serve one ledger on Postgres.

    Parameters
    ----------
    study : path
        The study file; ``quorate init --recipe people`` writes one.
    port : int
        Where the pages are.
    host : str
        The address that is listened at: this machine alone, unless ``public``.
    public : bool
        Whether other machines may reach the pages. They are not encrypted: put a reverse proxy with TLS before them.
    links : bool or collection of str
        Who gets a new link, so that the old one ends: everybody, or judges by name and ``owner``. Who has none gets one
        in any case.
    on_start : callable, optional
        Called with the new links before the server starts; they are written to standard error unless it is given.

    Raises
    ------
    InvalidInput
        If ``quorate[web]`` is not installed, another machine could reach a study that is not public, the file breaks a
        rule, or the ledger was planned for another study.
    """
    ready(host, port, public=public)
    opened = prepare(study, host=host, port=port, links=links)
    (on_start or _say)(opened)

    listen(application(opened.asked), host, port)


def ready(host: str, port: int, *, public: bool) -> None:
    """Refuse a place where pages cannot be, or should not without a word."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise InvalidInput('serve: pages need a web server; run pip install "quorate[web]"')
    rules.whole("port", port, 1, 65535)
    if not public and not is_loopback(host):
        raise InvalidInput(
            f"host: other machines can reach {host}, and what they send is not encrypted; put a reverse proxy with TLS "
            "before 127.0.0.1, or say that it is meant with --public"
        )


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def prepare(study: str | os.PathLike[str], *, host: str, port: int, links: bool | Collection[str]) -> Opened:
    """A study with its cells planned, everybody's questions in an order of their own, and links for who has none."""
    loaded = load(study)
    check(loaded)
    asked = questions(loaded)
    worst(asked)  # which refuses what cannot be asked before a ledger is made
    with Ledger.open(loaded.database) as ledger:
        plan(ledger, asked)
        People(ledger, asked).arrange()
        known = Links(ledger)
        held, names = known.held(), [OWNER, *loaded.people]
        new = frozenset(names if links is True else _named(links or (), names))
        wanted = [name for name in names if name in new or name not in held]
        words = known.make(wanted)
    shown = f"[{host}]" if ":" in host else host
    made = {name: f"http://{shown}:{port}{LINK}{word}" for name, word in words.items()}
    return Opened(asked, made, bool(held.intersection(wanted)))


def _named(given: Collection[str], names: Collection[str]) -> list[str]:
    """Names of the links that are meant."""
    found = [OWNER if name == SELF and name not in names else name for name in given]
    for name in found:
        if name not in names:
            shown = ", ".join(known or SELF for known in names)
            raise InvalidInput(f'links: nobody is called "{name}"; there are {shown}')
    return found


def listen(app: Starlette, host: str, port: int) -> None:
    """Serve an application until it is told to stop; addresses, which may hold the word of a link, are not logged.

    Raises
    ------
    InvalidInput
        If nothing can listen there, as where another program does.
    """
    import uvicorn

    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Connection,
        access_log=False,
        log_level="warning",
        server_header=False,
        limit_concurrency=1000,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=MOST_HEAD,
        ws="none",
        lifespan="on",
    )
    try:
        place = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidInput(f"port: {port} of {host} is not free ({error.strerror}); choose another one") from None
    uvicorn.Server(settings).run(sockets=[place])


def _say(opened: Opened) -> None:
    for name, link in opened.links.items():
        sys.stderr.write(f"quorate: {name or SELF}: {link}\n")


# Guard: what holds for every request, whichever page it is for: headers, the size and pace of bodies, rates.


MOST_HEADERS = 100
"""Headers of a request."""

MOST_HEAD = 16 * 1024
"""Bytes of its address and headers."""

MOST_BODY = 64 * 1024
"""Bytes of a form."""

SLOWEST_BODY = 20.0
"""Seconds in which it must have come."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Of every response that does not say otherwise itself."""

_MOST_KNOWN = 10_000


@dataclass
class Rates:
    """How often one visitor may ask: so many requests a second, and so many at once after a rest.

    Parameters
    ----------
    rate : float
        Requests per second.
    burst : float
        Requests at once.
    """

    rate: float = 50.0
    burst: float = 200.0
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def allow(self, name: str, now: float) -> bool:
        """Whether a visitor may ask now; the longest silent are forgotten when there are too many."""
        left, since = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + (now - since) * self.rate)
        self._left[name] = (max(left - 1.0, 0.0), now)
        if len(self._left) > _MOST_KNOWN:
            self._left.popitem(last=False)
        return left >= 1.0


class Guard:
    """The application behind what holds for all of it.

    Parameters
    ----------
    app : ASGI application
        The pages.
    rates : Rates
        How often each visitor may ask.
    who : callable
        The visitor that a request comes from, as far as that is known without a question to the ledger.
    """

    def __init__(self, app: ASGIApp, rates: Rates, who: Callable[[Request], str]) -> None:
        self._app, self._rates, self._who = app, rates, who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        refused = self._refusal(request)
        if refused is not None:
            return await refused(scope, receive, guarded)
        if request.method in {"GET", "HEAD"}:
            return await self._app(scope, receive, guarded)
        body = await _body(receive)
        if isinstance(body, PlainTextResponse):
            return await body(scope, receive, guarded)
        return await self._app(scope, _again(body, receive), guarded)

    def _refusal(self, request: Request) -> PlainTextResponse | None:
        """What is said to a request that is not let in; None to one that is."""
        if not self._rates.allow(self._who(request), time.monotonic()):
            return _refused("Too many requests; wait a few seconds.", 429, {"Retry-After": "2"})
        head = sum(len(name) + len(value) for name, value in request.headers.raw)
        if len(request.headers.raw) > MOST_HEADERS or head + len(str(request.url)) > MOST_HEAD:
            return _refused("These are too many headers.", 431)
        named = request.headers.keys()
        if "content-length" in named and "transfer-encoding" in named:  # where it ends is read in two ways
            return _refused("A request has one length.", 400)
        return None if request.method in {"GET", "HEAD"} else _refused_form(request)


def _refused_form(request: Request) -> PlainTextResponse | None:
    """What is said to a request that would change something and is not let in."""
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return _refused("This form was sent from another site.", 403)
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 9 or int(length) > MOST_BODY:
        return _refused("This is too long.", 413)
    return None


def _refused(text: str, status: int, headers: Mapping[str, str] | None = None) -> PlainTextResponse:
    """A refusal after which nothing more is read, whatever else is sent."""
    return PlainTextResponse(text, status, {"Connection": "close", **(headers or {})})


async def _body(receive: Receive) -> bytes | PlainTextResponse:
    """The body of a request, if it is not too long and not too slow."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return _refused("The connection was closed.", 400)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MOST_BODY:
                    return _refused("This is too long.", 413)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        return _refused("This took too long.", 408)


def _again(body: bytes, receive: Receive) -> Receive:
    """What an application receives of a request whose body is read already."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return messages.pop() if messages else await receive()

    return given


# Connection: one that says what it wants within some seconds, or is closed.


SLOWEST_HEAD = 10.0
"""Seconds in which the lines and headers of a request must have come; the guard times the body."""


class Connection(H11Protocol):
    """A connection that is not kept for a request that comes byte by byte, so that such ones do not fill a server."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._awaited: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._awaited = self.loop.call_later(SLOWEST_HEAD, transport.close)

    def data_received(self, data: bytes) -> None:
        """Wait no more once there is a request to be answered, and again for the next one when its first byte comes."""
        super().data_received(data)
        answering: RequestResponseCycle | None = self.cycle  # None before the first one
        if answering is not None and not answering.response_complete:
            self._wait_no_more()
        elif self._awaited is None:
            self._awaited = self.loop.call_later(SLOWEST_HEAD, self.transport.close)

    def _should_upgrade(self) -> bool:
        """No: who asks for a WebSocket gets a page, and no log fills with what to install for it."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait_no_more(self) -> None:
        if self._awaited is not None:
            self._awaited.cancel()
            self._awaited = None


# Application: the pages of a study behind the guard.


PAGES: tuple[Callable[[Site], list[BaseRoute]], ...] = (entrance, question, live.routes, overview)
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

    async def not_let_in(_: Request, error: Any) -> Response:
        return site.message(error.title, error.text, status=403, back=error.back)

    async def absent(_: Request, error: Exception) -> Response:
        status: int = getattr(error, "status_code", 404)
        return site.message("There is nothing here", "Open the link that you were given.", status=status)

    routes = [route for page in PAGES for route in page(site)]
    app = Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=HERE / "static"))],
        middleware=[Middleware(Guard, rates=rates or Rates(), who=site.who)],
        exception_handlers={QuorateError: refused, Refused: not_let_in, 404: absent, 405: absent},
        lifespan=lifespan,
    )
    app.state.site = site
    return app
