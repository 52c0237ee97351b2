"""generateContent as Gemini has it."""

from __future__ import annotations

import json

import pytest
from forms import PARAMS, asked, endpoint, generated, question

from quorate.collect.judge import Expects
from quorate.collect.judges.apis import APIS


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
