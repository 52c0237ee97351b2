"""Batch interface of an endpoint: files of questions and answers, and the calls that move files and watch batches."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.judges.completion import decoded
from quorate.collect.judges.connection import Broken, HttpConnection, NotSent, Unusable
from quorate.collect.judges.endpoint import Endpoint, body, cleaned, reply_of, without_key
from quorate.collect.judges.http_status import turned_away
from quorate.collect.secret import Secret

T = TypeVar("T")
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_DONE, _GONE = frozenset({200, 201}), frozenset({404, 410})
_UNCLEAR = frozenset({408, 409, 425})
_MOST_BYTES = 1024 * 1024 * 1024
_LISTED, _MOST_PAGES = 100, 1000
_TRIES = 10
_REST = 10
"""How many looks' time an endpoint is left alone that fails again and again."""


class Refused(Exception):
    """The batch interface did not do what it was asked; carries the reply that every question of the batch gets."""

    def __init__(self, reply: Reply, code: int | None = None) -> None:
        self.reply, self.code = reply, code
        super().__init__(reply.error)


class NotMade(Refused):
    """The same where it is certain that no batch was made: nothing is paid for."""


class BatchCalls:
    """``/files`` and ``/batches`` of an endpoint; what fails and may pass is tried again a few times.

    Parameters
    ----------
    connection : HttpConnection
        To the endpoint.
    secret : Secret, optional
        The key, which is taken out of what comes back.
    poll : float
        Seconds between two looks at a batch, and before another try.
    clock : callable
        Seconds since the epoch.
    """

    def __init__(
        self, connection: HttpConnection, secret: Secret | None, *, poll: float, clock: Callable[[], float]
    ) -> None:
        self._connection, self._secret, self._poll, self._clock = connection, secret, poll, clock

    async def uploaded(self, content: bytes) -> str:
        """Id of a file of questions; nothing is paid yet."""
        file = {"file": ("questions.jsonl", content)}

        async def made() -> str:
            return _id(await self._call("POST", "/files", files=file, data={"purpose": "batch"}))

        try:
            return await self._insisted(made)
        except Refused as refused:
            raise NotMade(replace(refused.reply, cost=0.0), refused.code) from None

    async def created(self, asked: Mapping[str, Any]) -> str:
        """Id of a batch, made once: after a failure that leaves it open, the endpoint is asked whether it is there.

        Raises
        ------
        NotMade
            If there is none.
        Refused
            If there may be one all the same.
        """
        doubtful = False

        async def made() -> str:
            nonlocal doubtful
            if doubtful:
                same = [batch for batch in await self.listed() if batch.get("input_file_id") == asked["input_file_id"]]
                if same:
                    return _id(same[0])
            try:
                return _id(await self._call("POST", "/batches", asked=asked))
            except Refused as refused:
                code = refused.code
                turned_down = code is not None and 400 <= code < 500 and code not in _UNCLEAR  # so nothing was made
                doubtful = doubtful or not turned_down
                raise

        try:
            return await self._insisted(made)
        except Refused as refused:
            if doubtful:
                raise
            raise NotMade(refused.reply, refused.code) from None

    async def ended(self, batch: str, most_wait: float) -> Mapping[str, Any]:
        """The batch once it has ended; a look that fails is repeated at the next one."""
        until = time.monotonic() + most_wait
        while time.monotonic() < until:
            try:
                state: Mapping[str, Any] = await self._call("GET", f"/batches/{quote(batch, safe='')}")
            except Refused as refused:
                if not refused.reply.retryable:
                    raise
            else:
                if state.get("status") in _ENDED:
                    return state
            await asyncio.sleep(self._poll)
        raise Refused(Reply(ERROR, error=f"batch: not ended in {most_wait:g} s", retryable=True))

    async def listed(self) -> list[Mapping[str, Any]]:
        """All batches of this key, the latest first where it is said when they were made; else as they come."""

        def made_at(batch: Mapping[str, Any]) -> float:
            moment = batch.get("created_at")
            return moment if isinstance(moment, (int, float)) and not isinstance(moment, bool) else 0.0

        batches: list[Mapping[str, Any]] = []
        after, seen = "", set[str]()
        for _ in range(_MOST_PAGES):
            page = await self._insisted(partial(self._call, "GET", f"/batches?limit={_LISTED}{after}"))
            data = page.get("data")
            rows = [row for row in (data if isinstance(data, list) else []) if isinstance(row, Mapping)]
            batches += rows
            last = rows[-1].get("id") if rows else None
            if not page.get("has_more") or not isinstance(last, str) or last in seen:
                break
            seen.add(last)
            after = f"&after={quote(last, safe='')}"
        return sorted(batches, key=made_at, reverse=True)

    async def content(self, file: object) -> bytes | None:
        """A file, tried for again because what it holds is paid for; None if the endpoint no longer has it."""
        if not isinstance(file, str) or not file:
            return b""
        path = f"/files/{quote(file, safe='')}/content"
        try:
            return await self._insisted(lambda: self._fetched("GET", path, most_bytes=_MOST_BYTES))
        except Refused as refused:
            if refused.code in _GONE:
                return None
            raise

    async def _insisted(self, call: Callable[[], Awaitable[T]]) -> T:
        """What a call gives; a failure that may pass is waited for, until it is better to come back later.

        Raises
        ------
        Refused
            With a time to come back, if it may pass.
        """
        for tries_left in reversed(range(_TRIES)):
            try:
                return await call()
            except Refused as refused:
                reply = refused.reply
                if not reply.retryable:
                    raise
                pause = reply.retry_after or self._poll
                if not tries_left:
                    later = reply.retry_after or _REST * self._poll
                    raise Refused(replace(reply, retry_after=later), refused.code) from None
            await asyncio.sleep(min(pause, _REST * self._poll))
        raise AssertionError("the last try returns or raises")

    async def _call(self, method: str, path: str, *, asked: Mapping[str, Any] | None = None, **rest: Any) -> Any:
        content = None if asked is None else json.dumps(asked).encode()
        raw = await self._fetched(method, path, json=content, **rest)
        try:
            value = decoded(raw)
        except ValueError as error:
            raise Refused(Reply(ERROR, error=f"batch: the answer is no JSON: {error}", retryable=True)) from None
        if not isinstance(value, dict):
            raise Refused(Reply(ERROR, error="batch: the answer is no object", retryable=True))
        return value

    async def _fetched(self, method: str, path: str, **rest: Any) -> bytes:
        """Body of an answer that says that it was done.

        Raises
        ------
        Refused
            With the reply that anything else amounts to.
        """
        try:
            answer = cleaned(await self._connection.exchange(method, path, **rest), self._secret)
        except TimeoutError:
            raise Refused(Reply(ERROR, error="batch: no whole answer in time", retryable=True)) from None
        except (NotSent, Broken, Unusable) as error:
            raise Refused(Reply(ERROR, error=f"batch: {error}", retryable=True)) from None
        if answer.code in _DONE:
            return answer.body
        text = answer.body[:1000].decode("utf-8", "replace")
        raise Refused(turned_away(answer.code, answer.headers, text, self._clock(), 0.0), answer.code)


def _id(made: Mapping[str, Any]) -> str:
    """Id of a file or batch that was made."""
    if not isinstance(made.get("id"), str):
        raise Refused(Reply(ERROR, error="batch: the endpoint gave no id", retryable=True))
    return str(made["id"])


def custom_id(request: Request) -> str:
    """Name of a question in a batch: its cell, what is asked, and for which time, in 32 hex digits."""
    return hashlib.sha256(f"{request.key}\n{request.digest}\n{request.asked}".encode()).hexdigest()[:32]


def written(requests: Mapping[str, Request], endpoint: Endpoint, url: str) -> bytes:
    """The input file: every question under its name."""
    lines = [
        {"custom_id": name, "method": "POST", "url": url, "body": body(request, endpoint)}
        for name, request in requests.items()
    ]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()


def names(content: bytes) -> set[str]:
    """Names of the questions in an input file."""
    return {line["custom_id"] for line in _lines(content)}


def answers(
    contents: Iterable[bytes],
    requests: Mapping[str, Request],
    endpoint: Endpoint,
    now: float,
    secret: Secret | None = None,
) -> dict[str, Reply]:
    """Replies by name from the output and error files.

    A name that occurs twice keeps its first answer; lines that are broken or answer something else are left out.
    """
    replies: dict[str, Reply] = {}
    for line in (line for content in contents for line in _lines(content)):
        name = line["custom_id"]
        if name not in requests or name in replies:
            continue
        response, error = (without_key(line.get(part), secret) for part in ("response", "error"))
        code = response.get("status_code") if isinstance(response, Mapping) else None
        if isinstance(code, int) and isinstance(response, Mapping):
            replies[name] = reply_of(code, {}, response.get("body"), requests[name], endpoint, now)
            continue
        words = "a line without a response"
        if isinstance(error, Mapping):
            words = " ".join(str(value) for value in error.values())
        replies[name] = Reply(ERROR, error=f"batch: {words}", cost=0.0 if error else None, retryable=True)
    return replies


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    """The lines under a name, one at a time: a file may be larger than what is wanted of it."""
    for line in io.BytesIO(content):
        try:
            value = decoded(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("custom_id"), str):
            yield value
