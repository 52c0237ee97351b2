"""Guard: what holds for every request, whichever page it is for: headers, the size and pace of bodies, rates."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
