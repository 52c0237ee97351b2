"""Secrets: a judge's key is named in the study, read from the environment, shown nowhere."""

from __future__ import annotations

import base64
import os
import re

from quorate.errors import InvalidInput

SHOWN = "[key]"


_URL_SAFE = str.maketrans("+/", "-_")


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
        encoded = [base64.b64encode(text.encode()).decode().rstrip("=") for text in (f"Bearer {value}", value)]
        encoded += [text.translate(_URL_SAFE) for text in encoded]
        digits = r"[\s:,-]*".join(rf"(?:0x)?{_cased(f'{code:02x}')}" for code in value.encode())
        spelled = ""  # each character as it is, after backslashes, or by its number as in URLs and JSON
        for character in value:
            code = _cased(f"{ord(character):02x}")
            spelled += rf"(?:\\*{re.escape(character)}|%(?:25)*{code}|\\+u00{code}|\\+x{code})"
        self._forms = re.compile("|".join([*(f"{re.escape(text)}=*" for text in encoded), digits, spelled]))

    def __repr__(self) -> str:
        return f"Secret({SHOWN})"

    def reveal(self) -> str:
        """The key, for the header that carries it."""
        return self._value

    def scrub(self, text: str) -> str:
        """A text without the key, however its characters are written: in URLs, JSON, base64 or hexadecimal."""
        return self._forms.sub(SHOWN, text)

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be stored; read it from the environment again")


def _cased(digits: str) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in digits)


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
