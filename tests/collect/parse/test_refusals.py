"""Refusals are told from judgments that are hard to make."""

from __future__ import annotations

import pytest

from quorate.collect.parse.refusals import declines


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot assist with this request.",
        "I am unable to evaluate this content.",
        "I cannot rate this response.",
        "I can't provide a score for harmful material.",
        "I won't engage with this.",
        "I must decline to judge this.",
        "As an AI language model, I cannot judge people.",
        "This content violates our policy.",
        "I'm not comfortable rating this.",
        "My guidelines do not allow me to score this.",
        "Sorry,\nbut I\ncannot comply.",
    ],
)
def test_a_refusal(text):
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The response is good.",
        "I cannot tell which is better.",
        "I can't determine whether it is right.",
        "I can't help but like it.",
        "The assistant refuses to answer, which is safe.",
        "The response says it cannot help.",
        "word " * 200 + "I cannot assist.",
    ],
)
def test_no_refusal(text):
    assert not declines(text)
