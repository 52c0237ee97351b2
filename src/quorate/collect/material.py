"""Material to be judged, fenced: it is printed into a prompt between marks that say where it starts and ends."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from quorate.errors import InvalidInput

ROLES = frozenset({"system", "user", "assistant", "tool"})


class Material:
    """A piece of text to be judged; printed, it stands between its marks.

    Parameters
    ----------
    name : str
        What it is, such as ``response``.
    text : str
        The text, as it came.
    mark : str
        A word that is nowhere in the material of this prompt.
    """

    __slots__ = ("_mark", "_name", "_text")

    def __init__(self, name: str, text: str, mark: str) -> None:
        self._name, self._text, self._mark = name, text, mark

    def __str__(self) -> str:
        return f"<<<{self._name} {self._mark}\n{self._text}\n{self._name} {self._mark}>>>"

    def __len__(self) -> int:
        return len(self._text)


class Conversation:
    """Turns of a conversation to be judged; printed, each stands between its marks.

    Parameters
    ----------
    turns : sequence of Material
        In order.
    """

    __slots__ = ("_turns",)

    def __init__(self, turns: Sequence[Material]) -> None:
        self._turns = tuple(turns)

    def __str__(self) -> str:
        return "\n".join(map(str, self._turns))

    def __len__(self) -> int:
        return len(self._turns)


def fenced(fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The mark of these fields, and each field as what a prompt may print; fields that are None are left out.

    The mark is made from the material itself, so that the same material gives the same prompt, and whoever writes the
    material cannot write the mark into it: that would change the mark.

    Parameters
    ----------
    fields : mapping
        Texts, conversations (sequences of ``{"role": ..., "content": ...}``), and numbers or truth values, which stay
        as they are.

    Raises
    ------
    InvalidInput
        If a field is anything else.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    pieces = {name: _pieces(name, value) for name, value in given.items()}
    mark = _mark([text for field_pieces in pieces.values() for _, text in field_pieces])
    printed: dict[str, Any] = {}
    for name, value in given.items():
        fences = [Material(title, text, mark) for title, text in pieces[name]]
        number = isinstance(value, (int, float))
        printed[name] = value if number else fences[0] if isinstance(value, str) else Conversation(fences)
    return mark, printed


def _pieces(name: str, value: Any) -> list[tuple[str, str]]:
    """The texts of a field, each with what it is called; a number has none."""
    if isinstance(value, str):
        return [(name, value)]
    if isinstance(value, (int, float)):
        return []
    if not isinstance(value, Sequence):
        raise InvalidInput(f"{name}: must be a text, a number or a list of turns, got {type(value).__name__}")
    pieces = []
    for number, turn in enumerate(value, 1):
        role, content = (turn.get("role"), turn.get("content")) if isinstance(turn, Mapping) else (None, None)
        if role not in ROLES or not isinstance(content, str):
            roles = ", ".join(sorted(ROLES))
            raise InvalidInput(f'{name}: turn {number} must have a "role" ({roles}) and a "content" that is a text')
        pieces.append((f"{name} {number} {role}", content))
    return pieces


def _mark(texts: Sequence[str]) -> str:
    seed = hashlib.sha256()
    for text in texts:
        seed.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    while True:
        mark = seed.hexdigest()[:16]
        if not any(mark in text for text in texts):
            return mark
        seed.update(b"again")
