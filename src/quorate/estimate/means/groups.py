"""Groups of items that are not equally large: what estimating how they vary can do to a mean at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.components.model import closure
from quorate.estimate.means.intervals import term_facets
from quorate.estimate.means.targets import is_grouping
from quorate.numerics.mixed.information import adjustment, weights
from quorate.numerics.mixed.reml import squares
from quorate.numerics.mixed.solved import solve
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition

_FAR = 1e4
"""How much more than anything else groups vary where their means weigh alike."""


def group_sizes(judgments: Judgments, name: str) -> Floats:
    """Items in every level of what groups them."""
    first = np.unique(judgments.level_codes([judgments.object]), return_index=True)[1]
    return np.bincount(judgments.level_codes([name])[first]).astype(float)


def unequal_groups(fit: Decomposition) -> dict[str, int]:
    """Place among the components of every facet that groups items, into levels that are not equally large."""
    judgments, kept = fit.judgments, set(fit.representatives.values())
    named = {name: t for t, name in enumerate(fit.assembled.names) if t in kept}
    groups = [name for name in judgments.names if name in named and is_grouping(judgments, name)]
    return {name: named[name] for name in groups if np.ptp(group_sizes(judgments, name)) > 0}


def held_adjustment(fit: Decomposition, weight: Floats, covariance: Floats, added: float) -> float:
    """What estimating the components adds to the variance of a mean, in units of the problem, of groups within bounds.

    Weights of groups lie between those of items that all count alike and those of groups that do, whatever their
    component is found to be. The adjustment of Kenward and Roger is linear in it and knows no bounds.
    """
    problem, solved = fit.assembled.problem, fit.point.solved
    theta = np.maximum(fit.theta, 0.0)
    for t in unequal_groups(fit).values():
        others = np.arange(len(theta)) != t
        rest = adjustment(problem, solved, weight, covariance * np.outer(others, others))
        own = float(squares(problem, weights(problem, solved, weight)) @ theta)
        ends = (np.where(others, theta, end) for end in (0.0, _FAR * max(float(theta.max()), 1e-12)))
        found = [squares(problem, weights(problem, solve(problem, end), weight)) @ theta for end in ends]
        added = min(added, rest + max(float(max(found)) - own, 0.0))
    return added


def held_slopes(fit: Decomposition, gradient: Floats) -> Floats:
    """Slopes of a variance by its components, as the degrees of freedom take them.

    Groups tell as much of what varies with them as they have levels less one; the linear law says less where a few
    large ones have most of the weight, as weights that would become more equal are held fixed in it.
    """
    out, theta = gradient.copy(), np.maximum(fit.theta, 0.0)
    for name, t in unequal_groups(fit).items():
        inside = [name in closure(fit.judgments, term_facets(fit, term)) for term in fit.assembled.names]
        square = float(np.sqrt(fit.covariance[t, t] * fit.freedom(t) / 2)) / fit.assembled.scale**2
        most = float(gradient[inside] @ theta[inside])
        if gradient[t] * square > most:
            out[t] = most / square
    return out
