"""Places of reports: their endings, the marks by which they are known again, and folders of charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quorate.errors import InvalidInput
from quorate.writing import check_folder, check_place

MARKS = {
    ".html": b'<meta name="generator" content="quorate ',
    ".htm": b'<meta name="generator" content="quorate ',
    ".md": b"\n### To do it again\n",
    ".markdown": b"\n### To do it again\n",
    ".json": b'\n  "provenance": {\n    "',
    ".svg": b"<!-- Drawn by quorate -->",
    ".yaml": b"# How quorate reads a file",
    ".yml": b"# How quorate reads a file",
}
"""Of files that this program writes, by their endings."""


def writable(path: Path, endings: Sequence[str], argument: str = "path") -> None:
    """Whether a report could be written, so that an analysis is not lost to a place that cannot be.

    Raises
    ------
    InvalidInput
        If it could not.
    """
    if path.suffix.lower() not in endings:
        named = [ending for ending in endings if ending not in (".htm", ".markdown")]
        *first, last = named
        shown = f"{', '.join(first)} or {last}" if first else last
        raise InvalidInput(f'{argument}: must end in {shown}, got "{path.name}"')
    check_place(path, argument, MARKS[path.suffix.lower()])


def directory(place: Path, argument: str) -> None:
    """Make sure of a folder into which files can be written; a new one is made where its parent exists.

    Raises
    ------
    InvalidInput
        If there is none and none can be made.
    """
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{argument}: {place} cannot be written ({error.strerror}); choose another place") from error
    check_folder(place, argument)
