"""Material to be judged, fenced: it is printed into a prompt between marks that say where it starts and ends."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from quorate.errors import InvalidInput
from quorate.frozen import dataclass

ROLES = frozenset({"system", "user", "assistant", "tool"})


_OPEN, _CLOSE, _DIGIT = "\U000f0000", "\U000f0001", 0xF0010
"""Characters of no script, which no filter of text changes; they stand for a piece until the template is done."""
MARK = "\U000f0002"
"""The same for the mark of an item, in what is printed about items alike."""
_SLOT = re.compile(f"{_OPEN}([\U000f0010-\U000f0019]+){_CLOSE}")
_LEFT = re.compile("[\U000f0000-\U000f0019]")


class Material:
    """A piece of text to be judged, as a template sees it: printed, it leaves a slot, which is filled afterwards.

    Parameters
    ----------
    number : int
        Which piece.
    length : int
        Characters of its text.
    asked : set of int
        Pieces that the template has asked for the text of.
    """

    __slots__ = ("_asked", "_length", "_number")

    def __init__(self, number: int, length: int, asked: set[int]) -> None:
        self._number, self._length, self._asked = number, length, asked

    def __str__(self) -> str:
        self._asked.add(self._number)
        return _OPEN + "".join(chr(_DIGIT + int(digit)) for digit in str(self._number)) + _CLOSE

    __repr__ = __str__

    def __len__(self) -> int:
        return self._length


class Conversation:
    """Turns of a conversation to be judged; printed, each leaves a slot.

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

    __repr__ = __str__

    def __len__(self) -> int:
        return len(self._turns)


@dataclass(frozen=True)
class Fenced:
    """The fields of an item, as a template may print them, and what their slots stand for.

    Parameters
    ----------
    mark : str
        A word that is nowhere in the material of this prompt.
    values : mapping
        Each field as what a template may print.
    pieces : tuple of (str, str)
        Name and text of every piece, by the number of its slot.
    asked : set of int
        Pieces that the template has asked for the text of.
    """

    mark: str
    values: Mapping[str, Any]
    pieces: tuple[tuple[str, str], ...]
    asked: set[int]

    @property
    def shape(self) -> tuple[object, ...]:
        """What a template can tell that only prints fields and asks which there are: names, turns and numbers."""
        kinds = (len(value) if isinstance(value, Conversation) else value for value in self.values.values())
        told = (None if isinstance(kind, Material) else repr(kind) for kind in kinds)
        return tuple(zip(self.values, told, strict=True))

    def filled(self, texts: Sequence[str]) -> list[str]:
        """What a template printed, with every piece between its marks in the place of its slot.

        Raises
        ------
        InvalidInput
            If the template cut a slot, or took the text of a piece and does not print it.
        """
        split = [_SLOT.split(text) for text in texts]
        whole = {_number(slot) for parts in split for slot in parts[1::2]}
        changed = any(not part.isascii() and _LEFT.search(part) for parts in split for part in parts[::2])
        if changed or self.asked - whole or not whole <= set(range(len(self.pieces))):
            raise InvalidInput("it cuts or changes the item's texts; print each whole, such as {{ response }}")
        for parts in split:
            parts[1::2] = map(self._piece, parts[1::2])
        return ["".join(parts) for parts in split]

    def split(self, text: str) -> tuple[list[tuple[str, str, str]], str]:
        """The pieces in what a template printed, each with the words before it, its name and its text; the last words.

        It is for people, who see where a piece begins and ends; whether the template may print it, `filled` says.
        """
        *parts, rest = _SLOT.split(text)
        slots = zip(parts[::2], parts[1::2], strict=True)
        return [(before.strip(), *self.pieces[_number(slot)]) for before, slot in slots], rest.strip()

    def plain(self, text: str) -> str:
        """The same with every piece in its place, without marks."""
        return _SLOT.sub(lambda slot: self.pieces[_number(slot[1])][1], text).strip()

    def _piece(self, slot: str) -> str:
        name, text = self.pieces[_number(slot)]
        return f"<<<{name} {self.mark}\n{text}\n{name} {self.mark}>>>"


def _number(slot: str) -> int:
    """Number of the piece that a slot stands for."""
    return int("".join(str(ord(one) - _DIGIT) for one in slot))


def fenced(fields: Mapping[str, Any]) -> Fenced:
    """Each field as what a prompt may print, with its texts fenced; fields that are None are left out.

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
    values: dict[str, Any] = {}
    pieces: list[tuple[str, str]] = []
    asked: set[int] = set()
    for name, value in fields.items():
        own = [] if value is None else _pieces(name, value)
        slots = [Material(len(pieces) + place, len(text), asked) for place, (_, text) in enumerate(own)]
        pieces += own
        if value is not None:
            number = isinstance(value, (int, float))
            values[name] = value if number else slots[0] if isinstance(value, str) else Conversation(slots)
    seed = hashlib.sha256()
    for _, text in pieces:
        seed.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    mark = seed.hexdigest()[:16]
    while any(mark in text for _, text in pieces):
        seed.update(b"again")
        mark = seed.hexdigest()[:16]
    return Fenced(mark, values, tuple(pieces), asked)


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
