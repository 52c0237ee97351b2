"""Clusters of votes behind ratings: how ratings vary with one facet that votes share, or with several at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints, dense
from quorate.errors import NotEstimable
from quorate.estimate.ratings.contrast import Law
from quorate.estimate.ratings.counts import VoteCounts, groups_of, some
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by, repeating
from quorate.numerics.ratings.bradley_terry import Fit
from quorate.numerics.ratings.draws import Units, covariance
from quorate.numerics.ratings.existence import components
from quorate.numerics.ratings.leverage import leverage, variances, widened
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.rank_intervals import difference_se, row_blocks
from quorate.numerics.ratings.steps import MANY
from quorate.numerics.votes.clustered import combined, intersections
from quorate.table.votes import Votes

_NOTHING = 1e-9
_ROUNDING = 1e-5


@dataclass(frozen=True, eq=False)
class ClusterLaws:
    """What clusters of votes say of the uncertainty of ratings.

    Parameters
    ----------
    law : Law or None
        By all facets at once; None where no facet says anything.
    facets : tuple of str
        Facets that clusters are by.
    ways : tuple of Law
        By each alone.
    units : tuple of Units
        Clusters of each.
    effects : mapping of str to float
        Facets that votes share and that no cluster is by: variance of ratings by each over that of independent votes.
    """

    law: Law | None
    facets: tuple[str, ...] = ()
    ways: tuple[Law, ...] = ()
    units: tuple[Units, ...] = ()
    effects: Mapping[str, float] = field(default_factory=dict)


class Rows:
    """Rows that count: what each adds to the cells of the counts."""

    def __init__(self, counted: VoteCounts) -> None:
        self.votes = counted.votes
        place, self.used, self.size = counted.places.place, counted.places.used, counted.places.size
        share = self.votes.weights * (1.0 if counted.weights is None else counted.weights)
        self.place, self.share = place[self.used], share[self.used]

    def code(self, facet: str) -> Ints:
        """Level of a facet in the rows that count, from 0; a row without a label is a level of its own."""
        return dense(cells(self.votes, facet)[self.used])

    def units(self, code: Ints) -> Units:
        """Clusters of the rows that count."""
        from scipy.sparse import coo_array

        there = int(code.max(initial=-1)) + 1
        entries = coo_array((self.share, (code, self.place)), shape=(there, self.size))
        return Units(np.ones(there), entries.tocsr())


def cluster_laws(
    counted: VoteCounts,
    at: Fit,
    ridge: float,
    inverse: Floats,
    *,
    cluster: Cluster | None,
) -> ClusterLaws:
    """How ratings vary with the facets that votes share.

    The variances by every facet, less those by the cells of every two, and so on; of every difference at least the
    largest by one facet.

    Parameters
    ----------
    counted : VoteCounts
        Votes, and their counts.
    at : Fit
        The ratings.
    ridge : float
        Their ridge.
    inverse : array, shape (parameters, parameters)
        `inverse_information` of the fit.
    cluster
        As for `quorate.rank`.

    Raises
    ------
    NotEstimable
        If a facet that is named says nothing of how ratings vary with it; by default it is left out.

    References
    ----------
    Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29, 238-249.
    """
    rows, s = Rows(counted), counted.design.systems
    codes, ways = {}, {}
    for name in clustered_by(rows.votes, cluster, rows.used):
        code = rows.code(name)
        units = rows.units(code)
        try:
            _refuse_few(counted, units, name, rows.votes, rows.used)
            ways[name] = robust_law(counted, at, ridge, units, inverse, name)
        except NotEstimable:
            if cluster is not None:
                raise
        else:
            codes[name] = code, units
    effects = _effects(counted, at, ridge, inverse, rows, [*ways])
    if not ways:
        return ClusterLaws(None, effects=effects)
    total = np.sum([way.covariance for way in ways.values()], axis=0)
    for count, code in intersections([code for code, _ in codes.values()]):
        if count > 1:
            units = rows.units(code)
            told = leverage(counted.design, at, ridge, units, inverse)
            cell = covariance(counted.design, at, ridge, units, inverse)
            total += (-1) ** (count + 1) * widened(cell, told.excess, s)
    law = _at_least(total, [*ways.values()], s) if len(ways) > 1 else next(iter(ways.values()))
    units_by = tuple(units for _, units in codes.values())
    return ClusterLaws(law, tuple(ways), tuple(ways.values()), units_by, effects)


def _at_least(total: Floats, ways: Sequence[Law], systems: int) -> Law:
    """The law by all facets, of which every difference varies as much as by each; of many systems, every rating."""
    if systems > MANY:
        most = np.max([np.diag(way.covariance) for way in ways], axis=0)
        df = np.min([way.df for way in ways], axis=0)
        return Law(widened(total, np.maximum(most - np.diag(total), 0.0), systems), df)
    each, known = np.stack([variances(way.covariance, systems) for way in ways]), variances(total, systems)
    most, df = combined(known, each, np.stack([way.df for way in ways]))
    return Law(widened(total, most - known, systems), df)


def _effects(
    counted: VoteCounts, at: Fit, ridge: float, inverse: Floats, rows: Rows, but: Sequence[str]
) -> dict[str, float]:
    """What facets that votes share do to the variance of ratings, on average; nan of one that has a single level."""
    s, effects = counted.design.systems, {}
    for name in (name for name in repeating(rows.votes, rows.used) if name not in but):
        units = rows.units(rows.code(name))
        by, alone = (
            float(np.trace(covariance(counted.design, at, ridge, each, inverse)[:s, :s]))
            if len(each.size) > 1
            else math.nan
            for each in (units, counted.units)
        )
        effects[name] = by / alone
    return effects


def robust_law(
    counted: VoteCounts, at: Fit, ridge: float, units: Units, inverse: Floats, cluster: str | None = None
) -> Law:
    """How ratings vary with what is independent: single votes, or clusters by one facet.

    Raises
    ------
    NotEstimable
        If one unit tells some of the ratings, or units that say something of a pair all say the same.
    """
    told = leverage(counted.design, at, ridge, units, inverse)
    if told.whole:
        unit = "vote" if cluster is None else f"level of {cluster}"
        raise NotEstimable(
            f"votes: one {unit} alone tells some of the ratings or the position effect, so their standard errors are "
            "unknown; collect more, or leave out systems with few votes"
        )
    robust = covariance(counted.design, at, ridge, units, inverse)
    _refuse_unknown(counted, robust, inverse, cluster)
    return Law(widened(robust, told.excess, counted.design.systems), told.df)


def _refuse_unknown(counted: VoteCounts, robust: Floats, plain: Floats, cluster: str | None) -> None:
    """Refuse two systems between which all votes say the same."""
    s = counted.design.systems
    for rows in row_blocks(s):
        with np.errstate(invalid="ignore"):
            ratio = difference_se(robust[:s, :s], rows) / difference_se(plain[:s, :s], rows)
        np.fill_diagonal(ratio[:, rows], 1.0)
        if (ratio < _ROUNDING).any():
            i, j = np.unravel_index(int(ratio.argmin()), ratio.shape)
            one, two = counted.systems[rows.start + int(i)], counted.systems[int(j)]
            units = "votes" if cluster is None else f"levels of {cluster}"
            raise NotEstimable(
                f'votes: the {units} on "{one}" and "{two}" all say the same, so the standard error of their '
                'difference is unknown; collect more, or use ties="davidson" or another cluster',
                (one, two),
            )


def _refuse_few(counted: VoteCounts, units: Units, cluster: str, votes: Votes, used: Bools) -> None:
    """Refuse systems that a single cluster says everything about, and groups that one links: no spread is seen."""
    if len(units.size) < 2:
        raise NotEstimable(
            f"cluster: all votes are of one {cluster}; use " + argument("cluster", ()) + ", or a facet with more levels"
        )
    clusters = np.asarray(((units.matrix @ counted.design.touched) > 0).sum(axis=0)).ravel()
    single = np.flatnonzero(clusters == 1)
    if len(single):
        names = [counted.systems[i] for i in single.tolist()]
        raise NotEstimable(
            f"cluster: all votes on {some(names)} are of one {cluster}, so nothing says how much they vary with it; "
            "leave these systems out, or use another facet",
            names,
        )
    whole = len(set(components(counted.design, counted.counts, "weak").tolist()))
    for unit in only_links(counted, units):
        without = counted.counts - units.matrix[[unit]].toarray().reshape(counted.counts.shape)
        groups = groups_of(
            counted.systems, components(counted.design, np.where(without > _NOTHING, without, 0.0), "weak")
        )
        if len(groups) > whole:
            first = np.unique(cells(votes, cluster)[used], return_index=True)[1][unit]
            level = votes.column(cluster)[used][first]
            label = votes.facet(cluster).levels[level] if level >= 0 else ""
            raise NotEstimable(
                f'cluster: only {cluster} "{label}" links {some(groups[-1])} to {some(groups[0])}, so '
                "nothing says how much their difference varies with it; leave one group out, or use another facet",
                groups[-1],
            )


def only_links(counted: VoteCounts, units: Units) -> list[int]:
    """Clusters without which systems may fall apart: those with an edge of a spanning tree to themselves."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    design, matrix = counted.design, units.matrix
    if isinstance(design, Choices):
        matrix, design = matrix @ design.beaten.T, design.pairs
    size, entries = design.systems, matrix.tocoo()
    a, b, _ = design.pairs
    of_cell = np.searchsorted(a * size + b, design.a * size + design.b)
    pair = of_cell[entries.coords[1] // 3 % len(of_cell)]
    met = coo_array((np.ones(len(pair)), (entries.coords[0], pair)), shape=(len(units.size), len(a))).tocsc()
    clusters = np.diff(met.indptr)
    first = met.indices[np.minimum(met.indptr[:-1], len(met.indices) - 1)]
    seen = np.flatnonzero(clusters)
    cost = np.where(clusters[seen] > 1, 1.0, 2.0)
    place = a[seen], b[seen]
    tree = minimum_spanning_tree(coo_array((cost, place), shape=(size, size)).tocsr()).tocoo()
    alone = set(zip(*(ends[tree.data > 1].tolist() for ends in tree.coords), strict=True))
    return sorted({int(first[k]) for k in seen if (int(a[k]), int(b[k])) in alone})
