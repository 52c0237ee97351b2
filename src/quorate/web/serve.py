"""Server of a study: its cells planned, links for everybody, and its pages until it is stopped."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING

from quorate.collect.ledger.ledger import Ledger
from quorate.collect.ledger.links import LINK, OWNER, Links
from quorate.errors import InvalidInput
from quorate.study.file import load
from quorate.study.judges import check, people
from quorate.study.loop import plan
from quorate.study.people import People
from quorate.study.questions import Questions, questions
from quorate.study.quote import sizes

if TYPE_CHECKING:
    from starlette.applications import Starlette


SELF = "owner"
"""What the owner of a study is called where names are given and shown."""


@dataclass(frozen=True)
class Opened:
    """A study whose pages can be served.

    Parameters
    ----------
    asked : Questions
        Of the study, whose cells are planned.
    links : mapping of str to str
        New links by the name of the judge, and of the owner under an empty one. They cannot be shown again.
    replaced : bool
        Whether there were others, which do not work any more.
    """

    asked: Questions
    links: Mapping[str, str]
    replaced: bool


def serve(
    study: str | os.PathLike[str],
    *,
    port: int = 8000,
    host: str = "127.0.0.1",
    public: bool = False,
    links: bool | Collection[str] = False,
    on_start: Callable[[Opened], None] | None = None,
) -> None:
    """Serve the pages of a study until Ctrl-C: people who are its judges answer there, and its owner watches.

    Everybody has a link of their own, with 128 random bits, of which the ledger holds a hash; a link is shown when it
    is made and never again. Every answer is in the study's ledger before the page says so, so that the server may be
    stopped, killed and started again at any time, or several of them serve one ledger on Postgres.

    Parameters
    ----------
    study : path
        The study file; ``quorate init --recipe people`` writes one.
    port : int
        Where the pages are.
    host : str
        The address that is listened at: this machine alone, unless ``public``.
    public : bool
        Whether other machines may reach the pages. They are not encrypted: put a reverse proxy with TLS before them.
    links : bool or collection of str
        Who gets a new link, so that the old one ends: everybody, or judges by name and ``owner``. Who has none gets one
        in any case.
    on_start : callable, optional
        Called with the new links before the server starts; they are written to standard error unless it is given.

    Raises
    ------
    InvalidInput
        If ``quorate[web]`` is not installed, another machine could reach a study that is not public, the file breaks a
        rule, or the ledger was planned for another study.
    """
    ready(host, port, public=public)
    opened = prepare(study, host=host, port=port, links=links)
    (on_start or _say)(opened)
    from quorate.web.app import application

    listen(application(opened.asked), host, port)


def ready(host: str, port: int, *, public: bool) -> None:
    """Refuse a place where pages cannot be, or should not without a word."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise InvalidInput('serve: pages need a web server; run pip install "quorate[web]"')
    if not 1 <= port <= 65535:
        raise InvalidInput(f"port: must be from 1 to 65535, got {port}")
    if not public and not is_loopback(host):
        raise InvalidInput(
            f"host: other machines can reach {host}, and what they send is not encrypted; put a reverse proxy with TLS "
            "before 127.0.0.1, or say that it is meant with --public"
        )


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def prepare(study: str | os.PathLike[str], *, host: str, port: int, links: bool | Collection[str]) -> Opened:
    """A study with its cells planned, everybody's questions in an order of their own, and links for who has none."""
    loaded = load(study)
    check(loaded)
    asked = questions(loaded)
    lengths = sizes(asked)
    with Ledger.open(loaded.database) as ledger:
        plan(ledger, asked, lengths)
        People(ledger, asked).arrange()
        known = Links(ledger)
        held, names = known.held(), [OWNER, *people(loaded)]
        new = frozenset(names if links is True else _named(links or (), names))
        wanted = [name for name in names if name in new or name not in held]
        words = known.make(wanted)
    shown = f"[{host}]" if ":" in host else host
    made = {name: f"http://{shown}:{port}{LINK}{word}" for name, word in words.items()}
    return Opened(asked, made, bool(held.intersection(wanted)))


def _named(given: Collection[str], names: Collection[str]) -> list[str]:
    """Names of the links that are meant."""
    found = [OWNER if name == SELF and name not in names else name for name in given]
    for name in found:
        if name not in names:
            shown = ", ".join(known or SELF for known in names)
            raise InvalidInput(f'links: nobody is called "{name}"; there are {shown}')
    return found


def listen(app: Starlette, host: str, port: int) -> None:
    """Serve an application until it is told to stop; addresses, which may hold the word of a link, are not logged.

    Raises
    ------
    InvalidInput
        If nothing can listen there, as where another program does.
    """
    import uvicorn

    from quorate.web.connection import Connection
    from quorate.web.guard import MOST_HEAD

    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Connection,
        access_log=False,
        log_level="warning",
        server_header=False,
        limit_concurrency=1000,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=MOST_HEAD,
        ws="none",
        lifespan="on",
    )
    try:
        place = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidInput(f"port: {port} of {host} is not free ({error.strerror}); choose another one") from None
    uvicorn.Server(settings).run(sockets=[place])


def _say(opened: Opened) -> None:
    for name, link in opened.links.items():
        sys.stderr.write(f"quorate: {name or SELF}: {link}\n")
