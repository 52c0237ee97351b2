"""Judges behind the batch interface of an endpoint: cheaper, and slower by minutes or hours.

Questions are gathered into a file, uploaded, and answered as a whole. A batch outlives the process that sent it: it
carries a tag, and a judge with the same tag finds the answers that were paid for already.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from quorate import rules
from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.judges.apis import decoded
from quorate.collect.judges.connection import Broken, HttpConnection, NotSent, Secret, Unusable, scrub, turned_away
from quorate.collect.judges.endpoint import Endpoint
from quorate.collect.judges.remote import RemoteJudge, body, cleaned, reply_of, scrubbed, without_key

if TYPE_CHECKING:
    import httpx2


# Batch interface of an endpoint: files of questions and answers, and the calls that move files and watch batches.


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
        raise Refused(turned_away(answer.code, answer.headers, text, self._clock()), answer.code)


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


Group = dict[str, tuple[Request, asyncio.Future[Reply]]]


class BatchJudge(RemoteJudge):
    """A model behind an endpoint's ``/files`` and ``/batches``.

    Parameters
    ----------
    endpoint : Endpoint
        Where it is and how it is asked; its timeout holds for one exchange, not for a batch.
    size : int
        Most questions in a batch. A batch is sent when it is full, or when no question came for ``linger`` seconds.
    linger, poll : float
        Seconds without a new question before a batch is sent, and between two looks at it.
    window : str
        Time in which the endpoint is to answer, as it calls it.
    most_wait : float
        Seconds after which a batch that has not ended is waited for no longer; a later run looks for it again.
    tag : str, optional
        Name of the ledger. With it, batches of an earlier run are found and their answers used; without it every
        question is sent.
    line_url : str
        Address in every line of the input file.
    transport : httpx2.AsyncBaseTransport, optional
        Instead of the network.
    clock : callable
        Seconds since the epoch.

    Raises
    ------
    InvalidInput
        If ``size`` is less than 1, or the environment variable of the key is not set.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        size: int = 1000,
        linger: float = 2.0,
        poll: float = 30.0,
        window: str = "24h",
        most_wait: float = 26 * 3600.0,
        tag: str | None = None,
        line_url: str = "/v1/chat/completions",
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        rules.whole(f'judge "{endpoint.name}": size', size, 1)
        super().__init__(endpoint, transport=transport)
        self._clock, self._size, self._linger = clock, size, linger
        self._window, self._tag, self._line_url, self._most_wait = window, tag, line_url, most_wait
        self._calls = BatchCalls(self._connection, self._secret, poll=poll, clock=clock)
        self._waiting: Group = {}
        self._unsent: dict[str, str] = {}
        self._batches: dict[str, frozenset[str]] = {}
        self._taken: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._looking = asyncio.Lock()

    @property
    def lasting(self) -> bool:
        """Whether another process finds the answers: by the tag."""
        return self._tag is not None

    def tagged(self, tag: str) -> None:
        """Say which ledger the questions are for, before the first one is asked."""
        self._tag = tag

    def unsent(self) -> frozenset[str]:
        """Keys of the questions that are in no batch yet."""
        return frozenset(self._unsent.values())

    async def ask(self, request: Request) -> Reply:
        """Put a question into the next batch and wait for its answer, however long that takes."""
        start, name = time.perf_counter(), custom_id(request)
        if name in self._waiting:
            reply = await asyncio.shield(self._waiting[name][1])
        else:
            loop = asyncio.get_running_loop()
            answered: asyncio.Future[Reply] = loop.create_future()
            self._waiting[name] = request, answered
            self._unsent[name] = request.key
            if self._timer is not None:
                self._timer.cancel()
            if len(self._waiting) >= self._size:
                self._send()
            else:  # once it has been quiet
                self._timer = loop.call_later(self._linger, self._send)
            try:
                reply = await answered
            finally:
                self._unsent.pop(name, None)
        return scrubbed(replace(reply, latency=time.perf_counter() - start), self._secret)

    async def close(self) -> None:
        """Stop waiting for batches, which go on at the endpoint, and close the connections."""
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for _, answered in self._waiting.values():
            answered.cancel()
        await super().close()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, {}
        if asked := _open(waiting):
            task = asyncio.create_task(self._answered(asked))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answered(self, asked: Group) -> None:
        """Answer questions by the batches that they are in already or by a new one; nobody is left waiting."""
        try:
            earlier = await self._earlier(asked)  # where that fails, nothing was sent
            groups: dict[str | None, Group] = {}
            for name, pair in asked.items():
                groups.setdefault(earlier.get(name), {})[name] = pair
            await asyncio.gather(*(self._settle(batch, group) for batch, group in groups.items()))
        except Exception as error:  # noqa: BLE001 -- whatever an endpoint says, nobody is left waiting
            _deliver(asked, {}, replace(self._unknown(error), cost=0.0))
        finally:
            for _, answered in _open(asked).values():
                answered.cancel()

    async def _settle(self, batch: str | None, group: Group) -> None:
        """Answer a group of questions by a batch that exists or by a new one; only one that has ended settles them."""
        replies: dict[str, Reply] = {}
        try:
            batch = batch or await self._created(group)
            if batch is None:
                return
            self._sent(group)
            ended = await self._calls.ended(batch, self._most_wait)
            contents = [await self._calls.content(ended.get(f"{kind}_file_id")) for kind in ("output", "error")]
            requests = {name: request for name, (request, _) in group.items()}
            if None in contents:
                missing = Reply(ERROR, error="batch: the endpoint no longer has its answers", retryable=True)
            else:
                files = (content for content in contents if content)
                missing = _without_answer(ended, self._secret)
                replies = answers(files, requests, self._endpoint, self._clock(), self._secret)
        except NotMade as refused:
            missing = refused.reply
        except Exception as error:  # noqa: BLE001 -- as above; what is paid for is not bought again
            missing = self._unknown(error)
        if not missing.waits:
            self._taken.update(_open(group))
        _deliver(group, replies, missing)

    def _unknown(self, error: Exception) -> Reply:
        """The reply to questions of which it is not known whether they are in a batch, or how it ended."""
        reason = f"batch: an answer that nobody can use: {type(error).__name__}: {error}"
        reply = Reply(ERROR, error=scrub(reason, self._secret), retryable=True)
        return replace(error.reply if isinstance(error, Refused) else reply, cost=None, waits=self.lasting)

    async def _created(self, group: Group) -> str | None:
        """A new batch of the questions that are still asked; None if none is."""
        while asked := _open(group):
            requests = {name: request for name, (request, _) in asked.items()}
            file = await self._calls.uploaded(written(requests, self._endpoint, self._line_url))
            if _open(asked) != asked:
                continue
            self._sent(asked)
            settings = {"input_file_id": file, "endpoint": self._line_url, "completion_window": self._window}
            tagged = {} if self._tag is None else {"metadata": {"quorate": self._tag}}
            batch = await self._calls.created({**settings, **tagged})
            self._batches[batch] = frozenset(asked)
            return batch
        return None

    def _sent(self, group: Group) -> None:
        for name in group:
            self._unsent.pop(name, None)

    async def _earlier(self, asked: Group) -> dict[str, str]:
        """Those questions that are in a batch of this tag, and which: the latest that has not answered them."""
        if self._tag is None:
            return {}
        async with self._looking:
            batches: dict[str, str] = {}
            for batch in await self._calls.listed():
                metadata, id_ = batch.get("metadata"), batch.get("id")
                ours = isinstance(metadata, Mapping) and metadata.get("quorate") == self._tag
                if not ours or not isinstance(id_, str) or batch.get("status") == "failed":  # which answered nothing
                    continue
                if id_ not in self._batches:
                    content = await self._calls.content(batch.get("input_file_id"))
                    self._batches[id_] = frozenset(names(content or b""))
                for name in asked.keys() & self._batches[id_] - self._taken:
                    batches.setdefault(name, id_)
            return batches


def _open(group: Group) -> Group:
    """The questions that somebody still waits for."""
    return {name: pair for name, pair in group.items() if not pair[1].done()}


def _deliver(group: Group, replies: Mapping[str, Reply], missing: Reply) -> None:
    for name, (_, answered) in _open(group).items():
        answered.set_result(replies.get(name, missing))


def _without_answer(batch: Mapping[str, Any], secret: Secret | None) -> Reply:
    """The reply to a question that an ended batch holds no answer to."""
    status = batch.get("status")
    if status == "completed":
        return Reply(ERROR, error="batch: it holds no answer to this question", retryable=True)
    errors = batch.get("errors")
    listed = errors.get("data") if isinstance(errors, Mapping) else None
    each = [error for error in (listed if isinstance(listed, list) else []) if isinstance(error, dict)]
    words = scrub("; ".join(f"{error.get('code')}: {error.get('message')}" for error in each), secret)
    again = status != "failed" or "limit" in words
    return Reply(ERROR, error=f"batch: {status}: {words}", cost=0.0, retryable=again)
