"""Members of an archive of Inspect AI, unpacked block by block."""

from __future__ import annotations

import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from quorate.errors import InvalidData
from quorate.table.exchange.encoding import MOST_SWOLLEN, swells

BLOCK = 1 << 18
_STORED, _DEFLATE, _ZSTANDARD = 0, 8, 93
_LOCAL = struct.Struct("<4s22xHH")
"""Of the header before a member: its mark, and the lengths of its name and of what follows the name."""


def directory(path: Path) -> Mapping[str, zipfile.ZipInfo]:
    """The members by name; of several with one name the last.

    Raises
    ------
    InvalidData
        If the archive has no directory, which stands at its end, or says that it holds what no log does.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error) as error:
        why = "it has no central directory" if "not a zip file" in str(error) else str(error)
        raise InvalidData(f"{path}: is not a complete ZIP ({why}): copy it again, or the run again") from None
    if swells(sum(member.file_size for member in members.values()), path.stat().st_size):
        raise InvalidData(f"{path}: unpacked it is more than {MOST_SWOLLEN} times as long, and no log; run it again")
    return members


def blocks(path: Path, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The bytes of a member; its length and its checksum are looked at when all are read.

    Not by `zipfile`, which knows no Zstandard before Python 3.14, and as a backport no member of several frames.

    Raises
    ------
    InvalidInput
        If nothing that is installed unpacks it.
    InvalidData
        If it is damaged.
    """
    name, size, checksum = f"{path}: {member.filename}", 0, 0
    with path.open("rb") as stream:
        stream.seek(member.header_offset)
        start = stream.read(_LOCAL.size)
        if len(start) < _LOCAL.size or start[:4] != b"PK\3\4":
            raise InvalidData(f"{name}: is not where the archive says; copy it again")
        _, named, extra = _LOCAL.unpack(start)
        stream.seek(named + extra, 1)
        packed = cast("IO[bytes]", _Section(stream, member.compress_size))
        try:
            for block in _unpacked(packed, member, name):
                size, checksum = size + len(block), zlib.crc32(block, checksum)
                if size > member.file_size:
                    break
                yield block
        except (zlib.error, EOFError) as error:
            raise InvalidData(f"{name}: is damaged ({error}); copy the log again") from None
    if size != member.file_size or checksum != member.CRC:
        raise InvalidData(f"{name}: is damaged (its length or checksum is another); copy the log again")


class _Section(RawIOBase):
    """The packed bytes of one member."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream, self._left = stream, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._stream.read(min(len(buffer), self._left))
        self._left -= len(block)
        buffer[: len(block)] = block
        return len(block)


def _unpacked(packed: IO[bytes], member: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    if member.compress_type == _STORED:
        yield from iter(lambda: packed.read(BLOCK), b"")
    elif member.compress_type == _DEFLATE:
        yield from _inflated(packed)
    elif member.compress_type == _ZSTANDARD:
        yield from _zstandard(packed)
    else:
        raise InvalidData(f"{name}: is packed in a way that Inspect AI does not use ({member.compress_type})")


def _inflated(packed: IO[bytes]) -> Iterator[bytes]:
    unpack = zlib.decompressobj(-zlib.MAX_WBITS)
    while not unpack.eof:
        rest = unpack.unconsumed_tail or packed.read(BLOCK)
        block = unpack.decompress(rest, BLOCK)
        if not rest and not block:
            raise EOFError("it ends too early")
        yield block


def _zstandard(packed: IO[bytes]) -> Iterator[bytes]:
    """By the standard library from Python 3.14, else by its backport; frames follow on."""
    own = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    library = import_module(own)
    stream, failure = library.ZstdFile(packed), library.ZstdError
    try:
        yield from iter(lambda: stream.read(BLOCK), b"")
    except failure as error:
        raise EOFError(str(error)) from None
