"""An OpenAI-compatible endpoint on loopback that misbehaves on request; also a well-behaved one with a set latency.

The first part of the path says how: ``http://127.0.0.1:<port>/<behaviour>/v1/chat/completions``. ``mixed`` chooses by
the question: some are first met with up to three failures, and all are answered in the end. The true score of a
question is `truth` of its messages. ``any`` does so by the whole request, and some requests are never answered with a
score. ``GET /stats`` tells what was done, ``GET /seen`` what was asked and ``GET /headers`` how.
As a program, it serves until its time is up or its standard input closes::

    python tests/hostile.py --seconds 60 --latency 0.05

The first line of its output is the port.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import hashlib
import json
import socket
import struct
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

TOKENS_IN, TOKENS_OUT = 100, 10


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter = field(repr=False)

    @property
    def said(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.said["messages"]).encode()).hexdigest()


def truth(messages: list[dict[str, str]]) -> int:
    """The score from 1 to 10 that a question is answered with."""
    return int(hashlib.sha256(json.dumps(messages).encode()).hexdigest(), 16) % 10 + 1


def chat(content: Any, finish: str = "stop", **changes: Any) -> dict[str, Any]:
    """Body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    usage = {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT}
    return {"id": "c-1", "object": "chat.completion", "choices": [choice], "usage": usage} | changes


def packed(
    body: bytes | dict[str, Any] | list[Any],
    code: int = 200,
    reason: str = "OK",
    length: int | None = None,
    **headers: str,
) -> bytes:
    """A whole HTTP response."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content-type": "application/json", "content-length": str(len(data) if length is None else length)}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {code} {reason}\r\n{head}\r\n".encode() + data


def failed(code: int, message: str = "try again", kind: str = "error", **headers: str) -> bytes:
    return packed({"error": {"message": message, "type": kind, "code": kind}}, code, "Failed", **headers)


def score(asked: Asked) -> dict[str, Any]:
    return chat(json.dumps({"score": truth(asked.said["messages"])}))


Behaviour = Callable[[Asked], bytes]
BEHAVIOURS: dict[str, Behaviour] = {
    "ok": lambda asked: packed(score(asked)),
    "429": lambda _: failed(429),
    "429-seconds": lambda _: failed(429, retry_after="3"),
    "429-milliseconds": lambda _: failed(429, retry_after_ms="250"),
    "429-date": lambda _: failed(
        429, retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    ),
    "429-past": lambda _: failed(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
    "429-absurd": lambda _: failed(429, retry_after="9" * 400),
    "429-year": lambda _: failed(429, retry_after="Fri, 31 Dec 9999 23:59:59 GMT"),
    "429-negative": lambda _: failed(429, retry_after="-5"),
    "429-words": lambda _: failed(429, retry_after="soon"),
    "429-quota": lambda _: failed(429, "You exceeded your current quota", "insufficient_quota"),
    "500": lambda _: failed(500),
    "502": lambda _: packed(b"<html>Bad gateway</html>", 502, "Bad Gateway", content_type="text/html"),
    "503": lambda _: failed(503, retry_after="2"),
    "408": lambda _: failed(408),
    "400": lambda _: failed(400, "max_tokens is too large", "invalid_request_error"),
    "400-filter": lambda _: failed(400, "The response was filtered", "content_filter"),
    "400-key": lambda _: failed(400, "API key not valid", "API_KEY_INVALID"),
    "401": lambda _: failed(401, "Incorrect API key provided"),
    "402": lambda _: failed(402, "Insufficient credits"),
    "403": lambda _: failed(403, "Not allowed"),
    "403-moderation": lambda _: failed(403, "Your input was flagged", "moderation"),
    "404": lambda _: failed(404, "The model does not exist", "model_not_found"),
    "error-in-200": lambda _: packed({"error": {"message": "Provider returned error", "code": 429}}),
    "error-text-in-200": lambda _: packed({"error": "overloaded"}),
    "redirect": lambda asked: packed(b"", 302, "Found", location=f"http://{asked.headers['host']}/trap/v1"),
    "moved": lambda asked: packed(b"", 301, "Moved", location=f"http://{asked.headers['host']}/trap/v1"),
    "invalid-json": lambda _: packed(b'{"choices": [{]}'),
    "cut-json": lambda asked: packed(json.dumps(score(asked)).encode()[:-20]),
    "html": lambda _: packed(b"<html>Log in first</html>", content_type="text/html"),
    "stream": lambda _: packed(b'data: {"choices": []}\n\ndata: [DONE]\n\n', content_type="text/event-stream"),
    "empty-body": lambda _: packed(b""),
    "no-content": lambda _: packed(b"", 204, "No Content"),
    "not-utf8": lambda _: packed(b'{"choices": "\xff\xfe"}'),
    "nan-body": lambda _: packed(b'{"choices": [{"message": {"content": NaN}}]}'),
    "deep": lambda _: packed(b"[" * 200_000),
    "big-number": lambda _: packed(b'{"choices": ' + b"9" * 10_000 + b"}"),
    "list": lambda asked: packed([score(asked)]),
    "text": lambda _: packed(b'"7"'),
    "no-choices": lambda _: packed({"id": "c-1"}),
    "empty-choices": lambda _: packed(chat("7", choices=[])),
    "choices-object": lambda _: packed(chat("7", choices={"0": {}})),
    "choice-number": lambda _: packed(chat("7", choices=[7])),
    "message-text": lambda _: packed(chat("7", choices=[{"message": "7"}])),
    "content-number": lambda _: packed(chat(7)),
    "content-object": lambda _: packed(chat({"score": 7})),
    "content-null": lambda _: packed(chat(None)),
    "content-empty": lambda _: packed(chat("")),
    "content-parts": lambda asked: packed(
        chat([{"type": "text", "text": json.dumps({"score": truth(asked.said["messages"])})}])
    ),
    "nan-score": lambda _: packed(chat('{"score": NaN}')),
    "off-scale": lambda _: packed(chat('{"score": 11}')),
    "prose": lambda _: packed(chat("It has 3 mistakes.")),
    "surrogate": lambda _: packed(b'{"choices": [{"message": {"content": "\\ud800 Score: 7\\u0000"}}]}'),
    "refusal": lambda _: packed(chat("I'm sorry, but I can't help with that.")),
    "refusal-field": lambda _: packed(
        chat("", choices=[{"message": {"content": None, "refusal": "I cannot."}, "finish_reason": "stop"}])
    ),
    "filter": lambda _: packed(chat("", "content_filter")),
    "length": lambda _: packed(chat("Let me think about the first", "length")),
    "two-choices": lambda asked: packed(chat("", choices=score(asked)["choices"] * 2)),
    "choices-differ": lambda asked: packed(chat("", choices=score(asked)["choices"] + chat("no")["choices"])),
    "wrong-content-type": lambda asked: packed(score(asked), content_type="image/png"),
    "usage-wrong": lambda asked: packed(score(asked) | {"usage": {"prompt_tokens": -5, "completion_tokens": True}}),
    "usage-text": lambda asked: packed(score(asked) | {"usage": "many"}),
    "gzip": lambda asked: packed(gzip.compress(json.dumps(score(asked)).encode()), content_encoding="gzip"),
    "huge": lambda _: packed(chat("7 " * 5_000_000)),
    "long": lambda _: packed(chat("word " * 100_000 + "\nScore: 7")),
    "huge-headers": lambda asked: packed(score(asked), x_padding="x" * 300_000),
    "cookies": lambda asked: packed(score(asked), set_cookie="session=1; Path=/"),
    "bad-status": lambda _: b"HTTP/9 two hundred\r\n\r\n",
    "no-http": lambda _: b"\x00\x01\x02\x03" * 100 + b"\r\n\r\n",
    "early-hints": lambda asked: b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" + packed(score(asked)),
    "duplicate": lambda asked: packed(score(asked)) * 2,
    "echo": lambda asked: packed(chat(f"You sent {asked.headers}. Score: 7"), reason=_key(asked), x_echo=_key(asked)),
    "echo-error": lambda asked: failed(500, f"bad key {_key(asked)}", retry_after=_key(asked)),
    "echo-401": lambda asked: failed(401, f"Incorrect API key provided: {_key(asked)}"),
    "echo-escaped": lambda asked: packed(_escaped(chat(f"{_key(asked)}\nScore: 7"))),
    "echo-base64": lambda asked: packed(chat(base64.b64encode(_key(asked).encode()).decode() + "\nScore: 7")),
    "echo-redirect": lambda asked: packed(b"", 302, "Found", location=f"http://127.0.0.1:1/{_key(asked)}"),
    "echo-long": lambda asked: packed(chat("x" * (64 * 1024 - 10) + _key(asked) + "\nScore: 7")),
}
"""What is sent, whole and at once."""


def _key(asked: Asked) -> str:
    return asked.headers.get("authorization", "none").removeprefix("Bearer ")


def _escaped(body: dict[str, Any]) -> bytes:
    """The body with every letter of its content as a Unicode escape."""
    content = body["choices"][0]["message"]["content"]
    body["choices"][0]["message"]["content"] = "@"
    return json.dumps(body).replace("@", "".join(f"\\u{ord(letter):04x}" for letter in content)).encode()


ENDLESS = ("timeout", "reset", "close", "half-body", "half-chunk", "drip", "endless-headers")
"""Behaviours that are more than something to send."""

FLEETING = (
    *(
        *("429", "500", "502", "503", "408", "429-milliseconds", "invalid-json", "cut-json", "html", "empty-choices"),
        "deep",
    ),
    *(
        *("nan-body", "content-number", "choices-object", "not-utf8", "reset", "close", "half-body", "half-chunk"),
        "duplicate",
    ),
    *("error-in-200", "bad-status", "huge-headers", "empty-body"),
)
"""Failures of ``mixed``, after which the same question is answered."""

LASTING = {
    "400": "error",
    "400-filter": "refused",
    "403-moderation": "refused",
    "refusal": "refused",
    "refusal-field": "refused",
    "filter": "refused",
    "length": "truncated",
    "prose": "unparsed",
    "off-scale": "unparsed",
    "nan-score": "unparsed",
    "content-empty": "unparsed",
}
"""How ``any`` ends where it ends without a score, and what that is."""


class Hostile:
    """The server's state: what it was asked and what it did."""

    def __init__(self, latency: float = 0.0, failures: int = 3) -> None:
        self.latency, self.failures = latency, failures
        self.done: Counter[str] = Counter()
        self.tries: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.seen: list[Asked] = []
        self.port = 0

    def url(self, behaviour: str) -> str:
        return f"http://127.0.0.1:{self.port}/{behaviour}/v1"

    @property
    def stats(self) -> dict[str, Any]:
        return {"done": dict(self.done), "questions": len(self.tries), "answers": sum(self.answered.values())}

    async def handle(self, asked: Asked) -> None:
        if asked.path == "/stats":
            asked.writer.write(packed(self.stats))
            return
        if asked.path in ("/seen", "/headers"):
            asked.writer.write(packed([one.said if asked.path == "/seen" else one.headers for one in self.seen]))
            return
        behaviour = asked.path.split("/")[1]
        if behaviour == "mixed":
            behaviour = self.mixed(asked.digest, (0, 1, 2, 3))
        elif behaviour == "any":
            behaviour = self.any(hashlib.sha256(asked.body).hexdigest())
        self.done[behaviour] += 1
        if len(self.seen) < 1000:
            self.seen.append(asked)
        if self.latency:
            await asyncio.sleep(self.latency)
        if behaviour in ENDLESS:
            await getattr(self, "_" + behaviour.replace("-", "_"))(asked)
        else:
            if behaviour == "ok":
                self.answered[asked.digest] += 1
            asked.writer.write(BEHAVIOURS.get(behaviour, lambda _: failed(404))(asked))

    def any(self, digest: str) -> str:
        behaviour, number = self.mixed(digest, (0, 0, 0, 0, 1, 1, 2, 3)), int(digest, 16)
        if behaviour == "ok" and number % 101 < 10:
            return list(LASTING)[number // 1009 % len(LASTING)]
        return "500" if behaviour == "503" and number % 40 else behaviour  # each 503 asks for a wait of two seconds

    def mixed(self, digest: str, failures: tuple[int, ...]) -> str:
        number = int(digest, 16)
        tried = self.tries[digest]
        self.tries[digest] += 1
        if tried >= min(self.failures, failures[number // 7 % len(failures)]):
            return "ok"
        return FLEETING[(number // 31 + 5 * tried) % len(FLEETING)]

    async def _timeout(self, _: Asked) -> None:
        await asyncio.sleep(30)

    async def _reset(self, asked: Asked) -> None:
        held = asked.writer.get_extra_info("socket")
        held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        asked.writer.transport.abort()

    async def _close(self, asked: Asked) -> None:
        asked.writer.close()

    async def _half_body(self, asked: Asked) -> None:
        whole = packed(score(asked))
        asked.writer.write(whole[:-40])
        asked.writer.close()

    async def _half_chunk(self, asked: Asked) -> None:
        asked.writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{")
        asked.writer.close()

    async def _drip(self, asked: Asked) -> None:
        asked.writer.write(packed(b"", length=1_000_000))
        for _ in range(1000):
            asked.writer.write(b" ")
            await asked.writer.drain()
            await asyncio.sleep(0.02)

    async def _endless_headers(self, asked: Asked) -> None:
        asked.writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(1000):
            asked.writer.write(f"x-{number}: y\r\n".encode())
            await asked.writer.drain()
            await asyncio.sleep(0.02)


async def converse(
    handle: Callable[[Asked], Awaitable[None]], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer the requests of one connection, one after the other."""
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while not writer.is_closing():
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
            }
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            await handle(Asked(method, path, headers, body, writer))
            if not writer.is_closing():
                await writer.drain()
    writer.close()


@asynccontextmanager
async def serving(handle: Callable[[Asked], Awaitable[None]], seconds: float = 60.0) -> AsyncIterator[int]:
    """Serve on a free port of loopback while the block runs, and no longer than the time given."""
    running: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await converse(handle, reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            running.discard(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1024 * 1024, backlog=1024)
    try:
        async with asyncio.timeout(seconds):
            yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@asynccontextmanager
async def hostile(latency: float = 0.0, seconds: float = 60.0, failures: int = 3) -> AsyncIterator[Hostile]:
    """A hostile server while the block runs."""
    state = Hostile(latency, failures)
    async with serving(state.handle, seconds) as state.port:
        yield state


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--failures", type=int, default=3)
    given = parser.parse_args()
    with suppress(TimeoutError):
        async with hostile(given.latency, given.seconds, given.failures) as state:
            print(state.port, flush=True)  # noqa: T201
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
