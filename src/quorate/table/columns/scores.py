"""Scores as numbers: those that count, those that stand for none, and what is said of those that cannot be read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quorate.arguments import argument
from quorate.errors import InvalidData

_CAUSES = (
    (r"[+-]?[\d.]*,\d+", "write decimals with a point"),
    (r"[+-]?[\d.,]+\s*/\s*[\d.,]+", "it is a fraction: divide it out first, such as 0.8 for 4/5"),
    (r"[+-]?[\d.,]+\s*%", "it is a percentage: write it without the sign, such as 0.51 for 51%"),
    ("(?i)nan|n/?a|null|none", "most rows have no score: declare that with "),
)
"""What is wrong with a column of which most are no numbers, by the first of them."""


class NotNumbers(InvalidData):
    """Scores that are text and no numbers; they may be words of a known scale."""


@dataclass(frozen=True)
class Missing:
    """Scores that stand for no score.

    Parameters
    ----------
    words : frozenset of str
        As text.
    numbers : tuple of float
        Those that are numbers, for columns of numbers; nan is told by ``nan``.
    nan : bool
        Whether nan stands for no score.
    """

    words: frozenset[str]
    numbers: tuple[float, ...]
    nan: bool


NOTHING = Missing(frozenset(), (), nan=False)
"""Every number is a score, as those are that words were made."""


def as_missing(values: Iterable[str]) -> Missing:
    """The scores that stand for no score, from the option ``missing``."""
    words = frozenset(str(value).strip() for value in ((values,) if isinstance(values, str) else values))
    numbers = [value for value in map(number, sorted(words)) if value is not None]
    finite = tuple(value for value in numbers if not math.isnan(value))
    return Missing(words, finite, nan=len(finite) < len(numbers))


def number(value: object) -> float | None:
    """A score as a number: numbers, booleans, and text that says either; None for anything else."""
    if isinstance(value, str):
        text = value.strip().lower()
        if not text.isascii() or "_" in text:  # which Python reads, and nothing else does
            return None
        value = {"true": 1.0, "false": 0.0}.get(text, text)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def parse(entries: Sequence[object], missing: Missing) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores as numbers, nan where they are none, and whether an entry is there and does not stand for no score."""
    values = [number(entry) for entry in entries]
    present = []
    for entry, value in zip(entries, values, strict=True):
        text = "" if entry is None else str(entry).strip()
        named = value is not None and (value in missing.numbers or (missing.nan and math.isnan(value)))
        present.append(bool(text) and text not in missing.words and not named)
    return np.array(values, dtype=np.float64), np.array(present, dtype=np.bool_)


def not_numbers(column: str, count: int, first: object, row: int, total: int) -> InvalidData:
    """The error for ``count`` of ``total`` scores that are not finite numbers; ``row`` counts from 1."""
    kind = "finite number" if isinstance(first, (float, np.floating)) else "number"
    which = f"1 value that is not a {kind}" if count == 1 else f"{count} values that are not {kind}s"
    shown = str(first) if kind != "number" else f'"{first}"'
    rule = f'column "{column}" has {which} (first: {shown} in row {row})'
    error = NotNumbers if isinstance(first, str) else InvalidData
    if isinstance(first, str) and 2 * count > total and (cause := cause_of(first)) is not None:
        return error(f"{rule}, of {total} in all: " + cause)
    return error(rule + "; mark them missing with " + argument("missing", str(first)) + ", or drop them")


def cause_of(text: str) -> str | None:
    """What is wrong with a column of texts such as this one, and what to do; None of words."""
    cause = next((cause for pattern, cause in _CAUSES if re.fullmatch(pattern, text.strip())), None)
    if cause is not None and cause.endswith("with "):
        return cause + argument("missing", text.strip()) + ", or name another column with " + argument("score", ...)
    return cause
