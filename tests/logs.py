"""Logs of other tools: written for a test, read without a word, and counted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import quorate as q


def json_lines(records: Iterable[Any]) -> str:
    """Each record on a line of its own."""
    return "".join(json.dumps(one) + "\n" for one in records)


def read(path: Any, **options: Any) -> Any:
    """Judgments or votes of a file."""
    return q.read(path, announce=False, **options)


def statuses(table: Any) -> dict[str, int]:
    """Rows of each status that occurs."""
    found = table.describe().statuses
    return found if isinstance(found, dict) else {one.name: one.rows for one in found}
