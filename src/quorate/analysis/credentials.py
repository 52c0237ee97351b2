"""Credentials left out of the addresses and commands that a reader is shown."""

from __future__ import annotations

import re

HIDDEN = "…"
_URL = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]+:/+)([^\s'\"<>]*)")
_SECRET = re.compile(
    r"(?i)(--[\w-]*(?:token|secret|password|api[_-]?key|access[_-]?key)[\w-]*(?:=|\s+)"
    r"|\b(?:secret|password|api[_-]?key|access[_-]?key)=)(\S+)"
)


def scrubbed(text: str) -> str:
    """Text without what opens doors: names and passwords in addresses, their queries, values of keys and tokens.

    Examples
    --------
    >>> scrubbed("quorate analyze 's3://AKIA:se/cr+et@bucket/a.csv?token=abc'")
    "quorate analyze 's3://…@bucket/a.csv?…'"
    >>> scrubbed("quorate analyze a@b.csv --api-key sk-123")
    'quorate analyze a@b.csv --api-key …'
    """
    return _SECRET.sub(rf"\1{HIDDEN}", _URL.sub(_without_credentials, text))


def _without_credentials(found: re.Match[str]) -> str:
    rest, mark, query = found[2].partition("?")
    rest, fragment, _ = rest.partition("#")
    before, at, after = rest.rpartition("@")
    if at and ":" not in before:  # a name alone stands before the first slash; a later @ belongs to the path
        before, at, after = rest.partition("@")
        if "/" in before:
            before, at, after = "", "", rest
    place = f"{HIDDEN}@{after}" if at else rest
    return f"{found[1]}{place}{f'{mark or fragment}{HIDDEN}' if query or mark or fragment else ''}"
