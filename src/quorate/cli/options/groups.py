"""Groups of options: dataclasses whose fields are options, and the decorator that gives them to a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from quorate.errors import InvalidInput
from quorate.writing import keeping

TWO, ALL = "two systems", "all pairs"
"""Kinds of questions that an option may be for."""


@dataclass(frozen=True)
class For:
    """What an option is for, where it is of no use with anything else: ``"votes"``, ``"scores"``."""

    kind: str


@dataclass(frozen=True)
class Only:
    """The options of a group that a command has; the others keep their defaults."""

    names: tuple[str, ...]


def only(*names: str) -> Only:
    """A part of a group, as in ``prices: Annotated[Prices, only("price", "item_price")]``."""
    return Only(names)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Options that belong together; a subclass declares each as ``name: Annotated[type, typer.Option(...)] = default``.

    An option that is of use with one kind of thing alone has `For` in its annotation.
    """

    def given(self, kind: str | None = None) -> dict[str, Any]:
        """Options that are given, by their names; with ``kind``, those that are for it alone."""
        hints = options_of(type(self))
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {
            name: value
            for name, (value, default) in values.items()
            if value not in (default, [], None) and (kind is None or For(kind) in get_args(hints[name]))
        }

    def refuse(self, kind: str, why: str, *, but: tuple[str, ...] = ()) -> None:
        """Refuse options that are for ``kind`` alone, ``but`` for these.

        Raises
        ------
        InvalidInput
            If one is given; ``why`` says what it is for, and what to do.
        """
        for name in (name for name in self.given(kind) if name not in but):
            raise InvalidInput(f"{spelled(type(self), name)}: {why}")


def options_of(group: type[Group]) -> dict[str, Any]:
    """Annotations of a group's options, by their names."""
    hints = get_type_hints(group, include_extras=True)
    return {field.name: hints[field.name] for field in fields(group)}


def spelled(group: type[Group], name: str) -> str:
    """How an option is written on the command line."""
    infos = [extra for extra in get_args(options_of(group)[name]) if isinstance(extra, typer.models.OptionInfo)]
    declared = [text for info in infos for text in (info.default, *(info.param_decls or ())) if isinstance(text, str)]
    return next((text for text in declared if text.startswith("--")), f"--{name.replace('_', '-')}")


FORCE = Annotated[
    bool,
    typer.Option("--force", help="Replace files that are there, though something else wrote them or data are lost."),
]
"""Of every command that writes files; an option or argument says by ``writable=True`` that it names one."""


def _is_written(annotation: Any) -> bool:
    infos = [extra for extra in get_args(annotation) if isinstance(extra, typer.models.ParameterInfo)]
    return any(info.writable for info in infos)


def command(function: Callable[..., int]) -> Callable[..., int]:
    """Expand parameters that are groups into their options; groups that share a name share the option.

    Files that a command is given to read are not written over while it runs.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, tuple[type[Group], list[str]]] = {}
    parameters: dict[str, Parameter] = {}
    for name, parameter in signature(function).parameters.items():
        group, *extras = get_args(hints[name]) or (hints[name],)
        group = next((extra for extra in extras if isinstance(extra, type)), group)  # one that is made when it is asked
        if not (isinstance(group, type) and issubclass(group, Group)):
            parameters[name] = parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
            continue
        options = options_of(group)
        chosen = [option for extra in extras if isinstance(extra, Only) for option in extra.names] or [*options]
        defaults = {
            field.name: Parameter.empty if field.default is MISSING else field.default for field in fields(group)
        }
        for option in chosen:
            made = Parameter(option, Parameter.KEYWORD_ONLY, default=defaults[option], annotation=options[option])
            parameters.setdefault(option, made)
        groups[name] = group, chosen
    plain = [name for name in signature(function).parameters if name not in groups]
    written = {name for name, one in parameters.items() if _is_written(one.annotation)}
    if written:
        made = Parameter("force", Parameter.KEYWORD_ONLY, default=False, annotation=FORCE)
        parameters.setdefault("force", made)

    @wraps(function)
    def run(**values: Any) -> int:
        given = [value for name, value in values.items() if name not in written]
        texts = [text for value in given for text in (value if isinstance(value, (list, tuple)) else [value])]
        read = [Path(one) for one in texts if isinstance(one, (str, Path)) and one != ""]
        with keeping(read, force=values.get("force", False)):
            made = {name: group(**{option: values[option] for option in own}) for name, (group, own) in groups.items()}
            return function(**made, **{name: values[name] for name in plain})

    run.__signature__ = Signature([*parameters.values()])  # type: ignore[attr-defined]
    return run


# How a model is fitted and intervals are drawn.


SEED = typer.Option(metavar="N", help="Root of the random numbers.")
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Seed = Annotated[int, SEED]

# What calls, items, responses and prompts cost.


@dataclass(frozen=True, kw_only=True)
class Prices(Group):
    """Prices; where none is given, a call costs 1."""

    price: Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")] = None
    judge_price: Annotated[
        list[str] | None,
        For("scores"),
        typer.Option(metavar="NAME=USD", help="Price of one call of a judge; repeat for each judge."),
    ] = None
    item_price: Annotated[float | None, typer.Option(metavar="USD", help="Price of an item, on top of its calls.")] = (
        None
    )
    generation_price: Annotated[
        float | None, typer.Option(metavar="USD", help="Price of a response that is judged, on top of its calls.")
    ] = None
    prompt_price: Annotated[float | None, typer.Option(metavar="USD", help="Price of writing a prompt variant.")] = None

    def prices(self) -> dict[str, Any] | None:
        """Prices as the library takes them; None where none is given.

        Raises
        ------
        InvalidInput
            If a price is no amount, or calls have two.
        """
        texts = [[part.strip() for part in value.rpartition("=")[::2]] for value in self.judge_price or ()]
        if not all(name and text for name, text in texts) or len({name for name, _ in texts}) < len(texts):
            raise InvalidInput("--judge-price: expects a judge and a price such as gpt=0.01, each judge once")
        judges: dict[str, float] = {}
        for name, text in texts:  # a name may hold a sign of equality, a price does not
            try:
                judges[name] = float(text)
            except ValueError:
                raise InvalidInput(f'--judge-price: {name} must be an amount such as 0.01, got "{text}"') from None
        if self.price is not None and judges:
            raise InvalidInput("--price: give it or --judge-price, not both; each judge has a price of its own")
        amounts = {
            "call": self.price,
            "item": self.item_price,
            "generation": self.generation_price,
            "prompt": self.prompt_price,
            "judge": judges or None,
        }
        given = {name: amount for name, amount in amounts.items() if amount is not None}
        return given | ({"call": 1.0} if given and not {"call", "judge"} & set(given) else {}) or None
