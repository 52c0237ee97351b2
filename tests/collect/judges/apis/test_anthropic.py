"""Messages as Anthropic has them."""

from __future__ import annotations

import json

from forms import ASKED, asked, endpoint, message

from quorate.collect.judge import Expects, Request
from quorate.collect.judges.endpoint import body


def test_a_message_is_asked_as_anthropic_wants_it():
    _, sent = asked("anthropic", message(), structured="json_schema")
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert json.loads(sent.content) == {
        "model": "m 1",
        "system": "You judge.",
        "messages": [{"role": turn.role, "content": turn.content} for turn in ASKED[1:]],
        "max_tokens": 50,
        "top_p": 0.9,
        "stop_sequences": ["END"],
        "temperature": 0.5,
        "output_config": {"format": {"type": "json_schema", "schema": Expects(1, 10).schema}},
    }


def test_where_there_is_no_system_none_is_sent():
    assert "system" not in body(Request("k", ASKED[1:2], {}, Expects(1, 10), "judge"), endpoint("anthropic"))
