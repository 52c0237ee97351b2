"""Where a judge is to be reached and how it is asked, checked before anything is sent."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode, urlsplit

from quorate.collect.judge import RESERVED
from quorate.collect.judges.structured import WAYS
from quorate.collect.price import Price
from quorate.errors import InvalidInput

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SECRET = re.compile(r"auth|key|token|secret|password|cookie", re.IGNORECASE)


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint and how one model behind it is asked.

    Parameters
    ----------
    name : str
        Name of the judge: its level of the facet ``judge``.
    url : str
        Base URL, to which ``/chat/completions`` is added.
    model : str
        Model, as the endpoint calls it.
    key_env : str, optional
        Environment variable that holds the key.
    key_header : str
        Header that carries the key: ``Authorization`` (as a bearer) or another, such as ``api-key``.
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
    key_header: str = "Authorization"
    params: Mapping[str, Any] = field(default_factory=dict)
    price: Price = field(default_factory=Price)
    structured: str | None = None
    timeout: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    proxies: bool = True
    most_bytes: int = 8 * 1024 * 1024

    def __post_init__(self) -> None:
        for setting in ("params", "headers", "query"):
            object.__setattr__(self, setting, MappingProxyType(dict(getattr(self, setting))))
        self._check_url()
        self._check_secrets()
        self._check_rest()

    def address(self, path: str) -> str:
        """Full address of a path of the endpoint, such as ``/chat/completions``."""
        joined = "&" if "?" in path else "?"
        query = f"{joined}{urlencode(self.query)}" if self.query else ""
        return f"{self.url.rstrip('/').removesuffix('/chat/completions')}{path}{query}"

    @property
    def trusts_environment(self) -> bool:
        """Whether proxies of the environment are used."""
        return self.proxies and urlsplit(self.url).hostname not in LOOPBACK

    def _check_url(self) -> None:
        try:
            parts = urlsplit(self.url)
            known = (
                parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            known, parts = False, urlsplit("")
        if "@" in self.url or "?" in self.url:
            raise self._wrong("url: must have no user, password or query; use key_env and query instead")
        if not known or parts.fragment:
            raise self._wrong(
                f'url: must be an http or https address such as "http://127.0.0.1:8000/v1", got "{self.url}"'
            )

    def _check_secrets(self) -> None:
        for setting in ("headers", "query"):
            for name in filter(_SECRET.search, getattr(self, setting)):
                raise self._wrong(
                    f'{setting}: "{name}" looks like a key; name its environment variable in key_env instead'
                )

    def _check_rest(self) -> None:
        if not (self.name and self.model):
            raise self._wrong("name and model must not be empty")
        if not 0 < self.timeout < math.inf:
            raise self._wrong(f"timeout: must be a number of seconds > 0, got {self.timeout}")
        if self.structured is not None and self.structured not in WAYS:
            raise self._wrong(f'structured: must be one of {", ".join(WAYS)}, got "{self.structured}"')
        for name in sorted(RESERVED & self.params.keys()):
            raise self._wrong(f'params: "{name}" is set by the request itself; leave it out')

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f'judge "{self.name}": {what}')
