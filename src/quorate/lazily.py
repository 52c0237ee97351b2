"""Names of a module that load the module they are defined in when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def homes(named: Mapping[str, str]) -> dict[str, str]:
    """The module that each name is defined in, from the names of each module of this package, with spaces between.

    Examples
    --------
    >>> homes({"decide.stop": "monitor stopping_rule"})
    {'monitor': 'quorate.decide.stop', 'stopping_rule': 'quorate.decide.stop'}
    """
    return dict(sorted((name, f"quorate.{module}") for module, names in named.items() for name in names.split()))


def lazily(module: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a module whose names are defined elsewhere.

    Parameters
    ----------
    module : str
        Its name, for errors.
    homes : mapping of str to str
        The module that each name is defined in.
    """

    def named(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return [*homes], named, lambda: sorted(homes)
