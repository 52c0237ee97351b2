"""What an argument may be, checked: the argument, the rule and the value got, in the same words everywhere."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any, get_args

from quorate.errors import InvalidInput

_SHOWN = 100
"""Characters of a value that a message shows."""


def one_of(name: str, value: Any, choices: Any) -> Any:
    """A value that is one of a few words.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        What it is.
    choices : Literal, or collection of str
        What it may be, None among them where it may be left out.

    Raises
    ------
    InvalidInput
        If it is another.

    Examples
    --------
    >>> one_of("ties", "halves", ("drop", "half"))
    Traceback (most recent call last):
    ...
    quorate.errors.InvalidInput: ties: must be one of drop, half, got "halves"
    """
    known = get_args(choices) or tuple(choices)
    if value not in known:
        listed = ", ".join(one for one in known if one is not None)
        raise InvalidInput(f"{name}: must be one of {listed}, got {got(value)}")
    return value


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within limits.

    Raises
    ------
    InvalidInput
        If it is none, or beyond them.

    Examples
    --------
    >>> whole("runs", 1.5, 2)
    Traceback (most recent call last):
    ...
    quorate.errors.InvalidInput: runs: must be a whole number of at least 2, got 1.5
    """
    try:
        found = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        found = least - 1
    if found < least or (most is not None and found > most):
        rule = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise InvalidInput(f"{name}: must be a whole number {rule}, got {got(value)}")
    return found


def number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> None:
    """Refuse what is no finite number within limits.

    Raises
    ------
    InvalidInput
        If it is none, or beyond them.

    Examples
    --------
    >>> number("level", 95, above=0, below=1)
    Traceback (most recent call last):
    ...
    quorate.errors.InvalidInput: level: must lie between 0 and 1, got 95
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not (real and above < value < below and least <= value <= most):  # type: ignore[operator]
        limits = {"above": above, "at least": least, "below": below, "at most": most}
        said = "be " + " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if math.isfinite(limit))
        said = f"lie between {above:g} and {below:g}" if math.isfinite(above + below) else said
        said = f"be from {least:g} to {most:g}" if math.isfinite(least + most) else said
        raise InvalidInput(f"{name}: must {said}, got {got(value)}")


def got(value: object) -> str:
    """A value as a message shows it: text in quotes."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
