"""Intervals for ranks, from estimates that depend on each other.

A system's rank is 1 plus the number of systems that are better. Simultaneous intervals for all differences say which
are surely better and which surely worse; counting them gives intervals that hold for all ranks at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.distributions import each as each_of
from quorate.numerics.distributions import normal_cdf, normal_quantile
from quorate.waiting import each
from quorate.wording import Brief

Floats32 = NDArray[np.float32]

DRAWS = 10_000
"""Draws of the joint law: the level of an interval is then known to 0.2 points."""
FEWEST_DRAWS = 1_000
"""With 10,000 systems or more; the level is then known to 0.7 points."""

_NORMAL = 1e9  # degrees of freedom
_ROUNDING, _SINGLE_ROUNDING = 1e-9, 1e-6
_MOST = 2**17  # draws times systems at a time: what a processor keeps at hand
_ENTRIES = 2**17  # entries of a matrix of all pairs at a time, likewise
_FEW, _ALIKE = 100, 2.5  # systems from which, and ratio of standard errors to which, one looks from the ends
_SAME = 1e-6  # part by which equal standard errors differ through rounding
_MANY = 1500  # systems from which on one looks from the ends of each kind
_KINDS, _WITHIN = 8, 1.5  # kinds at most, and ratio of standard errors within one
_LEFT = 0.001  # share of systems and draws that are better looked at one by one
_BY_VECTORS = 1000  # systems from which on eigenvectors take too long
_BINS = 32  # of degrees of freedom


@dataclass(frozen=True, eq=False)
class RankIntervals(Brief):
    """Intervals for the ranks of systems; rank 1 is the highest.

    Parameters
    ----------
    low, high : array of int, shape (systems,)
        Hold for all systems at once.
    marginal_low, marginal_high : array of int, shape (systems,)
        Hold for a system that was chosen beforehand; never wider.
    normal : float
        Standard errors that a difference must exceed for the joint intervals, were all of them known.
    df : float, or array, shape (systems, systems)
        Degrees of freedom of the standard errors of differences.
    above : array of bool, shape (systems, systems)
        Whether the system of the row is surely higher than that of the column, all such claims at once.
    """

    low: Ints
    high: Ints
    marginal_low: Ints
    marginal_high: Ints
    normal: float
    df: float | Floats
    above: NDArray[np.bool_]

    @property
    def critical(self) -> float | Floats:
        """Standard errors that a difference must exceed for the joint intervals; an array where ``df`` is."""
        return self.limit(self.df) if np.ndim(self.df) else float(self.limit(self.df))

    def limit(self, df: float | Floats) -> Floats:
        """The same by some degrees of freedom, in their shape."""
        return np.asarray(_studentised(self.normal, np.asarray(df)))


def rank_intervals(
    estimate: Floats,
    covariance: Floats,
    deviations: Floats,
    level: float,
    df: float | Floats = np.inf,
    drawn: Floats | None = None,
) -> RankIntervals:
    """Intervals for ranks by the largest studentised difference.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates; higher is better.
    covariance : array, shape (systems, systems)
        Their covariance.
    deviations : array, shape (draws, systems)
        Draws of the estimates less what they estimate: from a normal law with that covariance (`normal_deviations`), or
        resampled estimates less the estimates.
    level : float
        Coverage wanted, in (0, 1).
    df : float, or array, shape (systems, systems)
        Degrees of freedom of each standard error, or of that of each difference, where each has an error of its own and
        the draws are normal. Critical values are then those of Student's t at the same level for a single difference.
    drawn : array, shape (systems, systems), optional
        Covariance of the deviations, if it is another than that of the estimates.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91, 476-518: section 3, two-sided.
    """
    systems = len(estimate)
    largest = _largest(deviations, covariance if drawn is None else drawn)
    marginal = np.quantile(largest, level, axis=0)
    joint = float(np.quantile(largest.max(axis=1), level))
    spent = np.broadcast_to(df, (systems, systems))
    if bool((spent == spent[0, 0]).all()):
        spent = spent[:, :1]
    edges = _edges(spent)
    above, variance = np.empty((systems, systems), dtype=np.bool_), np.diag(covariance).copy()
    marginal_low, marginal_high = np.ones((2, systems), dtype=np.int64)
    for rows in row_blocks(systems):
        se = difference_se(covariance, rows, variance)
        np.fill_diagonal(se[:, rows], np.inf)
        t, freedom = (estimate[rows, None] - estimate) / se, spent[rows]
        above[rows] = _exceeds(t, np.array([[joint]]), freedom, edges)
        ahead, told = t > 0, _exceeds(np.abs(t), marginal[rows, None], freedom, edges)
        over = np.count_nonzero(told & ahead, axis=1)
        marginal_high[rows], marginal_low[rows] = systems - over, 1 + np.count_nonzero(told, axis=1) - over
    low, high = 1 + above.sum(axis=0), systems - above.sum(axis=1)
    return RankIntervals(low, high, marginal_low, marginal_high, joint, df, above)


def ranks_by_widths(
    apart: Floats, covariance: Floats, deviations: Floats, level: float, half_width: Callable[[float | Floats], Floats]
) -> RankIntervals:
    """Intervals for ranks by differences that have intervals of their own.

    Parameters
    ----------
    apart : array, shape (systems, systems)
        Differences, row less column.
    covariance : array, shape (systems, systems)
        Of the normal law that ``deviations`` are drawn from, shape (draws, systems).
    level : float
        Coverage wanted, in (0, 1).
    half_width : callable
        Half of every interval by the upper point of its tails, or by those of every row.

    References
    ----------
    As for `rank_intervals`; critical values are taken over to intervals of each difference at the level for it alone.
    """
    systems = len(apart)  # copies of a system do not differ at all, and bring no largest difference
    joint = normal_quantile((1 + level) / 2)
    own = np.full((systems, 1), joint)
    if systems > 2:
        largest = _largest(deviations, covariance + 1e-12 * np.trace(covariance) * np.eye(systems))
        joint, own = float(np.quantile(largest.max(axis=1), level)), np.quantile(largest, level, axis=0)[:, None]
    above = apart > half_width(normal_cdf(joint))
    alone = half_width(each_of(normal_cdf, "ndtr", own))
    low, high = 1 + above.sum(axis=0), systems - above.sum(axis=1)
    below, over = (-apart > alone).sum(axis=1), (apart > alone).sum(axis=1)
    return RankIntervals(low, high, 1 + below, systems - over, joint, np.inf, above)


def ranks_of_two(estimate: Floats, apart: bool, critical: float) -> RankIntervals:
    """Ranks of two systems by a test of their difference.

    Parameters
    ----------
    estimate : array, shape (2,)
        Estimates; higher is better.
    apart : bool
        Whether the test rejects that they are equal.
    critical : float
        Standard errors of their difference that intervals reach.
    """
    above = (estimate[:, None] > estimate) & apart
    low, high = 1 + above.sum(axis=0), 2 - above.sum(axis=1)
    return RankIntervals(low, high, low, high, critical, np.inf, above)


def row_blocks(systems: int) -> Iterator[slice]:
    """Rows of a matrix of all pairs, so many at a time that what is made of them stays small."""
    step = max(1, _ENTRIES // systems)
    return (slice(start, min(start + step, systems)) for start in range(0, systems, step))


def most_draws(systems: int) -> int:
    """Draws of the joint law: fewer for so many systems that the pairs in all of them would take minutes."""
    return min(DRAWS, max(FEWEST_DRAWS, DRAWS * 1000 // systems))


def difference_se(covariance: Floats, rows: slice | Ints = slice(None), variance: Floats | None = None) -> Floats:
    """Standard error of every difference of two estimates, shape (systems, systems); of some of the rows.

    The diagonal may be given: picked from a large matrix it takes as long as some rows.
    """
    variance = np.diag(covariance) if variance is None else variance
    out = covariance[rows] * -2
    out += variance[rows, None] + variance
    np.maximum(out, 0.0, out=out)
    return np.asarray(np.sqrt(out, out=out))


def normal_deviations(covariance: Floats, df: float | Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of a normal law about 0, or of Student's t where ``df`` is finite; shape (draws, systems).

    Parameters
    ----------
    covariance : array, shape (systems, systems)
        Covariance; may be singular.
    df : float, or array, shape (systems,)
        Degrees of freedom of its scale; an array where systems have their own, which are then off by the same part of
        their laws in a draw.
    draws : int
        How many.
    rng : numpy.random.Generator
        Source of the draws.
    """
    out = _normal(covariance, draws, rng)
    return in_student(out, df, rng) if np.ndim(df) or np.isfinite(df) else out


def _normal(covariance: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws of a normal law about 0, in the precision of its covariance."""
    systems = len(covariance)
    out: Floats = rng.standard_normal((draws, systems)).astype(covariance.dtype, copy=False)
    apart = covariance[0, 0] - covariance[0, -1]
    if systems > _FEW and _all_alike(covariance):
        # All alike and alike related: independent about their mean, with no product of matrices.
        out -= out.mean(axis=1, keepdims=True)
        out *= np.sqrt(apart)
    elif systems <= _BY_VECTORS:
        out = out @ _root(covariance).T
    else:
        from scipy.linalg.blas import dtrmm, strmm

        # Half of the root is 0, and is not multiplied.
        triangular = strmm if out.dtype == np.float32 else dtrmm
        out = np.asarray(triangular(1.0, _root(covariance), out.T, lower=1, overwrite_b=1).T)
    return out


def in_student(deviations: Floats, df: float | Floats, rng: np.random.Generator) -> Floats:
    """Draws of Student's t from draws of a normal law; parameters and shape as of `normal_deviations`."""
    if not np.ndim(df):
        return np.asarray(deviations * np.sqrt(df / rng.chisquare(df, len(deviations)))[:, None])
    most = np.minimum(df, _NORMAL)
    square = np.sort(rng.chisquare(most, deviations.shape), axis=0)[rng.permutation(len(deviations))]
    return np.asarray(deviations * np.sqrt(most / square))


def _all_alike(covariance: Floats) -> bool:
    """Whether variances are equal, and covariances are."""
    first, other = covariance[0, 0], covariance[0, -1]
    most = _ROUNDING * (first - other)
    if (np.abs(np.diag(covariance) - first) > most).any():
        return False
    return all(
        np.count_nonzero(np.abs(covariance[rows] - other) > most) <= rows.stop - rows.start
        for rows in row_blocks(len(covariance))
    )


def _root(covariance: Floats) -> Floats:
    """A matrix whose product with its transpose is the covariance, up to what moves all systems together."""
    systems, single = len(covariance), covariance.dtype == np.float32
    if systems <= _BY_VECTORS:
        values, vectors = np.linalg.eigh(covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
    from scipy.linalg.lapack import dpotrf, spotrf

    # The same for all systems is added, so that it is not singular; what estimates about their mean have is exact.
    shift, least = np.trace(covariance) / systems, _SINGLE_ROUNDING if single else _ROUNDING
    while True:
        known = covariance + covariance.dtype.type(shift)
        known.flat[:: systems + 1] *= 1 + least
        root, refused = (spotrf if single else dpotrf)(known.T, lower=1, clean=1, overwrite_a=1)
        if not refused:
            return np.asarray(root)
        least *= 10  # variances by several facets need not fit one law; more variance of each only widens


def best(estimate: Floats, deviations: Floats) -> Floats:
    """How often each system is the highest when the estimates deviate as they may; shape (systems,), sums to 1.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    deviations : array, shape (draws, systems)
        As for `rank_intervals`.
    """
    first = np.argmax(estimate + deviations, axis=1)
    return np.bincount(first, minlength=len(estimate)) / len(deviations)


def agreeing(chance: Floats, ranks: RankIntervals, level: float) -> Floats:
    """Chances of being the highest that never contradict the ranks; shape (systems,), sums to 1.

    With ``edge = (1 + level) / 2``, the chance that a difference at the limit of its own interval leaves: a system that
    alone has ranks from 1 has at least that chance, and no system has more while another may be first too.

    Parameters
    ----------
    chance : array, shape (systems,)
        From `best`, of each system by itself.
    ranks : RankIntervals
        For all systems at once.
    level : float
        Their coverage.
    """
    first, edge = np.flatnonzero(ranks.low == 1), (1 + level) / 2
    top = int(first[np.argmax(chance[first])])
    wanted = max(chance[top], edge) if len(first) == 1 else min(chance[top], edge)
    others = chance + _ROUNDING * (ranks.low == 1)
    others[top] = 0.0
    out = others * ((1 - wanted) / max(float(others.sum()), _ROUNDING))
    out[top] = wanted
    return np.asarray(out)


def rank_groups(estimate: Floats, above: NDArray[np.bool_]) -> Ints:
    """Group of every system, from 1: systems of an earlier group are surely higher than all of a later one.

    The estimates in order are cut wherever every system before the cut is surely higher than every one after it, so no
    group can be cut further.

    Parameters
    ----------
    estimate : array, shape (systems,)
        Estimates.
    above : array of bool, shape (systems, systems)
        From `rank_intervals`.

    References
    ----------
    Koehn (2012), Proceedings of the International Workshop on Spoken Language Translation, 179-184.
    """
    order = np.argsort(-estimate, kind="stable")
    systems = len(order)
    # The last system that each is not surely higher than, of those after it; a cut must come after all of these.
    last = np.empty(systems, dtype=np.int64)
    for rows in row_blocks(systems):
        open_ = ~above[np.ix_(order[rows], order)] & (np.arange(systems) > np.arange(systems)[rows, None])
        last[rows] = np.where(open_.any(axis=1), systems - 1 - np.argmax(open_[:, ::-1], axis=1), 0)
    cut = np.maximum.accumulate(last)[:-1] < np.arange(1, systems)
    out = np.empty(systems, dtype=np.int64)
    out[order] = 1 + np.cumsum(np.append(False, cut))
    return out


def _largest(deviations: Floats, covariance: Floats) -> Floats:
    """Largest studentised difference of each system from any other, in every draw; shape (draws, systems)."""
    draws, systems = deviations.shape
    variance = np.diag(covariance).copy()
    alike, equal = _alike(covariance, variance)
    by_ends, scale = alike or systems >= _MANY, np.zeros((0, 0), dtype=np.float32)
    members, widest = _widest(covariance, variance, alike) if by_ends else ([], scale)
    if not by_ends:
        scale = np.concatenate([_scale(covariance, variance, rows) for rows in row_blocks(systems)])
    out, left = np.empty((draws, systems), dtype=np.float64), []
    block = max(1, _MOST // systems)
    for start in each("redrawn rankings", range(0, draws, block)):
        some = slice(start, start + block)
        part = deviations[some].astype(np.float32)
        if equal:
            ends = part.max(axis=1, keepdims=True), part.min(axis=1, keepdims=True)
            out[some] = np.maximum(ends[0] - part, part - ends[1]) * widest[0]
        elif by_ends:
            out[some], rest = _from_ends(part, covariance, variance, members, widest)
            left.append(rest + np.array([start, 0]))
        else:
            out[some] = _from_all(part, scale)
    if left:
        _add_left(out, np.concatenate(left), deviations, covariance, variance)
    return out


def _alike(covariance: Floats, variance: Floats) -> tuple[bool, bool]:
    """Whether standard errors of differences from each of many systems are alike, and whether all are equal."""
    systems = len(variance)
    ends = np.empty((2, systems), dtype=np.float32)
    for rows in row_blocks(systems):
        se = difference_se(covariance, rows, variance)
        np.fill_diagonal(se[:, rows], np.inf)
        ends[0, rows] = se.min(axis=1)
        np.fill_diagonal(se[:, rows], 0.0)
        ends[1, rows] = se.max(axis=1)
    alike = systems > _FEW and bool((ends[1] < _ALIKE * ends[0]).all())
    return alike, alike and bool(ends[1].max() < (1 + _SAME) * ends[0].min())


def _kinds(variance: Floats) -> Ints:
    """Kind of each system, by its standard error: alike in a kind."""
    order = np.log(np.maximum(variance, variance.max() * _ROUNDING))
    step = max(2 * np.log(_WITHIN), float(np.ptp(order)) / _KINDS)
    return np.unique(((order - order.min()) / step).astype(np.int64), return_inverse=True)[1]


def _widest(covariance: Floats, variance: Floats, alike: bool) -> tuple[list[Ints], Floats32]:
    """Systems of each kind, and what studentises the surest difference of each system from them: (kinds, systems).

    Systems of a kind have standard errors that are alike, and may be all of them.
    """
    kinds = np.zeros(len(variance), dtype=np.int64) if alike else _kinds(variance)
    order = np.argsort(kinds, kind="stable")
    starts = np.searchsorted(kinds[order], np.arange(int(kinds.max()) + 1))
    out = np.empty((len(starts), len(kinds)), dtype=np.float32)
    for rows in row_blocks(len(kinds)):
        scale = _scale(covariance, variance, rows)
        out[:, rows] = np.maximum.reduceat(scale if len(starts) == 1 else scale[:, order], starts, axis=1).T
    return np.split(order, starts[1:]), out


def _scale(covariance: Floats, variance: Floats, rows: slice | Ints) -> Floats32:
    """What studentises differences of some systems from all; 0 of a system from itself."""
    se = difference_se(covariance, rows, variance)
    systems = np.arange(len(covariance))[rows]
    se[np.arange(len(systems)), systems] = np.inf
    with np.errstate(divide="ignore"):
        np.divide(1, se, out=se)
    return np.minimum(se, np.finfo(np.float32).max, out=se).astype(np.float32, copy=False)


def _from_all(part: Floats32, scale: Floats32) -> Floats32:
    """The same by all pairs, in some draws."""
    part = part.T.copy()
    highest, room = np.zeros_like(part), np.empty_like(part)
    for i in range(len(part) - 1):
        apart = np.subtract(part[i + 1 :], part[i], out=room[i + 1 :])
        np.abs(apart, out=apart)
        apart *= scale[i, i + 1 :, None]
        np.maximum(highest[i], apart.max(axis=0), out=highest[i])
        np.maximum(highest[i + 1 :], apart, out=highest[i + 1 :])
    return np.asarray(highest.T)


def _from_ends(
    part: Floats32, covariance: Floats, variance: Floats, members: list[Ints], widest: Floats32
) -> tuple[Floats32, Ints]:
    """The same by the systems at both ends of each draw, from which the largest is where standard errors are alike.

    The systems of each kind are taken from the ends inwards until few others can be farther, even at the least standard
    error; draws and systems of which others can come with the result.
    """
    draw, highest = np.arange(len(part)), np.zeros_like(part)
    orders = [own[np.argsort(part[:, own], axis=1)] for own in members]
    beyond: list[Bools] = [np.ones(part.shape, dtype=np.bool_) for _ in members]
    taken, open_ = [0] * len(members), list(range(len(members)))
    while open_:
        for kind in open_:
            order, k = orders[kind], taken[kind]
            for end in (order[:, k], order[:, -1 - k]):
                apart = part - part[draw, end][:, None]
                np.abs(apart, out=apart)
                apart *= _scale(covariance, variance, end)
                np.maximum(highest, apart, out=highest)
            taken[kind] += 1
        for kind, order in enumerate(orders):
            k = taken[kind]
            if 2 * k >= order.shape[1]:
                beyond[kind] = np.zeros(part.shape, dtype=np.bool_)
            elif beyond[kind].any():
                low, high = part[draw, order[:, k]][:, None], part[draw, order[:, -1 - k]][:, None]
                beyond[kind] = np.maximum(high - part, part - low) * widest[kind] > highest
        open_ = [kind for kind, left in enumerate(beyond) if np.count_nonzero(left) >= _LEFT * left.size / len(members)]
    return highest, np.argwhere(np.any(beyond, axis=0))


def _add_left(out: Floats, left: Ints, deviations: Floats, covariance: Floats, variance: Floats) -> None:
    """The same of draws and systems, shape (left, 2), that are looked at one by one; put in place."""
    left = left[np.argsort(left[:, 1], kind="stable")]
    systems, starts = np.unique(left[:, 1], return_index=True)
    for i, draws in zip(systems.tolist(), np.split(left[:, 0], starts)[1:], strict=True):
        scale = _scale(covariance, variance, np.array([i]))
        for d in draws.tolist():
            part = deviations[d].astype(np.float32, copy=False)
            apart = np.abs(part - part[i])
            apart *= scale[0]
            out[d, i] = apart.max()


def _studentised(critical: Any, df: Floats) -> Any:
    """Quantiles of Student's t where the normal law has these."""
    from scipy.special import ndtr, stdtrit

    if np.isinf(df).all():
        return np.broadcast_to(critical, np.broadcast_shapes(np.shape(critical), df.shape))
    return -stdtrit(np.minimum(df, _NORMAL), ndtr(-np.asarray(critical)))


def _edges(df: Floats) -> Floats:
    """Degrees of freedom between which all others are: one, or those of `_BINS` bins."""
    least, most = (min(float(end), _NORMAL) for end in (df.min(), df.max()))
    return np.array([least]) if least == most else np.geomspace(least, most, _BINS + 1)


def _bins(df: Floats, edges: Floats) -> NDArray[np.intp]:
    """Bin of each."""
    place = np.log(np.minimum(df, _NORMAL) / edges[0]) * (_BINS / np.log(edges[-1] / edges[0]))
    return np.asarray(np.clip(place.astype(np.intp), 0, _BINS - 1))


def _exceeds(t: Floats, limit: Floats, df: Floats, edges: Floats) -> NDArray[np.bool_]:
    """Whether each exceeds the quantile of Student's t where the normal law has the limit, shape (rows or 1, 1).

    Quantiles of the least and most degrees of freedom decide most, those at both ends of its bin nearly all others;
    only for what is left the quantile of each is found.
    """
    ends = _studentised(limit, edges[None])
    if len(edges) == 1:
        return np.asarray(t > ends)
    out: NDArray[np.bool_] = t > ends[:, :1]
    row, column = np.nonzero((t > ends[:, -1:]) & ~out)
    own, place = row if len(limit) > 1 else np.zeros_like(row), _bins(df[row, column], edges)
    t = t[row, column]
    over = t > ends[own, place]
    near = np.flatnonzero(~over & (t > ends[own, place + 1]))
    over[near] = t[near] > _studentised(limit[own[near], 0], df[row[near], column[near]])
    out[row, column] = over
    return out
