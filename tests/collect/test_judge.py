"""Requests and replies keep their promises whoever makes them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.collect.judge import MOST_ERROR, MOST_TEXT, Expects, Message, Reply, Request
from quorate.errors import InvalidInput

ASKED = Request("k", (Message("user", "Rate it."),), {"temperature": 0.5}, Expects(1, 10), "a")


def test_the_digest_is_of_what_is_asked_and_of_nothing_else():
    same = [replace(ASKED, key="other"), replace(ASKED, cell={"item": "i1"}), replace(ASKED, expects=Expects(0, 4))]
    other = [
        replace(ASKED, judge="b"),
        replace(ASKED, params={"temperature": 0.7}),
        replace(ASKED, messages=(Message("system", "Rate it."),)),
        replace(ASKED, messages=(Message("user", "Rate"), Message("user", " it."))),
    ]
    assert {request.digest for request in same} == {ASKED.digest}
    assert len({request.digest for request in (ASKED, *other)}) == 5


@pytest.mark.parametrize("name", ["messages", "model", "n", "stream", "response_format"])
def test_parameters_do_not_say_what_the_request_says(name):
    with pytest.raises(InvalidInput, match=f'"{name}" is set by the request'):
        replace(ASKED, params={name: 1})


@pytest.mark.parametrize(
    "given", [("ok", None), ("ok", float("nan")), ("ok", float("inf")), ("error", 7.0), ("missing", None)]
)
def test_only_an_answer_has_a_score(given):
    with pytest.raises(InvalidInput):
        Reply(*given)


def test_long_texts_are_cut_and_the_cut_is_said():
    reply = Reply("unparsed", text="x" * (MOST_TEXT + 5), error="e\n" * 1000)
    assert (len(reply.text), reply.cut) == (MOST_TEXT, 5)
    assert replace(reply, latency=1.0).cut == 5
    assert len(reply.error) <= MOST_ERROR
    assert "\n" not in reply.error


def test_what_is_kept_can_be_stored():
    reply = Reply("unparsed", text="\ud800x", error="\udfff")
    assert (reply.text.encode(), reply.error.encode()) == (b"?x", b"?")


def test_the_text_is_not_in_the_representation():
    assert "secret words" not in repr(Reply("unparsed", text="secret words"))
