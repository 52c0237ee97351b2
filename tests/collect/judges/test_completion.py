"""Bodies of completions; the hostile server of `test_endpoint.py` sends most of these for real."""

from __future__ import annotations

import pytest

from quorate.collect.budget import Price
from quorate.collect.judge import Expects
from quorate.collect.judges.apis import completion, decoded, reply_from, usage


def body(message, **choice):
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
    assert completion(body({"content": content})).text == text


@pytest.mark.parametrize("content", [7, {}, True, [{"type": "text", "text": 7}]])
def test_what_is_no_content(content):
    assert isinstance(completion(body({"content": content})), str)


def test_wrong_types_beside_the_content_are_left_out():
    said = completion(body({"content": "7", "refusal": []}, finish_reason=3, logprobs="x"))
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
    said = body({"content": "Well."}) | {"usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}}
    reply = reply_from(completion(said), usage(said), Expects(1, 10), Price(input=1, output=1))
    assert (reply.status, reply.cost, reply.retryable) == ("unparsed", 1.0, False)
