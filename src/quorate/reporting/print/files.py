"""Files to write: known to be writable before the work, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from quorate.errors import InvalidInput


def writable(path: Path, endings: Sequence[str], argument: str = "path") -> None:
    """Whether a file could be written, so that an analysis is not lost to a place that cannot be.

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
    if path.is_dir():
        raise InvalidInput(f"{argument}: {path} is a folder; name a file in it")
    folder(path.parent, argument, path)


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
        raise _refused(place, error, argument) from error
    folder(place, argument)


def folder(place: Path, argument: str, path: Path | None = None) -> None:
    """Whether files could be written into a folder.

    Raises
    ------
    InvalidInput
        If they could not.
    """
    try:
        with NamedTemporaryFile("wb", dir=place, prefix=".quorate."):
            pass
    except OSError as error:
        raise _refused(path or place, error, argument) from error


def write_whole(path: Path, content: bytes, argument: str = "path") -> None:
    """Write whole or not at all.

    Raises
    ------
    InvalidInput
        If the file cannot be written.
    """
    temporary = None
    try:
        with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name[:40]}.", delete=False) as file:
            temporary = file.name
            file.write(content)
        mask = os.umask(0)  # which can be read by setting it alone
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise _refused(path, error, argument) from error


def _refused(path: Path, error: OSError, argument: str) -> InvalidInput:
    return InvalidInput(f"{argument}: {path} cannot be written ({error.strerror}); choose another place")
