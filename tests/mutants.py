"""Broken files: a valid log with something changed at a place, which a reader takes or refuses in one line."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import quorate as q
from quorate.errors import QuorateError

ODD = (
    *(None, True, -1, 0, 3, 2.5, 10**400, 1e308, float("nan"), float("inf"), "", " ", "7", "null", "tie", "model_a"),
    *("\ud800", "\0", "a\nb", "é" * 300, [], {}, [[]], [None], {"": None}, ["x", 1], {"score": "A>B"}),
    json.loads("[" * 200 + "]" * 200),
)
"""Values of other types, sizes and alphabets than any tool writes."""

_GONE = object()


def mutants(records: list[dict[str, Any]], *, array: bool = False) -> st.SearchStrategy[bytes]:
    """Bytes of a file of these records with one to three places dropped or replaced, perhaps cut off or repeated."""
    places = list(_places(records))

    @st.composite
    def mutant(draw: st.DrawFn) -> bytes:
        held = copy.deepcopy(records)
        for _ in range(draw(st.integers(1, 3))):
            _put(
                held,
                draw(st.sampled_from(places)),
                copy.deepcopy(draw(st.sampled_from(ODD))) if draw(st.integers(0, 2)) else _GONE,
            )
        text = json.dumps(held) if array else "".join(json.dumps(one) + "\n" for one in held)
        block = text.encode()
        return block[: draw(st.integers(0, len(block)))] if draw(st.integers(0, 4)) == 0 else block

    return mutant()


def reads_or_refuses(block: bytes, path: Path, **options: Any) -> None:
    """A file of these bytes is a table, or refused by an error of ours in one line; nothing else."""
    path.write_bytes(block)
    said = ""
    try:
        q.read(path, announce=False, **options)
    except QuorateError as error:
        said = str(error) or "nothing\nat all"
    assert "\n" not in said


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from _places(value[key], (*path, key))


def _put(held: Any, place: tuple[Any, ...], value: object) -> None:
    """Replace or drop what is at a place, unless an earlier change took the place away."""
    for key in place[:-1]:
        try:
            held = held[key]
        except (LookupError, TypeError):
            return
    try:
        if value is _GONE:
            del held[place[-1]]
        else:
            held[place[-1]] = value
    except (LookupError, TypeError):
        return
