"""Coefficients of a mean: how much of every component is in its variance, for what its facets stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.model import CELL
from quorate.estimate.means.targets import ABSORBED, FINITE, FIXED, PANEL, POPULATION, SENSITIVITY, Target, distance
from quorate.numerics.mixed.information import cell_weights
from quorate.numerics.mixed.reml import Projected, squares
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


def coefficients(fit: Decomposition, given: Projected, targets: Mapping[str, Target]) -> Floats:
    """``sum_l (w_l - tau_l)^2`` of every component, for an estimate given by its `weights`."""
    judgments, names = fit.judgments, fit.assembled.names
    out = squares(fit.assembled.problem, given)
    weight = cell_weights(fit.assembled.problem, given)
    over = judgments.ancestors(judgments.object)
    for t, name in enumerate(names):
        facets, (base, _, level) = term_facets(fit, name), name.partition("[")
        if any(targets.get(facet) == ABSORBED for facet in name.split(":")):
            # The objects in the place of what groups them.
            place = judgments.level_codes([judgments.object, *(facet for facet in facets if facet not in over)])
            total = np.bincount(place, weight)
            out[t] = float(total @ total)
        elif targets.get(name) == FIXED or inside_fixed(fit, name, targets):
            out[t] = 0.0
        elif base != REPLICATE and _is_limited(judgments, facets, targets):
            facet, _, label = level.removesuffix("]").partition("=")
            out[t] = distance(judgments, facets, targets, weight, (facet, label) if facet else None)
    return out


def is_of_known_levels(fit: Decomposition, name: str, targets: Mapping[str, Target]) -> bool:
    """Whether the weight of a component is less than that of levels that are all drawn; see `coefficients`."""
    if any(targets.get(facet) == ABSORBED for facet in name.split(":")):
        return True
    if targets.get(name) == FIXED or inside_fixed(fit, name, targets):
        return True
    return name.partition("[")[0] != REPLICATE and _is_limited(fit.judgments, term_facets(fit, name), targets)


def term_facets(fit: Decomposition, name: str) -> tuple[str, ...]:
    """Facets of a component: all of them for the cell and the replicate."""
    base = name.partition("[")[0]
    return fit.judgments.names if base in (CELL, REPLICATE) else tuple(base.split(":"))


def _is_limited(judgments: Judgments, facets: tuple[str, ...], targets: Mapping[str, Target]) -> bool:
    """Whether every facet of a term stands for known levels only."""
    above = {up for facet in facets for up in judgments.ancestors(facet)}
    return not any(targets[facet] in (POPULATION, SENSITIVITY) for facet in {*facets, *above})


def inside_fixed(fit: Decomposition, name: str, targets: Mapping[str, Target]) -> bool:
    """Whether a term is part of a fixed facet's spread: its other facets have one level and stand for themselves."""
    if name not in fit.absorbed:
        return False
    facets = set(name.split(":")) & set(fit.judgments.names)
    others = {facet for facet in facets if facet not in fit.assembled.fixed.levels}
    single = all(fit.judgments.n_levels(facet) == 1 and targets[facet] in (PANEL, FINITE) for facet in others)
    return len(others) < len(facets) and single
