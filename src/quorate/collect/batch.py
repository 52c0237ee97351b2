"""Judges behind the batch interface of an endpoint: cheaper, and slower by minutes or hours.

Questions are gathered into a file, uploaded, and answered as a whole. A batch outlives the process that sent it: it
carries a tag, and a judge with the same tag finds the answers that were paid for already.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate.collect.batch_file import answers, custom_id, names, written
from quorate.collect.completion import decoded
from quorate.collect.connection import Broken, Connection, NotSent, Unusable
from quorate.collect.endpoint import cleaned, scrubbed
from quorate.collect.endpoint_settings import Endpoint
from quorate.collect.http_status import turned_away
from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.secret import from_environment
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    import httpx2

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_MOST_BYTES = 1024 * 1024 * 1024
_LISTED = 100


class Refused(Exception):
    """The batch interface did not do what it was asked; carries the reply that every question of the batch gets."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        super().__init__(reply.error)


class BatchJudge:
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
        Seconds after which a batch that has not ended is given up.
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
        if size < 1:
            raise InvalidInput(f'judge "{endpoint.name}": size must be at least 1 question per batch, got {size}')
        self._endpoint, self._clock = endpoint, clock
        self._size, self._linger, self._poll = size, linger, poll
        self._window, self._tag, self._line_url, self._most_wait = window, tag, line_url, most_wait
        self._secret = from_environment(endpoint.key_env, endpoint.name)
        self._connection = Connection(endpoint, self._secret, transport)
        self._waiting: dict[str, tuple[Request, asyncio.Future[Reply]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._earlier: dict[str, str] | None = None
        self._looking = asyncio.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoint.name}: {self._endpoint.model} at {self._endpoint.url})"

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._endpoint.name

    async def ask(self, request: Request) -> Reply:
        """Put a question into the next batch and wait for its answer, however long that takes."""
        start = time.perf_counter()
        try:
            await self._find_earlier()
        except Refused as refused:
            reply = refused.reply
        else:
            reply = await self._queued(request)
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
        await self._connection.close()

    async def _queued(self, request: Request) -> Reply:
        name = custom_id(request)
        if name in self._waiting:
            return await asyncio.shield(self._waiting[name][1])
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[name] = request, answered
        self._schedule()
        return await answered

    def _schedule(self) -> None:
        """Send now if there is a whole batch, else once it has been quiet."""
        if self._timer is not None:
            self._timer.cancel()
        if len(self._waiting) >= self._size:
            self._send()
        else:
            self._timer = asyncio.get_running_loop().call_later(self._linger, self._send)

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, {}
        asked = {name: pair for name, pair in waiting.items() if not pair[1].done()}
        earlier = self._earlier or {}
        groups: dict[str | None, dict[str, tuple[Request, asyncio.Future[Reply]]]] = {}
        for name, pair in asked.items():
            groups.setdefault(earlier.pop(name, None), {})[name] = pair
        for batch, group in groups.items():
            task = asyncio.create_task(self._settle(batch, group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _settle(self, batch: str | None, group: Mapping[str, tuple[Request, asyncio.Future[Reply]]]) -> None:
        """Answer a group of questions by a batch that exists or by a new one."""
        requests = {name: request for name, (request, _) in group.items()}
        missing = Reply(ERROR, error="batch: it holds no answer to this question", retryable=True)
        try:
            ended = await self._ended(batch or await self._created(requests))
            missing = _without_answer(ended)
            replies = answers(await self._files(ended), requests, self._endpoint, self._clock())
        except Refused as refused:
            missing, replies = refused.reply, {}
        for name, (_, answered) in group.items():
            if not answered.done():
                answered.set_result(replies.get(name, missing))

    async def _created(self, requests: Mapping[str, Request]) -> str:
        content = written(requests, self._endpoint, self._line_url)
        file = await self._call(
            "POST", "/files", files={"file": ("questions.jsonl", content)}, data={"purpose": "batch"}
        )
        asked = {"input_file_id": _id(file), "endpoint": self._line_url, "completion_window": self._window}
        tagged = {} if self._tag is None else {"metadata": {"quorate": self._tag}}
        batch = await self._call("POST", "/batches", body={**asked, **tagged})
        return _id(batch)

    async def _ended(self, batch: str) -> Mapping[str, Any]:
        """The batch once it has ended; a look that fails is repeated at the next one."""
        until = time.monotonic() + self._most_wait
        while time.monotonic() < until:
            try:
                found: Mapping[str, Any] = await self._call("GET", f"/batches/{batch}")
            except Refused as refused:
                if not refused.reply.retryable:
                    raise
            else:
                if found.get("status") in _ENDED:
                    return found
            await asyncio.sleep(self._poll)
        raise Refused(Reply(ERROR, error=f"batch: not ended in {self._most_wait:g} s", retryable=True))

    async def _files(self, batch: Mapping[str, Any]) -> list[bytes]:
        ids = [batch.get("output_file_id"), batch.get("error_file_id")]
        return [await self._content(id_) for id_ in ids if isinstance(id_, str) and id_]

    async def _content(self, file: str) -> bytes:
        """A file; a failure is tried again, for what it holds is paid for."""
        for _ in range(4):
            try:
                return await self._fetched("GET", f"/files/{file}/content", most_bytes=_MOST_BYTES)
            except Refused as refused:
                if not refused.reply.retryable:
                    raise
            await asyncio.sleep(self._poll)
        return await self._fetched("GET", f"/files/{file}/content", most_bytes=_MOST_BYTES)

    async def _find_earlier(self) -> None:
        """Once: the questions that are in batches of this tag, and which batch has them."""
        async with self._looking:
            if self._earlier is not None or self._tag is None:
                return
            self._earlier = {}
            try:
                listed = await self._call("GET", f"/batches?limit={_LISTED}")
                for batch in filter(self._is_ours, listed.get("data") or []):
                    content = await self._content(str(batch.get("input_file_id")))
                    self._earlier |= dict.fromkeys(names(content), str(batch.get("id")))
            except Refused:
                self._earlier = None
                raise

    def _is_ours(self, batch: Any) -> bool:
        if not isinstance(batch, Mapping) or batch.get("status") in {"failed", "cancelled", "cancelling"}:
            return False
        metadata = batch.get("metadata")
        return isinstance(metadata, Mapping) and metadata.get("quorate") == self._tag

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
        """Body of an answer with status 200.

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
        if answer.code == 200:
            return answer.body
        said = answer.body[:1000].decode("utf-8", "replace")
        raise Refused(turned_away(answer.code, answer.headers, said, self._clock(), 0.0))


def _id(made: Mapping[str, Any]) -> str:
    """Id of a file or batch that was made."""
    if not isinstance(made.get("id"), str):
        raise Refused(Reply(ERROR, error="batch: the endpoint gave no id", retryable=True))
    return str(made["id"])


def _without_answer(batch: Mapping[str, Any]) -> Reply:
    """The reply to a question that an ended batch holds no answer to."""
    status = batch.get("status")
    if status == "completed":
        return Reply(ERROR, error="batch: it holds no answer to this question", retryable=True)
    errors = batch.get("errors")
    listed = errors.get("data") if isinstance(errors, Mapping) else None
    said = "; ".join(
        f"{error.get('code')}: {error.get('message')}" for error in listed or [] if isinstance(error, dict)
    )
    again = status != "failed" or "limit" in said
    return Reply(ERROR, error=f"batch: {status}: {said}", cost=0.0, retryable=again)
