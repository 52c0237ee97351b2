"""Secrets: a judge's key is named in the study, read from the environment, shown nowhere."""

from __future__ import annotations

import base64
import json
import os
from urllib.parse import quote

from quorate.errors import InvalidInput

SHOWN = "[key]"


class Secret:
    """A key that does not print.

    Parameters
    ----------
    value : str
        The key.
    """

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        raw = value.encode()
        forms = {value, quote(value, safe=""), json.dumps(value)[1:-1], base64.b64encode(raw).decode(), raw.hex()}
        self._forms = sorted(forms, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Secret({SHOWN})"

    def reveal(self) -> str:
        """The key, for the header that carries it."""
        return self._value

    def scrub(self, text: str) -> str:
        """A text without the key, as it is or as it is written in a URL, in JSON, in base64 or in hexadecimal."""
        for form in self._forms:
            text = text.replace(form, SHOWN)
        return text

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be stored; read it from the environment again")


def from_environment(variable: str | None, judge: str) -> Secret | None:
    """The key in an environment variable; None where the judge has no key.

    Raises
    ------
    InvalidInput
        If the variable is not set, or holds what cannot be a key. The message has the name and not the key.
    """
    if variable is None:
        return None
    value = os.environ.get(variable, "").strip()
    if not value:
        raise InvalidInput(f'judge "{judge}": the environment variable {variable} is not set; put the key there')
    if not value.isascii() or not value.isprintable() or " " in value:
        raise InvalidInput(
            f'judge "{judge}": the environment variable {variable} holds what is no key (spaces or marks)'
        )
    return Secret(value)


def scrub(text: str, secret: Secret | None) -> str:
    """A text without the key, if there is one."""
    return text if secret is None else secret.scrub(text)
