"""The calls of an endpoint's batch interface: files are uploaded and fetched, batches are made and watched."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from quorate.collect.judge import ERROR, Reply
from quorate.collect.judges.completion import decoded
from quorate.collect.judges.connection import Broken, Connection, NotSent, Unusable
from quorate.collect.judges.endpoint import cleaned
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
    connection : Connection
        To the endpoint.
    secret : Secret, optional
        The key, which is taken out of what comes back.
    poll : float
        Seconds between two looks at a batch, and before another try.
    clock : callable
        Seconds since the epoch.
    """

    def __init__(
        self, connection: Connection, secret: Secret | None, *, poll: float, clock: Callable[[], float]
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
                same = [one for one in await self.listed() if one.get("input_file_id") == asked["input_file_id"]]
                if same:
                    return _id(same[0])
            try:
                return _id(await self._call("POST", "/batches", body=asked))
            except Refused as refused:
                doubtful = doubtful or not _turned_down(refused.code)
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
                found: Mapping[str, Any] = await self._call("GET", f"/batches/{quote(batch, safe='')}")
            except Refused as refused:
                if not refused.reply.retryable:
                    raise
            else:
                if found.get("status") in _ENDED:
                    return found
            await asyncio.sleep(self._poll)
        raise Refused(Reply(ERROR, error=f"batch: not ended in {most_wait:g} s", retryable=True))

    async def listed(self) -> list[Mapping[str, Any]]:
        """All batches of this key, the latest first."""
        found: list[Mapping[str, Any]] = []
        after, seen = "", set[str]()
        for _ in range(_MOST_PAGES):
            page = await self._insisted(partial(self._call, "GET", f"/batches?limit={_LISTED}{after}"))
            data = page.get("data")
            rows = [one for one in (data if isinstance(data, list) else []) if isinstance(one, Mapping)]
            found += rows
            last = rows[-1].get("id") if rows else None
            if not page.get("has_more") or not isinstance(last, str) or last in seen:
                break
            seen.add(last)
            after = f"&after={quote(last, safe='')}"
        return sorted(found, key=_made_at, reverse=True)

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

    async def _call(self, method: str, path: str, *, body: Mapping[str, Any] | None = None, **rest: Any) -> Any:
        content = None if body is None else json.dumps(body).encode()
        raw = await self._fetched(method, path, json=content, **rest)
        try:
            said = decoded(raw)
        except ValueError as error:
            raise Refused(Reply(ERROR, error=f"batch: the answer is no JSON: {error}", retryable=True)) from None
        if not isinstance(said, dict):
            raise Refused(Reply(ERROR, error="batch: the answer is no object", retryable=True))
        return said

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
        said = answer.body[:1000].decode("utf-8", "replace")
        raise Refused(turned_away(answer.code, answer.headers, said, self._clock(), 0.0), answer.code)


def _turned_down(code: int | None) -> bool:
    """Whether a status says that nothing was made."""
    return code is not None and 400 <= code < 500 and code not in _UNCLEAR


def _id(made: Mapping[str, Any]) -> str:
    """Id of a file or batch that was made."""
    if not isinstance(made.get("id"), str):
        raise Refused(Reply(ERROR, error="batch: the endpoint gave no id", retryable=True))
    return str(made["id"])


def _made_at(batch: Mapping[str, Any]) -> float:
    """When a batch was made, where that is said; others stay as they were listed."""
    said = batch.get("created_at")
    return said if isinstance(said, (int, float)) and not isinstance(said, bool) else 0.0
