"""Scorers of a log, and the models that grade for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quorate.table.exchange.foreign.values import list_at, name_at, object_at

GRADED = "model_graded"
"""How the names of Inspect's own graders begin."""
MAJORITY_SINCE = (0, 3, 262)
MARKED_SINCE = (0, 3, 245)
"""Versions since which panels decide by majority, and since which a grader that failed is told from a bad grade."""


@dataclass(frozen=True)
class Scorer:
    """A scorer.

    Parameters
    ----------
    name : str
        As in the samples.
    graders : tuple of str
        Models that grade for it, in order; none if the log does not say.
    reducer : str
        How the grades of several become one.
    """

    name: str
    graders: tuple[str, ...] = ()
    reducer: str = "mode"

    @property
    def graded(self) -> bool:
        """Whether models grade for it."""
        return bool(self.graders) or self.name.startswith(GRADED)


def scorers(run: Mapping[str, Any], version: tuple[int, ...], where: str) -> dict[str, Scorer]:
    """The scorers by their names in samples: the second ``rating`` is ``rating1``, a package's prefix is left out.

    Parameters
    ----------
    run : mapping
        What the log's key ``eval`` holds.
    version : tuple of int
        Of Inspect; empty if the log does not say.
    where : str
        The log, in errors.
    """
    roles = object_at(run.get("model_roles"), f"{where}: eval.model_roles")
    usual = "majority" if version >= MAJORITY_SINCE else "mode"
    found: dict[str, Scorer] = {}
    for place, entry in enumerate(list_at(run.get("scorers"), f"{where}: eval.scorers")):
        config = object_at(entry, f"{where}: eval.scorers[{place}]")
        bare = name_at(config.get("name"), f"{where}: eval.scorers[{place}].name").rsplit("/", 1)[-1]
        options = object_at(config.get("options"), f"{where}: options of scorer {bare}")
        graders = _models(options.get("model"))
        if not graders and bare.startswith(GRADED):
            role = options.get("model_role")
            graders = _models(roles.get(role if isinstance(role, str) else "grader"))
        reducer = options.get("reducer")
        name, count = bare, 0
        while name in found:
            count += 1
            name = f"{bare}{count}"
        found[name] = Scorer(name, graders, reducer if isinstance(reducer, str) else usual)
    return found


def _models(value: Any) -> tuple[str, ...]:
    """Names of one model or several; several times the same one are numbered."""
    entries = value if isinstance(value, list) else [value]
    names = [entry.get("model") if isinstance(entry, dict) else entry for entry in entries]
    known = [name for name in names if isinstance(name, str) and name]
    if len(known) < len(entries):
        return ()
    return numbered(known)


def numbered(names: list[str]) -> tuple[str, ...]:
    """Names that are all different.

    Examples
    --------
    >>> numbered(["a", "b", "a"])
    ('a', 'b', 'a 2')
    """
    taken: dict[str, int] = {}
    made = []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        made.append(name if taken[name] == 1 else f"{name} {taken[name]}")
    return tuple(made)
