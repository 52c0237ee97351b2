"""Addresses of ledgers on Postgres, without a password, which comes from the environment alone."""

from __future__ import annotations

import getpass
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from quorate.errors import InvalidInput
from quorate.frozen import dataclass

SCHEMA = "quorate"
PASSWORD = "PGPASSWORD"  # noqa: S105  (the name of the variable)
PORT = 5432
LONGEST_NAME = 63
"""Bytes in a name; Postgres cuts off the rest."""

_START = re.compile(r"\s*postgres(ql)?(\+\w+)?:[/\\]+", re.IGNORECASE)
_OTHER = re.compile(r"\s*(\w[\w+.-]+:[/\\]{1,2}([^/\\]*|[^/\\]*:.*)@|postgres[^/\\]*:.*@)", re.IGNORECASE | re.DOTALL)
"""What is no file either, and may hold a password: another address with a login; a drive has one letter."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_MODES = ("disable", "require", "verify-full")
_OPTIONS = ("schema", "password_env", "sslmode", "host")
_HERE = ("localhost", "127.0.0.1", "::1")
_EXAMPLE = "postgresql://user@host/database?schema=study"


@dataclass(frozen=True)
class Address:
    """A schema of a Postgres database that holds one ledger; as text it is an address that can be given again.

    Parameters
    ----------
    user : str
        Who connects.
    host : str
        Name or address of the machine, or the folder of a socket.
    port : int
        Port.
    database : str
        Name of the database.
    schema : str
        Name of the schema.
    variable : str
        Environment variable that holds the password.
    sslmode : {"disable", "require", "verify-full"}
        Whether the connection is encrypted, and the server's certificate is checked.
    """

    user: str
    host: str
    port: int
    database: str
    schema: str = SCHEMA
    variable: str = PASSWORD
    sslmode: str = "verify-full"

    def __str__(self) -> str:
        options = {"schema": self.schema, "password_env": self.variable, "sslmode": self.sslmode}
        plain = {"schema": SCHEMA, "password_env": PASSWORD, "sslmode": _sslmode(self.host)}
        said = {name: text for name, text in options.items() if text != plain[name]}
        if self.socket:
            said["host"] = self.host
        port = "" if self.port == PORT else f":{self.port}"
        where = "" if self.socket else f"[{self.host}]" if ":" in self.host else self.host
        query = "&".join(f"{name}={quote(text)}" for name, text in said.items())
        place = f"postgresql://{quote(self.user, safe='')}@{where}{port}/{quote(self.database, safe='')}"
        return f"{place}?{query}" if query else place

    @property
    def socket(self) -> bool:
        """Whether the host is the folder of a socket."""
        return self.host.startswith("/")

    @property
    def identifier(self) -> str:
        """The schema as SQL writes it."""
        return '"' + self.schema.replace('"', '""') + '"'

    def password(self) -> str | None:
        """The password in the environment; None where there is none, as with trusted sockets and certificates."""
        return os.environ.get(self.variable) or None


Place = Path | Address
"""Where a table is: a file, or an address of Postgres."""

Places = Place | tuple[Path, ...]
"""The same, or several files that are one table."""


def title_of(place: Places) -> str:
    """What a source is called: the path of a file; of an address what anybody may see, no machine and no user."""
    if isinstance(place, tuple):
        return ", ".join(one.name for one in place)
    return f"Postgres ledger {place.schema}" if isinstance(place, Address) else str(place)


def is_place(source: object) -> bool:
    """Whether a source is given by where it is: as text, a path, an address, or a list of paths."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(one, (str, os.PathLike)) for one in source)
    return isinstance(source, (str, os.PathLike, Address))


def absolute(place: Places) -> Places:
    """The same place from everywhere on this machine."""
    if isinstance(place, tuple):
        return tuple(one.absolute() for one in place)
    return place if isinstance(place, Address) else place.absolute()


def places_of(source: Any) -> Places:
    """A source of which `is_place` holds: what `place_of` says of one, or the paths of several files."""
    if isinstance(source, (list, tuple)):
        return tuple(map(Path, source)) if len(source) > 1 else place_of(source[0])
    return place_of(source)


def place_of(source: str | os.PathLike[str] | Address) -> Place:
    """A source that is given as text or path: an address if it begins like one, else a path.

    Raises
    ------
    InvalidInput
        If it is an address that holds a password or cannot be understood, or another one with a login. The line does
        not repeat it.

    Examples
    --------
    >>> str(place_of("postgresql://ann@db.example/evals?schema=study7"))
    'postgresql://ann@db.example/evals?schema=study7'
    >>> place_of("study.db").name
    'study.db'
    """
    if isinstance(source, Address):
        return source
    text = os.fspath(source)
    start = _START.match(text)
    if start is not None:
        return _address(text[start.end() :].replace("\\", "/"))
    if _OTHER.match(text):
        raise InvalidInput(f"address: has a login, and is no file; the only addresses that are read are {_EXAMPLE}")
    return Path(text)


def _address(rest: str) -> Address:
    """An address from what follows its slashes, of which a path leaves one where there were two or three."""
    path = rest.partition("?")[0]
    try:
        parts = urlsplit(f"//{rest}" if "/" in path else f"///{rest}", allow_fragments=False)
    except ValueError:
        raise InvalidInput(f"Postgres address: cannot be read; write {_EXAMPLE}") from None
    login, _, where = parts.netloc.rpartition("@")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    strange = next((name for name in options if name not in _OPTIONS), "")
    if ":" in unquote(login) or "password" in strange:
        raise InvalidInput(
            f"Postgres address: holds a password; leave it out, and put it into the environment variable {PASSWORD}"
        )
    if strange or "" in options:
        raise InvalidInput(f"Postgres address: after its ? it takes {', '.join(_OPTIONS)}; leave the rest out")
    database = unquote(parts.path[1:])
    if not database or not re.fullmatch(r"[^/@:\s\x00-\x1f]+", database):
        raise InvalidInput(f"Postgres address: names no database; write {_EXAMPLE}")
    machine = re.fullmatch(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]*)(:(?P<port>\d{1,5}))?", where)
    if machine is None:
        raise InvalidInput(f"Postgres address: its host or port cannot be read; write {_EXAMPLE}")
    host = options.pop("host", "") or machine["host"].strip("[]") or "localhost"
    schema, variable = options.get("schema", SCHEMA), options.get("password_env", PASSWORD)
    sslmode = options.get("sslmode", _sslmode(host))
    if not schema.isprintable() or not 0 < len(schema.encode()) <= LONGEST_NAME or schema.startswith("pg_"):
        raise InvalidInput(
            f"Postgres address: schema must be a name of at most {LONGEST_NAME} bytes, not of the system"
        )
    if not _VARIABLE.fullmatch(variable):
        raise InvalidInput(
            "Postgres address: password_env must be the name of an environment variable, in capitals; "
            "never write a password"
        )
    if sslmode not in _MODES:
        raise InvalidInput(f"Postgres address: sslmode must be one of {', '.join(_MODES)}")
    user = unquote(login) or os.environ.get("PGUSER") or getpass.getuser()
    return Address(user, host, int(machine["port"] or PORT), database, schema, variable, sslmode)


def _sslmode(host: str) -> str:
    """On this machine nobody listens; elsewhere the server shows who it is."""
    return "disable" if host in _HERE or host.startswith("/") else "verify-full"
