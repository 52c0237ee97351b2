"""What is taken out of a reply leaves everything else where it was."""

from __future__ import annotations

import pytest

from quorate.collect.parse import concluded, declines, lines, plain, unquoted, without_block_quotes


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<think>a\nb</think>7", "7"),
        ("a</think>7", "7"),
        ("<THINK>a</THINK><think>b</think>7", "7"),
        ("7<think>a", "7"),
        ("<thinking>a</thinking> 7 <b>", "7 <b>"),
        ("7", "7"),
    ],
)
def test_reasoning_is_blank(text, kept):
    assert concluded(text).strip() == kept
    assert len(concluded(text)) == len(text)
    assert concluded(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('say "Score: 7" now', "say now"),
        ("say “Score: 7” now", "say now"),
        ("say `Score: 7` now", "say now"),
        ('say "7" now', 'say "7" now'),
        ('"Score: 7"', "Score: 7"),
        ("> Score: 7\nnow", "now"),
        ('an "open quote', 'an "open quote'),
    ],
)
def test_quotations_are_blank(text, kept):
    assert " ".join(unquoted(text).split()) == kept
    assert len(unquoted(text)) == len(text)


def test_markup_is_blank():
    assert plain("**a** `b` _c_ # d") == "  a    b   c    d"
    assert without_block_quotes("a > b\n> c") == "a > b\n   "


def test_lines_are_those_that_say_something():
    assert lines("a\n\n  b \n---\n```json\n}\n7") == [(0, "a"), (5, "b"), (22, "7")]


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
