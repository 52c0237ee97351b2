"""Variances that the data leave open: what is refused, its range, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.components.model import CELL
from quorate.estimate.means.targets import PANEL
from quorate.numerics.mixed.identify import bounds
from quorate.roles import REPLICATE
from quorate.wording import listed, plural

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition


_SLIGHT = 0.01
"""A standard error whose range is narrower, relative, is known: the larger end is taken."""


def settled(
    fit: Decomposition,
    gradient: Floats,
    concentrated: Floats,
    drawn: Iterable[str],
    for_these: Callable[[str], Floats],
) -> Floats:
    """Weights of the components in a variance, where flat directions of the likelihood leave it open by 1% at most.

    Components of which only the sum is known then all have the largest weight among them.

    Parameters
    ----------
    fit : Decomposition
        The components.
    gradient, concentrated : array, shape (components,)
        Weights for the target, and where all facets are drawn.
    drawn : iterable of str
        Facets that stand for more than their levels.
    for_these : callable
        Maps one of them to the weights where it stands for its levels.

    Raises
    ------
    NotEstimable
        If the variance is left open; with its range, and the facet that settles it where one does.
    """
    names, theta = fit.assembled.names, np.maximum(fit.theta, 0.0)
    if not fit.identified.estimable(gradient):
        space = fit.identified.null_space()
        low, high = bounds(gradient, theta, space)
        raised = gradient.copy()
        for members in fit.identified.classes:
            raised[list(members)] = gradient[list(members)].max()
        if high <= low * (1 + _SLIGHT) ** 2 and fit.identified.estimable(raised):
            return raised
        moved = np.abs(space[np.abs(space @ gradient) > 1e-9]).sum(axis=0)
        open_ = [names[t] for t in np.flatnonzero(moved)]
        in_them = [facet for facet in drawn if any(facet in name.split(":") for name in open_)]
        raise _open(fit, open_, low, high, [one for one in in_them if fit.identified.estimable(for_these(one))])
    residual = range(len(theta) - fit.assembled.problem.n_residual, len(theta))
    reduced = [t for t in residual if gradient[t] < concentrated[t] * (1 - 1e-9)]
    if reduced and not fit.assembled.replicated:
        low = float(gradient @ theta)
        high = low + float(sum((concentrated[t] - gradient[t]) * theta[t] for t in reduced))
        raise _open(fit, [CELL, REPLICATE], low, high, [])
    return gradient


def _open(fit: Decomposition, names: list[str], low: float, high: float, settle: list[str]) -> NotEstimable:
    """What is not told apart, how much hangs on it, and what can be asked instead."""
    ends = [float(np.sqrt(max(end, 0.0)) * fit.assembled.scale) for end in (low, high)]
    limits = f"between {ends[0]:.4g} and {ends[1]:.4g}" if np.isfinite(ends[1]) else f"at least {ends[0]:.4g}"
    why = (
        f"the standard error for this target needs {listed(names)} apart, and these data show only what they bring "
        f"together: it is {limits}. "
    )
    if settle:
        facet = settle[0]
        these = why + "Take the " + plural(facet) + " as they are, " + argument(facet, PANEL, group="targets")
        return NotEstimable(these + ", or collect judgments that cross them with the rest", names, (ends[0], ends[1]))
    terms = [set(name.split(":")) for name in names]
    shared, others = set.intersection(*terms), set.union(*terms)
    if shared and (others := others - shared) and not others & {CELL, REPLICATE}:
        them, rest = listed(sorted(shared)), " and ".join(f"every {name}" for name in sorted(others))
        instead = f"Collect judgments of {rest} at several levels of {them}, or read the table without {them}"
    else:
        instead = "Ask for the panel these levels are, or collect more levels or replicates"
    return NotEstimable(why + instead, names, (ends[0], ends[1]))
