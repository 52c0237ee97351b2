"""Broken files: a valid log with something dropped, doubled, of another type, or cut off, which is read or refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from logs import json_lines, read

from quorate.errors import QuorateError

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 2.5, 10**400, 1e308, float("nan"), float("inf"), "", "  ", "7", "null", "-inf", "tie"),
    *("model_a", "\ud800", "a\0b", "a\nb", "é\u2028\U0001f600", "é" * 300, [], {}, [[]], [None], ["x", 1], [{"id": 1}]),
    *({"": None}, {"a": {"b": 1}}, {"score": "A>B"}, json.loads("[" * 200 + "]" * 200)),
)
"""Values of other types, sizes and alphabets than any tool writes."""


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a JSON value with one to three places dropped, doubled or made into something else."""
    held = [copy.deepcopy(value)]
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(held))[1:]
        if not places:
            break
        inner, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["drop", "double", "nest", *["odd"] * 3]))
        if how == "drop":
            del inner[key]
        elif how == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[key]))
        elif how == "nest":
            inner[key] = {"deep": [inner[key]]}
        else:
            inner[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
    return held[0] if held else None


@st.composite
def mutants(draw: st.DrawFn, value: Any, *, lines: bool = False) -> str:
    """The text of a mutated value, of one on each line with ``lines``, at times cut off."""
    made = draw(mutated(value))
    text = json_lines(made) if lines and isinstance(made, list) else json.dumps(made)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 4)) == 0 else text


def reads_or_refuses(path: Path, block: str | bytes | None = None, **options: Any) -> None:
    """A file, of these bytes if given, is a table, or refused by an error of ours in one line; nothing else."""
    if block is not None:
        path.write_bytes(block.encode() if isinstance(block, str) else block)
    said = "read"
    try:
        read(path, **options)
    except QuorateError as error:
        said = str(error)
    assert len(said.split("\n")) == 1, said
    assert said, "an error without words"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list and object in a value with each of its keys."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)
