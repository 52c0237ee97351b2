"""Encodings of text: UTF-8, UTF-16 with its mark, or Windows-1252 where bytes are no UTF-8; never without a word."""

from __future__ import annotations

import codecs
import errno
import gzip
import os
import re
import sqlite3
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from quorate.table.notes import Note

# Ordinary files: what ends soon when it is read, unlike a pipe, a device or a packed bomb, and is no database.
#
# SQLite alone opens a database.
#
# To open and close a file drops all locks that this process has on it, those that SQLite holds for a ledger too; other
# processes then take away what belongs to it (https://sqlite.org/howtocorrupt.html, 2.2).


_BESIDE = ("-wal", "-shm", "-journal")
_PAGE = 512

MOST_SWOLLEN = 200
"""Bytes that a packed byte may stand for: judgments take a tenth of that."""
_SHOWN = 1 << 16


def ordinary(path: Path, *, database: bool = False) -> Path:
    """The path, if what is there can be read to its end.

    Parameters
    ----------
    path : Path
        A file or a folder.
    database : bool
        Whether it may be a database, which the caller opens by SQLite alone.

    Raises
    ------
    OSError
        If it is a pipe, a socket, a device, a database or a packed bomb, or its name cannot be one of a file.
    """
    try:
        mode = path.stat().st_mode
    except ValueError:
        raise OSError(errno.EINVAL, "no file has such a name", "") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and no ordinary file", str(path))
    if is_database(path):
        if not database:
            raise OSError(errno.EINVAL, "it is a SQLite database, such as a ledger, and no text", str(path))
    elif stat.S_ISREG(mode) and _is_swollen(path):
        raise OSError(
            errno.EINVAL, f"unpacked it is more than {MOST_SWOLLEN} times as long; unpack it first", str(path)
        )
    return path


def swells(length: int, packed: int) -> bool:
    """Whether so many bytes, or rows, packed into so few bytes are hardly judgments, and take their time to unpack."""
    return length >= MOST_SWOLLEN * max(packed, _SHOWN)


def _is_swollen(path: Path) -> bool:
    """Whether gzip made a file that much shorter.

    It is unpacked so far only if its beginning swells, or its end says so, which of a file that is cut off is no word.
    """
    with path.open("rb") as stream:
        start = stream.read(_SHOWN)
        if not start.startswith(b"\x1f\x8b"):
            return False
        stream.seek(-4, os.SEEK_END)
        length, unpacked = int.from_bytes(stream.read(), "little"), 0
    with suppress(OSError, EOFError, zlib.error), gzip.open(path) as stream:  # for whoever reads the rest to say
        first = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start, MOST_SWOLLEN * _SHOWN)
        if swells(len(first), len(start)) or swells(length, path.stat().st_size):
            while not swells(unpacked, path.stat().st_size) and (block := stream.read(_SHOWN << 4)):
                unpacked += len(block)
    return swells(unpacked, path.stat().st_size)


def is_database(path: Path) -> bool:
    """Whether a file is a database of SQLite, or one of those beside it, as SQLite says, which keeps its locks."""
    for suffix in _BESIDE:
        if path.name.endswith(suffix):
            path = path.with_name(path.name.removesuffix(suffix))
    if not path.is_file():
        return False
    found = path.stat()  # SQLite takes what is empty for a database too
    return found.st_size >= _PAGE and _of_sqlite((path.absolute().as_uri(), found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=256)
def _of_sqlite(state: tuple[str, int, int]) -> bool:
    """What SQLite says of a file as it is now, asked once: to read a file it is asked for a dozen times."""
    try:
        with closing(sqlite3.connect(f"{state[0]}?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorname == "SQLITE_CORRUPT"
    return True


Encoding = Literal["utf-8-sig", "utf-16", "cp1252", "cp932", "gb18030", "cp949", "cp1251", "cp1250"]

PACKED = b"\x1f\x8b"
"""How a file begins that gzip packed."""
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text in UTF-16 begins, such as what Excel calls Unicode text."""
_SCRIPTS: Mapping[Encoding, str] = {
    "cp932": "[\u3041-\u30ff\u4e00-\u9fff]",
    "cp949": "[\uac00-\ud7a3]",
    "gb18030": "[\u4e00-\u9fff]",
    "cp1251": "[\u0410-\u044f\u0401\u0451]",
}
"""Encodings of one script each, the most demanding first, with its letters."""
_CALLED: Mapping[Encoding, str] = {
    "cp1252": "Windows-1252 (Latin-1)",
    "cp932": "Shift-JIS",
    "cp949": "Windows-949 (Korean)",
    "gb18030": "GB 18030",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1250": "Windows-1250 (Central European)",
}
_FEWEST_HIGH, _BESIDE_EACH, _MOSTLY, _OF_KANA, _PLAIN = 8, 0.5, 0.9, 0.02, 127
"""Bytes of other letters from which on they tell a script, the shares of those beside each other, of its letters and
of kana in Japanese, and the last of plain characters."""
_POLISH = re.compile(rb"[a-z\x9c\x9f\xe6\xea\xf1\xf3][\xb3\xb9\xbf][a-z\x9c\x9f\xe6\xea\xf1\xf3]")
_FEWEST_POLISH = 3
"""Letters inside words that are signs in Windows-1252, and how many tell Windows-1250."""
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
            own = _script_of(start)
            return own or ("utf-8-sig" if any(map(_NO_LETTERS.search, _blocks(path))) else "cp1252")
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
        return _script_of(block) or ("utf-8-sig" if _NO_LETTERS.search(block) else "cp1252")
    return "utf-8-sig"


def _script_of(block: bytes) -> Encoding | None:
    """The encoding of Japanese, Chinese, Korean or Cyrillic text, most of whose letters are of the script, or Polish.

    Letters with accents stand alone or in twos among plain ones, and those of these scripts in words.
    """
    high = re.findall(rb"[\x80-\xff]+", block)
    size, beside = sum(map(len, high)), sum(len(run) for run in high if len(run) > len("üß"))
    if size < _FEWEST_HIGH:
        return None
    apart = beside < _BESIDE_EACH * size
    for name, script in _SCRIPTS.items():
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder(name)().decode(block)
            letters = "".join(one for one in text if one.isalpha() and ord(one) > _PLAIN)
            if letters and len(re.findall(script, letters)) >= _MOSTLY * len(letters):
                kana = len(re.findall("[\u3041-\u30ff]", letters))
                if name == "cp932" and kana >= _OF_KANA * len(letters):  # whose second bytes may be plain
                    return name
                return None if apart or name == "cp932" else name
    return "cp1250" if len(_POLISH.findall(block)) >= _FEWEST_POLISH else None


def notes_of(encoding: Encoding) -> tuple[Note, ...]:
    """What is said of text that is not UTF-8."""
    if encoding == "utf-8-sig":
        return ()
    if encoding == "utf-16":
        return (Note("text in UTF-16"),)
    called = _CALLED[encoding]
    return (Note(f"text that is not UTF-8: read as {called}; if letters look wrong, save it as UTF-8"),)


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
