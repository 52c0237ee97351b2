"""What a study of two systems' scores would find, from the parts of its variance."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from quorate.errors import NotEstimable
from quorate.estimate.difference import SystemDifference, of_items
from quorate.estimate.model import CELL, REPLICATE
from quorate.numerics.study_power import Studies, square_weights, studies
from quorate.plan.dstudy import Projection
from quorate.streams import stream
from quorate.table.judgments import Judgments

Floats = NDArray[np.float64]


def studies_of_plan(plan: Projection) -> Studies:
    """What studies of a design for the difference would find, if its components are right.

    Parameters
    ----------
    plan : Projection
        From `quorate.project`, of the difference.

    Raises
    ------
    NotEstimable
        If a facet of which the design has one level brings variance: no t test of such a study sees it.
    """
    parts = {name: share * plan.variance for name, share in plan.shares.items()}
    levels = {**plan.design, **plan.groups}
    out = _studies(parts, levels, plan.calls, plan.calls / plan.design[REPLICATE])
    if not math.isclose(out.se, plan.se, rel_tol=1e-6):
        single = [name for name, n in levels.items() if n == 1 and name != REPLICATE]
        raise NotEstimable(
            f"a study of one {' and one '.join(single)} has no variance to judge it by: its standard error would be "
            f"taken for {out.se:.3g} and is {plan.se:.3g}; plan 2 or more",
            single,
        )
    return out


def freedom(parts: Mapping[str, Floats], levels: Mapping[str, Floats | int], answers: Floats, cells: Floats) -> Floats:
    """Satterthwaite's degrees of freedom of many designs at once, if components are right.

    Parameters
    ----------
    parts : mapping of str to array
        Variance of the mean that each component brings; arrays broadcast together.
    levels : mapping of str to int or array
        Levels of every facet.
    answers, cells : array
        Judgments, and cells that they are in.
    """
    every = frozenset(levels) - {REPLICATE}
    terms: dict[frozenset[str], Floats] = {}
    for name, part in parts.items():
        facets = _facets(name, every, {})
        terms[facets] = terms.get(facets, np.zeros(())) + np.maximum(part, 0.0)
    inside = np.array([[one <= two for two in terms] for one in terms])
    spent = np.zeros(())
    for own, times in zip(terms, square_weights(inside).tolist(), strict=True):
        most = math.prod((np.maximum(np.subtract(levels[name], 1), 1.0) for name in own & every), start=np.ones(()))
        df = answers - cells if REPLICATE in own else np.minimum(most, cells - 1)
        held = sum(part for other, part in terms.items() if own <= other)
        spent = spent + (times * held) ** 2 / np.maximum(df, 1.0)
    total = np.asarray(sum(terms.values()))
    return np.asarray(np.maximum(total**2 / np.maximum(spent, 1e-300), 1.0))


def studies_like(found: SystemDifference) -> Studies:
    """What studies of the same design would find, if components are as estimated.

    Parameters
    ----------
    found : SystemDifference
        The study at hand.
    """
    if found.sides:
        return _studies_apart(found)
    judgments = found.fit.judgments
    parts = {name: share * found.se**2 for name, share in found.estimate.shares.items()}
    return _studies(parts, _levels(judgments, found.facet), found.n, judgments.n_cells, _above(judgments))


def _levels(judgments: Judgments, facet: str) -> dict[str, int]:
    return {name: judgments.n_levels(name) for name in judgments.names if name != facet}


def _studies_apart(found: SystemDifference) -> Studies:
    """Where systems share no item: mean squares of the items of either, inside those of judges and prompts."""
    whole = found.fit.judgments
    shared = {name: x * found.se**2 for name, x in found.estimate.shares.items() if not of_items(name, whole.object)}
    own = [{name: x * one.variance for name, x in one.shares.items()} for one in found.sides]
    tables = [whole, *(one.basis.fit.judgments for one in found.sides)]
    rows = [
        (side, term, part, _df(term, _levels(table, found.facet), table.n_answers, table.n_cells, _above(table)))
        for side, (table, parts) in enumerate(zip(tables, [shared, *own], strict=True))
        for term, part in _terms(parts, _levels(table, found.facet), _above(table)).items()
    ]
    inside = [[a[1] <= b[1] and a[0] in (0, b[0]) for b in rows] for a in rows]
    part, df = np.array([row[2:] for row in rows]).T
    return studies(part, df, np.array(inside), stream(0, "study power"))


def _above(judgments: Judgments) -> Mapping[str, tuple[str, ...]]:
    return {name: judgments.ancestors(name) for name in judgments.names}


def _studies(
    parts: Mapping[str, float],
    levels: Mapping[str, int],
    answers: float,
    cells: float,
    above: Mapping[str, tuple[str, ...]] | None = None,
) -> Studies:
    terms = _terms(parts, levels, above or {})
    df = [_df(term, levels, answers, cells, above or {}) for term in terms]
    inside = np.array([[one <= two for two in terms] for one in terms])
    return studies(np.array(list(terms.values())), np.array(df), inside, stream(0, "study power"))


def _terms(
    parts: Mapping[str, float], levels: Mapping[str, int], above: Mapping[str, tuple[str, ...]]
) -> dict[frozenset[str], float]:
    """Parts by the facets with several levels that each has."""
    every = frozenset(name for name, n in levels.items() if n > 1 and name != REPLICATE)
    terms: dict[frozenset[str], float] = {}
    for name, part in parts.items():
        facets = _facets(name, every, above)
        terms[facets] = terms.get(facets, 0.0) + max(part, 0.0)
    return {term: part for term, part in terms.items() if term}


def _facets(name: str, every: frozenset[str], above: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Facets of a component with several levels; of a sum of components that of its last one."""
    base = name.rsplit(" + ", maxsplit=1)[-1].partition("[")[0]
    if base == REPLICATE and CELL not in name:
        return every | {REPLICATE}
    if base in (CELL, REPLICATE):
        return every
    names = {up for own in base.split(":") for up in (own, *above.get(own, ()))}
    return frozenset(names) & every


def _df(
    term: frozenset[str],
    levels: Mapping[str, int],
    answers: float,
    cells: float,
    above: Mapping[str, tuple[str, ...]],
) -> float:
    if REPLICATE in term:
        return max(answers - cells, 1.0)
    leaves = term - {up for name in term for up in above.get(name, ())}
    return max(min(float(math.prod(levels[name] - 1 for name in leaves)), cells - 1), 1.0)
