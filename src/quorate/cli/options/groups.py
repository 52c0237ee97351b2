"""Groups of options: dataclasses whose fields are options, the decorator that gives them to a command, and values."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from quorate.errors import InvalidInput
from quorate.frozen import dataclass
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
    """Options that belong together; a subclass declares each as ``name: type = option("NAME", "What it says.")``."""

    def given(self, kind: str | None = None) -> dict[str, Any]:
        """Options that are given, by their names; with ``kind``, those that are for it alone."""
        hints = options_of(type(self))
        values = {one.name: (getattr(self, one.name), one.default) for one in fields(self)}
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

    def refuse_other(self, has: Literal["votes", "scores"], *, but: tuple[str, ...] = ()) -> None:
        """Refuse options that are for scores where a file has votes, and the other way round.

        Raises
        ------
        InvalidInput
            If one is given.
        """
        other = "scores" if has == "votes" else "votes"
        self.refuse(other, f"for {other}, and this file has {has}; leave it out", but=but)


def option(metavar: str, says: str, *flags: str, default: Any = None, of: str = "", **more: Any) -> Any:
    """A field of a group, or default of a command, that is an option; ``of`` is what it is of use with alone."""
    return field(default=default, metadata={"flags": flags, "of": of, "metavar": metavar or None, "help": says, **more})


def operand(metavar: str, says: str, **more: Any) -> Any:
    """The default of a command that is an argument without a name."""
    return field(default=None, metadata={"flags": None, "of": "", "metavar": metavar, "help": says, **more})


def annotated(name: str, hint: Any, declared: Mapping[str, Any]) -> Any:
    """The annotation of an option or argument as it is declared; that of others as it is."""
    if not declared:
        return hint
    made = dict(declared)
    flags, kind = made.pop("flags"), made.pop("of")
    if flags is None:
        return Annotated[hint, typer.Argument(**made)]
    if hint is bool and not flags:  # without a --no-... of it
        flags = (f"--{name.replace('_', '-')}",)
    return Annotated[hint, *([For(kind)] if kind else []), typer.Option(*flags, **made)]


def options_of(group: type[Group]) -> dict[str, Any]:
    """Annotations of a group's options, by their names."""
    return _options_of(group)  # type: ignore[arg-type]  # mypy: a class has the hash of its members


@cache  # a command that runs asks for those of its groups again and again
def _options_of(group: Any) -> dict[str, Any]:
    hints = get_type_hints(group, include_extras=True)
    return {one.name: annotated(one.name, hints[one.name], one.metadata) for one in fields(group)}


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


def _default(declared: Field[Any]) -> Any:
    return Parameter.empty if declared.default is MISSING else declared.default


def _alone(parameter: Parameter, hint: Any) -> Parameter:
    """A parameter of a command that is an option or argument by itself."""
    declared = parameter.default
    if not isinstance(declared, Field):
        return parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY)
    hint = annotated(parameter.name, hint, declared.metadata)
    return parameter.replace(annotation=hint, default=_default(declared), kind=Parameter.KEYWORD_ONLY)


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
            parameters[name] = _alone(parameter, hints[name])
            continue
        options = options_of(group)
        chosen = [own for extra in extras if isinstance(extra, Only) for own in extra.names] or [*options]
        defaults = {one.name: _default(one) for one in fields(group)}
        for own in chosen:
            made = Parameter(own, Parameter.KEYWORD_ONLY, default=defaults[own], annotation=options[own])
            parameters.setdefault(own, made)
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
            made = {name: group(**{each: values[each] for each in own}) for name, (group, own) in groups.items()}
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

    price: float | None = option("USD", "Price of one call.")
    judge_price: list[str] | None = option(
        "NAME=USD", "Price of one call of a judge; repeat for each judge.", of="scores"
    )
    item_price: float | None = option("USD", "Price of an item, on top of its calls.")
    generation_price: float | None = option("USD", "Price of a response that is judged, on top of its calls.")
    prompt_price: float | None = option("USD", "Price of writing a prompt variant.")

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
        amounts: dict[str, Any] = {"call": self.price, "item": self.item_price, "generation": self.generation_price}
        amounts |= {"prompt": self.prompt_price, "judge": judges or None}
        given = {name: amount for name, amount in amounts.items() if amount is not None}
        return given | ({"call": 1.0} if given and not {"call", "judge"} & set(given) else {}) or None


_NUMBERS = re.compile(r"(\d{1,10})(?:-(\d{1,10})(?::(\d{1,10}))?)?", re.ASCII)
_MOST = 1_000_000


def names(text: str | None) -> tuple[str, ...]:
    """Names with commas between them, those that have one themselves in quotes; an empty text has none."""
    rows = csv.reader([text or ""], skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def pairs(option: str, values: Iterable[str] | None, example: str, *, empty: bool = False) -> dict[str, str]:
    """What ``name=value`` options say; ``empty`` allows ``name=`` too.

    Raises
    ------
    InvalidInput
        If one has no name, no value, or a name that was given before.
    """
    out: dict[str, str] = {}
    for value in values or ():
        name, sign, rest = (part.strip() for part in value.partition("="))
        if not name or not (rest or (empty and sign)):
            raise InvalidInput(f'{option}: expects a pair such as {example}, got "{value}"')
        if name in out:
            raise InvalidInput(f'{option}: "{name}" is given twice, as {out[name]} and {rest}; give it once')
        out[name] = rest
    return out


def counts(option: str, values: Iterable[str] | None, example: str) -> dict[str, int]:
    """What ``name=number`` options say.

    Raises
    ------
    InvalidInput
        If one is no such pair.
    """
    out = {}
    for name, text in pairs(option, values, example).items():
        if not re.fullmatch(r"\d{1,12}", text):
            raise InvalidInput(f'{option}: {name} must be a whole number, got "{text}"')
        out[name] = int(text)
    return out


def grid(option: str, text: str) -> list[int]:
    """The numbers that a text allows.

    Parameters
    ----------
    option : str
        Name of the option, for the error.
    text : str
        Numbers and ranges with commas between them; a range may have a step.

    Raises
    ------
    InvalidInput
        If it is anything else, or stands for more than a million numbers.

    Examples
    --------
    >>> grid("--items", "20,30-50:10")
    [20, 30, 40, 50]
    """
    out: list[int] = []
    for part in text.replace(" ", "").split(","):
        low, high, step = match.groups() if (match := _NUMBERS.fullmatch(part)) else ("1", "0", None)
        every = 1 if step is None else int(step)
        numbers = range(int(low), int(high or low) + 1, every) if every else range(0)
        if not numbers:
            raise InvalidInput(f'{option}: expects numbers such as 20,30 or 1-5 or 20-200:10, got "{text}"')
        if len(out) + len(numbers) > _MOST:
            raise InvalidInput(f'{option}: stands for more than {_MOST:,} numbers: "{text}"; take larger steps')
        out.extend(numbers)
    return out


def columns_by_role(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Roles with their columns.

    Raises
    ------
    InvalidInput
        If no role is named.

    Examples
    --------
    >>> columns_by_role(["judge=gpt,claude"])
    {'judge': ('gpt', 'claude')}
    """
    out = {}
    for text in texts:
        role, equals, columns = text.partition("=")
        if not (equals and role.strip()):
            raise InvalidInput(f'--wide: expects a role and its columns, such as judge=gpt,claude, got "{text}"')
        out[role.strip()] = names(columns)
    return out


def numbers_of_words(text: str) -> dict[str, float]:
    """Words with the number that each stands for; a word with a comma stands in quotes.

    Raises
    ------
    InvalidInput
        If one has no number.

    Examples
    --------
    >>> numbers_of_words('bad=1,"so, so=2",good=3')
    {'bad': 1.0, 'so, so': 2.0, 'good': 3.0}
    """
    out: dict[str, float] = {}
    for part in next(csv.reader([text], skipinitialspace=True), []):
        word, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not word.strip() or not math.isfinite(value):
            raise InvalidInput(f'--numbers: expects words with their numbers, such as bad=1,ok=2,good=3, got "{part}"')
        if out.setdefault(word.strip(), value) != value:
            raise InvalidInput(f'--numbers: "{word.strip()}" is given two numbers; give it one')
    return out


def numbers(option: str, text: str | None, example: str) -> float | dict[str, float] | None:
    """One number, or one for every name.

    Raises
    ------
    InvalidInput
        If it is anything else.

    Examples
    --------
    >>> numbers("--icc", ".1", "0.1"), numbers("--icc", "prompt=.1,judge=.05", "0.1")
    (0.1, {'prompt': 0.1, 'judge': 0.05})
    """
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        return {name: float(value) for name, value in pairs(option, names(text), example).items()}
    except ValueError:
        raise InvalidInput(f'{option}: expects numbers such as {example}, got "{text}"') from None


def families(text: str | None) -> str | dict[str, str] | None:
    """Families of judges: the word auto, or a family for each judge that is named."""
    return text if text in (None, "auto") else pairs("--families", str(text).split(","), "gpt-4o=openai")
