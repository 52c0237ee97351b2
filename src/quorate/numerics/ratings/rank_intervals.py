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
from quorate.numerics.ratings.freedom import Freedom
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
_SUREST = 8  # others of each system from which its differences are surest, and are looked at in every draw
_LEFT = 0.02  # share of systems and draws that are better looked at one by one
_FIRST = 8  # others from each end that these are looked at first
_BY_VECTORS = 1000  # systems from which on eigenvectors take too long
_BINS, _MANY_BINS = 32, 128  # of degrees of freedom
_BLOCKS = 8  # of so many entries at a time: what is done once for each takes as long
_LIMITS = 300  # from which on quantiles of some tell those of all


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
    df: float | Floats | Freedom
    above: NDArray[np.bool_]

    @property
    def critical(self) -> float | Floats:
        """Standard errors that a difference must exceed for the joint intervals; an array where ``df`` is."""
        return self.limit(self.df) if np.ndim(self.df) else float(self.limit(self.df))

    def limit(self, df: float | Floats | Freedom) -> Floats:
        """The same by some degrees of freedom, in their shape."""
        return np.asarray(_studentised(self.normal, np.asarray(df)))


def rank_intervals(
    estimate: Floats,
    covariance: Floats,
    deviations: Floats,
    level: float,
    df: float | Floats | Freedom = np.inf,
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
    joint = float(np.quantile(largest.max(axis=1), level))
    marginal = np.quantile(largest, level, axis=0, overwrite_input=True)
    del largest  # of many systems it is large
    spent: Any = df if np.ndim(df) else np.broadcast_to(df, (systems, systems))
    edges = _edges(spent)
    joint_ends, own_ends = _studentised(np.array([[joint]]), edges), _at_edges(marginal, edges)
    above, variance = np.empty((systems, systems), dtype=np.bool_), np.diag(covariance).copy()
    over, told = np.zeros((2, systems), dtype=np.int64)  # systems that each is surely above, and surely not equal to
    for rows in row_blocks(systems, systems // _BLOCKS):  # each pair once
        after, later = slice(rows.start, systems), slice(rows.stop - rows.start, None)
        se = difference_se(covariance, rows, variance, after)
        np.fill_diagonal(se, np.inf)
        t = (estimate[rows, None] - estimate[after]).astype(se.dtype, copy=False) / se
        ahead, first = t > 0, (rows.start, rows.start)
        t = np.abs(t, out=t)
        sure = _exceeds(t, first, np.array([[joint]]), joint_ends[None], spent, edges)
        above[rows, after] = sure & ahead
        above[after, rows] = (sure & ~ahead).T
        mine = _exceeds(t, first, marginal[rows, None], own_ends[rows, None], spent, edges)
        theirs = _exceeds(t, first, marginal[None, after], own_ends[None, after], spent, edges)[:, later]
        told[rows] += np.count_nonzero(mine, axis=1)
        over[rows] += np.count_nonzero(mine & ahead, axis=1)
        told[rows.stop :] += np.count_nonzero(theirs, axis=0)
        over[rows.stop :] += np.count_nonzero(theirs & ~ahead[:, later], axis=0)
    marginal_high, marginal_low = systems - over, 1 + told - over
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
        joint = max(joint, float(np.quantile(largest.max(axis=1), level)))
        own = np.maximum(own, np.quantile(largest, level, axis=0)[:, None])
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


def row_blocks(rows: int, columns: int | None = None) -> Iterator[slice]:
    """Rows of a matrix, of all pairs by default, so many at a time that what is made of them stays small."""
    step = max(1, _ENTRIES // (columns or rows))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def most_draws(systems: int) -> int:
    """Draws of the joint law: fewer for so many systems that the pairs in all of them would take minutes."""
    return min(DRAWS, max(FEWEST_DRAWS, DRAWS * 1000 // systems))


def difference_se(
    covariance: Floats, rows: slice | Ints = slice(None), variance: Floats | None = None, columns: slice = slice(None)
) -> Floats:
    """Standard error of every difference of two estimates, shape (systems, systems); of some of the rows and columns.

    The diagonal may be given: picked from a large matrix it takes as long as some rows.
    """
    variance = np.diag(covariance) if variance is None else variance
    out = covariance[rows, columns] * -2
    out += variance[rows, None] + variance[columns]
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
    square = rng.chisquare(most, deviations.shape)
    square.sort(axis=0)
    rng.shuffle(square)
    np.sqrt(np.divide(most, square, out=square), out=square)
    return np.multiply(deviations, square, out=square)


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
    ordered = bool((order == np.arange(systems)).all())  # as a board is
    # The last system that each is not surely higher than, of those after it; a cut must come after all of these.
    last = np.empty(systems, dtype=np.int64)
    for rows in row_blocks(systems):
        some = above[rows] if ordered else above[np.ix_(order[rows], order)]
        open_ = ~some & (np.arange(systems) > np.arange(systems)[rows, None])
        last[rows] = np.where(open_.any(axis=1), systems - 1 - np.argmax(open_[:, ::-1], axis=1), 0)
    cut = np.maximum.accumulate(last)[:-1] < np.arange(1, systems)
    out = np.empty(systems, dtype=np.int64)
    out[order] = 1 + np.cumsum(np.append(False, cut))
    return out


def _largest(deviations: Floats, covariance: Floats) -> Floats:
    """Largest studentised difference of each system from any other, in every draw; shape (draws, systems)."""
    draws, systems = deviations.shape
    variance = np.diag(covariance).copy()
    members, widest, equal = _kinds(covariance, variance)
    whole, others, surest = (np.zeros((0, systems), dtype=kind) for kind in (np.float32, np.int64, np.float32))
    if systems < _MANY and not equal:
        whole = np.concatenate([_scale(covariance, variance, rows) for rows in row_blocks(systems)])
        if members:
            # Others from which differences of a system are surest, what studentises these, the surest of the rest.
            place = np.argpartition(whole, len(whole) - 1 - _SUREST, axis=1)[:, -1 - _SUREST :]
            value = np.take_along_axis(whole, place, axis=1).T
            others, surest, widest = place.T[1:].copy(), value[1:].copy(), value[:1]

    def scale(rows: Ints, columns: Ints | None = None) -> Floats32:
        if columns is None:
            return whole[rows] if len(whole) else _scale(covariance, variance, rows)
        return np.asarray(whole[rows, columns]) if len(whole) else _of_pairs(covariance, variance, rows, columns)

    out, block = np.empty((draws, systems), dtype=np.float64), max(1, _MOST // systems)
    for start in each("redrawn rankings", range(0, draws, block)):
        some = slice(start, start + block)
        part = deviations[some].astype(np.float32)
        if equal:
            ends = part.max(axis=1, keepdims=True), part.min(axis=1, keepdims=True)
            out[some] = np.maximum(ends[0] - part, part - ends[1]) * widest[0]
        elif members:
            out[some] = _from_ends(part, _from_others(part, others, surest), scale, members, widest)
        else:
            out[some] = _from_all(part, whole)
    return out


def _kinds(covariance: Floats, variance: Floats) -> tuple[list[Ints], Floats32, bool]:
    """Systems of each kind, what studentises the surest difference of each from them, and whether all are equal.

    Shape (kinds, systems). Systems of a kind have standard errors that are alike, and may be all of them; there is no
    kind of few systems that are not alike.
    """
    systems = len(variance)
    kinds = _by_error(variance) if systems >= _MANY else np.zeros(systems, dtype=np.int64)
    order = np.argsort(kinds, kind="stable")
    starts = np.searchsorted(kinds[order], np.arange(int(kinds.max()) + 1))
    out, least = np.empty((len(starts), systems), dtype=np.float32), np.empty(systems, dtype=np.float32)
    for rows in row_blocks(systems):
        scale = _scale(covariance, variance, rows)
        out[:, rows] = np.maximum.reduceat(scale if len(starts) == 1 else scale[:, order], starts, axis=1).T
        np.fill_diagonal(scale[:, rows], np.inf)
        least[rows] = scale.min(axis=1)
    most = out.max(axis=0)
    if systems > _FEW and (most < _ALIKE * least).all():
        return [np.arange(systems)], most[None], bool(most.max() < (1 + _SAME) * least.min())
    return np.split(order, starts[1:]) if systems >= _MANY else [], out, False


def _by_error(variance: Floats) -> Ints:
    """Kind of each system, by its standard error: alike in a kind."""
    order = np.log(np.maximum(variance, variance.max() * _ROUNDING))
    step = max(2 * np.log(_WITHIN), float(np.ptp(order)) / _KINDS)
    return np.unique(((order - order.min()) / step).astype(np.int64), return_inverse=True)[1]


def _scale(covariance: Floats, variance: Floats, rows: slice | Ints) -> Floats32:
    """What studentises differences of some systems from all; 0 of a system from itself."""
    se = difference_se(covariance, rows, variance)
    systems = np.arange(len(covariance))[rows]
    se[np.arange(len(systems)), systems] = np.inf
    return _studentising(se)


def _of_pairs(covariance: Floats, variance: Floats, i: Ints, j: Ints) -> Floats32:
    """The same of some pairs."""
    square = covariance[i, j] * -2
    square += variance[i] + variance[j]
    return _studentising(np.sqrt(np.maximum(square, 0.0)))


def _studentising(se: Floats) -> Floats32:
    """What differences are multiplied by, by their standard errors, which are written over."""
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


def _from_others(part: Floats32, others: Ints, scale: Floats32) -> Floats32:
    """The same by some others of each system, shape (others, systems)."""
    highest = np.zeros_like(part)
    for other, own in zip(others, scale, strict=True):
        apart = part[:, other]
        apart -= part
        np.abs(apart, out=apart)
        apart *= own
        np.maximum(highest, apart, out=highest)
    return highest


def _from_ends(
    part: Floats32, highest: Floats32, scale: Callable[..., Floats32], members: list[Ints], widest: Floats32
) -> Floats32:
    """The same by the systems at both ends of each draw, from which the largest is where standard errors are alike.

    ``highest`` is that by others that were looked at, and is written over. The systems of each kind are taken from the
    ends inwards until few others can be farther, even at the least standard error; these are looked at by themselves.
    """
    draw = np.arange(len(part))
    orders = [own[np.argsort(part[:, own], axis=1)] for own in members]
    beyond: list[Bools] = [np.ones(part.shape, dtype=np.bool_) for _ in members]
    taken, open_ = [0] * len(members), list(range(len(members)))
    while open_:
        for kind in open_:
            order, k = orders[kind], taken[kind]
            for end in (order[:, k], order[:, -1 - k]):
                apart = part - part[draw, end][:, None]
                np.abs(apart, out=apart)
                apart *= scale(end)
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
    for order, k, left, most in zip(orders, taken, beyond, widest, strict=True):
        _add_left(highest, np.argwhere(left), part, scale, order[:, k : order.shape[1] - k], most)
    return highest


def _add_left(
    highest: Floats32, left: Ints, part: Floats32, scale: Callable[..., Floats32], order: Ints, widest: Floats32
) -> None:
    """The same of draws and systems, shape (left, 2), put in place: by ever more systems from both ends of a kind."""
    k, more, size = 0, _FIRST, order.shape[1]
    while len(left):
        places = np.arange(k, size - k)
        places = np.append(places[:more], places[more:][-more:])
        for rows in row_blocks(len(left), len(places)):
            draw, system = left[rows].T
            ends = order[draw[:, None], places]
            apart = np.abs(part[draw[:, None], ends] - part[draw, system][:, None])
            apart *= scale(system[:, None], ends)
            highest[draw, system] = np.maximum(highest[draw, system], apart.max(axis=1))
        k, more = k + more, 2 * more
        if 2 * k >= size:
            return
        draw, system = left.T
        own, low, high = (part[draw, place] for place in (system, order[draw, k], order[draw, -1 - k]))
        left = left[np.maximum(high - own, own - low) * widest[system] > highest[draw, system]]


def _studentised(critical: Any, df: Floats) -> Any:
    """Quantiles of Student's t where the normal law has these."""
    from scipy.special import ndtr, stdtrit

    if np.isinf(df).all():
        return np.broadcast_to(critical, np.broadcast_shapes(np.shape(critical), df.shape))
    return -stdtrit(np.minimum(df, _NORMAL), ndtr(-np.asarray(critical)))


def _edges(df: Any) -> Floats:
    """Degrees of freedom between which all others are: one, or those of bins."""
    least, most = (min(float(end), _NORMAL) for end in (df.min(), df.max()))
    bins = _BINS if len(df) <= _LIMITS else _MANY_BINS
    return np.array([least]) if least == most else np.geomspace(least, most, bins + 1)


def _at_edges(limits: Floats, edges: Floats) -> Floats:
    """The same of many limits by the edges, shape (limits, edges): between those of some, within single precision."""
    if len(limits) <= _LIMITS:
        return np.asarray(_studentised(limits[:, None], edges))
    some = np.linspace(limits.min(), limits.max(), _LIMITS)
    logs = np.log(_studentised(some[:, None], edges))
    return np.stack([np.exp(np.interp(np.log(limits), np.log(some), column)) for column in logs.T], axis=1)


def _exceeds(
    t: Floats, first: tuple[int, int], limit: Floats, ends: Floats, df: Any, edges: Floats
) -> NDArray[np.bool_]:
    """Whether each exceeds the quantile of Student's t where the normal law has the limit.

    Quantiles of the least and most degrees of freedom decide most, those at both ends of its bin nearly all others;
    only for what is left the quantile of each is found. Limits have the shape of ``t``, or that of one row or column;
    quantiles at the edges have one more axis. Degrees of freedom are of all pairs, ``t`` of those from ``first`` on.
    """
    out: NDArray[np.bool_] = t > ends[..., 0]
    if len(edges) == 1:
        return out
    row, column = np.divmod(np.flatnonzero((t > ends[..., -1]) & ~out), t.shape[1])
    at = row if len(limit) > 1 else np.zeros_like(row), column if limit.shape[1] > 1 else np.zeros_like(column)
    t, df = t[row, column], df[row + first[0], column + first[1]]
    bins = len(edges) - 1
    place = np.log(np.minimum(df, _NORMAL) / edges[0]) * (bins / np.log(edges[-1] / edges[0]))
    place = np.clip(place.astype(np.intp), 0, bins - 1)
    over = t > ends[(*at, place)]
    near = np.flatnonzero(~over & (t > ends[(*at, place + 1)]))
    over[near] = t[near] > _studentised(limit[at][near], df[near])
    out[row, column] = over
    return out
