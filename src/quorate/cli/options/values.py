"""What the text of an option stands for: names, pairs, numbers."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence

from quorate.errors import InvalidInput

_NUMBERS = re.compile(r"(\d{1,10})(?:-(\d{1,10})(?::(\d{1,10}))?)?", re.ASCII)
_MOST = 1_000_000


def names(text: str | None) -> tuple[str, ...]:
    """Names with commas between them; an empty text has none."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def pairs(option: str, values: Iterable[str] | None, example: str, *, empty: bool = False) -> dict[str, str]:
    """What ``name=value`` options say; ``empty`` allows ``name=`` too.

    Raises
    ------
    InvalidInput
        If one has no name, no value, or a name that was given before.
    """
    out: dict[str, str] = {}
    for value in values or ():
        name, sign, rest = (part.strip() for part in value.partition("="))
        if not name or not (rest or (empty and sign)):
            raise InvalidInput(f'{option}: expects a pair such as {example}, got "{value}"')
        if name in out:
            raise InvalidInput(f'{option}: "{name}" is given twice, as {out[name]} and {rest}; give it once')
        out[name] = rest
    return out


def counts(option: str, values: Iterable[str] | None, example: str) -> dict[str, int]:
    """What ``name=number`` options say.

    Raises
    ------
    InvalidInput
        If one is no such pair.
    """
    out = {}
    for name, text in pairs(option, values, example).items():
        if not re.fullmatch(r"\d{1,12}", text):
            raise InvalidInput(f'{option}: {name} must be a whole number, got "{text}"')
        out[name] = int(text)
    return out


def grid(option: str, text: str) -> list[int]:
    """The numbers that a text allows.

    Parameters
    ----------
    option : str
        Name of the option, for the error.
    text : str
        Numbers and ranges with commas between them; a range may have a step.

    Raises
    ------
    InvalidInput
        If it is anything else, or stands for more than a million numbers.

    Examples
    --------
    >>> grid("--items", "20,30-50:10")
    [20, 30, 40, 50]
    """
    out: list[int] = []
    for part in text.replace(" ", "").split(","):
        low, high, step = match.groups() if (match := _NUMBERS.fullmatch(part)) else ("1", "0", None)
        every = 1 if step is None else int(step)
        numbers = range(int(low), int(high or low) + 1, every) if every else range(0)
        if not numbers:
            raise InvalidInput(f'{option}: expects numbers such as 20,30 or 1-5 or 20-200:10, got "{text}"')
        if len(out) + len(numbers) > _MOST:
            raise InvalidInput(f'{option}: stands for more than {_MOST:,} numbers: "{text}"; take larger steps')
        out.extend(numbers)
    return out


def columns_by_role(option: str, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Roles with their columns.

    Raises
    ------
    InvalidInput
        If no role is named.

    Examples
    --------
    >>> columns_by_role("--wide", ["judge=gpt,claude"])
    {'judge': ('gpt', 'claude')}
    """
    out = {}
    for text in texts:
        role, equals, columns = text.partition("=")
        if not (equals and role.strip()):
            raise InvalidInput(f'{option}: expects a role and its columns, such as judge=gpt,claude, got "{text}"')
        out[role.strip()] = names(columns)
    return out


def numbers_of_words(option: str, text: str) -> dict[str, float]:
    """Words with the number that each stands for; a word with a comma stands in quotes.

    Raises
    ------
    InvalidInput
        If one has no number.

    Examples
    --------
    >>> numbers_of_words("--numbers", 'bad=1,"so, so=2",good=3')
    {'bad': 1.0, 'so, so': 2.0, 'good': 3.0}
    """
    out: dict[str, float] = {}
    for part in next(csv.reader([text], skipinitialspace=True), []):
        word, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not word.strip() or not math.isfinite(value):
            raise InvalidInput(f'{option}: expects words with their numbers, such as bad=1,ok=2,good=3, got "{part}"')
        if out.setdefault(word.strip(), value) != value:
            raise InvalidInput(f'{option}: "{word.strip()}" is given two numbers; give it one')
    return out


def numbers(option: str, text: str | None, example: str) -> float | dict[str, float] | None:
    """One number, or one for every name.

    Raises
    ------
    InvalidInput
        If it is anything else.

    Examples
    --------
    >>> numbers("--icc", ".1", "0.1"), numbers("--icc", "prompt=.1,judge=.05", "0.1")
    (0.1, {'prompt': 0.1, 'judge': 0.05})
    """
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        return {name: float(value) for name, value in pairs(option, names(text), example).items()}
    except ValueError:
        raise InvalidInput(f'{option}: expects numbers such as {example}, got "{text}"') from None


def families(text: str | None) -> str | dict[str, str] | None:
    """Families of judges: the word auto, or a family for each judge that is named."""
    return text if text in (None, "auto") else pairs("--families", str(text).split(","), "gpt-4o=openai")
