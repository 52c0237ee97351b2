"""Forms of endpoints: what is asked, what answers amount to, and that no body, however odd, is more than a reply."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from forms import ANSWERS, ASKED, BASES, PARAMS, asked, endpoint, generated, message, question

from quorate.collect.budget import Price
from quorate.collect.judge import STATUSES, Expects, Message, Request
from quorate.collect.judges.apis import APIS, WAYS, completion, decoded, grammar, renamed, reply_from, turns, usage
from quorate.collect.judges.endpoint import Endpoint
from quorate.collect.judges.remote import body, reply_of
from quorate.errors import InvalidInput


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "canary-4711")


def completed(message, **choice):
    return {"choices": [{"message": message, **choice}]}


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b'{"a": Infinity}', b"[" * 10**6, b"\xff", b"1" * 10_000])
def test_what_is_no_json(text):
    with pytest.raises(ValueError):  # noqa: PT011 -- json's own words
        decoded(text)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("7", "7"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"text": "b"}], "ab"),
        ([{"type": "image"}, {"text": "b"}], "b"),
    ],
)
def test_contents(content, text):
    assert completion(completed({"content": content})).text == text


@pytest.mark.parametrize("content", [7, {}, True, [{"type": "text", "text": 7}]])
def test_what_is_no_content(content):
    assert isinstance(completion(completed({"content": content})), str)


def test_wrong_types_beside_the_content_are_left_out():
    said = completion(completed({"content": "7", "refusal": []}, finish_reason=3, logprobs="x"))
    assert (said.text, said.finish, said.refusal, said.tokens) == ("7", None, None, None)


@pytest.mark.parametrize(
    ("used", "counts"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 0}, (5, 0)),
        ({"prompt_tokens": "5", "completion_tokens": 1.5}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": 10**30}, (None, None)),
        (None, (None, None)),
        ([], (None, None)),
    ],
)
def test_tokens(used, counts):
    assert usage({"usage": used}) == counts


def test_an_answer_nobody_can_read_is_paid_for_and_not_asked_for_again():
    said = completed({"content": "Well."}) | {"usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}}
    reply = reply_from(completion(said), usage(said), Expects(1, 10), Price(input=1, output=1))
    assert (reply.status, reply.cost, reply.retryable) == ("unparsed", 1.0, False)


PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")


@pytest.mark.parametrize(
    ("way", "added"),
    [
        ("json_object", {"response_format": {"type": "json_object"}}),
        ("structured_outputs", {"structured_outputs": {"json": PAIR.schema}}),
        ("grammar", {"grammar": grammar(PAIR)}),
    ],
)
def test_what_is_added(way, added):
    assert WAYS[way](PAIR) == added


def test_a_schema_is_strict():
    added = WAYS["json_schema"](PAIR)["response_format"]
    assert added["json_schema"]["strict"] is True
    assert added["json_schema"]["schema"] == PAIR.schema
    assert all(json.dumps(way(PAIR)) for way in WAYS.values())


def test_a_grammar():
    assert grammar(Expects(0, 1)).splitlines() == [r'root ::= "{\"score\": " answer "}"', 'answer ::= "0" | "1"']
    assert grammar(PAIR).splitlines()[1] == r'answer ::= "\"A\"" | "\"tie\"" | "\"B\""'


def test_a_grammar_with_reasons():
    rules = grammar(Expects(0, 1, reasoned=True)).splitlines()
    assert rules[0] == r'root ::= "{" "\"reasoning\": \"" char* "\", " "\"score\": " answer "}"'
    assert len(rules) == 3


def test_what_cannot_be():
    with pytest.raises(InvalidInput, match="a grammar needs"):
        grammar(Expects(0, 1, integer=False))


@pytest.mark.parametrize(
    ("api", "path", "header"),
    [("anthropic", "/v1/messages", "x-api-key"), ("gemini", "/v1beta/models/m%201:generateContent", "x-goog-api-key")],
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
    for said in changed(VALID[api]):
        reply = reply_of(200, {}, said, request, place, 0.0)
        assert reply.status in STATUSES, said
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
        ("anthropic", 429, {"error": {"type": "rate_limit_error", "message": "m"}}, (True, False, None)),
        ("anthropic", 529, {"error": {"type": "overloaded_error", "message": "m"}}, (True, False, None)),
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


def test_what_a_request_says_comes_before_what_the_judge_says():
    judge = Endpoint("judge", "https://judge.test/v1", "m", params={"temperature": 1.0, "max_tokens": 5})
    sent = body(question(), judge)
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("m", 0.5, 5)
    assert [turn["role"] for turn in sent["messages"]] == [turn.role for turn in ASKED]
    assert APIS["openai"].path("any") == "/chat/completions"


def test_a_message_is_asked_as_anthropic_wants_it():
    _, sent = asked("anthropic", message(), structured="json_schema")
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert json.loads(sent.content) == {
        "model": "m 1",
        "system": "You judge.",
        "messages": [{"role": turn.role, "content": turn.content} for turn in ASKED[1:]],
        "max_tokens": 50,
        "top_p": 0.9,
        "stop_sequences": ["END"],
        "temperature": 0.5,
        "output_config": {"format": {"type": "json_schema", "schema": Expects(1, 10).schema}},
    }


def test_where_there_is_no_system_none_is_sent():
    assert "system" not in body(Request("k", ASKED[1:2], {}, Expects(1, 10), "judge"), endpoint("anthropic"))


def test_content_is_asked_as_gemini_wants_it():
    settings = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]
    params = {**PARAMS, "safetySettings": settings, "thinkingConfig": {"thinkingBudget": 0}}
    _, sent = asked("gemini", generated(), structured="json_schema", params=params, request=question(expected=True))
    assert json.loads(sent.content) == {
        "systemInstruction": {"parts": [{"text": "You judge."}]},
        "contents": [
            {"role": role, "parts": [{"text": text}]}
            for role, text in (("user", "Rate this."), ("model", "Well?"), ("user", "On."))
        ],
        "generationConfig": {
            "maxOutputTokens": 50,
            "topP": 0.9,
            "stopSequences": ["END"],
            "temperature": 0.5,
            "thinkingConfig": {"thinkingBudget": 0},
            "responseMimeType": "application/json",
            "responseJsonSchema": Expects(1, 10).schema,
            "responseLogprobs": True,
            "logprobs": 20,
        },
        "safetySettings": settings,
    }


def test_the_key_may_go_elsewhere_and_a_model_have_a_collection():
    _, sent = asked("gemini", generated(), key_header="Authorization")
    assert sent.headers["authorization"] == "Bearer canary-4711"
    assert endpoint("gemini").address("/x") == "https://judge.test/v1beta/x"
    assert APIS["gemini"].path("tunedModels/a?b") == "/tunedModels/a%3Fb:generateContent"


def test_an_expected_score_is_weighed_by_the_tokens_of_gemini():
    tokens = {
        "chosenCandidates": [{"token": "8", "logProbability": -0.693147}],
        "topCandidates": [
            {"candidates": [{"token": "8", "logProbability": -0.693147}, {"token": "6", "logProbability": -0.693148}]}
        ],
    }
    reply, _ = asked("gemini", generated(logprobsResult=tokens), request=question(expected=True))
    assert (reply.status, reply.score) == ("ok", pytest.approx(7.0, abs=1e-5))


def test_what_has_no_other_name_keeps_its_own():
    assert renamed({"stop": ["x"], "seed": 1}, {"stop": "stop_sequences"}) == {"stop_sequences": ["x"], "seed": 1}


def test_what_is_said_before_the_conversation_is_apart():
    said = (Message("system", "a"), Message("user", "b"), Message("system", "c"))
    assert turns(Request("k", said, {}, Expects(1, 10), "judge")) == ("a\n\nc", [("user", "b")])
