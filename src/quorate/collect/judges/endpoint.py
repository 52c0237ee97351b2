"""Endpoints: where they are, which settings they take, and what no setting may hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from quorate.collect.budget import Price
from quorate.collect.judge import RESERVED
from quorate.collect.judges.apis import APIS, Api
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

if TYPE_CHECKING:
    pass

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SECRET = re.compile(r"auth|key|token|secret|password|cookie", re.IGNORECASE)
_SECRET_PARAMETER = re.compile(
    r"api.?key|authori[sz]ation|bearer|secret|password|credential|cookie|(access|auth|api|session).?token"
    r"|^(auth|key|token)$|headers|.[-_]key$",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"\bbearer\s+\S|\b(?:sk|pk|rk|gsk|xai|hf|ghp|key|AKIA|AIza)[-_A-Z0-9][-_A-Za-z0-9]{11,}", re.IGNORECASE
)
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,39}")


@dataclass(frozen=True)
class Endpoint:
    """An endpoint and how one model behind it is asked.

    Parameters
    ----------
    name : str
        Name of the judge: its level of the facet ``judge``.
    url : str
        Base URL, to which ``/chat/completions`` is added, or what its form has in that place.
    model : str
        Model, as the endpoint calls it.
    key_env : str, optional
        Environment variable that holds the key.
    key_header : str, optional
        Header that carries the key: ``Authorization`` (as a bearer) or another, such as ``api-key``; by default that of
        the form.
    api : {"openai", "anthropic", "gemini"}
        The form in which it is asked.
    params : mapping
        Parameters of every call, such as ``max_tokens``; those of a request come first.
    price : Price
        What calls cost.
    structured : {"json_schema", "json_object", "structured_outputs", "grammar"}, optional
        How the endpoint holds the model to the form of the answer, where it can.
    timeout : float
        Seconds for a whole call, from connecting to the last byte.
    headers, query : mapping of str to str
        Sent with every call; no keys.
    idempotency : bool
        Whether every call carries an ``Idempotency-Key``, by which an endpoint that knows the header recognises a
        question that is sent again because its answer was lost, and bills it once.
    proxies : bool
        Whether proxies of the environment are used; never for loopback addresses.
    most_bytes : int
        Longest reply that is read.

    Raises
    ------
    InvalidInput
        If a setting breaks its rule, or holds what looks like a key.
    """

    name: str
    url: str
    model: str
    key_env: str | None = None
    key_header: str | None = None
    api: str = "openai"
    params: Mapping[str, Any] = field(default_factory=dict)
    price: Price = field(default_factory=Price)
    structured: str | None = None
    timeout: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    idempotency: bool = True
    proxies: bool = True
    most_bytes: int = 8 * 1024 * 1024

    def __post_init__(self) -> None:
        for setting in ("params", "headers", "query"):
            object.__setattr__(self, setting, MappingProxyType(dict(getattr(self, setting))))
        if self.api not in APIS:
            raise self._wrong(f'api: must be one of {", ".join(APIS)}, got "{self.api}"')
        if self.key_header is None:
            object.__setattr__(self, "key_header", self.form.key_header)
        self._check_address()
        self._check_keys()
        if not (self.name and self.model):
            raise self._wrong("name and model must not be empty")
        if not 0 < self.timeout < math.inf:
            raise self._wrong(f"timeout: must be a number of seconds > 0, got {self.timeout}")
        self._check_form()

    def address(self, path: str) -> str:
        """Full address of a path of the endpoint, such as ``/chat/completions``."""
        joined = "&" if "?" in path else "?"
        query = f"{joined}{urlencode(self.query)}" if self.query else ""
        return f"{self.url.rstrip('/').removesuffix(self.form.path(self.model))}{path}{query}"

    @property
    def form(self) -> Api:
        """The form in which it is asked."""
        return APIS[self.api]

    @property
    def trusts_environment(self) -> bool:
        """Whether proxies of the environment are used."""
        return self.proxies and urlsplit(self.url).hostname not in LOOPBACK

    def _check_address(self) -> None:
        try:
            parts = urlsplit(self.url)
            known = (
                parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            known = False
        if "@" in self.url or "?" in self.url or "#" in self.url:
            raise self._wrong("url: must have no user, password, query or fragment; use key_env and query instead")
        if not known:
            raise self._wrong(
                f'url: must be an http or https address such as "http://127.0.0.1:8000/v1", got "{self.url}"'
            )

    def _check_form(self) -> None:
        """Refuse what the form of the endpoint has no place for, or lacks."""
        ways = self.form.structured
        if self.structured is not None and self.structured not in ways:
            raise self._wrong(f'structured: must be one of {", ".join(ways)}, got "{self.structured}"')
        for name in self.form.needed:
            if name not in self.params:
                raise self._wrong(f"params: {self.api} answers nothing without {name}; set it, such as {name}: 200")
        for name in sorted(RESERVED & self.params.keys()):
            raise self._wrong(f'params: "{name}" is set by the request itself; leave it out')

    def _check_keys(self) -> None:
        """Refuse what looks like a key: a study file is shown and passed on."""
        for setting in ("headers", "query"):
            for name in filter(_SECRET.search, getattr(self, setting)):
                raise self._wrong(
                    f'{setting}: "{name}" looks like a key; name its environment variable in key_env instead'
                )
        without_keys(self.name, self.params)
        for setting in ("headers", "query"):
            if any(map(_KEY.search, _texts(getattr(self, setting)))):
                raise self._wrong(f"{setting}: holds what looks like a key; name its environment variable in key_env")
        header = self.key_header or ""
        if not _HEADER.fullmatch(header) or _KEY.search(header):
            raise self._wrong("key_header: must be the name of a header, such as api-key; never write a key here")

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f'judge "{self.name}": {what}')


def without_keys(judge: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that hold what looks like a key, or name a place for one.

    Raises
    ------
    InvalidInput
        With the name of the place, and not with the key.
    """
    for name in filter(_SECRET_PARAMETER.search, _names(params)):
        raise InvalidInput(
            f'judge "{judge}": params: "{name[:40]}" is a place for a key; name its environment variable in key_env'
        )
    if any(map(_KEY.search, _texts(params))):
        raise InvalidInput(
            f'judge "{judge}": params: holds what looks like a key; name its environment variable in key_env'
        )


def _names(value: Any) -> Iterator[str]:
    """Names in a setting, at any depth."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


def _texts(value: Any) -> Iterator[str]:
    """Texts in a setting, at any depth."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _texts(inner)
