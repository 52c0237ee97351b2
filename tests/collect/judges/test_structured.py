"""Every way of holding a judge to a form allows exactly the answers."""

from __future__ import annotations

import json

import pytest

from quorate.collect.judge import Expects
from quorate.collect.judges.apis import WAYS, grammar
from quorate.errors import InvalidInput

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
