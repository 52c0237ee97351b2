"""Attempts at samples, as a log of Inspect AI holds them: an archive, also of a run that was killed, or JSON."""

from __future__ import annotations

import gzip
import json
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from quorate.errors import InvalidData
from quorate.frozen import dataclass
from quorate.table.exchange.encoding import MOST_SWOLLEN, binary, swells
from quorate.table.exchange.foreign.inspect.marks import Given, Scorer, given, scorers
from quorate.table.exchange.foreign.records import list_at, name_at, object_at, shown, why

_BLANK = b" \t\r\n"
_QUOTE = 0x22
_PLAIN = re.compile(rb'[^"{}\[\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"{}\[\]]*)*', re.DOTALL)
"""Whole texts and what stands between them, up to the next bracket."""
_IN_TEXT = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_SCALAR = re.compile(rb"[^,\]}\s]*")


class Streamed:
    """One JSON value, read from its blocks of bytes from left to right.

    What is between the wanted values need not be JSON to its last character: brackets and quotes must match.

    Parameters
    ----------
    blocks : iterator of bytes
        The text.
    name : str
        What it is, in errors.

    Raises
    ------
    InvalidData
        While reading, if it is cut off or not JSON.

    Examples
    --------
    >>> log = Streamed(iter([b'{"id": 1, "events": [{"a": "]"}', b'], "scores": {}}']), "a.json")
    >>> log.fields({"id", "scores"})
    {'id': 1, 'scores': {}}
    """

    def __init__(self, blocks: Iterator[bytes], name: str) -> None:
        self._blocks = blocks
        self._name = name
        self._text = b""
        self._at = 0
        self._behind = 0
        self._pending = False

    def keys(self) -> Iterator[str]:
        """The keys of the object that comes next; a value that is not read is passed over."""
        for _ in self._entries(b"{", b"}"):
            if self._peek() != b'"':
                raise self._broken("a key is no text")
            key = self.value()
            self._expect(b":")
            self._pending = True
            yield key
            if self._pending:
                self._raw(keep=False)

    def elements(self) -> Iterator[None]:
        """Once for each element of the list that comes next; one that is not read is passed over."""
        for _ in self._entries(b"[", b"]"):
            self._pending = True
            yield
            if self._pending:
                self._raw(keep=False)

    def fields(self, wanted: Collection[str], *, whole: bool = False) -> dict[str, Any]:
        """The values of wanted keys of the object that comes next.

        Parameters
        ----------
        wanted : collection of str
            The keys.
        whole : bool
            Whether the object is read to its end even when all are found, because something follows it.
        """
        found: dict[str, Any] = {}
        for key in self.keys():
            if key in wanted:
                found[key] = self.value()
                if len(found) == len(wanted) and not whole:
                    break
        return found

    def value(self) -> Any:
        """The value that comes next."""
        text = self._raw(keep=True)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._broken(why(error)) from None

    @property
    def is_list(self) -> bool:
        """Whether a list comes next."""
        return self._peek() == b"["

    def _entries(self, first: bytes, last: bytes) -> Iterator[None]:
        self._pending = False
        self._expect(first)
        if self._peek() == last:
            self._at += 1
            return
        while True:
            yield
            mark = self._peek()
            self._at += 1
            if mark == last:
                return
            if mark != b",":
                raise self._broken(f"{mark!r} where , or {last!r} is needed")

    def _raw(self, *, keep: bool) -> bytes:
        """The text of the value that comes next, empty if it is not to be kept."""
        self._pending = False
        kept: list[bytes] | None = [] if keep else None
        first = self._peek()
        if first == b'"':
            self._pass_text(kept)
        elif first in (b"{", b"["):
            self._pass_nested(kept)
        else:
            while self._advance(_SCALAR, kept) and self._more():
                pass
        return b"".join(kept or ())

    def _pass_nested(self, kept: list[bytes] | None) -> None:
        """Go behind the object or list that begins here."""
        depth = 0
        while True:
            mark = self._text[self._at]
            if mark == _QUOTE:  # a text that this block does not end
                self._pass_text(kept)
            else:
                depth += 1 if mark in b"{[" else -1
                if kept is not None:
                    kept.append(self._text[self._at : self._at + 1])
                self._at += 1
            if depth == 0:
                return
            while self._advance(_PLAIN, kept):
                self._need_more()

    def _pass_text(self, kept: list[bytes] | None) -> None:
        """Go behind the text that begins here."""
        if kept is not None:
            kept.append(b'"')
        self._at += 1
        while self._advance(_IN_TEXT, kept) or self._text[self._at] != _QUOTE:
            self._need_more()  # a backslash may stand at the end of what there is
        if kept is not None:
            kept.append(b'"')
        self._at += 1

    def _advance(self, expression: re.Pattern[bytes], kept: list[bytes] | None) -> bool:
        """Go behind what an expression matches; whether that is all there is of the block."""
        found = expression.match(self._text, self._at)
        end = self._at if found is None else found.end()
        if kept is not None:
            kept.append(self._text[self._at : end])
        self._at = end
        return end == len(self._text)

    def _peek(self) -> bytes:
        """The next character that is not blank."""
        while True:
            while self._at < len(self._text):
                mark = self._text[self._at : self._at + 1]
                if mark not in _BLANK:
                    return mark
                self._at += 1
            self._need_more()

    def _expect(self, mark: bytes) -> None:
        found = self._peek()
        if found != mark:
            raise self._broken(f"{found!r} where {mark!r} is needed")
        self._at += 1

    def _more(self) -> bool:
        block = next(self._blocks, b"")
        self._behind += self._at
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)

    def _need_more(self) -> None:
        if not self._more():
            raise InvalidData(f"{self._name}: is cut off; copy or export it again")

    def _broken(self, why: str) -> InvalidData:
        return InvalidData(f"{self._name}: is not JSON at byte {self._behind + self._at:,} ({why})")


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


HEADER, JOURNAL = "header.json", "_journal/start.json"
NEWEST = 2
"""Version of the layout of logs."""
_RUN = ("version", "status", "eval", "results", "invalidated")
_SAMPLE = ("id", "epoch", "scores", "metadata", "error", "limit", "invalidation")
_WHOLE = re.compile(r"samples/(.+_epoch_\d+)\.json", re.DOTALL)
_PARTS = re.compile(r"samples/(.+_epoch_\d+)/sample\.json", re.DOTALL)
_SUMMARIES = re.compile(r"_journal/summaries/(\d+)\.json")
_LONGEST = 100
"""Characters of what is taken from a sample's metadata: labels, not texts."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a model on one sample.

    Parameters
    ----------
    item : str
        Id of the sample, as it is written.
    epoch : int
        Which attempt it is, from 1.
    given : mapping of str to Given
        What scorers gave it.
    editors : mapping of str to tuple of str
        Who changed a scorer's score afterwards, by scorer.
    labels : mapping of str to str
        Short values of the sample's metadata.
    failed, invalid : bool
        Whether it ended by an error; whether it was declared invalid.
    limit : str
        Kind of the limit that it met; empty if none.
    """

    item: str
    epoch: int
    given: Mapping[str, Given]
    editors: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, str]
    failed: bool
    invalid: bool
    limit: str


@dataclass(frozen=True)
class Log:
    """A log of one run.

    Parameters
    ----------
    path : Path
        Its file.
    model, task, status : str
        What was evaluated, on what, and how the run ended.
    version : tuple of int
        Of Inspect; empty if the log does not say.
    arguments : mapping of str to str
        Of the task, if they are short.
    scorers : mapping of str to Scorer
        By their names in samples.
    planned : int
        Attempts that were to be made; 0 if the log does not say.
    attempts : tuple of Attempt
        Those that are in it.
    repeated : int
        Attempts that are in it twice; the last counts.
    """

    path: Path
    model: str
    task: str
    status: str
    version: tuple[int, ...]
    arguments: Mapping[str, str]
    scorers: Mapping[str, Scorer]
    planned: int
    attempts: tuple[Attempt, ...]
    repeated: int


def read(path: Path) -> Log:
    """A log.

    Raises
    ------
    InvalidData
        If it is not complete, or not what Inspect writes.
    """
    with path.open("rb") as stream:
        archived = stream.read(4) == b"PK\3\4"
    header, records = _archive(path) if archived else _document(path)
    held: dict[tuple[str, int], Attempt] = {}
    kinds: dict[str, type] = {}
    repeated = 0
    for number, record in enumerate(records, 1):
        attempt = _attempt(record, f"{path}: sample {number}")
        if kinds.setdefault(attempt.item, type(record["id"])) is not type(record["id"]):
            raise InvalidData(f'{path}: samples {attempt.item} and "{attempt.item}" differ only by quotes; rename one')
        repeated += (attempt.item, attempt.epoch) in held
        held[attempt.item, attempt.epoch] = attempt
    return _log(path, header, tuple(held.values()), repeated)


def _log(path: Path, header: Mapping[str, Any], attempts: tuple[Attempt, ...], repeated: int) -> Log:
    run = object_at(header.get("eval"), f"{path}: eval")
    layout = header.get("version", NEWEST)
    if not isinstance(layout, int) or layout > NEWEST:
        raise InvalidData(f"{path}: is of version {shown(layout)}, and versions up to {NEWEST} are known")
    packages = object_at(run.get("packages"), f"{path}: eval.packages")
    version = tuple(int(digits) for digits in re.findall(r"\d+", str(packages.get("inspect_ai", "")))[:3])
    arguments = object_at(run.get("task_args"), f"{path}: eval.task_args")
    return Log(
        path,
        model=name_at(run.get("model"), f"{path}: eval.model"),
        task=name_at(run.get("task"), f"{path}: eval.task"),
        status=str(header.get("status", "success")),
        version=version,
        arguments=_labels(arguments),
        scorers=scorers(run, version, str(path)),
        planned=_planned(header, run, str(path)),
        attempts=attempts,
        repeated=repeated,
    )


def _planned(header: Mapping[str, Any], run: Mapping[str, Any], where: str) -> int:
    """Attempts that were to be made."""
    total = object_at(header.get("results"), f"{where}: results").get("total_samples")
    if isinstance(total, int) and total > 0:
        return total
    ids = list_at(object_at(run.get("dataset"), f"{where}: eval.dataset").get("sample_ids"), f"{where}: sample_ids")
    epochs = object_at(run.get("config"), f"{where}: eval.config").get("epochs")
    return len(ids) * (epochs if isinstance(epochs, int) else 1)


def _archive(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    """What an archive says of the run, and its samples; without a header it is that of a run that was killed."""
    members = directory(path)

    def member(name: str) -> Streamed:
        return Streamed(blocks(path, members[name]), f"{path}: {name}")

    start = next((name for name in (HEADER, JOURNAL) if name in members), None)
    if start is None:
        raise InvalidData(f"{path}: has neither {HEADER} nor {JOURNAL}, which Inspect AI writes")
    header = member(start).fields(_RUN)
    if start == JOURNAL:
        header["status"] = "started"

    def records() -> Iterator[Mapping[str, Any]]:
        left = {found[1]: name for name in members for found in [_WHOLE.fullmatch(name)] if found}
        left |= {found[1]: name for name in members for found in [_PARTS.fullmatch(name)] if found}
        stems = set(left)
        wanted = ("scores", "invalidation") if header.get("invalidated") else ("scores",)
        for summary in _summaries(members, member):
            stem = f"{summary.get('id')}_epoch_{summary.get('epoch')}"
            if stem not in stems and start == JOURNAL:
                continue
            name = left.pop(stem, None)
            # summaries cut long values and leave out who changed a score
            full = name is not None and (summary.get("scores") or len(wanted) > 1)
            yield {**summary, **(member(str(name)).fields(wanted) if full else {})}
        for stem, name in left.items():
            beside = f"samples/{stem}/metadata.json"
            more = {"metadata": member(beside).value()} if beside in members else {}
            yield {**more, **member(name).fields(_SAMPLE)}

    return header, records()


def _summaries(members: Mapping[str, Any], member: Any) -> Iterator[Mapping[str, Any]]:
    """The short entries of samples, in the order in which they were completed."""
    journal = [(int(found[1]), name) for name in members for found in [_SUMMARIES.fullmatch(name)] if found]
    names = ["summaries.json"] if "summaries.json" in members else [name for _, name in sorted(journal)]
    for name in names:
        stream = member(name)
        for _ in stream.elements():
            yield object_at(stream.value(), f"{name}: an entry")


def _document(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    """What a JSON log says of the run, and its samples."""
    header: dict[str, Any] = {}

    def records() -> Iterator[Mapping[str, Any]]:
        log = Streamed(_text(path), str(path))
        for key in log.keys():  # noqa: SIM118  it is no mapping
            if key in _RUN:
                header[key] = log.value()
            elif key == "samples" and log.is_list:
                for _ in log.elements():
                    yield log.fields(_SAMPLE, whole=True)

    return header, records()


def _text(path: Path) -> Iterator[bytes]:
    """A file block by block, unpacked if gzip packed it."""
    try:
        with binary(path) as stream:
            yield from iter(lambda: stream.read(BLOCK), b"")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidData(f"{path}: is not gzip to its end ({error}); copy it again") from None


def _attempt(record: Mapping[str, Any], where: str) -> Attempt:
    item, epoch = record.get("id"), record.get("epoch", 1)
    if not isinstance(epoch, int) or isinstance(epoch, bool):
        raise InvalidData(f"{where}: epoch is {shown(epoch)}; a whole number is needed there")
    scores = object_at(record.get("scores"), f"{where}: scores")
    entries = {name: object_at(score, f"{where}: scores.{name}") for name, score in scores.items()}
    limit = record.get("limit")
    return Attempt(
        item=name_at(item, f"{where}: id"),
        epoch=epoch,
        given={name: given(score) for name, score in entries.items()},
        editors={name: who for name, score in entries.items() if (who := _editors(score))},
        labels=_labels(object_at(record.get("metadata"), f"{where}: metadata")),
        failed=record.get("error") is not None,
        invalid=record.get("invalidation") is not None,
        limit=str(limit.get("type", "unknown") if isinstance(limit, dict) else limit or ""),
    )


def _editors(score: Mapping[str, Any]) -> tuple[str, ...]:
    """Who changed a score; the first entry of its history is how it was."""
    history = score.get("history")
    signed = [one.get("provenance") for one in (history if isinstance(history, list) else []) if isinstance(one, dict)]
    return tuple(str(one.get("author", "unknown")) for one in signed if isinstance(one, dict))


def _labels(values: Mapping[str, Any]) -> dict[str, str]:
    """Values that are short enough to be labels."""
    labels = {}
    for key, value in values.items():
        if isinstance(value, (str, int, float)):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            labels.update({key: text} if text.strip() and len(text) <= _LONGEST else {})
    return labels
