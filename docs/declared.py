"""What the site is built with: pages show the parameters of classes of `quorate.frozen`, and options by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe


class Declared(griffe.Extension):
    """Says what is declared in words that griffe does not know."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """See each module before its classes and functions are looked at."""
        modules = [pkg]
        while modules:
            module = modules.pop()
            declared = module.members.get("dataclass")
            if declared is not None and declared.is_alias and declared.target_path == "quorate.frozen.dataclass":
                declared.target_path = "dataclasses.dataclass"
            for function in module.functions.values():
                if not function.is_alias:
                    _name_options(function)
            modules += [one for one in module.modules.values() if not one.is_alias]


def _name_options(function: griffe.Function) -> None:
    """Options in the place of ``**options``, as in `quorate.table.kinds.options_of`, and in its overloads."""
    for one in function.overloads or ():
        declared = [found.annotation.slice for found in one.parameters if found.name == "options"]
        _put_options(one, declared, "...")
    for decorator in function.decorators:
        if decorator.callable_path.endswith(".options_of"):
            _put_options(function, decorator.value.arguments, "None")


def _put_options(function: griffe.Function, declared: Any, default: str) -> None:
    types = [function.modules_collection[one.canonical_path] for one in declared]
    if types:
        del function.parameters["options"]
    for name, option in {option.name: option for one in types for option in _options(one)}.items():
        if name not in function.parameters:
            kind = griffe.ParameterKind.keyword_only
            function.parameters.add(griffe.Parameter(name, annotation=option.annotation, kind=kind, default=default))


def _options(declared: griffe.Class) -> Iterator[griffe.Attribute]:
    for base in declared.resolved_bases:
        yield from _options(base)
    yield from declared.attributes.values()
