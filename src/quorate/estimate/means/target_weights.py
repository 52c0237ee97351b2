"""How far the weights of an estimate are from the weights that a target puts on the levels of a term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quorate.arrays import Floats
from quorate.estimate.means.targets import Pool, Target
from quorate.table.judgments import Judgments


def distance(
    judgments: Judgments,
    facets: Sequence[str],
    targets: Mapping[str, Target],
    weight: Floats,
    stratum: tuple[str, str] | None = None,
) -> float:
    """``sum_l (w_l - tau_l)^2`` of a term all of whose facets are limited to known levels.

    ``tau`` is one measure for all terms: objects weigh equally, what is nested in a level shares its weight equally, a
    group weighs as its objects do, and the levels of crossed facets (of a pool too) weigh equally. Combinations never
    judged have their weight in the target as well.

    Parameters
    ----------
    judgments : Judgments
        The answered cells.
    facets : sequence of str
        Facets of the term.
    targets : mapping of str to str or Pool
        What each facet stands for.
    weight : array, shape (cells,)
        Weight of each cell in the estimate.
    stratum : (str, str), optional
        Facet and level to which the term is limited.
    """
    above = {up for name in facets for up in judgments.ancestors(name)}
    leaves = [name for name in facets if name not in above]
    shares = {name: share(judgments, name, targets[name]) for name in leaves}
    squares = {name: _square(shares[name], targets[name]) for name in leaves}
    if stratum is not None:
        facet, level = stratum
        at = judgments.level_index(facet, level)
        weight = weight * (judgments.column(facet) == at)
        squares[facet] = float(shares[facet][at] ** 2) if facet in shares else 1 / len(judgments.facet(facet).levels)
    tau_cell = np.prod([shares[name][judgments.level_codes([name])] for name in leaves], axis=0)
    level_of_cell = judgments.level_codes(leaves)
    total = np.bincount(level_of_cell, weight)
    tau = np.zeros_like(total)
    tau[level_of_cell] = tau_cell
    concentrated = float(total @ total)
    rest = concentrated - 2 * float(total @ tau) + float(np.prod(list(squares.values())))
    return rest if rest > 1e-12 * concentrated else 0.0


def share(judgments: Judgments, name: str, target: Target) -> Floats:
    """Weight that a target puts on every level of a facet, shape (levels,)."""
    code = judgments.level_codes([name])
    n = int(code.max()) + 1
    if isinstance(target, Pool):
        return np.full(n, 1 / target.size)
    if name in judgments.ancestors(judgments.object):
        item = judgments.level_codes([judgments.object])
        first = np.unique(item, return_index=True)[1]
        return np.bincount(code[first], minlength=n) / len(first)
    parent = judgments.facet(name).parent
    if parent is None or name == judgments.object:
        return np.full(n, 1 / n)
    owner = np.zeros(n, dtype=np.int64)
    owner[code] = judgments.level_codes([parent])
    out: Floats = share(judgments, parent, "finite")[owner] / np.bincount(owner)[owner]
    return out


def _square(shares: Floats, target: Target) -> float:
    """``sum tau^2`` over all levels of the target, the unseen ones of a pool included."""
    return 1 / target.size if isinstance(target, Pool) else float(shares @ shares)
