"""Averages of a few answers: how much of each component is left in their variance, and how much there may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.model import CELL
from quorate.roles import REPLICATE

if TYPE_CHECKING:
    from quorate.estimate.components.decomposition import Decomposition

NOISE = frozenset((CELL, REPLICATE))
MOST = 10**9
"""Levels of a facet, or answers of a cell, that are averaged at most."""


def averages(
    fit: Decomposition,
    counts: Mapping[str, int],
    replicates: int,
    part: Callable[[frozenset[str]], bool] = lambda _: True,
    *,
    cell: bool = True,
) -> dict[str, float]:
    """What is left of each component in the mean of some answers on one item, of all that are part of it.

    A component is divided by the numbers of levels of its facets, the cell by all of them, the replicate by that of the
    answers as well. One residual of several by level counts with its share of the levels.

    Parameters
    ----------
    fit : Decomposition
        Where the components come from.
    counts : mapping of str to int
        Levels of every facet in the mean; facets that are not named stay the same.
    replicates : int
        Answers of each cell.
    part : callable
        Whether a component of these facets is part of it.
    cell : bool
        Whether the cell and the replicate are.

    Raises
    ------
    InvalidInput
        If a number is larger than `MOST`.
    NotEstimable
        If only a sum of components is known whose parts are averaged differently.
    """
    for name, count in {**counts, f"{REPLICATE}s": replicates}.items():
        if count > MOST:
            raise InvalidInput(f"{name}: at most {MOST:,} are averaged")

    def left(term: str) -> float:
        name, _, stratum = term.partition("[")
        strata = len(fit.assembled.residual_levels or ()) if stratum else 1
        if name in NOISE:
            size = math.prod(counts.values()) * (replicates if name == REPLICATE else 1)
            return float(cell) / float(size * strata)
        facets = frozenset(name.split(":"))
        return float(part(facets)) / float(math.prod(counts[one] for one in facets if one in counts))

    out = {}
    for name, members in zip(fit.variances, fit.classes, strict=True):
        if len({round(left(member), 12) for member in members}) > 1:
            raise NotEstimable(
                f"{name}: the data tell only this sum, whose parts are averaged differently; repeat cells, or cross "
                "the facets",
                members,
            )
        out[name] = left(members[0])
    return out


def plausible(fit: Decomposition, name: str, draws: int, rng: np.random.Generator) -> Floats:
    """Values of a component that the data make plausible: its mean square over chi-square, less the noise in it.

    The law behind its own interval, cut at zero.

    Parameters
    ----------
    fit : Decomposition
        Where it comes from.
    name : str
        As in ``fit.variances``.
    draws : int
        How many.
    rng : numpy.random.Generator
        For them.
    """
    t, value = fit.representatives[name], max(fit.variances[name], 0.0)
    se, df = float(np.sqrt(max(fit.covariance[t, t], 0.0))), fit.freedom(t)
    square = max(se * float(np.sqrt(df / 2)), value)
    drawn: Floats = np.maximum(df * square / rng.chisquare(df, draws) - (square - value), 0.0)
    return drawn
