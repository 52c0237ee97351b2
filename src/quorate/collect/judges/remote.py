"""Judges behind endpoints: how they are asked, and what their answers amount to."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.judges import connection
from quorate.collect.judges.apis import decoded, reply_from
from quorate.collect.judges.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2


class RemoteJudge:
    """What judges behind an endpoint share: its settings, its key, and the connection to it.

    Parameters
    ----------
    endpoint : Endpoint
        Where it is and how it is asked.
    transport : httpx2.AsyncBaseTransport, optional
        Instead of the network.

    Raises
    ------
    InvalidInput
        If the environment variable of the key is not set.
    """

    def __init__(self, endpoint: Endpoint, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._endpoint, self._secret = endpoint, connection.from_environment(endpoint.key_env, endpoint.name)
        self._connection = connection.HttpConnection(endpoint, self._secret, transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoint.name}: {self._endpoint.model} at {self._endpoint.url})"

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._endpoint.name

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


class EndpointJudge(RemoteJudge):
    """A model behind an endpoint, asked one question a call."""

    async def ask(self, request: Request) -> Reply:
        """Ask one question; whatever the endpoint does becomes a reply, within the endpoint's timeout."""
        start, path = time.perf_counter(), self._endpoint.form.path(self._endpoint.model)
        question = json.dumps(body(request, self._endpoint), allow_nan=False).encode()
        once = {"Idempotency-Key": request.once} if request.once and self._endpoint.idempotency else {}
        try:
            answer = await self._connection.exchange("POST", path, json=question, headers=once)
        except TimeoutError:
            reply = Reply(ERROR, error=f"no whole answer in {self._endpoint.timeout:g} s", retryable=True)
        except connection.NotSent as error:
            reply = Reply(ERROR, error=str(error), cost=0.0, retryable=True, unsent=True)
        except (connection.Broken, connection.Unusable) as error:
            reply = Reply(ERROR, error=str(error), retryable=True)
        else:
            reply = reply_to(cleaned(answer, self._secret), request, self._endpoint, time.time(), self._secret)
        return replace(scrubbed(reply, self._secret), latency=time.perf_counter() - start)


def body(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """Body of the call that asks a question."""
    return endpoint.form.body(endpoint.model, request, endpoint.params, endpoint.structured)


def reply_to(
    answer: connection.Answer, request: Request, endpoint: Endpoint, now: float, secret: connection.Secret | None = None
) -> Reply:
    """The reply that an endpoint's answer amounts to, without the key in what is decoded, before any of it is cut."""
    try:
        content = decoded(answer.body)
        content = without_key(content, secret)
    except ValueError as error:
        if answer.code == 200:
            return Reply(ERROR, error=f"the answer is no JSON: {error}", retryable=True)
        content = answer.body[:1000].decode("utf-8", "replace")
    return reply_of(answer.code, answer.headers, content, request, endpoint, now)


def reply_of(
    status: int, headers: Mapping[str, str], content: Any, request: Request, endpoint: Endpoint, now: float
) -> Reply:
    """The reply that a status and a decoded body amount to."""
    code = status if status != 200 else connection.inner_status(content)
    if code is not None and not 200 <= code < 300:
        return connection.turned_away(code, headers, content, now)
    try:
        said, billed = endpoint.form.completion(content), endpoint.form.usage(content)
        return reply_from(said, billed, request.expects, endpoint.price)
    except Exception as error:  # noqa: BLE001  (whatever a body makes its reader do is an error of this call)
        return Reply(ERROR, error=f"unusable reply: {type(error).__name__} in reading it", retryable=True)


def cleaned(answer: connection.Answer, secret: connection.Secret | None) -> connection.Answer:
    """The answer without the key, before any of it is cut."""
    if secret is None:
        return answer
    return connection.Answer(
        answer.code,
        {name: secret.scrub(value) for name, value in answer.headers.items()},
        secret.scrub(answer.body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"),
    )


def without_key(content: Any, secret: connection.Secret | None) -> Any:
    """A decoded value without the key in any of its texts: what JSON had escaped is found only now."""
    if secret is None:
        return content
    if isinstance(content, str):
        return secret.scrub(content)
    if isinstance(content, list):
        return [without_key(inner, secret) for inner in content]
    if isinstance(content, dict):
        return {secret.scrub(name): without_key(inner, secret) for name, inner in content.items()}
    return content


def scrubbed(reply: Reply, secret: connection.Secret | None) -> Reply:
    """The reply without the key, should the endpoint have sent it back in yet another spelling."""
    if secret is None or not (reply.text or reply.error):
        return reply
    error = None if reply.error is None else secret.scrub(reply.error)
    return replace(reply, text=connection.scrub(reply.text, secret), error=error)
