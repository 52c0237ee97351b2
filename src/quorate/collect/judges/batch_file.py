"""The files of the batch interface: questions on the way in, answers and errors on the way out, one object a line."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quorate.collect.judge import ERROR, Reply, Request
from quorate.collect.judges.completion import decoded
from quorate.collect.judges.endpoint import body, reply_of
from quorate.collect.judges.endpoint_settings import Endpoint


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
    contents: Iterable[bytes], requests: Mapping[str, Request], endpoint: Endpoint, now: float
) -> dict[str, Reply]:
    """Replies by name from the output and error files.

    A name that occurs twice keeps its first answer; lines that are broken or answer something else are left out.
    """
    found: dict[str, Reply] = {}
    for line in (line for content in contents for line in _lines(content)):
        name = line["custom_id"]
        if name in requests and name not in found:
            found[name] = _reply(line, requests[name], endpoint, now)
    return found


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    """The lines under a name, one at a time: a file may be larger than what is wanted of it."""
    for line in io.BytesIO(content):
        try:
            value = decoded(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("custom_id"), str):
            yield value


def _reply(line: Mapping[str, Any], request: Request, endpoint: Endpoint, now: float) -> Reply:
    response, error = line.get("response"), line.get("error")
    code = response.get("status_code") if isinstance(response, Mapping) else None
    if isinstance(code, int) and isinstance(response, Mapping):
        return reply_of(code, {}, response.get("body"), request, endpoint, now)
    said = (
        " ".join(str(value) for value in error.values()) if isinstance(error, Mapping) else "a line without a response"
    )
    return Reply(ERROR, error=f"batch: {said}", cost=0.0 if error else None, retryable=True)
