"""Connection to an endpoint: exchanges bounded in time and size, without redirects, cookies or keys in the log."""

from __future__ import annotations

import asyncio
import base64
import logging
import math
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from quorate.collect.judge import ERROR, REFUSED, Reply
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx2

    from quorate.collect.judges.endpoint import Endpoint


SHOWN = "[key]"


_URL_SAFE = str.maketrans("+/", "-_")


class Secret:
    """A key that does not print.

    Parameters
    ----------
    value : str
        The key.
    """

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        encoded = [base64.b64encode(text.encode()).decode().rstrip("=") for text in (f"Bearer {value}", value)]
        encoded += [text.translate(_URL_SAFE) for text in encoded]
        digits = r"[\s:,-]*".join(rf"(?:0x)?{_cased(f'{code:02x}')}" for code in value.encode())
        spelled = ""  # each character as it is, after backslashes, or by its number as in URLs and JSON
        for character in value:
            code = _cased(f"{ord(character):02x}")
            spelled += rf"(?:\\*{re.escape(character)}|%(?:25)*{code}|\\+u00{code}|\\+x{code})"
        self._forms = re.compile("|".join([*(f"{re.escape(text)}=*" for text in encoded), digits, spelled]))

    def __repr__(self) -> str:
        return f"Secret({SHOWN})"

    def reveal(self) -> str:
        """The key, for the header that carries it."""
        return self._value

    def scrub(self, text: str) -> str:
        """A text without the key, however its characters are written: in URLs, JSON, base64 or hexadecimal."""
        return self._forms.sub(SHOWN, text)

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be stored; read it from the environment again")


def _cased(digits: str) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in digits)


def from_environment(variable: str | None, judge: str) -> Secret | None:
    """The key in an environment variable; None where the judge has no key.

    Raises
    ------
    InvalidInput
        If the variable is not set, or holds what cannot be a key. The message has the name and not the key.
    """
    if variable is None:
        return None
    value = os.environ.get(variable, "").strip()
    if not value:
        raise InvalidInput(f'judge "{judge}": the environment variable {variable} is not set; put the key there')
    if not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidInput(
            f'judge "{judge}": the environment variable {variable} holds what is no key (spaces or marks)'
        )
    return Secret(value)


def scrub(text: str, secret: Secret | None) -> str:
    """A text without the key, if there is one."""
    return text if secret is None else secret.scrub(text)


_CONNECT = 10.0
_KEPT_OPEN = 512
_TIMEOUTS = {"connect": _CONNECT, "read": None, "write": None, "pool": None}
_LOGGERS = tuple(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks"))


class Unusable(Exception):
    """An answer that cannot be used: too long, compressed though that was not asked for, or not to this request."""


class NotSent(Exception):
    """The request did not reach the endpoint."""


class Broken(Exception):
    """The exchange ended before the answer was whole."""


class Answer(NamedTuple):
    """What came back.

    Parameters
    ----------
    code : int
        HTTP status.
    headers : mapping of str to str
        By name, in any case.
    body : bytes
        The whole body.
    """

    code: int
    headers: Mapping[str, str]
    body: bytes


class HttpConnection:
    """Connections to one endpoint, opened as they are needed and kept.

    Each has a transport of its own: one for all of them looks through all at every request and every answer.

    Parameters
    ----------
    endpoint : Endpoint
        Where to.
    secret : Secret, optional
        The key.
    transport : httpx2.AsyncBaseTransport, optional
        Instead of the network.
    """

    def __init__(
        self, endpoint: Endpoint, secret: Secret | None, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._endpoint, self._secret = endpoint, secret
        self._given: httpx2.AsyncBaseTransport | None = transport
        self._idle: list[httpx2.AsyncBaseTransport] = []
        self._room = _KEPT_OPEN
        self._scrubbing = _Scrubbing(secret)
        self._listening = self._closed = False
        self._headers = {"User-Agent": "quorate", "Accept": "application/json", "Accept-Encoding": "identity"}
        self._headers |= {**endpoint.form.headers, **endpoint.headers}
        if secret is not None:
            header = endpoint.key_header or endpoint.form.key_header
            self._headers[header] = ("Bearer " if header.casefold() == "authorization" else "") + secret.reveal()
        self._urls: dict[str, httpx2.URL] = {}

    async def exchange(
        self,
        method: str,
        path: str,
        *,
        json: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        files: Mapping[str, Any] | None = None,
        data: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
    ) -> Answer:
        """Send one request and read the answer.

        Raises
        ------
        Unusable, NotSent, Broken
            With the reason, without the key.
        TimeoutError
            If it takes longer than the endpoint's timeout.
        """
        import httpx2

        content = {} if json is None else {"Content-Type": "application/json"}
        fresh = _Freshness()
        try:
            async with asyncio.timeout(self._endpoint.timeout):
                if path not in self._urls:  # parsed once: that takes longer than most of the rest
                    self._urls[path] = httpx2.URL(self._endpoint.address(path))
                request = httpx2.Request(
                    method,
                    self._urls[path],
                    headers={**self._headers, **content, **(headers or {})},
                    content=json,
                    files=files,
                    data=data,
                    extensions={"timeout": _TIMEOUTS, "trace": fresh},
                )
                async with self._opened() as transport:
                    response = await transport.handle_async_request(request)
                    try:
                        return await _read(response, most_bytes or self._endpoint.most_bytes, fresh)
                    finally:
                        await response.aclose()
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol, httpx2.ProxyError) as error:
            raise NotSent(self._said(f"{type(error).__name__}: {error}")) from None
        except ImportError as error:  # a proxy of a kind that needs another package
            raise NotSent(self._said(str(error))) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise Broken(self._said(f"{type(error).__name__}: {error}")) from None

    async def close(self) -> None:
        """Close every connection."""
        self._closed, self._room = True, 0
        idle, self._idle = [*self._idle, *([] if self._given is None else [self._given])], []
        if self._listening:
            self._listening = False
            for name in _LOGGERS:
                logging.getLogger(name).removeFilter(self._scrubbing)
        for transport in idle:
            await transport.aclose()

    def _said(self, text: str) -> str:
        """A reason without the key, before it is cut: a part of a key cannot be found."""
        return scrub(text, self._secret)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[httpx2.AsyncBaseTransport]:
        """The connection that was used last of those that nobody uses, or a new one."""
        if self._closed:
            raise RuntimeError("the judge was closed")
        if not self._listening:
            self._listening = True
            for name in _LOGGERS:
                logging.getLogger(name).addFilter(self._scrubbing)
        transport = self._given
        if transport is None and self._idle:
            transport = self._idle.pop()
        elif transport is None:
            import httpx2

            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=1)
            trusted = _trusted(*(os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")))
            transport = httpx2.AsyncHTTPTransport(verify=trusted, limits=limits, proxy=self.proxy)
        try:
            yield transport
        finally:
            if transport is not self._given:
                if len(self._idle) < self._room:
                    self._idle.append(transport)
                else:
                    await transport.aclose()

    @property
    def proxy(self) -> str | None:
        """The proxy that the environment names for this endpoint."""
        address = urlsplit(self._endpoint.url)
        if not self._endpoint.trusts_environment or proxy_bypass(address.hostname or ""):
            return None
        named = getproxies()
        proxy = named.get(address.scheme) or named.get("all")
        return proxy if proxy is None or "://" in proxy else f"http://{proxy}"


@cache
def _trusted(*_named: str | None) -> SSLContext:
    """Whose certificates are trusted, where the environment names them: read once, not for every judge."""
    import httpx2

    return httpx2.create_ssl_context()


async def _read(response: httpx2.Response, most: int, fresh: _Freshness) -> Answer:
    if fresh.stale:
        raise Unusable("an answer was there before the question: the endpoint sent an earlier one twice")
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Unusable("the answer is compressed, though that was not asked for")
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > most:
            raise Unusable(f"the answer is longer than {most} bytes")
    return Answer(response.status_code, response.headers, bytes(body))


class _Freshness:
    """Tells the answer to a request from one that a kept connection had received before the request was sent.

    To read anything from the network, control goes back to the event loop; an answer that is complete without that was
    left over from earlier, and every later answer on the connection would be off by one.
    """

    def __init__(self) -> None:
        self.stale = False
        self._waited = False

    async def __call__(self, name: str, info: Mapping[str, Any]) -> None:
        def waited() -> None:
            self._waited = True

        if name == "http11.receive_response_headers.started":
            asyncio.get_running_loop().call_soon(waited)
        elif name == "http11.receive_response_headers.complete":
            self.stale = "exception" not in info and not self._waited


class _Scrubbing(logging.Filter):
    """Takes the key out of what the HTTP library logs: an endpoint may send it back in a header."""

    def __init__(self, secret: Secret | None) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = scrub(record.getMessage(), self._secret), ()
        return True


# HTTP statuses other than 200: what an endpoint means by them, and when it wants to be asked again.


MOST_WAIT = 3600.0
"""Seconds: a wait that is longer than this is taken as this; the run asks again and hears again."""

_AGAIN = frozenset({302, 303, 307, 408, 409, 421, 423, 425, 429})
_NO_ACCESS = frozenset({401, 402, 403, 404, 407, 410})
_NEVER = re.compile(
    r"insufficient_quota|invalid_api_key|api[ _]key (?:not valid|invalid)|api_key_invalid|model_not_found|unknown_model"
    r"|model .{0,80}(?:does not exist|not found)|billing_hard_limit|credit balance is too low|account_deactivated"
    r"|deploymentnotfound",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|content_policy|content management policy|moderation|flagged|responsibleai", re.IGNORECASE
)
_BILLED_NOTHING = 0.0
_PERHAPS_BILLED = frozenset({408, 409, 425})


def turned_away(code: int, headers: Mapping[str, str], body: Any, now: float) -> Reply:
    """The reply for a request that was answered with a status instead of a judgment.

    It costs nothing where it was turned away; after a timeout or an error of the server that is not known.
    """
    cost = None if code >= 500 or code in _PERHAPS_BILLED else _BILLED_NOTHING
    error = body.get("error", body) if isinstance(body, Mapping) else body
    delay = _delay(error)
    if isinstance(error, Mapping):
        parts = (error.get(name) for name in ("code", "type", "status", "message"))
        error = " ".join(str(part) for part in parts if part is not None)
    words = str(error)[:200] if error is not None else ""  # of the endpoint
    if code in {400, 403, 422} and _FILTER.search(words):
        return Reply(REFUSED, error=f"HTTP {code}: the endpoint's filter: {words}", cost=_BILLED_NOTHING)
    meaning = ""
    if 300 <= code < 400:
        address = headers.get("location", "nowhere")[:100]
        meaning = f"redirected to {address}, which is not followed; set the judge's url "
    elif code in {401, 403}:
        meaning = "the key was not accepted: "
    elif code == 404:
        meaning = "no such model or address: "
    again = code in _AGAIN or code >= 500
    fatal = code in _NO_ACCESS or (400 <= code < 500 and bool(_NEVER.search(words)))
    return Reply(
        ERROR,
        error=f"HTTP {code}: {meaning}{words}",
        cost=cost,
        retry_after=None if fatal or not again else delay if (wait := retry_after(headers, now)) is None else wait,
        retryable=again and not fatal,
        fatal=fatal,
    )


def _delay(error: Any) -> float | None:
    """Seconds to wait that stand in the details of an error, as Gemini says them: ``"retryDelay": "34s"``."""
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        written = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        wait = _seconds(written.removesuffix("s")) if isinstance(written, str) else None
        if wait is not None:
            return min(wait, MOST_WAIT)
    return None


def inner_status(body: Any) -> int | None:
    """Status of an error that came as a 200: some gateways answer so; None where there is no error."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if error is None or body.get("choices"):
        return None
    code = error.get("code", error.get("status")) if isinstance(error, Mapping) else None
    text = str(code)
    return int(text) if re.fullmatch(r"[45]\d\d", text) else 500


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, at most `MOST_WAIT`; None where the endpoint does not say, or says what is no wait."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, MOST_WAIT)
    written = headers.get("retry-after", "").strip()
    wait = _seconds(written)
    if wait is None:
        try:
            date = parsedate_to_datetime(written[:100])
            moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        wait = max(0.0, moment - now)
    return min(wait, MOST_WAIT)


def _seconds(written: str) -> float | None:
    if not re.fullmatch(r"\d+(?:\.\d*)?", written.strip(), re.ASCII):
        return None
    return float(written) if math.isfinite(float(written)) else MOST_WAIT
