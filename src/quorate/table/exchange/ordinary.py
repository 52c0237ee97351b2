"""Ordinary files: what ends when it is read, unlike a pipe or a device."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def ordinary(path: Path) -> Path:
    """The path, if what is there can be read to its end.

    Raises
    ------
    OSError
        If it is a pipe, a socket or a device, or its name cannot be one of a file.
    """
    try:
        mode = path.stat().st_mode
    except ValueError:
        raise OSError(errno.EINVAL, "no file has such a name", "") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no ordinary file", str(path))
    return path
