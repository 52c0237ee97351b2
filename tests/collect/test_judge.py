"""Requests and replies keep their promises whoever makes them."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
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


PAIR = Expects(0, 1, labels={"A": 1, "tie": 0.5, "B": 0}, name="verdict")


@pytest.mark.parametrize(
    ("score", "on"), [(1, True), (10, True), (0, False), (11, False), (7.5, False), (float("nan"), False)]
)
def test_what_is_on_a_scale_of_whole_numbers(score, on):
    assert Expects(1, 10).allows(score) is on


def test_points():
    assert Expects(0, 2).points == (0, 1, 2)
    assert PAIR.points == (0, 0.5, 1)
    assert Expects(0, 1, integer=False).points == ()


def test_turning_round_twice_is_nothing():
    swapped = Expects(1, 10, swapped=True)
    assert [swapped.recoded(score) for score in (1, 4, 10)] == [10, 7, 1]
    assert Expects(1, 10).recoded(4) == 4


@pytest.mark.parametrize(
    ("expects", "right", "wrong"),
    [
        (Expects(1, 10), {"score": 7}, {"score": 11}),
        (Expects(0, 1, integer=False), {"score": 0.5}, {"score": 1.5}),
        (PAIR, {"verdict": "tie"}, {"verdict": "C"}),
        (Expects(1, 10, reasoned=True), {"reasoning": "fine", "score": 7}, {"score": 7}),
    ],
)
def test_the_schema_takes_answers_and_nothing_else(expects, right, wrong):
    jsonschema.validate(right, expects.schema)
    for body in (wrong, right | {"more": 1}, {}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(body, expects.schema)


def test_reasons_come_before_the_answer():
    assert list(Expects(1, 10, reasoned=True).schema["properties"]) == ["reasoning", "score"]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"low": 1, "high": 1}, "low must be below high"),
        ({"low": 0, "high": float("inf")}, "both finite"),
        ({"low": 0, "high": 1, "labels": {"A": 2}}, 'labels: "A" scores 2'),
        ({"low": 0, "high": 1, "integer": False, "expected": True}, "expected: needs"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(given, rule):
    with pytest.raises(InvalidInput, match=rule):
        Expects(**given)
