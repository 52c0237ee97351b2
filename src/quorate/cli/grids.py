"""Numbers that an option allows: ``20,30``, ``1-5``, ``20-200:10``."""

from __future__ import annotations

import re

from quorate.errors import InvalidInput

_PART = re.compile(r"(\d{1,10})(?:-(\d{1,10})(?::(\d{1,10}))?)?", re.ASCII)
_MOST = 1_000_000


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
        found = _PART.fullmatch(part)
        numbers = _numbers(found) if found else range(0)
        if not numbers:
            raise InvalidInput(f'{option}: expects numbers such as 20,30 or 1-5 or 20-200:10, got "{text}"')
        if len(out) + len(numbers) > _MOST:
            raise InvalidInput(f'{option}: stands for more than {_MOST:,} numbers: "{text}"; take larger steps')
        out.extend(numbers)
    return out


def _numbers(found: re.Match[str]) -> range:
    low, high, step = found.groups()
    return range(int(low), int(high or low) + 1, int(step or 1)) if step is None or int(step) else range(0)
