"""Writing: files made whole or not at all, over nothing that a command reads and nothing that is not its own work."""

from __future__ import annotations

import filecmp
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryDirectory

from quorate.errors import InvalidInput
from quorate.frozen import dataclass

MOST_SEARCHED = 64 << 20
"""Bytes of a file that are looked through for a mark; a longer one is no report."""


@dataclass(frozen=True)
class Kept:
    """What a command must not destroy.

    Parameters
    ----------
    inputs : tuple of Path
        What it reads: never written over, by whatever name.
    force : bool
        Whether other files may be replaced, whoever wrote them.
    """

    inputs: tuple[Path, ...]
    force: bool


_KEPT: ContextVar[Kept | None] = ContextVar("kept", default=None)


@contextmanager
def keeping(inputs: Iterable[Path], *, force: bool) -> Iterator[None]:
    """Keep `write_file` from these inputs, and, unless ``force``, from files that are not this program's.

    Outside of it, as from Python, a file of the name is replaced.
    """
    token = _KEPT.set(Kept(tuple(inputs), force))
    try:
        yield
    finally:
        _KEPT.reset(token)


def check_place(path: Path, argument: str, mark: bytes = b"") -> None:
    """Refuse a place before the work that leads to it.

    Raises
    ------
    InvalidInput
        If it is a folder, in a folder where no file can be made, an input, or a file without the mark of this program.
    """
    if path.is_dir():
        raise InvalidInput(f"{argument}: {path} is a folder; name a file in it")
    check_folder(path.parent, argument, path)
    _refuse_input(path, argument)
    if mark and not _ours(path, mark):
        raise _foreign(path, argument)


def check_folder(place: Path, argument: str, path: Path | None = None) -> None:
    """Refuse a folder into which no file can be written.

    Raises
    ------
    InvalidInput
        If that is so.
    """
    try:
        with TemporaryDirectory(dir=place, prefix=".quorate."):
            pass
    except OSError as error:
        raise _refused(path or place, error, argument) from error


def write_file(
    path: Path, content: bytes | Callable[[Path], object], argument: str = "path", *, mark: bytes = b""
) -> Path:
    """Write a file, whole or not at all; the one place where that is done.

    Parameters
    ----------
    path : Path
        The file.
    content : bytes or callable
        What is in it, or what writes it to the path that it is given.
    argument : str
        Which names it, for errors.
    mark : bytes
        Text by which a file of this kind is known to be this program's. Without one, a command replaces a file only by
        the same content: data are nobody's to lose.

    Raises
    ------
    InvalidInput
        If it cannot be written, or a command would destroy by it what it reads or another's file.
    """
    try:
        with TemporaryDirectory(dir=path.parent, prefix=".quorate.") as folder:
            new = Path(folder, f"new{path.suffix.lower()}")
            if isinstance(content, bytes):
                new.write_bytes(content)
            else:
                content(new)
            _refuse_input(path, argument)
            if not _ours(path, mark) and not filecmp.cmp(new, path, shallow=False):
                raise _foreign(path, argument)
            new.replace(path)
    except OSError as error:
        raise _refused(path, error, argument) from error
    return path


def _refuse_input(path: Path, argument: str) -> None:
    kept = _KEPT.get()
    if kept is not None and any(_same(path, one) for one in kept.inputs):
        raise InvalidInput(f"{argument}: {path} is what is read; choose another name")


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # one of them is not there, or no path at all
        return False


def _ours(path: Path, mark: bytes) -> bool:
    """Whether nothing of anybody else is lost with a file: there is none, it is empty, or it has the mark."""
    kept = _KEPT.get()
    if kept is None or not os.path.lexists(path) or (kept.force and not _is_read(path, kept.inputs)):
        return True
    if not path.is_file() or path.stat().st_size > MOST_SEARCHED:
        return False
    there = path.read_bytes()
    return there.strip() in (b"", b"[]") or (mark != b"" and mark in there)


def _is_read(path: Path, inputs: Iterable[Path]) -> bool:
    """Whether a file may be one of those that a folder or a pattern among the inputs stands for."""
    place = path.resolve()
    patterns = (str(one.absolute()) for one in inputs if re.search(r"[*?\[]", str(one)))
    folders = (one.resolve() for one in inputs if one.is_dir())
    return any(map(place.match, patterns)) or any(map(place.is_relative_to, folders))


def _foreign(path: Path, argument: str) -> InvalidInput:
    kept = _KEPT.get()
    otherwise = "" if kept is not None and kept.force else ", or replace it with --force"
    return InvalidInput(f"{argument}: {path} is there already and would be lost; choose another name{otherwise}")


def _refused(path: Path, error: OSError, argument: str) -> InvalidInput:
    return InvalidInput(f"{argument}: {path} cannot be written ({error.strerror}); choose another place")
