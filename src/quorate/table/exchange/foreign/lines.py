"""JSON of other tools, strict in what is needed and silent about the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorate.errors import InvalidData, InvalidInput
from quorate.table.exchange.encoding import binary

MOST_BYTES = 1 << 30
"""Size of a file that is one JSON value: it takes three to five times its size in memory."""


def objects(path: Path, *wanted: str, of: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one on each line, with their line's number; blank lines are passed over.

    Parameters
    ----------
    path : Path
        The file, perhaps packed by gzip.
    *wanted : str
        Keys that every object must have.
    of : str
        Who writes them, and in which version, for the line about one that lacks.

    Raises
    ------
    InvalidData
        If a line is not an object, lacks a key, or is cut off.
    """
    with binary(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                cut = "" if line.endswith(b"\n") else "; the file is cut off: export it again"
                raise InvalidData(f"{path}: line {number} is not JSON ({_why(error)}){cut}") from None
            if not isinstance(value, dict):
                raise InvalidData(f"{path}: line {number} is not a JSON object")
            lacking = [key for key in wanted if key not in value]
            if lacking:
                raise InvalidData(
                    f'{path}: line {number} has no "{lacking[0]}"' + (f", which {of} writes" if of else "")
                )
            yield number, value


def document(path: Path, way_out: str) -> Any:
    """The one JSON value of a file.

    Parameters
    ----------
    path : Path
        The file, perhaps packed by gzip.
    way_out : str
        What to do with one that is too large to be read at once.

    Raises
    ------
    InvalidData
        If it is not JSON, or cut off.
    InvalidInput
        If it is larger than a gigabyte.
    """
    if path.stat().st_size > MOST_BYTES:
        raise InvalidInput(f"{path}: is one JSON value of more than 1 GB; {way_out}")
    with binary(path) as stream:
        text = stream.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise InvalidInput(f"{path}: is one JSON value of more than 1 GB; {way_out}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        broken = error if isinstance(error, json.JSONDecodeError) else None
        cut = (
            broken is not None
            and broken.doc.lstrip()[:1] in ("{", "[")
            and (broken.pos >= len(broken.doc.rstrip()) - 1 or broken.msg.startswith("Unterminated"))
        )
        fix = "the file is cut off: export it again" if cut else "export it again"
        raise InvalidData(f"{path}: is not JSON ({_why(error)}); {fix}") from None


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1:,}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else "a number with too many digits"
