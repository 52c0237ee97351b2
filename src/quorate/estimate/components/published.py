"""Components without data: those that were published or assumed rather than fitted here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real

from quorate.errors import InvalidInput
from quorate.roles import GENERATION, ITEM, REPLICATE
from quorate.table.results import Result, Row


@dataclass(frozen=True)
class Components(Result):
    """Variance components without data.

    Parameters
    ----------
    random : mapping of str to float
        Variance of each random term, in squared score units.
    sensitivity : mapping of str to float
        Sensitivity of each fixed facet: population variance (divisor M) of its level means.
    nested : mapping of str to str
        What a facet is nested in, such as generations in items.
    """

    random: Mapping[str, float]
    sensitivity: Mapping[str, float] = field(default_factory=dict)
    nested: Mapping[str, str] = field(default_factory=dict)

    def rows(self) -> list[Row]:
        """Every term with its variance, and every fixed facet with its sensitivity."""
        return [
            {"term": name, "kind": kind, "variance": value}
            for kind, values in (("random", self.random), ("sensitivity", self.sensitivity))
            for name, value in values.items()
        ]

    @property
    def facets(self) -> tuple[str, ...]:
        """Facets that occur in any term."""
        names = [name for term in (*self.random, *self.sensitivity) for name in term.split(":")]
        return tuple(dict.fromkeys(name for name in names if name not in ("cell", REPLICATE)))

    @property
    def above(self) -> dict[str, tuple[str, ...]]:
        """What each nested facet is nested in, nearest first."""
        out = {}
        for name, parent in self.nested.items():
            ups = [parent]
            while ups[-1] in self.nested:
                ups.append(self.nested[ups[-1]])
            out[name] = tuple(ups)
        return out


def components(
    random: Mapping[str, float],
    *,
    sensitivity: Mapping[str, float] | None = None,
    nested: Mapping[str, str] | None = None,
) -> Components:
    """Take published or assumed components, to project designs from.

    Parameters
    ----------
    random : mapping of str to float
        Variance of each random term: facets joined by ":", ``cell``, ``replicate``; ``category`` groups items.
    sensitivity : mapping of str to float, optional
        Population variance (divisor M) of the level means of each fixed facet, as the source paper publishes it. Where
        a design is to stand for a pool of levels, it must be that of the whole pool.
    nested : mapping of str to str, optional
        What a facet is nested in: ``{"generation": "item"}``, which is the default where there are generations, as in
        `quorate.read`; ``{}`` says that all are crossed. The component ``generation`` is then that of the generations
        of one item, and a design counts the levels within one.

    Returns
    -------
    Components

    Raises
    ------
    InvalidInput
        If a value is negative or not a finite number, or a facet is nested in one that no term has, or in itself.

    Examples
    --------
    >>> safety = components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})
    >>> safety.facets
    ('item', 'judge')
    """
    sensitivity = dict(sensitivity or {})
    for name, value in (*random.items(), *sensitivity.items()):
        # A file may hold anything, true and false among it.
        usable = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        if not usable or float(value) < 0:
            raise InvalidInput(f'components: "{name}" must be a finite variance of at least 0, got {value!r}')
    if not random:
        raise InvalidInput("components: at least one random term is needed, got none")
    given = Components(dict(random), sensitivity)
    known = (*given.facets, ITEM)
    usual = {GENERATION: ITEM} if GENERATION in known else {}
    inside = usual if nested is None else dict(nested)
    for child, parent in inside.items():
        if child not in known or parent not in known:
            raise InvalidInput(f'nested: "{child}" in "{parent}" needs both among the facets ({", ".join(known)})')
        path = [parent]
        while path[-1] in inside and len(path) <= len(inside):
            path.append(inside[path[-1]])
        if child in path:
            raise InvalidInput(f'nested: "{child}" is nested in itself; a facet cannot contain itself')
    return replace(given, nested=inside)
