"""Ends of scales, and the interval of a mean on a scale that ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats, first_of_each
from quorate.estimate.components.fit import Fitted
from quorate.estimate.components.model import CELL, closure
from quorate.estimate.means.targets import (
    ABSORBED,
    FINITE,
    FIXED,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Target,
    distance,
    is_grouping,
)
from quorate.frozen import dataclass
from quorate.numerics.inference import wilson_limits
from quorate.numerics.mixed.information import adjustment, cell_weights, weights
from quorate.numerics.mixed.reml import squares
from quorate.numerics.mixed.solved import Projected, solve
from quorate.roles import REPLICATE
from quorate.table.judgments import Judgments
from quorate.wording import Brief

_FAR = 1e4
"""How much more than anything else groups vary where their means weigh alike."""


def group_sizes(judgments: Judgments, name: str) -> Floats:
    """Items in every level of what groups them."""
    first = first_of_each(judgments.level_codes([judgments.object]))
    return np.bincount(judgments.level_codes([name])[first]).astype(float)


def _unequal_groups(fit: Fitted) -> dict[str, int]:
    """Place among the components of every facet that groups items, into levels that are not equally large."""
    judgments, kept = fit.judgments, set(fit.representatives.values())
    named = {name: t for t, name in enumerate(fit.assembled.names) if t in kept}
    groups = [name for name in judgments.names if name in named and is_grouping(judgments, name)]
    return {name: named[name] for name in groups if np.ptp(group_sizes(judgments, name)) > 0}


def held_adjustment(fit: Fitted, weight: Floats, covariance: Floats, added: float) -> float:
    """What estimating the components adds to the variance of a mean, in units of the problem, of groups within bounds.

    Weights of groups lie between those of items that all count alike and those of groups that do, whatever their
    component is found to be. The adjustment of Kenward and Roger is linear in it and knows no bounds.
    """
    problem, solved = fit.assembled.problem, fit.point.solved
    theta = np.maximum(fit.theta, 0.0)
    for t in _unequal_groups(fit).values():
        others = np.arange(len(theta)) != t
        rest = adjustment(problem, solved, weight, covariance * np.outer(others, others))
        own = float(squares(problem, weights(problem, solved, weight)) @ theta)
        ends = (np.where(others, theta, end) for end in (0.0, _FAR * max(float(theta.max()), 1e-12)))
        found = [squares(problem, weights(problem, solve(problem, end), weight)) @ theta for end in ends]
        added = min(added, rest + max(float(max(found)) - own, 0.0))
    return added


def held_slopes(fit: Fitted, gradient: Floats) -> Floats:
    """Slopes of a variance by its components, as the degrees of freedom take them.

    Groups tell as much of what varies with them as they have levels less one; the linear law says less where a few
    large ones have most of the weight, as weights that would become more equal are held fixed in it.
    """
    out, theta = gradient.copy(), np.maximum(fit.theta, 0.0)
    for name, t in _unequal_groups(fit).items():
        inside = [name in closure(fit.judgments, term_facets(fit, term)) for term in fit.assembled.names]
        square = float(np.sqrt(fit.covariance[t, t] * fit.freedom(t) / 2)) / fit.assembled.scale**2
        most = float(gradient[inside] @ theta[inside])
        if gradient[t] * square > most:
            out[t] = most / square
    return out


_PERCENT = re.compile(r"%|(^|[\W_])(pct|percent|percentage)($|[\W_])", re.IGNORECASE)
"""Names of columns of percentages."""
_MARKS = ((1, 5), (1, 7), (1, 10), (0, 10), (0, 100))
"""Scales of whole marks that are known by sight, the first that holds all scores."""


def score_ends(judgments: Judgments) -> tuple[float, float] | None:
    """Ends of the scale of scores: as declared, or those of a scale that everybody uses; None of any other.

    Known are 0 to 1, whole marks of 1 to 5, 7 or 10, and of 0 to 10 or 100, and what is named a percentage.
    """
    if judgments.scale is not None:
        return judgments.scale
    facts = judgments.score_facts
    if facts.low >= 0 and facts.high <= 1:
        return 0.0, 1.0
    if facts.low >= 0 and facts.high <= 100 and _PERCENT.search(judgments.score):
        return 0.0, 100.0
    known = ((float(low), float(high)) for low, high in _MARKS if low <= facts.low and facts.high <= high)
    return next(known, None) if facts.integers else None


def limits(value: float, half: float, n: float, ends: tuple[float, float] | None) -> tuple[float, float]:
    """Limits of a mean whose interval would reach ``half`` to either side; on a scale that ends, those of Wilson.

    Parameters
    ----------
    value, half : float
        The mean, and half its interval without ends.
    n : float
        Answers; the far limit of a mean at an end is that of half an answer from it, if scores spread as much.
    ends : (float, float), optional
        Of the scale.

    Notes
    -----
    Wilson's score interval with the effective sample size ``p (1 - p) / se^2`` and Student's t in the place of z, which
    are in ``half`` together.

    References
    ----------
    Wilson (1927), J. Am. Stat. Assoc. 22, 209-212; Korn and Graubard (1998), Survey Methodology 24, 193-201.

    Examples
    --------
    >>> limits(3.0, 0.5, 100, None)
    (2.5, 3.5)
    >>> [round(limit, 3) for limit in limits(0.95, 1.96 * (0.95 * 0.05 / 60) ** 0.5, 60, (0, 1))]
    [0.863, 0.983]
    """
    if ends is None:
        return value - half, value + half
    low, high = wilson_limits(value, half, n, ends)
    return float(low), float(high)


@dataclass(frozen=True)
class Ended(Brief):
    """A mean on a scale that ends.

    Parameters
    ----------
    value : float
        The mean.
    ends : (float, float)
        Of the scale.
    """

    value: float
    ends: tuple[float, float]

    def half_width(self, half: ArrayLike, n: ArrayLike) -> Any:
        """Half the interval of such a mean, where it would be ``half`` without ends."""
        low, high = wilson_limits(self.value, half, n, self.ends)
        return (high - low) / 2


# Coefficients of a mean: how much of every component is in its variance, for what its facets stand for.


def coefficients(fit: Fitted, given: Projected, targets: Mapping[str, Target]) -> Floats:
    """``sum_l (w_l - tau_l)^2`` of every component, for an estimate given by its `weights`."""
    judgments, names = fit.judgments, fit.assembled.names
    out = squares(fit.assembled.problem, given)
    weight = cell_weights(fit.assembled.problem, given)
    over = judgments.ancestors(judgments.object)
    for t, name in enumerate(names):
        if any(targets.get(facet) == ABSORBED for facet in name.split(":")):
            # The objects in the place of what groups them.
            place = judgments.level_codes(
                [judgments.object, *(facet for facet in term_facets(fit, name) if facet not in over)]
            )
            total = np.bincount(place, weight)
            out[t] = float(total @ total)
        elif is_of_known_levels(fit, name, targets):
            out[t] = of_known_levels(fit, name, targets, weight)
    return out


def of_known_levels(fit: Fitted, name: str, targets: Mapping[str, Target], weight: Floats) -> float:
    """`coefficients` of a component whose levels are known, in a sum of cells with these weights."""
    if targets.get(name) == FIXED or inside_fixed(fit, name, targets):
        return 0.0
    facet, _, label = name.partition("[")[2].removesuffix("]").partition("=")
    return distance(fit.judgments, term_facets(fit, name), targets, weight, (facet, label) if facet else None)


def is_of_known_levels(fit: Fitted, name: str, targets: Mapping[str, Target]) -> bool:
    """Whether the weight of a component is less than that of levels that are all drawn; see `coefficients`."""
    if any(targets.get(facet) == ABSORBED for facet in name.split(":")):
        return True
    if targets.get(name) == FIXED or inside_fixed(fit, name, targets):
        return True
    facets = {*term_facets(fit, name)}
    facets |= {up for facet in facets for up in fit.judgments.ancestors(facet)}
    drawn = any(targets[facet] in (POPULATION, SENSITIVITY) for facet in facets)
    return name.partition("[")[0] != REPLICATE and not drawn


def term_facets(fit: Fitted, name: str) -> tuple[str, ...]:
    """Facets of a component: all of them for the cell and the replicate."""
    base = name.partition("[")[0]
    return fit.judgments.names if base in (CELL, REPLICATE) else tuple(base.split(":"))


def inside_fixed(fit: Fitted, name: str, targets: Mapping[str, Target]) -> bool:
    """Whether a term is part of a fixed facet's spread: its other facets have one level and stand for themselves."""
    if name not in fit.absorbed:
        return False
    facets = set(name.split(":")) & set(fit.judgments.names)
    others = {facet for facet in facets if facet not in fit.assembled.fixed.levels}
    single = all(fit.judgments.n_levels(facet) == 1 and targets[facet] in (PANEL, FINITE) for facet in others)
    return len(others) < len(facets) and single
