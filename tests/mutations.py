"""Files of other tools as they should not be: a valid one with something missing, of another type, or cut off."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

import quorate as q
from quorate.errors import QuorateError

ODD: tuple[Any, ...] = (
    *(None, True, "", "  ", "x" * 300, "\ud800", "a\0b", "é\u2028\U0001f600", "1", "nan", "-inf"),
    *(0, -1, 7.5, 10**400, 1e308, float("nan"), float("inf"), [], {}, [None], [[[]]], {"a": {"b": 1}}, [{"id": 1}]),
)


@st.composite
def mutated(draw: Any, value: Any) -> Any:
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


def refusal(path: Any, **options: Any) -> str:
    """What reading a file says against it, empty if it can be read; any other error is not caught."""
    try:
        q.read(path, announce=False, **options)
    except QuorateError as error:
        return str(error)
    return ""


@st.composite
def broken(draw: Any, value: Any, *, lines: bool = False) -> str:
    """The text of a mutated value, of one on each line with ``lines``, at times cut off."""
    made = draw(mutated(value))
    text = "".join(json.dumps(one) + "\n" for one in made) if lines and isinstance(made, list) else json.dumps(made)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 4)) == 0 else text


def _places(value: Any) -> Any:
    """Every key of every list and object in a value."""
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for key, inner in entries:
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)
