"""Judges behind OpenAI-compatible endpoints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.judges.completion import decoded, reply_from
from quorate.collect.judges.connection import Answer, Broken, Connection, NotSent, Unusable
from quorate.collect.judges.endpoint_settings import Endpoint
from quorate.collect.judges.http_status import inner_status, turned_away
from quorate.collect.judges.structured import structure
from quorate.collect.secret import Secret, from_environment, scrub

if TYPE_CHECKING:
    import httpx2

TOP_LOGPROBS = 20


class EndpointJudge:
    """A model behind an OpenAI-compatible endpoint.

    Parameters
    ----------
    endpoint : Endpoint
        Where it is and how it is asked.
    transport : httpx2.AsyncBaseTransport, optional
        Instead of the network.
    clock : callable
        Seconds since the epoch.

    Raises
    ------
    InvalidInput
        If the environment variable of the key is not set.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint, self._clock = endpoint, clock
        self._secret = from_environment(endpoint.key_env, endpoint.name)
        self._connection = Connection(endpoint, self._secret, transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoint.name}: {self._endpoint.model} at {self._endpoint.url})"

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._endpoint.name

    async def ask(self, request: Request) -> Reply:
        """Ask one question; whatever the endpoint does becomes a reply, within the endpoint's timeout."""
        start = time.perf_counter()
        reply = scrubbed(await self._asked(request), self._secret)
        return replace(reply, latency=time.perf_counter() - start)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _asked(self, request: Request) -> Reply:
        sent = json.dumps(body(request, self._endpoint), allow_nan=False).encode()
        try:
            answer = await self._connection.exchange("POST", "/chat/completions", json=sent)
        except TimeoutError:
            return Reply(ERROR, error=f"no whole answer in {self._endpoint.timeout:g} s", retryable=True)
        except NotSent as error:
            return Reply(ERROR, error=str(error), cost=0.0, retryable=True)
        except (Broken, Unusable) as error:
            return Reply(ERROR, error=str(error), retryable=True)
        return reply_to(cleaned(answer, self._secret), request, self._endpoint, self._clock())


def body(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """Body of the call that asks a question."""
    weighed = {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if request.expects.expected else {}
    return {
        "model": endpoint.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        **weighed,
        **endpoint.params,
        **request.params,
        **structure(endpoint.structured, request.expects),
    }


def reply_to(answer: Answer, request: Request, endpoint: Endpoint, now: float) -> Reply:
    """The reply that an endpoint's answer amounts to."""
    try:
        said = decoded(answer.body)
    except ValueError as error:
        if answer.code == 200:
            return Reply(ERROR, error=f"the answer is no JSON: {error}", retryable=True)
        said = answer.body[:1000].decode("utf-8", "replace")
    return reply_of(answer.code, answer.headers, said, request, endpoint, now)


def reply_of(
    status: int, headers: Mapping[str, str], said: Any, request: Request, endpoint: Endpoint, now: float
) -> Reply:
    """The reply that a status and a decoded body amount to."""
    code = status if status != 200 else inner_status(said)
    if code is not None and not 200 <= code < 300:
        return turned_away(code, headers, said, now, 0.0)
    return reply_from(said, request.expects, endpoint.price, 0.0)


def cleaned(answer: Answer, secret: Secret | None) -> Answer:
    """The answer without the key, before any of it is cut."""
    if secret is None:
        return answer
    return Answer(
        answer.code,
        {name: secret.scrub(value) for name, value in answer.headers.items()},
        secret.scrub(answer.body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"),
    )


def scrubbed(reply: Reply, secret: Secret | None) -> Reply:
    """The reply without the key, should the endpoint have sent it back in yet another spelling."""
    if secret is None or not (reply.text or reply.error):
        return reply
    error = None if reply.error is None else secret.scrub(reply.error)
    return replace(reply, text=scrub(reply.text, secret), error=error)
