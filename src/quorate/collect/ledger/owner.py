"""Owner of a lease: the name of a process, and whether it is still there, where the system can say."""

from __future__ import annotations

import os
import socket
from pathlib import Path

_PROC = Path("/proc")
_GONE = ("Z", "X")


def here(pid: int | None = None) -> str:
    """Name of this process, or of another of this machine, that no other one has, before or after.

    It is made of the machine, its start, the process and its start.
    """
    pid = os.getpid() if pid is None else pid
    place, started = _place(), _started(pid)
    if place is None or started is None:
        return f"{socket.gethostname()}:{pid}"
    return f"{place}:{pid}:{started}"


def is_gone(name: str) -> bool:
    """Whether a process is known to have ended; False where that cannot be known, as on another machine."""
    place, _, rest = name.partition(":")
    pid, _, started = rest.partition(":")
    if not started or place != _place():
        return False
    return _started(int(pid)) != started


def process_here(name: str) -> int | None:
    """Number of the process of this name, if it runs on this machine; None if it does not, or that is not known."""
    place, _, rest = name.partition(":")
    pid, _, started = rest.partition(":")
    return int(pid) if started and place == _place() and _started(int(pid)) == started else None


def start_of_machine() -> str | None:
    """Name of this start of this machine, the same for all processes that count time from it; None if not known."""
    return _named("time")


def _place() -> str | None:
    """Start of this machine, and the name space of its process numbers."""
    return _named("pid")


def _named(space: str) -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{(_PROC / 'self/ns' / space).stat().st_ino}"
    except OSError:
        return None


def _started(pid: int) -> str | None:
    """When a process that still runs was started, in ticks since the machine was."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in _GONE else fields[19]
