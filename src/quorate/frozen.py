"""Frozen dataclasses that are quick to declare: ``__init__`` is compiled when the first of a class is made.

``dataclasses.dataclass`` compiles six methods for every class, up to a millisecond of each; a command loads hundreds of
classes and makes some of a third of them. Here the other five are written once, for all. Type checkers see the
original, whose behaviour this has but for ``field(hash=...)``, which is not asked, and attributes of its own that a
subclass sets, which are refused too. What is not frozen, or has slots, is declared by the original.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as original
from functools import cache
from reprlib import recursive_repr
from threading import Lock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]


@original(frozen=True)
class _Any:
    """What the original notes of a frozen class."""


_FROZEN: Any = vars(_Any)["__dataclass_params__"]
_ALONE = Lock()


def _declared(*, eq: bool = True, repr: bool = True, kw_only: bool = False, **others: bool) -> Any:  # noqa: A002
    """Parameters as of the original."""
    if others != {"frozen": True}:
        return original(eq=eq, repr=repr, kw_only=kw_only, **others)

    def declare(cls: Any) -> Any:
        own = dict(vars(cls))
        with _ALONE:  # the original lets no class that it takes for one that is not frozen inherit from one that is
            _FROZEN.frozen = False
            try:
                original(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
            finally:
                _FROZEN.frozen = True
        methods = _ALWAYS | (_IF_SHOWN if repr else {}) | (_IF_COMPARED if eq else {}) | {"__init__": _Initialiser(cls)}
        for name, method in methods.items():
            if own.get(name) is None:  # the hash of a class with a comparison of its own is None by Python's own word
                setattr(cls, name, method)
        cls.__dataclass_params__ = _FROZEN
        return cls

    return declare


if TYPE_CHECKING:
    from dataclasses import dataclass
else:  # it knows the original's insides, which are those of the versions that it is tested on
    dataclass = original if sys.version_info >= (3, 14) else _declared


class _Initialiser:
    """What stands in the place of ``__init__`` until it is first asked for."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = _initialiser(self.cls)
        setattr(self.cls, "__init__", made)  # noqa: B010  mypy takes it for a method of an instance
        return made if instance is None else made.__get__(instance)


class _Factory:
    """The default, in a signature, of a field whose value is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


def _initialiser(cls: Any) -> Any:
    """The method ``__init__`` of a dataclass, as the original writes it."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_made": _Factory()}
    taken: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for one in fields(cls):
        name, made = one.name, one.default_factory is not MISSING
        known[f"_of_{name}"] = one.default_factory if made else one.default
        if one.init:
            default = "=_made" if made else "" if one.default is MISSING else f"=_of_{name}"
            taken[bool(one.kw_only)].append(name + default)
        if one.init or made:
            value = (
                name if not made else f"_of_{name}() if {name} is _made else {name}" if one.init else f"_of_{name}()"
            )
            lines.append(f"_set(self, {name!r}, {value})")
    lines.append("self.__post_init__()" if hasattr(cls, "__post_init__") else "pass")
    named = [*taken[False], *(["*", *taken[True]] if taken[True] else [])]
    exec(f"def __init__({', '.join(named)}):\n " + "\n ".join(lines), known)  # noqa: S102  of names of fields alone
    out = known["__init__"]
    out.__module__, out.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    out.__annotations__ = {one.name: one.type for one in fields(cls) if one.init} | {"return": None}
    return out


@cache
def _names(cls: Any) -> list[str]:
    return [one.name for one in fields(cls) if one.compare]


def _values(one: Any) -> tuple[Any, ...]:
    """What is compared, and what the hash is of."""
    return tuple([getattr(one, name) for name in _names(one.__class__)])


def _same(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


@recursive_repr()
def _shown(self: Any) -> str:
    values = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({values})"


def _assign(_: Any, name: str, value: object) -> None:  # noqa: ARG001  what Python calls
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_ALWAYS = {"__setattr__": _assign, "__delattr__": _delete}
_IF_SHOWN = {"__repr__": _shown}
_IF_COMPARED = {"__eq__": _same, "__hash__": lambda self: hash(_values(self))}
