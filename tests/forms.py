"""Endpoints of several forms, behind a transport that answers with one body."""

from __future__ import annotations

import asyncio
import json

import httpx2

from quorate.collect.budget import Price
from quorate.collect.judge import Expects, Message, Request
from quorate.collect.judges.endpoint import Endpoint
from quorate.collect.judges.remote import EndpointJudge

ASKED = (
    Message("system", "You judge."),
    Message("user", "Rate this."),
    Message("assistant", "Well?"),
    Message("user", "On."),
)
BASES = {"anthropic": "https://judge.test/v1", "gemini": "https://judge.test/v1beta"}
PARAMS = {"max_tokens": 50, "top_p": 0.9, "stop": ["END"]}


def question(**expects):
    return Request("key-1", ASKED, {"temperature": 0.5}, Expects(1, 10, **expects), "judge")


def endpoint(api, **settings):
    given = {"url": BASES[api], "params": PARAMS, "price": Price(input=1.0, output=2.0), "key_env": "JUDGE_KEY"}
    return Endpoint(name="judge", model="m 1", api=api, **(given | settings))


def asked(api, answer, code=200, request=None, **settings):
    """The reply to one question, and the request that reached the server."""
    seen = []

    async def handle(sent):
        seen.append(sent)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return httpx2.Response(code, content=content)

    async def ask():
        judge = EndpointJudge(endpoint(api, **settings), transport=httpx2.MockTransport(handle))
        reply = await judge.ask(request or question())
        await judge.close()
        return reply

    return asyncio.run(ask()), seen[0]


def message(text="8", reason="end_turn", **changes):
    """A message of Anthropic's documentation."""
    content = [{"type": "thinking", "thinking": "3? no", "signature": "x"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 7, "service_tier": "standard"}
    whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content}
    return {**whole, "stop_reason": reason, "stop_sequence": None, "usage": usage} | changes


def generated(text="8", reason="STOP", **changes):
    """A response of Gemini's documentation."""
    parts = [{"text": "3? no", "thought": True}, {"text": text, "thoughtSignature": "x"}]
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": reason, "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 107}
    return {"candidates": [candidate | changes], "usageMetadata": usage, "modelVersion": "m", "responseId": "r"}


ANSWERS = {"anthropic": message, "gemini": generated}
