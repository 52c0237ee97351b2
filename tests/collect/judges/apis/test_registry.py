"""Forms of endpoints: what answers amount to, and that no body, however odd, is more than a reply."""

from __future__ import annotations

from dataclasses import replace

import pytest
from forms import ANSWERS, BASES, asked, endpoint, generated, message, question

from quorate.collect.judge import STATUSES
from quorate.collect.judges.apis import APIS
from quorate.collect.judges.endpoint import Endpoint, reply_of
from quorate.errors import InvalidInput


@pytest.mark.parametrize(
    ("api", "path", "header"),
    [
        ("anthropic", "/v1/messages", "x-api-key"),
        ("gemini", "/v1beta/models/m%201:generateContent", "x-goog-api-key"),
    ],
)
def test_the_score_and_the_tokens_are_those_of_the_answer_and_not_of_its_thoughts(api, path, header):
    reply, sent = asked(api, ANSWERS[api]())
    assert (reply.status, reply.score, reply.text) == ("ok", 8.0, "8")
    assert (reply.tokens_in, reply.tokens_out) == (100, 7)
    assert reply.cost == pytest.approx((100 * 1.0 + 7 * 2.0) / 1e6)
    assert sent.url.raw_path.decode() == path
    assert sent.headers[header] == "canary-4711"
    assert "authorization" not in sent.headers
    assert "canary" not in sent.content.decode()


@pytest.mark.parametrize(
    ("api", "answer", "status"),
    [
        ("anthropic", message(reason="max_tokens"), "truncated"),
        ("anthropic", message(reason="model_context_window_exceeded"), "truncated"),
        ("anthropic", message("I cannot.", "refusal"), "refused"),
        ("anthropic", message(reason="refusal", content=[]), "refused"),
        ("anthropic", message("no number"), "unparsed"),
        ("anthropic", message(content=[]), "unparsed"),
        ("gemini", generated(reason="MAX_TOKENS"), "truncated"),
        ("gemini", generated(reason="SAFETY"), "refused"),
        ("gemini", generated(reason="PROHIBITED_CONTENT", content=None), "refused"),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}}, "refused"),
        ("gemini", generated("no number"), "unparsed"),
        ("gemini", generated(content={"role": "model"}), "unparsed"),
    ],
)
def test_what_is_no_score_has_its_status_and_is_not_asked_again(api, answer, status):
    reply, _ = asked(api, answer)
    assert (reply.status, reply.score, reply.retryable) == (status, None, False), reply.error


ODD = [
    b"",
    b"<html>",
    b'{"a": NaN}',
    b"[" * 100_000,
    [],
    "8",
    8,
    None,
    {},
    {"error": "overloaded"},
    {"content": "8", "candidates": "8"},
    {"content": ["8"], "candidates": ["8"]},
    {"content": [{"type": "text", "text": 8}], "candidates": [{"content": "8"}]},
    {"content": [{"type": "text"}], "candidates": [{"content": {"parts": "8"}}]},
    {"content": None, "candidates": [{"content": {"parts": ["8"]}}]},
    {"candidates": [generated("8")["candidates"][0], generated("9")["candidates"][0]]},
]


@pytest.mark.parametrize("api", BASES)
@pytest.mark.parametrize("answer", ODD, ids=range(len(ODD)))
def test_a_body_that_is_no_answer_is_an_error_to_be_asked_again(api, answer):
    reply, _ = asked(api, answer)
    assert (reply.status, reply.score, reply.retryable) == ("error", None, True), reply.text


VALID = {
    "openai": {
        "choices": [
            {
                "message": {"content": "8", "refusal": None},
                "finish_reason": "stop",
                "logprobs": {
                    "content": [{"token": "8", "logprob": -0.1, "top_logprobs": [{"token": "8", "logprob": -0.1}]}]
                },
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7},
    },
    "anthropic": message(),
    "gemini": generated(
        logprobsResult={
            "chosenCandidates": [{"token": "8", "logProbability": -0.1}],
            "topCandidates": [{"candidates": [{"token": "8", "logProbability": -0.1}]}],
        }
    )
    | {"promptFeedback": {"blockReason": None}},
}
INSTEAD = (None, True, -1, 10**400, 1e308, "", "\ud800", "8" * 10_000, [], [None], [[]], {}, {"text": {}}, {"a": [8]})


def changed(value):
    """A body with any one of its values replaced by something odd, dropped, or there twice."""
    yield from INSTEAD
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {key: entry for key, entry in value.items() if key != name}
            yield from ({**value, name: odd} for odd in changed(inner))
    elif isinstance(value, list):
        yield value * 2
        for at, inner in enumerate(value):
            yield from ([*value[:at], odd, *value[at + 1 :]] for odd in changed(inner))


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_whatever_a_body_is_becomes_a_reply_without_a_fault_of_its_reader(api, expected):
    place, request = replace(endpoint("gemini"), api=api), question(expected=expected)
    for body in changed(VALID[api]):
        reply = reply_of(200, {}, body, request, place, 0.0)
        assert reply.status in STATUSES, body
        assert "Error in reading it" not in (reply.error or ""), body
        assert reply.score is None or 1 <= reply.score <= 10, body


@pytest.mark.parametrize("fails", [TypeError("a list"), RecursionError, ZeroDivisionError, KeyError("x")], ids=repr)
def test_a_reader_that_fails_is_one_failed_call(monkeypatch, fails):
    def failing(_):
        raise fails

    monkeypatch.setitem(APIS, "gemini", replace(APIS["gemini"], completion=failing))
    reply, _ = asked("gemini", generated())
    assert (reply.status, reply.score, reply.retryable) == ("error", None, True)
    assert "unusable reply" in reply.error


@pytest.mark.parametrize("usage", [None, 8, {}, {"input_tokens": -1, "promptTokenCount": True, "output_tokens": "7"}])
@pytest.mark.parametrize("api", BASES)
def test_tokens_that_are_not_said_are_not_zero(api, usage):
    name = {"anthropic": "usage", "gemini": "usageMetadata"}[api]
    reply, _ = asked(api, ANSWERS[api]() | {name: usage})
    assert (reply.score, reply.tokens_in, reply.tokens_out, reply.cost) == (8.0, None, None, None)


@pytest.mark.parametrize(
    ("api", "code", "said", "told"),
    [
        (
            "anthropic",
            429,
            {"error": {"type": "rate_limit_error", "message": "m"}},
            (True, False, None),
        ),
        (
            "anthropic",
            529,
            {"error": {"type": "overloaded_error", "message": "m"}},
            (True, False, None),
        ),
        ("anthropic", 401, {"type": "error", "error": {"type": "authentication_error"}}, (False, True, None)),
        (
            "anthropic",
            400,
            {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
            (False, True, None),
        ),
        ("gemini", 429, {"error": {"code": 429, "details": [{"retryDelay": "34s"}]}}, (True, False, 34.0)),
        ("gemini", 429, {"error": {"code": 429, "details": [{"retryDelay": "9e9999s"}, 1]}}, (True, False, None)),
        ("gemini", 429, {"error": {"code": 429, "details": "34s"}}, (True, False, None)),
        ("gemini", 503, {"error": {"code": 503, "status": "UNAVAILABLE"}}, (True, False, None)),
        (
            "gemini",
            400,
            {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid. Please pass another"}},
            (False, True, None),
        ),
        ("gemini", 404, {"error": {"code": 404, "message": "models/m is not found"}}, (False, True, None)),
    ],
)
def test_errors_are_told_apart(api, code, said, told):
    reply, _ = asked(api, said, code)
    assert (reply.retryable, reply.fatal, reply.retry_after) == told, reply.error
    assert str(code) in reply.error


def test_settings_that_a_form_does_not_take_are_refused():
    with pytest.raises(InvalidInput, match='structured: must be one of json_schema, got "grammar"'):
        endpoint("anthropic", structured="grammar")
    with pytest.raises(InvalidInput, match="anthropic answers nothing without max_tokens; set it"):
        endpoint("anthropic", params={})
    with pytest.raises(InvalidInput, match='api: must be one of openai, anthropic, gemini, got "cohere"'):
        Endpoint(name="judge", url="https://judge.test/v1", model="m", api="cohere")


def test_a_whole_address_is_taken_as_well():
    whole = endpoint("anthropic", url="https://judge.test/v1/messages")
    assert whole.address("/messages") == "https://judge.test/v1/messages"
