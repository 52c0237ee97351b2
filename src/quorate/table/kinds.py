"""Kinds of tables: which options are of use with scores, and which with votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes


def kind_of(table: object, name: str = "judgments_or_votes") -> str:
    """``scores`` or ``votes``.

    Raises
    ------
    InvalidInput
        If it is no table.
    """
    if isinstance(table, (Judgments, Votes)):
        return "scores" if isinstance(table, Judgments) else "votes"
    kind = type(table).__name__
    raise InvalidInput(f"{name}: expects what quorate.read or quorate.read_votes returns, got {kind}; read it first")


def for_kind(kind: str, /, both: Mapping[str, Any] | None = None, **each: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are given, of those for both kinds and for this one.

    Parameters
    ----------
    kind : str
        Of the table.
    both, **each : mapping of str to object
        Options for every kind, and for each alone; None where one is not given.

    Raises
    ------
    InvalidInput
        If one for another kind is given.

    Examples
    --------
    >>> for_kind("votes", {"level": 0.9}, votes={"ties": None, "cluster": "judge"}, scores={"method": None})
    {'level': 0.9, 'cluster': 'judge'}
    """
    for other, options in each.items():
        for name in given(options) if other != kind else ():
            raise InvalidInput(f"{name}: is for {other}, and these are {kind}; leave it out")
    return given({**(both or {}), **each.get(kind, {})})


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are given: None stands for none."""
    return {name: value for name, value in options.items() if value is not None}
