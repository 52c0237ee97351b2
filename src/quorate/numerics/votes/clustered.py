"""Shares of votes by clusters: errors and degrees of freedom where votes of a cluster may resemble each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints, dense, one_of_each
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import wilson_limits
from quorate.numerics.votes.binomial import clopper_pearson, p_value

_NOTHING = 1e-9  # a standard error that is rounding alone
_FEW = 0.05
"""Chance that all clusters lean one way, from which on they are too few to say that they differ less than votes do."""


class Share(NamedTuple):
    """A share of votes by clusters.

    Parameters
    ----------
    value : float
        Wins over votes.
    se : float
        Cluster-robust standard error (CR2); nan with one cluster.
    df : float
        Satterthwaite degrees of freedom; clusters less one where all are of one size.
    icc : float
        Correlation of two votes of one cluster, from 0 to 1.
    clusters : int
        Clusters.
    n : float
        Votes.
    effective : float
        Clusters of equal size that weigh as these do, ``n^2 / sum n_g^2``.
    least_p : float
        Smallest p-value of a difference: the chance that all clusters, if fair, lean the way the largest does,
        ``2^-k`` of ``k = (n - n_1)^2 / (sum n_g^2 - n_1^2)`` others of equal weight.
    """

    value: float
    se: float
    df: float
    icc: float
    clusters: int
    n: float
    effective: float = np.inf
    least_p: float = 0.0


class Shares(NamedTuple):
    """Shares of votes of several studies; fields as for `Share`, shape (studies,)."""

    value: Floats
    se: Floats
    df: Floats
    icc: Floats
    clusters: Ints
    n: Floats
    effective: Floats
    least_p: Floats

    def one(self, at: int) -> Share:
        """The share of one study.

        Parameters
        ----------
        at : int
            Its place.
        """
        value, se, df, icc, clusters, n, effective, least_p = (x[at].item() for x in self)
        return Share(value, se, df, icc, clusters, n, effective, least_p)


def share(wins: Floats, sizes: Floats, squares: Floats | None = None) -> Share:
    """Share of wins with a standard error by clusters that needs no model of how votes depend.

    The variance is that of the cluster sums about the share, each divided by ``1 - w`` with ``w`` its part of all votes
    (CR2, unbiased where votes are independent). Its degrees of freedom match two moments under the estimated
    correlation within clusters: they fall as clusters differ in size. Of so few clusters that fair ones could all agree
    by chance it is at least that of independent votes: that they are even alike says nothing.

    Parameters
    ----------
    wins : array, shape (clusters,)
        Sum of the outcomes of each cluster; an outcome is from 0 to 1.
    sizes : array, shape (clusters,)
        Votes of each cluster, above 0.
    squares : array, shape (clusters,), optional
        Sum of the squared outcomes; ``wins`` where these are 0 and 1.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181.
    """
    return shares(wins[None], sizes[None], None if squares is None else squares[None]).one(0)


def shares(wins: Floats, sizes: Floats, squares: Floats | None = None, study: Ints | None = None) -> Shares:
    """Shares of wins of several studies at once, each as `share` has it.

    Parameters
    ----------
    wins, sizes : array, shape (studies, clusters), or (clusters,) with ``study``
        Sum of the outcomes, and votes, of each cluster of each study.
    squares : array of the same shape, optional
        Sum of the squared outcomes; ``wins`` where these are 0 and 1.
    study : array of int, shape (clusters,), optional
        Study of each cluster, from 0, where studies differ in how many they have; each has one at least.
    """
    of = _Studies(study)
    n, groups = of.total(sizes), of.groups(sizes)
    p = of.total(wins) / n
    w = sizes / of.each(n)
    with np.errstate(invalid="ignore", divide="ignore"):  # one cluster says nothing of its spread
        rho = _icc(of, wins, sizes, wins if squares is None else squares)
        df = _df(of, w, sizes * (1 + (sizes - 1) * of.each(rho)))
    se, df, rho = (np.where(groups < 2, np.nan, x) for x in (_errors(of, wins, sizes), df, rho))
    square, most = of.product(w, w), of.largest(w)
    rest = np.divide((1 - most) ** 2, square - most**2, out=np.zeros_like(most), where=groups > 1)
    least = 2.0**-rest
    apart = np.sqrt(np.maximum(of.total(wins if squares is None else squares) / n - p**2, 0) / n)
    return Shares(p, np.where(least > _FEW, np.maximum(se, apart), se), df, rho, groups, n, 1 / square, least)


@dataclass(frozen=True)
class _Studies:
    """Which clusters make up a study: a row of them, or those that carry its number."""

    number: Ints | None

    def total(self, x: Floats) -> Floats:
        """Sums over the clusters of each study."""
        return np.asarray(x.sum(axis=-1) if self.number is None else np.bincount(self.number, x), dtype=np.float64)

    def groups(self, x: Floats) -> Ints:
        """Clusters of each study."""
        return np.full(len(x), x.shape[-1]) if self.number is None else np.bincount(self.number)

    def product(self, x: Floats, y: Floats) -> Floats:
        """Sums of products."""
        return np.asarray(np.einsum("...g,...g->...", x, y)) if self.number is None else self.total(x * y)

    def largest(self, x: Floats) -> Floats:
        """The largest of each study."""
        if self.number is None:
            return np.asarray(x.max(axis=-1))
        out = np.zeros(int(self.number.max()) + 1)
        np.maximum.at(out, self.number, x)
        return out

    def each(self, value: Floats) -> Floats:
        """The value of its study for every cluster."""
        return np.asarray(value[:, None] if self.number is None else value[self.number])


def _errors(of: _Studies, wins: Floats, sizes: Floats) -> Floats:
    """Standard errors of shares (CR2); of a single cluster, which says nothing of its spread, no number."""
    n = of.total(sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = (wins - of.each(of.total(wins) / n) * sizes) ** 2 / (1 - sizes / of.each(n))
        return np.asarray(np.where(of.groups(sizes) < 2, np.nan, np.sqrt(of.total(rest)) / n))


def interval(share: Share, level: float) -> tuple[float, float]:
    """Interval of a share by clusters: Wilson's, with Student's quantile and the error by clusters.

    Where clusters do not differ it is exact: of n clusters of one size at least ``(1 - level)^(1/n)`` have that share.
    Student's interval covers far too seldom for shares near 0 or 1.

    Parameters
    ----------
    share : Share
        Share of votes by clusters, of two at least.
    level : float
        Coverage wanted, in (0, 1).

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212; Korn and Graubard (1998), Survey
    Methodology 24, 193-201.
    """
    if not share.se > _NOTHING:
        others = 1 - (1 - level) ** (1 / share.effective)
        return share.value * (1 - others), share.value + others * (1 - share.value)
    half = t_quantile(share.df, (1 + level) / 2) * share.se
    low, high = wilson_limits(share.value, half, share.clusters, (0.0, 1.0))
    return float(low), float(high)


def single_votes(share: Share) -> tuple[float, float]:
    """Wins and number of clusters that agree, each as one vote; their lead is rounded towards none.

    Parameters
    ----------
    share : Share
        Share whose clusters differ by nothing, so that nothing shows how far they could.
    """
    lead = math.floor(share.clusters * abs(2 * share.value - 1) + 1e-9)
    return (share.clusters + math.copysign(lead, share.value - 0.5)) / 2, share.clusters


def margin_interval(share: Share, level: float) -> tuple[float, float]:
    """Confidence interval of the margin ``p - 1/2`` of votes in clusters.

    By Student's t; exact, with clusters as votes, where they do not differ. It includes 0 where clusters are so few
    that as many fair ones could all agree.

    Parameters
    ----------
    share : Share
        Share of votes by clusters, of two at least.
    level : float
        Coverage wanted, in (0, 1).
    """
    if not share.se > _NOTHING:
        ends = clopper_pearson(*single_votes(share), level)
        return float(ends[0]) - 0.5, float(ends[1]) - 0.5
    half, d = t_quantile(share.df, (1 + level) / 2) * share.se, share.value - 0.5
    low, high = max(d - half, -0.5), min(d + half, 0.5)
    return (min(low, 0.0), max(high, 0.0)) if share.least_p > 1 - level else (low, high)


def votes_per_independent(share: Share) -> float:
    """How many of these votes are worth one independent vote, at least 1: the design effect, as estimated.

    Parameters
    ----------
    share : Share
        Share of votes by clusters, of two at least.
    """
    if not share.se > _NOTHING:
        return share.n / share.clusters
    return max(1.0, share.n * share.se**2 / (share.value * (1 - share.value)))


def balance(share: Share, level: float) -> tuple[float, float, float]:
    """Lead of one of two outcomes over the other, from -1 to 1: its interval, and the p-value of none.

    Student's, on twice the share less one. Where clusters do not differ they are single votes in an exact test. A
    p-value is never less than ``least_p``: .06 of five clusters of one size, so that with up to five an interval of
    95% may leave out 0 where the p-value is above .05.

    Parameters
    ----------
    share : Share
        Share by clusters, outcomes without a lead as halves.
    level : float
        Coverage wanted, in (0, 1).
    """
    lead = 2 * share.value - 1
    if not share.se > _NOTHING:
        # Whole clusters that the winner is ahead by; all of them where all agree.
        agree = abs(lead) >= 1 - _NOTHING
        ahead = share.effective if agree else float(np.floor(share.effective * abs(lead) + _NOTHING))
        won = (share.effective + np.sign(lead) * ahead) / 2
        low, high = clopper_pearson(won, share.effective, level)
        return 2 * float(low) - 1, 2 * float(high) - 1, max(float(p_value(won, share.effective)), share.least_p)
    half = 2 * t_quantile(share.df, (1 + level) / 2) * share.se
    p = max(2 * t_cdf(share.df, -abs(lead) / (2 * share.se)), share.least_p)
    return max(lead - half, -1.0), min(lead + half, 1.0), min(p, 1.0)


def _icc(of: _Studies, wins: Floats, sizes: Floats, squares: Floats) -> Floats:
    """Analysis-of-variance estimate, cut to 0 and 1; 0 where no cluster has two votes or nothing varies."""
    n, groups = of.total(sizes), of.groups(sizes)
    inside = wins**2 / sizes
    between = (of.total(inside) - of.total(wins) ** 2 / n) / (groups - 1)
    within = of.total(squares - inside) / np.where(n > groups, n - groups, np.inf)
    size = (n - of.product(sizes, sizes) / n) / (groups - 1)
    total = np.where(n > groups, between + (size - 1) * within, 0.0)
    ratio = np.divide(between - within, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(np.clip(ratio, 0.0, 1.0), dtype=np.float64)


def _df(of: _Studies, w: Floats, v: Floats) -> Floats:
    """Twice the squared mean of the variance over its variance, with cluster sums of variance ``v``.

    The scaled residuals have covariance ``D - a b' - b a' + V a a'``, whose trace and norm are sums over clusters.
    """
    square = 1 / (1 - w)
    x = np.sqrt(square)
    d, a, b, total = v * square, w * x, v * x, of.total(v)
    aa, ab, bb = of.product(a, a), of.product(a, b), of.product(b, b)
    trace = of.total(d) - 2 * ab + total * aa
    norm = of.product(d, d) + 2 * (ab**2 + aa * bb) + (total * aa) ** 2
    norm += -4 * of.product(d * a, b) + 2 * total * of.product(d * a, a) - 4 * total * aa * ab
    return np.asarray(trace**2 / norm)


# Shares of votes that several facets make alike, such as prompts and people: one variance for all of them.


_TWO = 1.5
"""Degrees of freedom of more than two clusters, whose variance is seldom next to none by chance."""


class Multiway(NamedTuple):
    """A share of votes by several facets.

    Parameters
    ----------
    share : Share
        With the standard error that allows for all facets, and the largest ``least_p``; ``icc``, ``clusters`` and
        ``effective`` are those of the facet whose clusters are worth the fewest.
    ways : tuple of Share
        By each facet alone.
    sizes : array, shape (clusters,)
        Votes of each cluster of the facet whose clusters are worth the fewest.
    """

    share: Share
    ways: tuple[Share, ...]
    sizes: Floats


def multiway(outcome: Floats, weight: Floats, codes: Sequence[NDArray[Any]]) -> Multiway:
    """Share of wins with a standard error by several facets at once, nested or crossed.

    The variances by every facet, less those by the cells of every two, plus those of every three and so on: votes that
    share one label are counted once, whichever it is. Each is unbiased where votes are independent (CR2). The whole is
    at least the largest by one facet. Degrees of freedom are Satterthwaite's from those by each facet, at least the
    smallest of them.

    Parameters
    ----------
    outcome, weight : array, shape (rows,)
        Outcome, 0 to 1, and the votes that the row stands for.
    codes : sequence of array, shape (rows,)
        Level of each facet, from 0; at least one facet.

    References
    ----------
    Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29, 238-249, equation 2.13. In R:
    ``sandwich::vcovCL(lm(y ~ 1), cluster = ~ prompt + judge, type = "HC0")``, with clusters of one size.
    """
    found = multiways(np.zeros(len(outcome), dtype=np.int64), outcome, weight, codes)
    ways = tuple(way.one(0) for way in found.ways)
    fewest = min(range(len(ways)), key=lambda i: ways[i].effective)
    sizes = np.bincount(dense(codes[fewest]), weight).astype(float)
    return Multiway(found.share.one(0), ways, sizes)


class Multiways(NamedTuple):
    """Shares of the votes of several studies, each as `Multiway` has it.

    Parameters
    ----------
    share : Shares
        By all facets.
    ways : tuple of Shares
        By each facet alone.
    """

    share: Shares
    ways: tuple[Shares, ...]


def multiways(study: Ints, outcome: Floats, weight: Floats, codes: Sequence[NDArray[Any]]) -> Multiways:
    """Shares of wins of several studies at once, each as `multiway` has it.

    Parameters
    ----------
    study : array of int, shape (rows,)
        Study of each row, from 0; each has one at least.
    outcome, weight, codes
        As for `multiway`; a level counts within its study alone.
    """
    ways, total = list[Shares](), np.zeros(1)
    for count, cell in intersections([dense(study * (int(code.max(initial=0)) + 1) + code) for code in codes]):
        wins, votes = (np.bincount(cell, x).astype(float, copy=False) for x in (weight * outcome, weight))
        owner = one_of_each(cell, study)
        if count == 1:
            squares = np.bincount(cell, weight * outcome**2).astype(float, copy=False)
            ways.append(shares(wins, votes, squares, owner))
        error = ways[-1].se if count == 1 else _errors(_Studies(owner), wins, votes)
        total = total + (-1) ** (count + 1) * error**2
    variance, df = combined(total, np.array([way.se for way in ways]) ** 2, np.array([way.df for way in ways]))
    fewest = np.argmin([way.effective for way in ways], axis=0)
    of_fewest = (np.choose(fewest, [getattr(way, name) for way in ways]) for name in Shares._fields)
    least = np.max([way.least_p for way in ways], axis=0)
    return Multiways(Shares(*of_fewest)._replace(se=np.sqrt(variance), df=df, least_p=least), tuple(ways))


def combined(variance: Floats, ways: Floats, df: Floats) -> tuple[Floats, Floats]:
    """A variance by several facets that is at least that by each, and its degrees of freedom.

    Parameters
    ----------
    variance : array, shape (...)
        By all facets: of few clusters it may be below that by one, or below 0.
    ways, df : array, shape (facets, ...)
        By each facet alone.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    """
    most = np.maximum(variance, ways.max(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        matched = most**2 / (ways**2 / df).sum(axis=0)
    fewest = df.min(axis=0)
    return most, np.where((most > 0) & (fewest >= _TWO), np.maximum(matched, fewest), fewest)


def by_all(codes: Sequence[NDArray[Any]], by: Callable[[Ints], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Variance by several facets at once and its degrees of freedom, by those of each and of their intersections.

    Parameters
    ----------
    codes : sequence of array, shape (rows,)
        Level of each facet, from 0.
    by : callable
        From the cell of every row to variance and degrees of freedom.

    References
    ----------
    Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29, 238-249, equation 2.13.
    """
    found = [(count, by(cell)) for count, cell in intersections(codes)]
    ways = [way for count, way in found if count == 1]
    if len(ways) == 1:
        return ways[0]
    total = sum((-1) ** (count + 1) * variance for count, (variance, _) in found)
    return combined(np.asarray(total), *(np.stack(part) for part in zip(*ways, strict=True)))


def intersections(codes: Sequence[NDArray[Any]]) -> Iterator[tuple[int, Ints]]:
    """Cells of every set of facets: how many facets it has, and the cell of every row, from 0.

    Parameters
    ----------
    codes : sequence of array, shape (rows,)
        Level of each facet, from 0.
    """
    cells: dict[tuple[int, ...], Ints | int] = {(): 0}
    for count in range(1, len(codes) + 1):
        for chosen in combinations(range(len(codes)), count):
            code = codes[chosen[-1]]
            cells[chosen] = cell = dense(cells[chosen[:-1]] * (int(code.max(initial=0)) + 1) + code)
            yield count, cell


def shared_out(value: Floats, code: Ints, weight: Floats | None = None, within: Floats | None = None) -> Share | None:
    """Share of outcomes from 0 to 1 by clusters; None with fewer than two clusters.

    Parameters
    ----------
    value : array, shape (units,)
        Outcomes.
    code : array of int, shape (units,)
        Cluster of each.
    weight : array, shape (units,), optional
        How often each counts; once without it.
    within : array, shape (units,), optional
        Sum of squares about it of the outcomes that each is the mean of; 0 without it.
    """
    if not len(value):
        return None
    weight = np.ones(len(value)) if weight is None else weight
    place = np.unique(code, return_inverse=True)[1]
    square = weight * value**2 + (0.0 if within is None else within)
    wins, sizes, squares = (np.bincount(place, x).astype(np.float64) for x in (weight * value, weight, square))
    return share(wins, sizes, squares) if len(sizes) > 1 else None


def gain_interval(gain: Ints, code: Ints, level: float) -> tuple[float, float, float]:
    """Interval of the mean of gains of -1, 0 and 1 by clusters, and the p-value of none; nan with one cluster.

    Parameters
    ----------
    gain : array of int, shape (battles,)
        What each battle gains.
    code : array of int, shape (battles,)
        Its cluster.
    level : float
        Coverage.
    """
    outcomes = shared_out((gain + 1) / 2, code)
    return (np.nan, np.nan, np.nan) if outcomes is None else balance(outcomes, level)
