"""Components without data: those that were published or assumed rather than fitted here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from numbers import Real

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.assemble import Assembled, assemble
from quorate.estimate.components.model import build
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import Identified, identify, information, null_point
from quorate.numerics.mixed.solved import Solved, solve
from quorate.roles import GENERATION, ITEM, REPLICATE
from quorate.table.judgments import Judgments
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


# Identification: what a design can tell apart, before anything is fitted to its scores.


@dataclass(frozen=True)
class Design:
    """A model laid out for some judgments.

    Parameters
    ----------
    assembled : Assembled
        The likelihood, with names.
    null : Solved
        The linear system where raw rows have variance 1 and are uncorrelated.
    g : array, shape (components, components)
        ``G_st``, twice the expected information there.
    identified : Identified
        Which components can be told apart.
    """

    assembled: Assembled
    null: Solved
    g: Floats
    identified: Identified


def design(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    reml: bool = True,
    residual_by: str | None = None,
) -> Design:
    """Lay a model out and find what it can tell apart; options as for `quorate.decompose`.

    Raises
    ------
    NotEstimable
        If nothing can be estimated: no answers, one item, equal scores, or a residual that fixed effects absorb.
    InvalidInput
        If the model needs more memory than 8 GB.
    """
    assembled = assemble(judgments, build(judgments, random, covariates), reml=reml, residual_by=residual_by)
    problem = assembled.problem
    null = solve(problem, null_point(problem), reml=True)
    g = 2 * information(problem, null)
    identified = identify(g, problem.n_rows)
    tail = set(range(problem.n_components - problem.n_residual, problem.n_components))
    if not tail & set(identified.representatives):
        raise NotEstimable("the residual variance is absorbed by the fixed effects: there are as many effects as cells")
    first, noise = problem.n_components - problem.n_residual, problem.units.noise
    seen = sorted(tail & set(identified.representatives))
    unseen = np.any(noise[~noise[:, np.array(seen) - first].any(axis=1)] > 0, axis=0)
    if unseen.any():
        raise no_residual([level_of(assembled.names[first + r]) for r in np.flatnonzero(unseen)])
    return Design(assembled, null, g, identified)


def level_of(name: str) -> str:
    """The level of ``residual_by`` that a residual component belongs to, as "judge=a"; empty where it is common."""
    return name.partition("[")[2].removesuffix("]")


def no_residual(levels: list[str]) -> NotEstimable:
    """The error that says which levels have no residual variance of their own."""
    facet, names = levels[0].partition("=")[0], dict.fromkeys(level.partition("=")[2] for level in levels)
    have, which = ("has", "that") if len(names) == 1 else ("have", "every such")
    return NotEstimable(
        f"{facet} {', '.join(names)} {have} no residual variance: the terms fit those scores exactly, and a variance "
        f"of their own has no estimate. Drop residual_by, or leave {which} {facet} out"
    )
