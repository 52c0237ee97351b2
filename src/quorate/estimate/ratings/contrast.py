"""Contrasts of a rating model with their uncertainty, and the clusters of votes that it comes from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Bools, Floats, Ints, dense, first_of_each, one_of_each
from quorate.errors import NotEstimable
from quorate.estimate.ratings.counts import VoteCounts, groups_of, some
from quorate.estimate.votes.clustered import Cluster, cells, clustered_by, repeating
from quorate.estimate.votes.margin import VoteMargin
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import equal_tails, student_limits
from quorate.numerics.ratings.bradley_terry import MANY, Fit
from quorate.numerics.ratings.core import part_of
from quorate.numerics.ratings.draws import Scatter, Units, covariance, inverse_information, scatter
from quorate.numerics.ratings.existence import components
from quorate.numerics.ratings.freedom import Freedom
from quorate.numerics.ratings.leverage import leverage, variances, widened
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.rank_intervals import difference_se, row_blocks
from quorate.numerics.ratings.ties import TieModel
from quorate.numerics.votes.binomial import SLACK
from quorate.numerics.votes.clustered import combined, intersections
from quorate.table.results import Ends, Interval
from quorate.table.votes import Votes

_NOTHING = 1e-9
_LEAST_RATIO = 1e-5


@dataclass(frozen=True, eq=False)
class ClusterLaws:
    """What clusters of votes say of the uncertainty of ratings.

    Parameters
    ----------
    law : RatingLaw or None
        By all facets at once; None where no facet says anything.
    facets : tuple of str
        Facets that clusters are by.
    ways : tuple of RatingLaw
        By each alone.
    units : tuple of Units
        Clusters of each.
    effects : mapping of str to float
        Facets that votes share and that no cluster is by: variance of ratings by each over that of independent votes.
    """

    law: RatingLaw | None
    facets: tuple[str, ...] = ()
    ways: tuple[RatingLaw, ...] = ()
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

    def kinds(self, code: Ints) -> Units:
        """The same clusters, of which those of a single row are of one kind where they add the same."""
        from scipy.sparse import coo_array

        alone = (np.bincount(code)[code] == 1) & (self.share == self.share[:1])
        kind = dense(np.where(alone, self.place, self.size + code))
        times = np.bincount(kind[alone], minlength=int(kind.max(initial=-1)) + 1)
        kept = ~alone
        kept[one_of_each(kind, np.arange(len(kind)))] = True
        entries = coo_array((self.share[kept], (kind[kept], self.place[kept])), shape=(len(times), self.size))
        return Units(np.maximum(times, 1).astype(float), entries.tocsr())


def cluster_laws(
    counted: VoteCounts, at: Fit, ridge: float, inverse: Floats, *, cluster: Cluster | None
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
        if count > 1:  # most of these clusters may be a single vote
            units = rows.kinds(code)
            told = leverage(counted.design, at, ridge, units, inverse)
            cell = covariance(counted.design, at, ridge, units, inverse)
            total += (-1) ** (count + 1) * widened(cell, told.excess, s)
    law = _at_least(total, [*ways.values()], s) if len(ways) > 1 else next(iter(ways.values()))
    units_by = tuple(units for _, units in codes.values())
    return ClusterLaws(law, tuple(ways), tuple(ways.values()), units_by, effects)


def _at_least(total: Floats, ways: Sequence[RatingLaw], systems: int) -> RatingLaw:
    """The law by all facets, of which every difference varies as much as by each; of many systems, every rating."""
    if systems > MANY:
        most = np.max([np.diag(way.covariance) for way in ways], axis=0)
        df = np.min([way.df for way in ways], axis=0)
        return RatingLaw(widened(total, np.maximum(most - np.diag(total), 0.0), systems), df)
    each, known = np.stack([variances(way.covariance, systems) for way in ways]), variances(total, systems)
    most, df = combined(known, each, np.stack([way.df for way in ways]))
    return RatingLaw(widened(total, most - known, systems), df)


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
    counted: VoteCounts,
    at: Fit,
    ridge: float,
    units: Units,
    inverse: Floats,
    cluster: str | None = None,
    *,
    spent: bool = False,
) -> RatingLaw:
    """How ratings vary with what is independent: single votes, or clusters by one facet.

    The inverse may be spent on it: written over by the covariance.

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
    by_model = np.diag(inverse)[: counted.design.systems].copy()
    robust = covariance(counted.design, at, ridge, units, inverse, spent=spent)
    plain = (lambda: inverse_information(counted.design, at, ridge)) if spent else (lambda: inverse)
    _refuse_unknown(counted, robust, by_model, plain, cluster)
    drawn = scatter(counted.design, at, ridge, units, told.excess)
    return RatingLaw(widened(robust, told.excess, counted.design.systems), told.df, scatter=drawn)


def _refuse_unknown(
    counted: VoteCounts, robust: Floats, by_model: Floats, plain: Callable[[], Floats], cluster: str | None
) -> None:
    """Refuse two systems between which all votes say the same; ``by_model`` is the diagonal of the plain law."""
    s = counted.design.systems
    robust = robust[:s, :s]
    own = np.diag(robust).copy()
    most = 2 * math.sqrt(float(by_model.max()))  # no difference has more by the model
    for rows in row_blocks(s):
        after = slice(rows.start, s)
        se = difference_se(robust, rows, own, after)
        np.fill_diagonal(se, np.inf)
        if se.min() > _LEAST_RATIO * most:
            continue
        with np.errstate(invalid="ignore"):
            ratio = se / difference_se(plain()[:s, :s], rows, by_model, after)
        if (ratio < _LEAST_RATIO).any():
            i, j = np.unravel_index(int(ratio.argmin()), ratio.shape)
            one, two = (counted.systems[rows.start + int(k)] for k in sorted((i, j)))
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
    for unit in _only_links(counted, units):
        without = counted.counts - units.matrix[[unit]].toarray().reshape(counted.counts.shape)
        groups = groups_of(
            counted.systems, components(counted.design, np.where(without > _NOTHING, without, 0.0), "weak")
        )
        if len(groups) > whole:
            first = first_of_each(cells(votes, cluster)[used])[unit]
            level = votes.column(cluster)[used][first]
            label = votes.facet(cluster).levels[level] if level >= 0 else ""
            raise NotEstimable(
                f'cluster: only {cluster} "{label}" links {some(groups[-1])} to {some(groups[0])}, so '
                "nothing says how much their difference varies with it; leave one group out, or use another facet",
                groups[-1],
            )


def _only_links(counted: VoteCounts, units: Units) -> list[int]:
    """Clusters without which systems may fall apart: those with an edge of a spanning tree to themselves."""
    from scipy.sparse import coo_array

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
    if clusters[seen].min(initial=2) > 1:
        return []  # the usual answer, which needs no graph
    from scipy.sparse.csgraph import minimum_spanning_tree

    cost = np.where(clusters[seen] > 1, 1.0, 2.0)
    place = a[seen], b[seen]
    tree = minimum_spanning_tree(coo_array((cost, place), shape=(size, size)).tocsr()).tocoo()
    alone = set(zip(*(ends[tree.data > 1].tolist() for ends in tree.coords), strict=True))
    return sorted({int(first[k]) for k in seen if (int(a[k]), int(b[k])) in alone})


_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class RatingLaw:
    """How the parameters would vary from one collection of votes to the next.

    Parameters
    ----------
    covariance : array, shape (parameters, parameters)
        Ratings about their mean, position effect, parameter of ties.
    df : array, shape (parameters, parameters)
        Degrees of freedom of the standard error of each difference of ratings and, on the diagonal, of each parameter:
        votes or clusters less one, fewer where some tell more.
    deviations : array, shape (refits, parameters), or None
        Refits of resampled votes, less the estimates.
    scatter : Scatter or None
        What the ratings of a large board are drawn by.
    """

    covariance: Floats
    df: Floats | Freedom
    deviations: Floats | None = None
    scatter: Scatter | None = None

    def variance(self, weight: Floats) -> float:
        """Variance of a weighted sum of parameters, of which few count: the whole matrix may be large."""
        some = np.flatnonzero(weight)
        return float(weight[some] @ self.covariance[np.ix_(some, some)] @ weight[some])

    def between(self, systems: int) -> Floats | Freedom:
        """Degrees of freedom of ratings and of their differences."""
        return self.df.of_ratings if isinstance(self.df, Freedom) else self.df[:systems, :systems]


def reordered(laws: dict[Any, RatingLaw], order: Ints) -> dict[Any, RatingLaw]:
    """Laws with the parameters in another order; they are taken out one by one, as large ones have no room twice."""
    out = {}
    for method in list(laws):
        law = laws.pop(method)
        covariance, df, drawn, by = law.covariance, law.df, law.deviations, law.scatter
        del law
        if isinstance(df, Freedom):
            df = df.reordered(order)
        elif not (df == df[0, 0]).all():
            df = part_of(df, order)
        covariance = part_of(covariance, order) if len(order) <= MANY else _moved(covariance, order)
        by = by and replace(by, order=order[: len(by.order)])
        out[method] = RatingLaw(covariance, df, None if drawn is None else drawn[:, order], by)
    return out


def _moved(matrix: Floats, order: Ints) -> Floats:
    """As `part_of`, of all rows and columns in another order, in place, where there is no room for two."""
    room = np.empty_like(matrix[0])
    for row in matrix:
        row[:] = np.take(row, order, out=room, mode="clip")
    left = order != np.arange(len(order))
    for first in np.flatnonzero(left).tolist():
        if left[first]:  # a round of rows, each of which goes where another one came from
            room[:], place = matrix[first], first
            while order[place] != first:
                matrix[place], left[place] = matrix[order[place]], False
                place = order[place]
            matrix[place], left[place] = room, False
    return matrix


_WHOLE = 0.5
"""Margin of votes that are all for one, which no rating has."""


@dataclass(frozen=True)
class Contrast(Interval):
    """A difference of ratings, or another parameter, with its uncertainty.

    Parameters
    ----------
    name : str
        What it is.
    value, se : float
        Estimate and standard error.
    df : float
        Degrees of freedom of the standard error.
    n : int
        Votes of the fit.
    deviations : array or None
        Refits less the estimate; intervals are their percentiles, widened as Student's t is against the normal law.
    margin : VoteMargin or None
        Of the two systems, where votes on no others are in the fit: its test is that of the contrast.
    level : float
        Coverage of the interval.
    """

    name: str
    value: float
    se: float
    df: float
    n: int
    deviations: Floats | None = field(default=None, repr=False, compare=False)
    margin: VoteMargin | None = field(default=None, repr=False, compare=False)
    level: float = 0.95

    entries = "name value se df n p_value"

    def _limits(self) -> Ends:
        """Student's t, or percentiles of refits, widened where degrees of freedom are few."""
        level = self.level
        if self.deviations is None:
            return self._tested(*student_limits(self.value, self.se, self.df, level), level)
        wider = t_quantile(self.df, (1 + level) / 2) / t_quantile(math.inf, (1 + level) / 2)
        low, high = equal_tails(self.deviations, level)
        return self.value + wider * low, self.value + wider * high

    @property
    def p_value(self) -> float:
        """Of the two-sided test that it is 0: 1 less the level of the interval that ends there.

        With refits it is at least 1 over their number plus one; of the only two systems it is that of their margin.
        """
        if self.margin is not None:
            return self.margin.p_difference()
        if self.deviations is None:
            return 2 * t_cdf(self.df, -abs(self.value) / self.se)
        # By halving: intervals grow with their level.
        low, high = 1 / (len(self.deviations) + 1), 1.0
        if self._excludes_zero(1 - low):
            return low
        while high - low > _ROUNDING:
            middle = (low + high) / 2
            low, high = (low, middle) if self._excludes_zero(1 - middle) else (middle, high)
        return high

    def _tested(self, low: float, high: float, level: float) -> tuple[float, float]:
        """The interval: that of the margin where there is one, of its ends those that are finite as ratings."""
        if self.margin is None:
            return low, high
        if 0 < abs(self.margin.value) < _WHOLE:
            per, ends = self.value / math.atanh(2 * self.margin.value), self.margin.at(level).ends
            found = [per * math.atanh(2 * end) if abs(end) < _WHOLE else None for end in ends]
            low, high = (old if new is None else new for old, new in zip((low, high), found, strict=True))
        if self.margin.p_difference() > (1 - level) * SLACK:
            return min(low, 0.0), max(high, 0.0)
        return (max(low, 0.0), high) if self.value > 0 else (low, min(high, 0.0))

    def _excludes_zero(self, level: float) -> bool:
        low, high = self.at(level).ends
        return low > 0 or high < 0


@dataclass(frozen=True)
class WinRate(Interval):
    """How often one system is preferred to another, as the model has it, shown in either order as often.

    Parameters
    ----------
    value : float
        Share of the votes that decide; where ties are half wins, of all votes with ties as halves.
    tie : float
        Chance of a tie; nan where ties are not modelled.
    log_odds : Contrast
        Log odds of ``value``: the difference of the ratings with most models of ties, nearer 0 where there is a
        position effect.
    level : float
        Coverage of the interval.
    """

    value: float
    tie: float
    log_odds: Contrast
    level: float = 0.95

    @property
    def se(self) -> float:
        """Standard error, by the delta method."""
        return self.value * (1 - self.value) * self.log_odds.se

    @property
    def n(self) -> int:
        """Votes of the fit."""
        return self.log_odds.n

    def _limits(self) -> Ends:
        low, high = self.log_odds.at(self.level).ends
        return expit(low), expit(high)


def expit(x: float) -> float:
    """Chance of a log odds."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def average_odds(at: Floats, ties: TieModel) -> tuple[Floats, Floats]:
    """Log odds of being preferred, and chance of a tie, over both orders.

    Parameters
    ----------
    at : array, shape (3, ...)
        Difference of the ratings, position effect, parameter of ties.
    ties : TieModel
        What they are to the votes.
    """
    won, lost, tie = ties.log_chances(np.stack([at[0] + at[1], at[0] - at[1]]), at[2])
    preferred = np.logaddexp.reduce(won, axis=0) - np.logaddexp.reduce(lost, axis=0)
    return preferred, np.exp(tie).mean(axis=0)
