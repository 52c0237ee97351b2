"""Labels of the user's data made fit to be shown: one line, not too long, still told apart."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

MOST = 80
_ISOLATE, _END = "\u2068", "\u2069"


def shown(label: str, most: int = MOST) -> str:
    r"""A label on one line, cut after ``most`` characters, with text from right to left kept from reordering the rest.

    Examples
    --------
    >>> shown("two\nlines"), shown("abcdefgh", most=5)
    ('two lines', 'abcd…')
    """
    line = "".join(_visible(c) for c in label)
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    return f"{_ISOLATE}{line}{_END}" if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in line) else line


def distinct(labels: Sequence[str], most: int = MOST) -> list[str]:
    """Labels as `shown`, numbered where cutting made two of them equal.

    Examples
    --------
    >>> distinct(["abcdef1", "abcdef2", "x"], most=5)
    ['abcd… (1)', 'abcd… (2)', 'x']
    """
    short = [shown(label, most) for label in labels]
    times, seen, out = Counter(short), Counter[str](), []
    for text in short:
        seen[text] += 1
        out.append(f"{text} ({seen[text]})" if times[text] > 1 else text)
    return out


def _visible(character: str) -> str:
    """The character; a space for what breaks a line; nothing for controls and marks that reorder text."""
    category = unicodedata.category(character)
    if character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        return ""
    if category in ("Zl", "Zp") or character in "\t\n\r\v\f":
        return " "
    return "" if category in ("Cc", "Cs") else character
