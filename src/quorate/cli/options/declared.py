"""Options that a public function declares: its signature and docstring, as `declared.json` has them.

A test writes that file, and keeps it equal, so that help and parsing load no function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal

from quorate.cli.options.groups import Group, counts, grid, names, numbers, option, options_of, pairs, spelled
from quorate.cli.options.reading import role_of
from quorate.cli.spelling import flag_of
from quorate.errors import InvalidInput
from quorate.frozen import dataclass

NONE = "none"
"""A list of names that is given and empty."""


@dataclass(frozen=True)
class Kind:
    """How values of one kind are typed, and what their text stands for."""

    typed: Any
    metavar: str
    meant: Callable[[str, Any, str], Any] = lambda _, value, __: value


def listed(option: str, texts: str | list[str], example: str) -> tuple[str, ...]:  # noqa: ARG001
    """Names of an option that is repeated, or that has commas."""
    text = texts if isinstance(texts, str) else ",".join(texts)
    return () if text == NONE else names(text)


def entries(texts: list[str]) -> list[str]:
    """Pairs of an option that is repeated, or that has commas; a name on its own may hold a comma."""
    return [part for text in texts for part in (text.split(",") if text.count("=") > 1 else [text])]


def targets(option: str, texts: list[str], example: str = "judge=population") -> dict[str, Any]:
    """What facets stand for: ``judge=panel``, ``judge=pool(3)``."""
    asked: dict[str, Any] = {}
    for facet, text in pairs(option, entries(texts), example).items():
        many = re.fullmatch(r"pool\W?(\d+)\)?", text)
        if many:
            from quorate.estimate.means.targets import pool

            asked[facet] = pool(int(many[1]))
        else:
            asked[facet] = text
    return asked


def _each_or_one(option: str, texts: list[str], example: str) -> Any:
    """One number, or one for every name."""
    return numbers(option, ",".join(texts), example)


def amounts(option: str, texts: list[str], example: str) -> dict[str, float]:
    """A number for every name."""
    found = _each_or_one(option, texts, example)
    if not isinstance(found, dict):
        raise InvalidInput(f'{option}: expects a role with each number, such as {example}, got "{texts[0]}"')
    return found


def sizes(option: str, texts: list[str], example: str) -> dict[str, int] | list[int]:
    """Whole numbers by name, or in any order."""
    named = entries(texts)
    if any("=" in one for one in named):
        return counts(option, named, example)
    each = (f"number {at}={value}" for at, value in enumerate(names(",".join(texts)), 1))
    return [*counts(option, each, example).values()]


def shares(option: str, texts: list[str], example: str) -> dict[str, float] | list[float]:
    """Numbers by name, or in any order."""
    text = ",".join(texts)
    if "=" in text:
        return amounts(option, texts, example)
    each = ",".join(f"number {at}={value}" for at, value in enumerate(names(text), 1))
    return [*amounts(option, [each], example).values()]


def _one_or_two(option: str, text: str, example: str) -> float | tuple[float, float]:
    """A number, or one for each of two systems."""
    try:
        found = [float(one) for one in names(text)]
    except ValueError:
        found = []
    if len(found) not in (1, 2):
        raise InvalidInput(f'{option}: expects a number or two, such as {example}, got "{text}"')
    return found[0] if len(found) == 1 else (found[0], found[1])


KINDS: Mapping[str, Kind] = {
    "bool": Kind(bool, ""),
    "int": Kind(int, "N"),
    "float": Kind(float, "X"),
    "str": Kind(str, "{}"),
    "path": Kind(Path, "{}"),
    "choice": Kind(None, ""),
    "names": Kind(list[str], "{}S", listed),
    "numbers": Kind(str, "NUMBERS", lambda option, text, _: grid(option, text)),
    "pairs": Kind(list[str], "{}=NAME", lambda option, texts, example: pairs(option, entries(texts), example)),
    "counts": Kind(list[str], "{}=N", lambda option, texts, example: counts(option, entries(texts), example)),
    "amounts": Kind(list[str], "{}=X", amounts),
    "sizes": Kind(list[str], "NAME=N", sizes),
    "shares": Kind(list[str], "NAME=X", shares),
    "one or two": Kind(str, "X|X,X", _one_or_two),
    "targets": Kind(list[str], "ROLE=TARGET", targets),
    "each or one": Kind(list[str], "X|{}=X", _each_or_one),
}


@dataclass(frozen=True, kw_only=True)
class Declared(Group):
    """Options of a public function, whose fields are named as its parameters."""

    function: ClassVar[str]

    def __call__(self, *tables: Any, **more: Any) -> Any:
        """Call the function with what is given: names of columns stand for roles of the first table.

        Raises
        ------
        InvalidInput
            As the function does, with the option in the place of its parameter.
        """
        module, _, function = self.function.partition(":")
        try:
            return getattr(import_module(module), function)(*tables, **{**self.arguments(*tables[:1]), **more})
        except InvalidInput as error:
            name = str(error).partition(": ")[0]
            if type(error) is not InvalidInput or name not in options_of(type(self)):
                raise
            raise InvalidInput(spelled(type(self), name) + error.args[0][len(name) :]) from error

    def arguments(self, table: object = None) -> dict[str, Any]:
        """What is given, as the function takes it."""
        return {name: self.value(name, table) for name in self.given()}

    def value(self, name: str, table: object = None) -> Any:
        """What one option stands for; the default of the function where it is not given."""
        one = parameters_of(self.function)[name]
        if name not in self.given():
            return one.get("default")
        value = KINDS[one["kind"]].meant(
            spelled(type(self), name), getattr(self, name), one.get("example", "judge=gpt")
        )
        if one["kind"] == "bool":
            return not one["default"]
        if not one.get("role"):
            return value
        return role_of(value, table) if isinstance(value, str) else tuple(role_of(text, table) for text in value)


def of(function: str, *but: str, **flags: str) -> type[Declared]:
    """The options of a function, as ``module:name``, ``but`` for these, and some with other ``flags``."""
    named: dict[str, Any] = {"function": function, "__doc__": Declared.__doc__, "__annotations__": {}}
    for name, one in parameters_of(function).items():
        if name in but:
            continue
        kind, default, required = KINDS[one["kind"]], one.get("default"), "default" not in one
        typed = Literal[tuple(one["choices"])] if "choices" in one else kind.typed
        if typed is bool:
            default = False
        elif isinstance(default, list):
            typed, default = str, ",".join(map(str, default))
        metavar = kind.metavar.format(one.get("noun", "NAME"))
        named["__annotations__"][name] = typed if required or default is not None else typed | None
        default = MISSING if required else default
        flag = flags.get(name, flag_of(name))
        named[name] = option(metavar, one["help"], flag, default=default, of=one.get("of", ""))
    return dataclass(frozen=True, kw_only=True)(type("Declared", (Declared,), named))


@cache
def functions() -> dict[str, dict[str, Any]]:
    """Every function of which commands have options: what it takes first, what it says, and its parameters."""
    content: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return content


def parameters_of(function: str) -> dict[str, dict[str, Any]]:
    """Parameters of a function that are options, by their names."""
    found: dict[str, dict[str, Any]] = functions()[function]["parameters"]
    return found


MODEL = of("quorate.estimate.components.decompose:decompose", "link", "interval")
"""How components are fitted, for commands that have intervals of their own."""
LINKED = of("quorate.estimate.components.decompose:decompose", "interval")
"""The same, also of log odds."""
