"""Labels of the user's data made fit to be shown: one line, not too long, still told apart."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

MOST = 80
LONGEST = 1000
"""Characters of a sentence or a note."""

_ISOLATE, _END = "\u2068", "\u2069"
_REORDER = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def visible(text: str, most: int | None = None) -> str:
    r"""Text on one line, cut after ``most`` characters, without controls and marks that reorder it.

    What is written from right to left is kept from reordering the rest.

    Examples
    --------
    >>> visible("two\nlines\x00"), visible("abcdefgh", most=5), visible("a مرحبا b")
    ('two lines', 'abcd…', 'a \u2068مرحبا\u2069 b')
    """
    plain = text.isascii() and text.isprintable()
    line = text if plain else "".join(map(_visible, text))
    if most is not None and len(line) > most:
        line = f"{line[: most - 1]}…"
    if plain:
        return line
    kinds = "".join(map(_direction, line))
    parts, end = [], 0
    for run in re.finditer("R(?:[R.]*R)?", kinds):  # an isolate around every run that is written from right to left
        parts += [line[end : run.start()], _ISOLATE, line[run.start() : run.end()], _END]
        end = run.end()
    return "".join([*parts, line[end:]])


def shown(label: str, most: int = MOST) -> str:
    r"""A label on one line, cut after ``most`` characters, with text from right to left kept from reordering the rest.

    Examples
    --------
    >>> shown("two\nlines"), shown("abcdefgh", most=5)
    ('two lines', 'abcd…')
    """
    return visible(label, most)


def cut(label: str, most: int = MOST) -> str:
    """A label cut after ``most`` characters.

    Examples
    --------
    >>> cut("abcdefgh", most=5)
    'abcd…'
    """
    return label if len(label) <= most else f"{label[: most - 1]}…"


def distinct(labels: Sequence[str], most: int = MOST) -> list[str]:
    """Labels as `shown`; those that cutting would make equal keep the part that differs, or are numbered.

    Examples
    --------
    >>> distinct(["abcdef1", "abcdef2", "x"], most=5)
    ['a…ef1', 'a…ef2', 'x']
    """
    short = [shown(label, most) for label in labels]
    groups: dict[str, list[int]] = {}
    for position, text in enumerate(short):
        groups.setdefault(text, []).append(position)
    for members in groups.values():
        if len(members) > 1:
            for position, text in zip(members, _apart([labels[i] for i in members], most), strict=True):
                short[position] = text
    times, seen, out = Counter(short), Counter[str](), []
    for text in short:
        seen[text] += 1
        out.append(f"{text} ({seen[text]})" if times[text] > 1 else text)
    return out


def _apart(labels: Sequence[str], most: int) -> list[str]:
    """Labels that start alike, each with its head and the part in which it first differs from the others."""
    whole = [shown(label, sys.maxsize) for label in labels]
    same = next((i for i, several in enumerate(zip(*whole, strict=False)) if len(set(several)) > 1), 0)
    head = max(1, most // 4)
    start = min(same - 2, max(map(len, whole)) - (most - head - 1))
    if start <= head + 1:  # nothing differs within what all of them have
        return [shown(label, most) for label in labels]
    return [shown(f"{text[:head]}…{text[start:]}", most) for text in whole]


@cache
def _direction(character: str) -> str:
    """R from right to left, L from left to right, and a dot for either."""
    kind = unicodedata.bidirectional(character)
    return "R" if kind in ("R", "AL", "AN") else "L" if kind == "L" else "."


@cache
def _visible(character: str) -> str:
    """The character; a space for what breaks a line; nothing for controls and marks that reorder text."""
    category = unicodedata.category(character)
    if category in ("Zl", "Zp") or character in "\t\n\r\v\f":
        return " "
    return "" if character in _REORDER or category in ("Cc", "Cs") else character
