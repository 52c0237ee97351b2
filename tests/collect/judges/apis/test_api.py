"""What forms share."""

from __future__ import annotations

from quorate.collect.judge import Expects, Message, Request
from quorate.collect.judges.apis import renamed, turns


def test_what_has_no_other_name_keeps_its_own():
    assert renamed({"stop": ["x"], "seed": 1}, {"stop": "stop_sequences"}) == {"stop_sequences": ["x"], "seed": 1}


def test_what_is_said_before_the_conversation_is_apart():
    said = (Message("system", "a"), Message("user", "b"), Message("system", "c"))
    assert turns(Request("k", said, {}, Expects(1, 10), "judge")) == ("a\n\nc", [("user", "b")])
