"""Components without data: those that were published or assumed rather than fitted here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real

from quorate.errors import InvalidInput
from quorate.roles import REPLICATE
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
    """

    random: Mapping[str, float]
    sensitivity: Mapping[str, float] = field(default_factory=dict)

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


def components(random: Mapping[str, float], *, sensitivity: Mapping[str, float] | None = None) -> Components:
    """Take published or assumed components, to project designs from.

    Parameters
    ----------
    random : mapping of str to float
        Variance of each random term: facets joined by ":", ``cell``, ``replicate``; ``category`` groups items.
    sensitivity : mapping of str to float, optional
        Population variance (divisor M) of the level means of each fixed facet, as the source paper publishes it. Where
        a design is to stand for a pool of levels, it must be that of the whole pool.

    Returns
    -------
    Components

    Raises
    ------
    InvalidInput
        If a value is negative or not a finite number.

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
    return Components(dict(random), sensitivity)
