"""Existence of the maximum of a Bradley-Terry likelihood, with any model of ties.

Without ties and a position effect it has one exactly if the graph of wins is strongly connected: in every split of the
systems into two groups some system of each beats one of the other. A tie counts as a win for both. The conditions with
ties modelled, and with a position effect, are derived in ``docs/methods/ratings.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.numerics.ratings.bradley_terry import Design, anchored, information
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.ties import HALF, summary

_NOTHING = 1e-9
_FEW = 1000  # systems of which components are first looked for without loading what finds them


def components(design: Design | Choices, counts: Floats, connection: Literal["weak", "strong"]) -> NDArray[np.int32]:
    """Component of every system in the graph of wins; systems of one component are linked by votes.

    Parameters
    ----------
    design : Design or Choices
        What the counts compare.
    counts : array, shape (*design.shape,)
        Votes.
    connection : {"weak", "strong"}
        Linked in any direction, or in both.
    """
    counts = counts[..., None]
    if isinstance(design, Choices):
        counts, design = design.in_pairs(counts), design.pairs
    ahead, behind = (side[:, 0] for side in ever_won(counts))
    source = np.append(design.a[ahead], design.b[behind])
    target = np.append(design.b[ahead], design.a[behind])
    size = design.systems
    if size <= _FEW and _all_reached(source, target, size) and _all_reached(target, source, size):
        return np.zeros(size, dtype=np.int32)  # the usual answer, which needs no SciPy
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(size, size)).tocsr()
    return np.asarray(connected_components(edges, directed=True, connection=connection)[1])


def _all_reached(source: Ints, target: Ints, size: int) -> bool:
    """Whether every system is reached from the first along arrows."""
    reached, before = np.arange(size) == 0, 0
    while (now := int(np.count_nonzero(reached))) > before:
        before = now
        reached[target[reached[source]]] = True
    return before == size


def exists(design: Design | Choices, counts: Floats, shrunk: bool = False) -> Bools:
    """Whether each set of counts has a maximum; shape (fits,).

    Parameters
    ----------
    design : Design or Choices
        What the counts compare; rankings say of every two systems who was ahead (Hunter 2004).
    counts : array, shape (*design.shape, fits)
        Votes.
    shrunk : bool
        Whether a ridge bounds the ratings, so that only the position effect and the tie parameter are asked about.

    References
    ----------
    Ford (1957), American Mathematical Monthly 64, 28-33. Zermelo (1929), Mathematische Zeitschrift 29, 436-460.
    Hunter (2004), Annals of Statistics 32, 384-406.
    """
    if isinstance(design, Choices):
        tied = design.every_tie(counts)
        return tied if shrunk else tied & strongly_connected(design.pairs, design.in_pairs(counts))
    maximum = np.ones(counts.shape[-1], dtype=np.bool_) if shrunk else strongly_connected(design, counts)
    if not design.plain:
        # What else the fit finds by itself: a concave function with a stationary point has its maximum there.
        return maximum & (_tied_once(design, counts) if design.tied else True)
    if not design.tied and not design.position:
        return maximum
    # Strongly connected counts, with ties if these are modelled, may have a maximum for a reason seen at once.
    a, b, tie = (counts[:, :, k] > 0 for k in range(3))
    surely = np.ones(counts.shape[-1], dtype=np.bool_)
    if design.tied:
        maximum &= counts[:, :, 2].sum(axis=(0, 1)) > 0
        surely &= (a & b).any(axis=(0, 1))
    else:
        a, b = a | tie, b | tie
    if design.position:
        surely &= (b[0] & a[1]).any(axis=0) & (a[0] & b[1]).any(axis=0)
    for r in np.flatnonzero(maximum & ~surely):
        maximum[r] = bounded(design, counts[..., r], shrunk)
    return maximum


def _tied_once(design: Design, counts: Floats) -> Bools:
    """Whether there is a tie, or one of every system if each has its own; shape (fits,)."""
    tie = counts[:, :, 2].sum(axis=0)
    if not design.own_ties:
        return np.asarray(tie.sum(axis=0) > 0)
    return np.asarray((design.ends @ tie > 0).all(axis=0))


def ties_identified(design: Design, counts: Floats) -> bool:
    """Whether these pairs tell the ties of each system: not where systems of one group meet those of another only."""
    ends = design.ends
    met = counts.sum(axis=(0, 2))
    values = np.linalg.eigvalsh((ends * met @ ends.T).toarray())
    return bool(values[0] > _NOTHING * values[-1])


def strongly_connected(design: Design, counts: Floats) -> Bools:
    """Whether every system is reached from every other along wins; shape (fits,)."""
    ahead, behind = ever_won(counts)
    found = _reach(design, ahead & behind, ahead & behind)
    rest = np.flatnonzero(~found)
    if len(rest):
        ahead, behind = ahead[:, rest], behind[:, rest]
        found[rest] = _reach(design, ahead, behind) & _reach(design, behind, ahead)
    return found


def bounded(design: Design, counts: Floats, shrunk: bool = False) -> bool:
    """Whether no direction exists in which the likelihood never falls, by a linear programme.

    Parameters
    ----------
    design : Design
        What the counts compare.
    counts : array, shape (orders, pairs, 3)
        Votes.
    shrunk : bool
        As for `exists`.
    """
    from scipy.optimize import linprog

    # Rows that a direction must not be negative along, for the likelihood not to fall in it.
    order, pair, outcome = np.nonzero(counts)
    gap = np.zeros((len(pair), design.parameters))
    row = np.arange(len(pair))
    gap[row, design.a[pair]], gap[row, design.b[pair]] = 1.0, -1.0
    if design.position:
        gap[:, design.systems] = design.sign[order]
    side, tied = np.array([1.0, -1.0, 0.0])[outcome][:, None], outcome == 2
    if design.tied:
        half, margin = gap / 2, np.zeros((len(pair), design.parameters))
        margin[:, -1] = 1.0
        won, even = (side * half)[~tied], half[tied]
        rows = np.concatenate([won, won - margin[~tied], margin[tied] - even, margin[tied] + even])
    else:
        rows = np.concatenate([(side * gap)[~tied], gap[tied], -gap[tied]])
    rows = rows[:, design.systems :] if shrunk else rows
    steepest = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    return float(rows.sum(axis=0) @ steepest.x) < _NOTHING * len(rows) and (shrunk or identified(design, counts))


def identified(design: Design, counts: Floats) -> bool:
    """Whether these comparisons tell the position effect, and coefficients, from the ratings.

    Parameters
    ----------
    design : Design
        What the counts compare.
    counts : array, shape (orders, pairs, 3)
        Votes.
    """
    plain = replace(design, ties=HALF, own_ties=False, offset=None)
    flat = plain.cells(summary(counts[..., None]), np.zeros((plain.parameters, 1)))
    values = np.linalg.eigvalsh(anchored(plain, information(plain, flat), 0.0)[0])
    return bool(values[0] > _NOTHING * values[-1])


def ever_won(counts: Floats) -> tuple[Bools, Bools]:
    """Whether the first, and the second, of every pair ever won or tied; shape (pairs, fits)."""
    seen = np.asarray((counts > 0).any(axis=0))
    return seen[:, 0] | seen[:, 2], seen[:, 1] | seen[:, 2]


def _reach(design: Design, ahead: Bools, behind: Bools) -> Bools:
    """Whether every system is reached from the first along edges from a to b and from b to a."""
    to_a = (design.incidence > 0).astype(np.float32)
    to_b = (design.incidence < 0).astype(np.float32)
    reached = np.zeros((design.systems, ahead.shape[1]), dtype=np.bool_)
    reached[0] = True
    while True:
        step = to_b @ (reached[design.a] & ahead).astype(np.float32)
        step += to_a @ (reached[design.b] & behind).astype(np.float32)
        grown = reached | (step > 0)
        if (grown == reached).all():
            return np.asarray(reached.all(axis=0))
        reached = grown
