"""Text that is fit to be shown: on one line, without control characters, each direction of writing kept to itself."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

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
    line = text if text.isascii() and text.isprintable() else "".join(map(_visible, text))
    if most is not None and len(line) > most:
        line = f"{line[: most - 1]}…"
    return line if line.isascii() else _isolated(line)


def _isolated(line: str) -> str:
    """The line with an isolate around every run that is written from right to left."""
    kinds = "".join(map(_direction, line))
    if "R" not in kinds:
        return line
    parts, end = [], 0
    for run in re.finditer("R(?:[R.]*R)?", kinds):
        parts += [line[end : run.start()], _ISOLATE, line[run.start() : run.end()], _END]
        end = run.end()
    return "".join([*parts, line[end:]])


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
