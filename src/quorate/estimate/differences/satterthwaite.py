"""Satterthwaite's degrees of freedom of a difference whose error is partly of few judges, prompts and the like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from quorate.estimate.components.model import CELL
from quorate.estimate.means.mean import Estimate
from quorate.numerics.study_power import Squares, freedom
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

Levels = Mapping[str, int]
Above = Mapping[str, tuple[str, ...]]


def of_few(estimate: Estimate, own: Sequence[Estimate] = ()) -> Estimate:
    """The estimate with mostly fewer degrees of freedom where much of its error is of few levels.

    Satterthwaite's degrees of freedom are taken at the components as estimated; where judges happen to agree, the
    variance comes out small and the degrees of freedom large together, and the t test of 3 judges rejects up to 8% of
    true hypotheses at 5%. They are multiplied by what they would change by, in balanced data, if every component of f
    degrees of freedom were ``1 + 2 / f`` times as large. Items of one system each stay as in Welch's test.

    Notes
    -----
    Derived and measured in ``docs/methods/compare.md``.
    """
    squares = balanced_mean_squares(estimate, own)
    if not len(squares.part):
        return estimate
    plain, enlarged = freedom(squares.part, squares, 0.0), freedom(squares.part, squares)
    return replace(estimate, df=max(1.0, float(estimate.df * enlarged / plain)))


def balanced_mean_squares(estimate: Estimate, own: Sequence[Estimate] = ()) -> Squares:
    """The mean squares that a variance is put together from, as they are in balanced data.

    Those of the items of either system are inside those of judges and prompts.
    """
    fits = [mean.basis.fit.judgments for mean in (estimate, *own)]
    item = fits[0].object
    shared = {name: x * estimate.variance for name, x in estimate.shares.items() if not (own and of_items(name, item))}
    parts = [shared, *({name: x * mean.variance for name, x in mean.shares.items()} for mean in own)]
    rows = [
        (side, term, part, balanced_df(term, levels(table), table.n_answers, table.n_cells, above(table)))
        for side, (table, mine) in enumerate(zip(fits, parts, strict=True))
        for term, part in by_facets(mine, levels(table), above(table)).items()
    ]
    inside = [[a[1] <= b[1] and a[0] in (0, b[0]) for b in rows] for a in rows]
    part, df = np.array([row[2:] for row in rows], dtype=float).reshape(-1, 2).T
    return Squares(part, df, np.array(inside, dtype=bool), np.array([not (own and row[0]) for row in rows]))


def levels(judgments: Judgments) -> dict[str, int]:
    """Levels of every facet."""
    return {name: judgments.n_levels(name) for name in judgments.names}


def above(judgments: Judgments) -> dict[str, tuple[str, ...]]:
    """What every facet is nested in."""
    return {name: judgments.ancestors(name) for name in judgments.names}


def by_facets(parts: Mapping[str, float], counts: Levels, over: Above) -> dict[frozenset[str], float]:
    """Parts of a variance by the facets with several levels that each has."""
    every = frozenset(name for name, n in counts.items() if n > 1 and name != REPLICATE)
    terms: dict[frozenset[str], float] = {}
    for name, part in parts.items():
        facets = several_levels(name, every, over)
        terms[facets] = terms.get(facets, 0.0) + max(part, 0.0)
    return {term: part for term, part in terms.items() if term}


def several_levels(name: str, every: frozenset[str], over: Above) -> frozenset[str]:
    """Facets of a component with several levels; of a sum of components that of its last one."""
    base = name.rsplit(" + ", maxsplit=1)[-1].partition("[")[0]
    if base == REPLICATE and CELL not in name:
        return every | {REPLICATE}
    if base in (CELL, REPLICATE):
        return every
    names = {up for own in base.split(":") for up in (own, *over.get(own, ()))}
    return frozenset(names) & every


def balanced_df(term: frozenset[str], counts: Levels, answers: float, cells: float, over: Above) -> float:
    """Degrees of freedom of a term's mean square in balanced data: its levels less one, multiplied."""
    if REPLICATE in term:
        return max(answers - cells, 1.0)
    leaves = term - {up for name in term for up in over.get(name, ())}
    return max(min(float(math.prod(counts[name] - 1 for name in leaves)), cells - 1), 1.0)


def of_items(name: str, own: str) -> bool:
    """Whether a component, or a sum of some, is divided by the items."""
    return bool(facets_of(name) & {own, CELL, REPLICATE})


def facets_of(name: str) -> set[str]:
    """The facets in the name of a component, or of a sum of some."""
    return {part for term in name.split(" + ") for part in term.partition("[")[0].split(":")}
