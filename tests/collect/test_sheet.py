"""Sheets: what people read of a prompt, whole and without what is for programs."""

from __future__ import annotations

import pytest

from quorate.collect.judge import Expects
from quorate.collect.prompt import BUILT_IN, Prompt, built_in

PAIR = {"prompt": "p?", "response_a": "one", "response_b": "two", "response": "one"}


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_prompt_has_a_sheet(name):
    sheet = built_in(name).sheet(PAIR)
    shown = " ".join([sheet.instructions, sheet.closing, *(piece.heading for piece in sheet.pieces)])
    assert sheet.instructions
    assert not [word for word in ("JSON", "<<<", "mark", "Reply", "impartial") if word in shown]
    assert sheet.paired == name.startswith("pairwise")
    assert [piece.text for piece in sheet.pieces] == ["p?", "one", "two"][: 3 if sheet.paired else 2]


def test_the_two_responses_change_places():
    sheet = built_in("pairwise").sheet(PAIR, swapped=True)
    assert [(piece.heading, piece.text) for piece in sheet.pieces[1:]] == [
        ("Response A:", "two"),
        ("Response B:", "one"),
    ]


def test_a_conversation_is_turn_by_turn():
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    pieces = built_in("score").sheet({"conversation": turns, "response": "r"}).pieces
    assert [(piece.name, piece.text) for piece in pieces[:2]] == [
        ("conversation 1 user", "hi"),
        ("conversation 2 assistant", "ho"),
    ]


def test_a_template_of_ones_own_is_shown_as_it_is_unless_people_have_words_of_their_own():
    source = "Rate {{ response }} from 1 to 5.\nReply with N."
    sheet = Prompt("own", source, Expects(1, 5)).sheet(PAIR)
    assert (sheet.instructions, sheet.pieces[0].heading, sheet.closing) == ("", "Rate", "from 1 to 5.\nReply with N.")
    sheet = Prompt("own", source, Expects(1, 5), "How good is it?").sheet(PAIR)
    assert (sheet.instructions, sheet.pieces[0].heading, sheet.closing) == ("How good is it?", "Response", "")


def test_a_task_may_quote_the_item():
    source = '{% extends "score.j2" %}{% block task %}Is this about {{ topic }}?{% endblock %}'
    assert Prompt("own", source, Expects(1, 10)).sheet({**PAIR, "topic": "tea"}).instructions == "Is this about tea?"


def test_words_for_people_are_no_part_of_what_models_are_asked():
    plain = built_in("score")
    said = Prompt("score", plain.source, plain.expects, "For people")
    assert said.digest == plain.digest
    assert said.messages(PAIR) == plain.messages(PAIR)
    assert said.sheet(PAIR).instructions == "For people"
