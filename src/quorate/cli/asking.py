"""What a price is called before anything is paid, and the yes that is asked for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.study.goal import Judge
    from quorate.study.quote import Range

INCOMPLETE = 2
StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file; quorate init writes one.")]
Yes = Annotated[bool, typer.Option("--yes", help="Go ahead without asking, as in a script.")]


def confirmed(otherwise: str = "") -> bool:
    """Whether the user says yes.

    Raises
    ------
    InvalidInput
        If nobody is there to ask; ``otherwise`` says what else there is to do.
    KeyboardInterrupt
        If the answer is Ctrl-C, or the end of the input.
    """
    if not sys.stdin.isatty():
        raise InvalidInput(f"--yes: nobody is here to say yes; add it to go ahead{otherwise}")
    try:
        return typer.confirm("Go ahead?", default=False, err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None


def asked_at(name: str, judge: Judge) -> str:
    """Where a judge is asked, and with which key; empty where nothing leaves this machine."""
    from urllib.parse import urlsplit

    from quorate.study.goal import RemoteSettings

    if not isinstance(judge, RemoteSettings):
        return ""
    key = f"the key in {judge.key_env}" if judge.key_env else "no key"
    return f"{name} is asked at {urlsplit(judge.base_url).netloc}, with {key}."


def span(amount: Range) -> str:
    """Low, expected and high, where they are known."""
    return " / ".join("?" if one is None else f"{one:,.0f}" for one in (amount.low, amount.expected, amount.high))


def money_span(amount: Range) -> str:
    """Low, expected and high price, or that it is unknown."""
    parts = (amount.low, amount.expected, amount.high)
    return "unknown" if parts[1] is None else " / ".join("?" if one is None else f"{one:,.4g}" for one in parts)
