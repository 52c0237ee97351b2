"""JSON that is too large to be held: what is wanted of it is read, the rest is passed over block by block."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from quorate.errors import InvalidData

_BLANK = b" \t\r\n"
_QUOTE = 0x22
_RUN = re.compile(rb'[^"{}\[\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"{}\[\]]*)*', re.DOTALL)
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
            raise self._broken(_why(error)) from None

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
            while self._advance(_RUN, kept):
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


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else "a number with too many digits"
