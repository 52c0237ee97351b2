"""Encodings of text: UTF-8, UTF-16 with its mark, or Windows-1252 where bytes are no UTF-8; never without a word."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from quorate.table.exchange.ordinary import ordinary
from quorate.table.notes import Note

Encoding = Literal["utf-8-sig", "utf-16", "cp1252"]

PACKED = b"\x1f\x8b"
"""How a file begins that gzip packed."""
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text in UTF-16 begins, such as what Excel calls Unicode text."""
_NO_LETTERS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
_BLOCK = 1 << 20


def encoding_of(path: Path) -> Encoding:
    """How the text of a file is written, by all of its bytes; of what gzip packed by the first megabyte.

    What is neither UTF-8 nor without control characters is called UTF-8 too: whoever reads it says where it is not.
    """
    try:
        start = next(_blocks(path), b"")
        if start.startswith(MARKS):
            return "utf-16"
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            for block in _blocks(path):
                decoder.decode(block)
            with path.open("rb") as stream:
                packed = stream.read(len(PACKED)) == PACKED
            decoder.decode(b"", final=not packed)
        except UnicodeDecodeError:
            return "utf-8-sig" if any(map(_NO_LETTERS.search, _blocks(path))) else "cp1252"
    except (OSError, EOFError, zlib.error):  # said by whoever reads the rest
        pass
    return "utf-8-sig"


def begins_in(block: bytes) -> Encoding:
    """How text is written that begins like this, and may be cut off inside a character."""
    if block.startswith(MARKS):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)
    except UnicodeDecodeError:
        return "utf-8-sig" if _NO_LETTERS.search(block) else "cp1252"
    return "utf-8-sig"


def notes_of(encoding: Encoding) -> tuple[Note, ...]:
    """What is said of text that is not UTF-8."""
    if encoding == "utf-8-sig":
        return ()
    if encoding == "utf-16":
        return (Note("text in UTF-16"),)
    return (Note("text that is not UTF-8: read as Windows-1252 (Latin-1); if letters look wrong, save it as UTF-8"),)


def _blocks(path: Path) -> Iterator[bytes]:
    with binary(path) as stream:
        while block := stream.read(_BLOCK):
            yield block
            if isinstance(stream, gzip.GzipFile):
                return


def binary(path: Path) -> Any:
    """The bytes of a file, unpacked if gzip packed them."""
    with ordinary(path).open("rb") as stream:
        packed = stream.read(len(PACKED)) == PACKED
    return gzip.open(path) if packed else path.open("rb")
