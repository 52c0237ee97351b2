"""A judge's endpoint on the loopback interface that counts what it is asked; ``python loopback.py DELAY SECONDS``.

It prints its port, answers every POST with a chat completion after ``DELAY`` seconds, and ends after ``SECONDS``.
GET /counts says how often each question was asked: what was asked of a model is known by the digest of the request, as
in the ledger, and without a model by the first line of the first message. GET /delay/SECONDS changes how long it
takes, GET /status/CODE what it answers with, GET /spread/POINTS how far below 7 scores may be (what holds "better" gets
a point more), and GET /billed says how many questions were answered with 200.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

REPLY = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": '{"score": SCORE}'}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
).encode()


@dataclass
class State:
    """What all connections share."""

    delay: float
    status: int = 200
    spread: int = 0
    billed: int = 0
    counts: Counter[str] = field(default_factory=Counter)


class Endpoint(asyncio.Protocol):
    """One connection: requests of known length, answered in turn."""

    def __init__(self, state: State) -> None:
        self.state, self.held = state, b""

    def connection_made(self, transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            head = self.held[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.held) < end + 4 + length:
                return
            body, self.held = self.held[end + 4 : end + 4 + length], self.held[end + 4 + length :]
            self.asked(head, body)

    def asked(self, head: bytes, body: bytes) -> None:
        state = self.state
        if head.startswith(b"get"):
            what, _, value = head.split()[1].decode().lstrip("/").partition("/")
            if what in ("delay", "status", "spread"):
                setattr(state, what, type(getattr(state, what))(value))
            self.answer(json.dumps(state.counts if what == "counts" else state.billed).encode())
            return
        asked = question(json.loads(body))
        state.counts[asked] += 1
        state.billed += state.status == 200
        score = 7 - zlib.crc32(asked.encode()) % (state.spread + 1) + (state.spread > 0 and b"better" in body)
        content = (
            REPLY.replace(b"SCORE", b"%d" % score) if state.status == 200 else b'{"error": {"message": "out of order"}}'
        )
        asyncio.get_running_loop().call_later(state.delay, self.answer, content, state.status)

    def answer(self, body: bytes, status: int = 200) -> None:
        if not self.transport.is_closing():
            head = f"HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            self.transport.write(head.encode() + body)


def question(said: dict[str, Any]) -> str:
    """Name of what was asked: see `quorate.collect.judge.Request.digest`, where judges are called as their models."""
    if "model" not in said:
        return str(said["messages"][0]["content"].partition("\n")[0])
    params = {"temperature": said["temperature"]} if "temperature" in said else {}
    asked = [said["model"], [[turn["role"], turn["content"]] for turn in said["messages"]], params]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


async def main(delay: float, seconds: float) -> None:
    state = State(delay)
    server = await asyncio.get_running_loop().create_server(lambda: Endpoint(state), "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.sleep(seconds)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), float(sys.argv[2])))
