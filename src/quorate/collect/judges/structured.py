"""Structured answers: a judge is held to the form of an answer, in the ways that endpoints offer."""

from __future__ import annotations

import json
from typing import Any

from quorate.collect.judge import Expects
from quorate.errors import InvalidInput

WAYS = ("json_schema", "json_object", "structured_outputs", "grammar")
"""``json_schema`` and ``json_object``: ``response_format``, as most endpoints have it. ``structured_outputs``: vLLM.
``grammar``: a GBNF grammar, as llama.cpp has it."""


def structure(way: str | None, expects: Expects) -> dict[str, Any]:
    """What to add to the body of a request; nothing where the endpoint has no way to do it.

    Raises
    ------
    InvalidInput
        If the way is unknown, or a grammar is wanted for a continuous scale.
    """
    if way is None:
        return {}
    if way == "json_schema":
        schema = {"name": "judgment", "strict": True, "schema": expects.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if way == "json_object":
        return {"response_format": {"type": "json_object"}}
    if way == "structured_outputs":
        return {"structured_outputs": {"json": expects.schema}}
    if way == "grammar":
        return {"grammar": grammar(expects)}
    raise InvalidInput(f'structured: must be one of {", ".join(WAYS)}, got "{way}"')


def grammar(expects: Expects) -> str:
    r"""A GBNF grammar of the one JSON object that is an answer.

    Raises
    ------
    InvalidInput
        If the scale is continuous.

    Examples
    --------
    >>> print(grammar(Expects(0, 2)))
    root ::= "{\"score\": " answer "}"
    answer ::= "0" | "1" | "2"
    """
    if not expects.points:
        raise InvalidInput("structured: a grammar needs a scale of whole numbers or labels; use json_schema")
    answers = [json.dumps(label) for label in expects.labels] or [f"{point:g}" for point in expects.points]
    rules = ["answer ::= " + " | ".join(json.dumps(answer) for answer in answers)]
    reasoning = ""
    if expects.reasoned:
        reasoning = json.dumps('"reasoning": "') + " char* " + json.dumps('", ') + " "
        rules.append(r'char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt]')
    name = json.dumps(f'"{expects.name}": ')
    start = f"{json.dumps('{')} {reasoning}{name}" if reasoning else json.dumps(f'{{"{expects.name}": ')
    return "\n".join([f'root ::= {start} answer "}}"', *rules])
