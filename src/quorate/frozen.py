"""Frozen dataclasses that are quick to declare: how one is made is compiled when the first of it is made.

``dataclasses.dataclass`` compiles six methods for every class, half a millisecond of each; a command loads hundreds of
classes and makes some of a third of them. Type checkers see the original, whose behaviour this has: ``fields``,
``replace``, ``asdict``, signatures, comparisons, hashes and errors are the same. What is not frozen, or has slots, is
declared by the original.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as original
from operator import attrgetter
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
        if any(vars(base).get("__dataclass_params__", _FROZEN) is not _FROZEN for base in cls.__mro__[1:]):
            return original(frozen=True, eq=eq, repr=repr, kw_only=kw_only)(cls)
        own = dict(vars(cls))
        if own.get("__hash__") is None and "__eq__" in own:
            own.pop("__hash__", None)  # Python's own word that what compares anew has no hash
        with _ALONE:  # the original has no frozen class that inherits from one that is not, nor the other way round
            _FROZEN.frozen = False
            try:
                original(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
            finally:
                _FROZEN.frozen = True
        cls.__dataclass_params__ = _FROZEN
        methods = _refusals(cls) | ({"__repr__": _representation(cls)} if repr else {})
        methods |= _comparisons(cls) if eq else {}
        for name in methods.keys() - own.keys():
            methods[name].__name__, methods[name].__qualname__ = name, f"{cls.__qualname__}.{name}"
            setattr(cls, name, methods[name])
        if "__init__" not in own:
            cls.__init__ = _Initialiser(cls)
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


_MADE = _Factory()


def _initialiser(cls: Any) -> Any:
    """The method ``__init__`` of a dataclass, as the original writes it."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_made": _MADE}
    taken: tuple[list[str], list[str]] = ([], [])
    steps, types = [], {}
    for one in fields(cls):
        name, made = one.name, one.default_factory is not MISSING
        if made:
            known[f"_make_{name}"] = one.default_factory
        elif one.default is not MISSING:
            known[f"_default_{name}"] = one.default
        if one.init:
            default = "=_made" if made else f"=_default_{name}" if one.default is not MISSING else ""
            taken[bool(one.kw_only)].append(name + default)
            types[name] = one.type
            value = f"_make_{name}() if {name} is _made else {name}" if made else name
            steps.append(f"_set(self, {name!r}, {value})")
        elif made:
            steps.append(f"_set(self, {name!r}, _make_{name}())")
    if hasattr(cls, "__post_init__"):
        steps.append("self.__post_init__()")
    named = ["self", *taken[0], *(["*", *taken[1]] if taken[1] else [])]
    text = f"def __init__({', '.join(named)}):\n " + "\n ".join(steps or ["pass"])
    exec(text, known)  # noqa: S102  of names of fields alone, as the original does
    out = known["__init__"]
    out.__module__, out.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    out.__annotations__ = types | {"return": None}
    return out


def _values(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of some attributes, as a tuple."""
    every = [*names]
    if len(every) > 1:
        return attrgetter(*every)
    return lambda one: tuple(getattr(one, name) for name in every)


def _comparisons(cls: Any) -> dict[str, Any]:
    """The methods ``__eq__`` and ``__hash__`` of a dataclass."""
    values = _values(one.name for one in fields(cls) if one.compare)
    hashed = _values(one.name for one in fields(cls) if (one.compare if one.hash is None else one.hash))

    def same(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def code(self: Any) -> int:
        return hash(hashed(self))

    return {"__eq__": same, "__hash__": code}


def _representation(cls: Any) -> Any:
    """The method ``__repr__`` of a dataclass."""
    names = [one.name for one in fields(cls) if one.repr]

    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return shown


def _refusals(cls: Any) -> dict[str, Any]:
    """The methods by which nothing of a dataclass is changed: attributes that its subclasses add may be."""
    names = frozenset(one.name for one in fields(cls))

    def assign(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete}
