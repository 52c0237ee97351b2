"""Cycles: systems each of which beats the next, and the last the first, which no ratings can say."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate import caveats
from quorate.arrays import Bools, Floats, Ints, dense
from quorate.caveats import Caveat
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by
from quorate.numerics.distributions import each as each_of
from quorate.numerics.distributions import t_cdf
from quorate.numerics.inference import holm
from quorate.table.pairs import BOTH_BAD, MISSING, TIE, A
from quorate.table.votes import Votes
from quorate.wording import Brief

FEWEST = 20
"""Votes of a pair below which its log odds are too rough for a normal law."""
MOST = 60
"""Systems, those with most votes, of which triples are looked at."""
_FEWEST_CLUSTERS = 10


@dataclass(frozen=True)
class Cycle(Brief):
    """Three systems that beat each other in a circle.

    Parameters
    ----------
    systems : (str, str, str)
        Each beats the next, and the last the first.
    shares : (float, float, float)
        Share of votes by which each does, ties as halves.
    p : float
        P-value that ratings hold for the three, for all triples together (Holm).
    """

    systems: tuple[str, str, str]
    shares: tuple[float, float, float]
    p: float


def goes_round(votes: Votes, cluster: Cluster | None, level: float) -> tuple[Caveat, ...]:
    """What must be known of a board on which three systems beat each other in a circle."""
    found = cycles(votes, cluster=cluster, level=level)
    return (caveats.goes_round(found[0].systems, found[0].shares, found[0].p, len(found)),) if found else ()


def cycles(votes: Votes, *, cluster: Cluster | None = None, level: float = 0.95) -> tuple[Cycle, ...]:
    """Triples of systems that beat each other in a circle, beyond what chance does to ratings; the surest first.

    Were there ratings, the log odds of a against b, of b against c and of c against a would add up to zero. The sum is
    tested for every triple of which each two met often enough, by Student's law over the facet with the fewest clusters
    where votes may resemble each other, and all triples hold together by Holm's procedure.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    cluster : str, sequence of str, optional
        Facets whose votes may resemble each other; by default prompt, judge and cluster, as far as they repeat.
    level : float
        One less the chance that any triple is named where ratings hold.

    References
    ----------
    Kendall and Babington Smith (1940), Biometrika 31, 324-345, for circular triads. ``docs/methods/ratings.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = [(f"p{n}", a, b, "model_a" if n % 5 else "model_b") for n in range(60) for a, b in ("rp", "ps", "sr")]
    >>> frame = polars.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    >>> [one.systems for one in cycles(q.read_votes(frame, announce=False))]
    [('p', 's', 'r')]
    """
    used = votes.outcome != MISSING
    a, b = (column[used].astype(np.int64) for column in (votes.model_a, votes.model_b))
    outcome, weight = votes.outcome[used], votes.weights[used].astype(float)
    kept = np.argsort(-np.bincount(np.append(a, b), np.append(weight, weight), len(votes.models)), kind="stable")[:MOST]
    place = np.full(len(votes.models), -1)
    place[np.sort(kept)] = np.arange(len(kept))
    names, size = [votes.models[i] for i in np.sort(kept)], len(kept)
    a, b = place[a], place[b]
    inside = (a >= 0) & (b >= 0)
    won = np.where(np.isin(outcome, (TIE, BOTH_BAD)), 0.5, outcome == A)
    first = np.where(a < b, won, 1 - won)[inside]
    pair = (np.minimum(a, b) * size + np.maximum(a, b))[inside]
    weight = weight[inside]
    n, wins = np.bincount(pair, weight, size**2), np.bincount(pair, weight * first, size**2)
    share = (wins + 0.5) / (n + 1)
    each = weight * (first - share[pair]) / (n * share * (1 - share) + 1e-300)[pair]
    groups = [dense(cells(votes, name)[used][inside]) for name in clustered_by(votes, cluster, used)]
    i, j, k = _triples((n >= FEWEST).reshape(size, size), size)
    if not len(i):
        return ()
    edges = np.column_stack([i * size + j, j * size + k, i * size + k])
    signs = np.array([1.0, 1.0, -1.0])
    odds = np.log(share / (1 - share))
    turn = odds[edges] @ signs
    variance, df = _variance(pair, each, weight, groups, edges, signs)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * each_of(t_cdf, "stdtr", df, -np.abs(turn) / np.sqrt(variance))
    p = np.where(np.isfinite(p), p, 1.0)
    beaten = (odds[edges] * signs > 0) * 2 - 1
    circle = np.abs(beaten.sum(axis=1)) == 3
    together = holm(p)
    out = []
    for at in np.flatnonzero(circle & (together <= 1 - level)):
        onward = turn[at] > 0
        own = (i[at], j[at], k[at]) if onward else (i[at], k[at], j[at])
        shares = share[edges[at]]
        ways = (shares[0], shares[1], 1 - shares[2]) if onward else (shares[2], 1 - shares[1], 1 - shares[0])
        first, second, third = ways
        named = names[own[0]], names[own[1]], names[own[2]]
        out.append(Cycle(named, (float(first), float(second), float(third)), float(together[at])))
    return tuple(sorted(out, key=lambda one: (one.p, -min(one.shares))))


def _triples(met: Bools, size: int) -> tuple[Ints, Ints, Ints]:
    """Every three systems of which each two met often enough."""
    every = np.array(list(combinations(range(size), 3)), dtype=np.int64).reshape(-1, 3)
    i, j, k = every.T
    whole = met[i, j] & met[j, k] & met[i, k]
    return i[whole], j[whole], k[whole]


def _variance(
    pair: Ints, each: Floats, weight: Floats, groups: list[Ints], edges: Ints, signs: Floats
) -> tuple[Floats, float]:
    """Variance of every sum of log odds, the largest by any facet or by single votes, and degrees of freedom."""
    kinds, code = np.unique(pair, return_inverse=True)
    at = np.searchsorted(kinds, edges)
    single = np.bincount(code, each**2 / weight, len(kinds))  # a row of several votes is several
    variance, df = single[at].sum(axis=1), float(weight.sum())
    for group in groups:
        several = int(group.max()) + 1
        if several < _FEWEST_CLUSTERS:
            continue
        from scipy.sparse import coo_array

        sums = coo_array((each, (group, code)), shape=(several, len(kinds))).tocsr()
        products = (sums.T @ sums).toarray() * several / (several - 1)
        parts = signs[:, None] * signs * products[at[:, :, None], at[:, None, :]]
        variance = np.maximum(variance, parts.sum(axis=(1, 2)))
        df = min(df, several - 1.0)
    return variance, df
