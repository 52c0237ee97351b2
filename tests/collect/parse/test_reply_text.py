"""What is taken out of a reply leaves everything else where it was."""

from __future__ import annotations

import pytest

from quorate.collect.parse.reply_text import concluded, lines, plain, unquoted, without_block_quotes


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
