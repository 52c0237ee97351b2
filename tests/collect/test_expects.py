"""The scale: what is on it, how it is turned round, and what a structured reply must look like."""

from __future__ import annotations

import jsonschema
import pytest

from quorate.collect.judge import Expects
from quorate.errors import InvalidInput

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
