"""What stands at a key of another tool's log: a name as it is written, a number, an object or a list."""

from __future__ import annotations

import json
import math
from typing import Any

from quorate.errors import InvalidData

_MOST = 60


def name_at(value: Any, what: str) -> str:
    """A name or an id as it is written: text that is not blank, or a number.

    Parameters
    ----------
    value : object
        As JSON holds it.
    what : str
        Where it stands and what it is, as an error says it.

    Raises
    ------
    InvalidData
        If it is nothing, blank, or no name.

    Examples
    --------
    >>> name_at(81, "line 1: question_id"), name_at("081", "line 1: question_id")
    ('81', '081')
    """
    if isinstance(value, str) and value.strip():
        return value
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise InvalidData(f"{what} is {shown(value)}; a name or a number is needed there")


def number_at(value: Any, what: str) -> float | None:
    """A number, also one that is written as text; None of null and NaN.

    Raises
    ------
    InvalidData
        If it is anything else.

    Examples
    --------
    >>> number_at("1", "record 1: preference"), number_at(None, "record 1: preference")
    (1.0, None)
    """
    if value is None:
        return None
    try:
        found = math.inf if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.inf
    if math.isinf(found):
        raise InvalidData(f"{what} is {shown(value)}; a number is needed there")
    return None if math.isnan(found) else found


def object_at(value: Any, what: str) -> dict[str, Any]:
    """An object; an empty one of null.

    Raises
    ------
    InvalidData
        If it is anything else.
    """
    if value is None or isinstance(value, dict):
        return value or {}
    raise InvalidData(f"{what} is {shown(value)}; an object is needed there")


def list_at(value: Any, what: str) -> list[Any]:
    """A list; an empty one of null.

    Raises
    ------
    InvalidData
        If it is anything else.
    """
    if value is None or isinstance(value, list):
        return value or []
    raise InvalidData(f"{what} is {shown(value)}; a list is needed there")


def shown(value: Any) -> str:
    """A JSON value in a message: on one line, and not too long."""
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        text = "nested too deeply"
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."
