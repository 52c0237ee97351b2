"""Names of a module that load the module they are defined in when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from sys import modules
from typing import Any


def lazily(module: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a module whose names are defined elsewhere.

    Parameters
    ----------
    module : str
        Its name. What it imports for type checkers is what it has: each name in a line of its own.
    """
    homes = homes_of(module)

    def named(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return [*homes], named, lambda: sorted(homes)


def homes_of(module: str) -> dict[str, str]:
    """The module that each name is defined in, by the lines of the source that type checkers read.

    Examples
    --------
    >>> from quorate import agents
    >>> homes_of(agents.__name__)["hazard"]
    'quorate.estimate.agents.hazard'
    """
    loader: Any = modules[module].__loader__
    words = (line.split() for line in loader.get_source(module).splitlines() if line.startswith("    from "))
    return dict(sorted((name, home) for _, home, _, _, _, name in words))
