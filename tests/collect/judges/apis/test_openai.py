"""Chat completions; the rest is in the tests of endpoints."""

from __future__ import annotations

from forms import ASKED, question

from quorate.collect.judges.apis import APIS
from quorate.collect.judges.endpoint import Endpoint, body


def test_what_a_request_says_comes_before_what_the_judge_says():
    judge = Endpoint("judge", "https://judge.test/v1", "m", params={"temperature": 1.0, "max_tokens": 5})
    sent = body(question(), judge)
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("m", 0.5, 5)
    assert [turn["role"] for turn in sent["messages"]] == [turn.role for turn in ASKED]
    assert APIS["openai"].path("any") == "/chat/completions"
