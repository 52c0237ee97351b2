"""Labels of the user's data made fit to be shown: one line, not too long, still told apart."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from quorate.reporting.print.text import visible

MOST = 80


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
