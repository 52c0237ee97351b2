"""Shares of the votes of every pair, by the facets that make its votes alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quorate import caveats
from quorate.arrays import Floats
from quorate.caveats import Caveat
from quorate.errors import NotEstimable
from quorate.estimate.votes.dependence import DEPENDENCE, Cluster, cells, named, repeating
from quorate.estimate.votes.well_sampled_pairs import Sampled
from quorate.numerics.votes.binomial import clopper_pearson
from quorate.numerics.votes.clustered import Share, margin_interval, votes_per_independent
from quorate.numerics.votes.multiway import multiway
from quorate.table.votes import Votes
from quorate.wording import Brief

FEW_CLUSTERS = 20
"""Levels of a facet below which their spread says little."""


@dataclass(frozen=True, eq=False)
class PairShares(Brief):
    """Shares of the votes of pairs, by the facets that make votes alike.

    Parameters
    ----------
    wins, n : array, shape (pairs,)
        Votes for the second system of each, and all that count.
    shares : tuple of Share or None
        By all facets of each pair; None where its votes are taken as independent.
    facets : tuple of str
        Facets that cluster the votes of some pair.
    caveats : tuple of Caveat
        What to know before relying on them.
    """

    wins: Floats
    n: Floats
    shares: tuple[Share | None, ...]
    facets: tuple[str, ...]
    caveats: tuple[Caveat, ...]

    @property
    def effect(self) -> Floats:
        """Votes of each pair that are worth one independent vote, at least 1; shape (pairs,)."""
        return np.array([1.0 if one is None else votes_per_independent(one) for one in self.shares])

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Ends of the interval of each margin: exact where votes are independent, else as for a verdict on the two."""
        low, high = (end - 0.5 for end in clopper_pearson(self.wins, self.n, level))
        for pair, one in enumerate(self.shares):
            if one is not None:
                low[pair], high[pair] = margin_interval(one, level)
        return low, high


def pair_shares(votes: Votes, sampled: Sampled, cluster: Cluster | None = None) -> PairShares:
    """Shares of the votes of every pair, by the facets that a verdict on the two systems would cluster by.

    Parameters
    ----------
    votes : Votes
        From `quorate.read_votes`.
    sampled : Sampled
        Its pairs that have enough of them.
    cluster : str or sequence of str, optional
        Facets whose votes may resemble each other; by default prompt, judge and cluster, as far as they are there and
        repeat on the pair. ``()`` takes votes as independent.

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If one is named twice.
    NotEstimable
        If all votes of every pair are of one level of a facet that is named.
    """
    asked = None if cluster is None else named(votes, cluster)
    there = [name for name in DEPENDENCE if name in votes.names]
    levels = {name: cells(votes, name) for name in dict.fromkeys((*there, *(asked or ())))}
    if not levels:
        return PairShares(sampled.wins, sampled.n, (None,) * len(sampled), (), ())
    shares: list[Share | None] = []
    ways, alone, effects = defaultdict(list), Counter[str](), defaultdict(list)
    for rows in np.split(np.argsort(sampled.unit, kind="stable"), np.cumsum(np.bincount(sampled.unit))[:-1]):
        won, weight = sampled.won[rows], sampled.weight[rows]
        codes = {name: np.unique(level[sampled.row[rows]], return_inverse=True)[1] for name, level in levels.items()}
        repeats = repeating(votes, sampled.row[rows], weight)
        by = [name for name in (repeats if asked is None else asked) if codes[name].any()]
        alone.update(name for name in {*repeats, *(asked or ())} if not codes[name].any())
        found = multiway(won, weight, [codes[name] for name in by]) if by else None
        shares.append(None if found is None or found.share.clusters == found.share.n else found.share)
        for name, way in zip(by, found.ways if found else (), strict=True):
            ways[name].append(way)
        for name in repeats:
            if name not in by and codes[name].any():
                effects[name].append(votes_per_independent(multiway(won, weight, [codes[name]]).share))
    for name in asked or ():
        if alone[name] == len(sampled):
            raise NotEstimable(f"cluster: all votes are of one {name}; nothing here says what another would give")
    return PairShares(
        sampled.wins, sampled.n, tuple(shares), tuple(ways), tuple(_told(len(sampled), ways, alone, effects))
    )


def _told(
    pairs: int, ways: Mapping[str, Sequence[Share]], alone: Mapping[str, int], effects: Mapping[str, Sequence[float]]
) -> Iterator[Caveat]:
    """What is uncertain of facets with few levels or one, and facets that are left out."""
    for name, each in ways.items():
        few = [way.effective for way in each if way.effective < FEW_CLUSTERS]
        if few:
            yield caveats.few_clusters_on_pairs(name, len(few), pairs, min(few))
    for name, count in alone.items():
        yield caveats.one_level_on_pairs(name, count, pairs)
    if effects:
        medians = {name: float(np.median(each)) for name, each in effects.items()}
        yield caveats.taken_as_independent(medians, tuple(ways))
