"""Kinds of tables: which options are of use with scores, and which with votes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, cast

from quorate.errors import InvalidInput
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes

Function = TypeVar("Function", bound=Callable[..., Any])


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


def for_kind(kind: str, /, options: Mapping[str, Any], **each: Collection[str]) -> dict[str, Any]:
    """Options that are given, if they are for tables of this kind.

    Parameters
    ----------
    kind : str
        Of the table.
    options : mapping of str to object
        By name; None where one is not given.
    **each : collection of str
        Names of the options that are not for every kind, by the kinds that they are for.

    Raises
    ------
    InvalidInput
        If one for another kind is given.

    Examples
    --------
    >>> options = {"level": 0.9, "ties": None, "cluster": "judge"}
    >>> for_kind("votes", options, votes=("ties", "cluster"), scores=("method",))
    {'level': 0.9, 'cluster': 'judge'}
    """
    for name in given(options):
        others = [other for other, names in each.items() if name in names]
        if others and kind not in others:
            raise InvalidInput(f"{name}: is for {others[0]}, and these are {kind}; leave it out")
    return given(options)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are given: None stands for none."""
    return {name: value for name, value in options.items() if value is not None}


def options_of(*declared: type) -> Callable[[Function], Function]:
    """A function whose signature has by name what its ``**options`` take, each None where it is not given.

    Parameters
    ----------
    *declared : type
        Typed dictionaries of options.
    """

    def named(function: Function) -> Function:
        own = [one for one in signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        types = {name: kind for one in declared for name, kind in one.__annotations__.items()}
        more = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
            for name, kind in types.items()
            if name not in {one.name for one in own}
        ]
        taken = Signature(sorted([*more, *own], key=lambda one: one.kind))

        @wraps(function)
        def called(*given: Any, **options: Any) -> Any:
            taken.bind(*given, **options)  # refuses what there is not
            return function(*given, **options)

        vars(called)["__signature__"] = taken
        return cast("Function", called)

    return named
