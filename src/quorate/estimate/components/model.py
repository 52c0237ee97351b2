"""Terms of the model: their names, their defaults and their facets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, UnknownTerm
from quorate.frozen import dataclass
from quorate.numerics.mixed.problem import WithinCells
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

CELL = "cell"


@dataclass(frozen=True)
class Model:
    """Which effects are fixed and which are random.

    Parameters
    ----------
    random : tuple of tuple of str
        Facets of each random term other than the cell, without the facets they are nested in.
    cell : bool
        Whether there is a term for the cell, the combination of all facets.
    fixed : tuple of str
        Facets whose levels are chosen; each gets a factor.
    covariates : tuple of str
        Further fixed terms, as names or interactions joined by ":".
    """

    random: tuple[tuple[str, ...], ...]
    cell: bool
    fixed: tuple[str, ...]
    covariates: tuple[str, ...]


def build(judgments: Judgments, random: Sequence[str] | None, covariates: Sequence[str]) -> Model:
    """The model for these judgments: main effects, two-way interactions and the cell unless terms are given.

    Raises
    ------
    UnknownTerm
        If a term names a facet that does not exist.
    InvalidInput
        If a random term consists of fixed facets only.
    """
    named = {name for term in covariates for name in term.split(":")}
    used = {name for name in named if not judgments.facet(name).fixed}
    fixed = tuple(f.name for f in judgments.facets if f.fixed)
    terms = _default_terms(judgments, used) if random is None else []
    for name in random or ():
        facets = (CELL,) if name == CELL else _facets(judgments, name)
        if name != CELL and all(judgments.facet(facet).fixed for facet in facets):
            raise InvalidInput(
                f'random: "{name}" has fixed facets only; leave it out, or read the data with '
                + argument("fixed", ())
                + " to make it random"
            )
        terms.append(facets)
    unique = dict.fromkeys(terms)
    whole = leaves(judgments, judgments.names)
    cell = random is None or (CELL,) in unique or whole in unique
    chosen = tuple(term for term in unique if term not in ((CELL,), whole))
    return Model(chosen, cell, fixed, tuple(covariates))


def with_drawn_groups(judgments: Judgments, random: Sequence[str]) -> Judgments:
    """The same judgments, whose groups of items are drawn where they are named among the random terms."""
    groups = {*judgments.ancestors(judgments.object)} & {*random}
    facets = tuple(replace(facet, fixed=facet.fixed and facet.name not in groups) for facet in judgments.facets)
    return replace(judgments, facets=facets) if groups else judgments


def leaves(judgments: Judgments, names: Iterable[str]) -> tuple[str, ...]:
    """Facets in the table's order, without those that another of them is nested in."""
    names = set(names)
    above = {up for name in names for up in judgments.ancestors(name)}
    return tuple(name for name in judgments.names if name in names and name not in above)


def closure(judgments: Judgments, names: Iterable[str]) -> frozenset[str]:
    """Facets together with all they are nested in."""
    return frozenset(up for name in names for up in (name, *judgments.ancestors(name)))


def spanned(judgments: Judgments, name: str) -> frozenset[str]:
    """Facets of a component with those they are nested in: all of them, of the cell and of the replicate."""
    base = name.partition("[")[0]
    return closure(judgments, judgments.names if base in (CELL, REPLICATE) else base.split(":"))


def canonical(judgments: Judgments, name: str) -> str:
    """The name under which a term is kept: facets in order, parents left out, all facets together ``cell``.

    Raises
    ------
    UnknownTerm
        If a facet does not exist.
    """
    if name in (CELL, REPLICATE):
        return name
    facets = _facets(judgments, name)
    return CELL if facets == leaves(judgments, judgments.names) else ":".join(facets)


def _facets(judgments: Judgments, name: str) -> tuple[str, ...]:
    parts = [part.strip() for part in name.split(":")]
    if any(part not in judgments.names for part in parts):
        raise UnknownTerm(name, judgments.names)
    return leaves(judgments, parts)


def _default_terms(judgments: Judgments, covariates: set[str]) -> list[tuple[str, ...]]:
    """Main effects of the random facets, and two-way interactions with at least one random facet.

    A facet that groups the object of measurement (a category of items) enters by its main effect alone.
    """
    facets = [f.name for f in judgments.facets if f.name not in covariates]
    grouping = set(judgments.ancestors(judgments.object))
    random = [name for name in facets if not judgments.facet(name).fixed]
    pairs: list[tuple[str, ...]] = [
        pair
        for pair in combinations([name for name in facets if name not in grouping], 2)
        if leaves(judgments, pair) == tuple(sorted(pair, key=judgments.names.index)) and set(pair) & set(random)
    ]
    return [*((name,) for name in random), *pairs]


# Component: one variance component with its interval.


Interval = Literal["normal", "robust"]
"""What the interval of a component takes the effects of its levels to be: normal, or of any law."""


@dataclass(frozen=True)
class OneComponent:
    """What components have on any scale and by any method; parameters as for `Component`."""

    name: str
    variance: float
    se: float
    low: float
    high: float
    levels: int
    kind: str
    share: float

    def row(self) -> dict[str, Any]:
        """The same by name, the name as ``term``."""
        return {"term" if key == "name" else key: value for key, value in vars(self).items()}


@dataclass(frozen=True)
class Component(OneComponent):
    """One variance component.

    Parameters
    ----------
    name : str
        Term, or the sum of terms that cannot be told apart, joined by " + ".
    variance : float
        Estimate, in squared score units.
    se : float
        Standard error from the expected information; nan for a sensitivity.
    low, high : float
        95% interval.
    levels : int
        Levels of the term in the data.
    kind : {"random", "sensitivity"}
        A sensitivity is the spread (divisor M) of the fitted means of a fixed facet's levels, not a variance estimate.
    share : float
        Fraction of the variance of one judgment.
    interval : {"normal", "robust"}, optional
        What the interval takes the effects of the levels to be: normal, or of any law; None for a sensitivity.
    """

    interval: Interval | None


# Residual components: the cell, the replicate, and their levels where they differ by level.


@dataclass(frozen=True)
class Noise:
    """Residual components of a model.

    Parameters
    ----------
    weight : array, shape (cells, components)
        Variance of a cell mean per unit of each component.
    names : tuple of str
        ``cell`` and ``replicate``, with their level where they differ by level.
    levels : tuple of str
        Levels with residuals of their own; empty when they are common.
    inside : WithinCells
        The likelihood inside cells.
    identical : tuple of str
        Replicate components left out because every replicate repeats the score of its cell: their variance is zero.
    """

    weight: Floats
    names: tuple[str, ...]
    levels: tuple[str, ...]
    inside: WithinCells
    identical: tuple[str, ...]


def residuals(judgments: Judgments, model: Model, residual_by: str | None, scale: float) -> Noise:
    """Residual components of the answered cells.

    Raises
    ------
    InvalidInput
        If ``residual_by`` is not a fixed facet.
    """
    strata, suffixes = [np.ones(judgments.n_cells, dtype=bool)], [""]
    levels: tuple[str, ...] = ()
    if residual_by is not None:
        facet = judgments.facet(residual_by)
        if not facet.fixed:
            raise InvalidInput(f'residual_by: "{residual_by}" is random; only a fixed facet can have its own residuals')
        levels = facet.levels
        strata = [judgments.column(residual_by) == level for level in range(len(levels))]
        suffixes = [f"[{residual_by}={label}]" for label in levels]
    columns: dict[str, Floats] = {}
    ss, df, identical = [], [], []
    logs = 0.0
    replicated = bool(judgments.n.max() > 1)
    for member, suffix in zip(strata, suffixes, strict=True):
        inner, freedom = float(judgments.ss[member].sum()) / scale**2, float((judgments.n[member] - 1).sum())
        varies = inner > 1e-12 * freedom
        unseen = replicated and freedom == 0
        if model.cell or not varies:
            columns[CELL + suffix] = member.astype(float)
            ss.append(0.0)
            df.append(0.0)
        if varies or unseen:
            columns[REPLICATE + suffix] = member / judgments.n
            ss.append(inner)
            df.append(freedom)
            logs += float(np.log(judgments.n[member]).sum())
        elif freedom > 0:
            identical.append(REPLICATE + suffix)
    order = sorted(range(len(columns)), key=lambda i: list(columns)[i].startswith(REPLICATE))
    names = tuple(list(columns)[i] for i in order)
    inside = WithinCells(np.array(ss)[order], np.array(df)[order], logs)
    return Noise(np.column_stack([columns[name] for name in names]), names, levels, inside, tuple(identical))


# Components by what they are of: whether more items make them smaller, and which facets they have.


def of_items(name: str, own: str) -> bool:
    """Whether a component, or a sum of some, is divided by the items."""
    return bool(facets_of(name) & {own, CELL, REPLICATE})


def facets_of(name: str) -> set[str]:
    """The facets in the name of a component, or of a sum of some."""
    return {part for term in name.split(" + ") for part in term.partition("[")[0].split(":")}
