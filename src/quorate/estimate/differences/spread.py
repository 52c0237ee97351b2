"""Spread of contrasts of means: over items, by leaving items out, or by a fitted model; tests of several at once."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.differences.methods import JointMeans
from quorate.frozen import dataclass
from quorate.numerics.distributions import each, f_tail, t_cdf, t_quantile
from quorate.numerics.inference import satterthwaite
from quorate.numerics.mixed.information import adjustment, cell_weights, weights
from quorate.numerics.mixed.reml import squares
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.wording import Brief

_ROUNDING = 1e-13
"""Variance of a contrast, as a part of those of its means, that rounding errors leave of none."""
_ALL = 1 - 1e-8
"""Part of the information about something that an item has if no other item has any, but for rounding errors."""


class Contrasts(NamedTuple):
    """Contrasts of means: estimate, standard error and degrees of freedom, arrays of one shape.

    The standard error is nan where every item gives a contrast the same value: there is no spread to judge it by.
    """

    value: Floats
    se: Floats
    df: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Limits of each contrast's own interval."""
        half = self.se * np.array([t_quantile(float(df), (1 + level) / 2) for df in self.df])
        return self.value - half, self.value + half

    @property
    def p(self) -> Floats:
        """Two-sided p-value of each contrast; nan where the standard error is."""
        t = -np.abs(self.value / self.se)
        return 2 * each(t_cdf, "stdtr", self.df, t)


@dataclass(frozen=True)
class JointTest:
    """A test that several contrasts are all zero.

    Parameters
    ----------
    statistic : float
        F.
    df1, df2 : float
        Degrees of freedom.
    p : float
        P-value.
    """

    statistic: float
    df1: float
    df2: float
    p: float


class Spread(Protocol):
    """How far contrasts of the combination means would vary; weights have shape (contrasts, combinations)."""

    def contrast(self, weights: Floats) -> tuple[Floats, Floats]:
        """Standard errors and degrees of freedom."""
        ...

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """Test that all values are zero; None where there is too little to test them by."""
        ...


@dataclass(frozen=True, eq=False)
class ItemGroup:
    """Items with the same combinations.

    Parameters
    ----------
    combinations : array of int, shape (own,)
        Which they have.
    n : int
        Items.
    covariance : array, shape (own, own)
        Covariance of their part of the combinations' means.
    """

    combinations: Ints
    n: int
    covariance: Floats


@dataclass(frozen=True, eq=False)
class ItemSpread:
    """Spread of contrasts over items.

    Parameters
    ----------
    groups : tuple of ItemGroup
        Every item is in one.
    """

    groups: tuple[ItemGroup, ...]

    def contrast(self, weights: Floats) -> tuple[Floats, Floats]:
        """Standard errors and Welch's degrees of freedom."""
        parts, most = np.zeros((2, len(self.groups), len(weights)))
        for g, group in enumerate(self.groups):
            own = weights[:, group.combinations]
            parts[g] = np.einsum("mi,mi->m", own @ group.covariance, own)
            most[g] = (np.abs(own) @ np.sqrt(np.diag(group.covariance))) ** 2
        variance, freedom = parts.sum(axis=0), np.array([group.n - 1 for group in self.groups])
        variance = np.where(variance > _ROUNDING * most.sum(axis=0), variance, np.nan)
        df = variance**2 / (parts**2 / freedom[:, None]).sum(axis=0)
        return np.sqrt(variance), df

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """Hotelling's test; with several groups Krishnamoorthy and Yu's (2004, Stat. Probab. Lett. 66, 161-169)."""
        parts = [w @ g.covariance @ w.T for g in self.groups for w in [weights[:, g.combinations]]]
        total, q = np.sum(parts, axis=0), len(value)
        if not _regular(total):
            return None
        ratios = [np.linalg.solve(total, part) for part in parts]
        spent = [(np.sum(r * r.T) + np.trace(r) ** 2) / (g.n - 1) for r, g in zip(ratios, self.groups, strict=True)]
        return _hotelling(value, total, (q + q**2) / float(np.sum(spent)))


def over_items(score: Floats, item: Ints, code: Ints) -> tuple[Floats, ItemSpread]:
    """Means of combinations in which every item weighs the same, and their spread by groups of items.

    Parameters
    ----------
    score : array, shape (cells,)
        Scores; those of an item in a combination are averaged first.
    item, code : array of int, shape (cells,)
        Item and combination of every cell.
    """
    size = int(code.max()) + 1
    pair, at = np.unique(item * size + code, return_inverse=True)
    value = np.bincount(at, score) / np.bincount(at)
    count = np.bincount(pair % size)
    group, combinations = patterns(item, code)
    groups = []
    for g, own in enumerate(combinations):
        values = value[group[pair // size] == g].reshape(-1, len(own))
        covariance = np.atleast_2d(np.cov(values.T)) * len(values) / np.outer(count[own], count[own])
        groups.append(ItemGroup(own, len(values), covariance))
    return np.bincount(pair % size, value) / count, ItemSpread(tuple(groups))


def patterns(item: Ints, code: Ints) -> tuple[Ints, list[Ints]]:
    """Group of every item, those with the same combinations together, and the combinations that each group has."""
    seen = np.zeros((int(item.max()) + 1, int(code.max()) + 1), dtype=bool)
    seen[item, code] = True
    _, first, group = np.unique(np.packbits(seen, axis=1), axis=0, return_index=True, return_inverse=True)
    return group.ravel(), [np.flatnonzero(seen[i]) for i in first]


@dataclass(frozen=True, eq=False)
class LeftOutSpread:
    """How far contrasts move when items are left out one at a time, with the model's weights: a sandwich by item.

    Leaving out item i moves the fixed effects by ``L (I - P_i)^-1 s_i``, where ``L L'`` is their covariance, ``P_i``
    the item's part of the information in the axes of ``L`` (all add up to ``I``) and ``s_i`` its residuals there.

    Parameters
    ----------
    half : array, shape (combinations, p)
        ``L``, made into means.
    axes : array, shape (items, p, p)
        Eigenvectors of every ``P_i``, in columns.
    part : array, shape (items, p)
        Its eigenvalues.
    score : array, shape (items, p)
        ``s_i`` along these.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181: leverage in sandwiches (CR3), and degrees of freedom.
    """

    half: Floats
    axes: Floats
    part: Floats
    score: Floats

    def contrast(self, weights: Floats) -> tuple[Floats, Floats]:
        """Standard errors, and Satterthwaite's degrees of freedom as they are if the model holds."""
        rows = weights @ self.half
        variance = np.sum(self._moved(rows) ** 2, axis=0)
        most = (np.abs(weights) @ np.sqrt(np.sum(self._moved(self.half) ** 2, axis=0))) ** 2
        df = np.array([self._df(row) for row in rows])
        none = variance <= _ROUNDING * most
        return np.sqrt(np.where(none, np.nan, variance)), np.where(none, np.nan, df)

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """Hotelling's test, with the harmonic mean of the degrees of freedom of contrasts that are independent."""
        rows = weights @ self.half
        moved = self._moved(rows)
        total = moved.T @ moved
        if not _regular(total):
            return None
        independent = np.linalg.solve(np.linalg.cholesky(rows @ rows.T), rows)
        return _hotelling(value, total, 1 / float(np.mean([1 / self._df(row) for row in independent])))

    @property
    def _freed(self) -> Floats:
        """``(1 - part)^-1``; where an item is all there is, its residual is zero and cannot move anything."""
        return np.asarray(1 / np.where(self.part < _ALL, 1 - self.part, 1.0))

    def _moved(self, rows: Floats) -> Floats:
        """What leaving out each item moves, shape (items, rows)."""
        out: Floats = np.einsum("npa,na->np", self.axes, self._freed * self.score) @ rows.T
        return out

    def _df(self, row: Floats) -> float:
        """``tr(G)^2 / tr(G G)``, with ``G`` the covariance of what the items move, if the model holds."""
        seen = np.einsum("npa,p->na", self.axes, row)
        own = np.sum(self.part * (1 - self.part) * (self._freed * seen) ** 2, axis=1)
        shared = np.einsum("npa,na->np", self.axes, self.part * self._freed * seen)
        others = np.sum((shared.T @ shared) ** 2) - np.sum(np.sum(shared**2, axis=1) ** 2)
        return float(own.sum() ** 2 / (np.sum(own**2) + others))


def left_out(fit: Decomposition, levels: Floats, score: Floats, item: Ints) -> LeftOutSpread:
    """Spread of means by leaving out items.

    Parameters
    ----------
    fit : Decomposition
        A model of the scores.
    levels : array, shape (combinations, p)
        Weight of every fixed effect in each mean.
    score : array, shape (cells,)
        What the model was fitted to.
    item : array of int, shape (cells,)
        Item of every cell.
    """
    problem, x = fit.assembled.problem, fit.assembled.fixed.x
    rows = [cell_weights(problem, weights(problem, fit.point.solved, one)) for one in np.eye(x.shape[1])]
    size, turned = np.linalg.eigh(fit.beta_covariance)
    root = np.sqrt(np.maximum(size, _ROUNDING * size[-1]))
    back = (turned / root).T @ np.array(rows)
    order = np.argsort(item, kind="stable")
    cells = np.split(order, np.flatnonzero(np.diff(item[order])) + 1)
    parts = np.array([back[:, own] @ x[own] for own in cells]) @ (turned * root)
    part, axes = np.linalg.eigh((parts + parts.swapaxes(1, 2)) / 2)
    residual = score - x @ fit.beta
    moved = np.array([back[:, own] @ residual[own] for own in cells])
    along = np.einsum("npa,np->na", axes, moved)
    return LeftOutSpread(levels @ (turned * root), axes, np.clip(part, 0.0, 1.0), along)


@dataclass(frozen=True, eq=False)
class FittedSpread(Brief):
    """Spread of contrasts of the fixed effects of a fitted model.

    Parameters
    ----------
    fit : Decomposition
        The fit.
    levels : array, shape (combinations, p)
        Weight of every fixed effect in each mean.
    """

    fit: Decomposition
    levels: Floats

    def contrast(self, weights: Floats) -> tuple[Floats, Floats]:
        """Kenward and Roger's standard errors and Satterthwaite's degrees of freedom."""
        rows = [self._single(row) for row in weights @ self.levels]
        variance, df = np.array(rows).reshape(-1, 2).T
        return np.sqrt(variance), df

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """F with the denominator of Fai and Cornelius (1996, J. Stat. Comput. Simul. 54, 363-378)."""
        rows = weights @ self.levels
        plain = rows @ self.fit.beta_covariance @ rows.T
        if not _regular(plain):
            return None
        axes = np.linalg.eigh(plain)[1].T
        variance, df = np.array([self._single(row) for row in axes @ rows]).T
        return _f_test(float(np.mean((axes @ value) ** 2 / variance)), len(value), _fai_cornelius(df))

    def _single(self, weight: Floats) -> tuple[float, float]:
        problem, solved, scale = self.fit.assembled.problem, self.fit.point.solved, self.fit.assembled.scale
        covariance = self.fit.covariance
        variance = float(weight @ self.fit.beta_covariance @ weight)
        gradient = squares(problem, weights(problem, solved, weight))
        extra = scale**2 * adjustment(problem, solved, weight, covariance / scale**4)
        return variance + extra, satterthwaite(variance, gradient, covariance)


def _regular(matrix: Floats) -> bool:
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))  # rounding errors may have made it less
    return bool(size.min() > 0 and np.linalg.eigvalsh(matrix / np.outer(size, size)).min() > _ROUNDING * len(size))


def _fai_cornelius(df: Floats) -> float:
    """Denominator of an F whose independent t's have these degrees of freedom."""
    if np.ptp(df) < 1e-8 * df.max():
        return float(df.mean())
    expected = float(np.sum(df / (df - 2))) if df.min() > 2 else np.inf
    return 2.0 if np.isinf(expected) else 2 * expected / (expected - len(df))


def _hotelling(value: Floats, covariance: Floats, df: float) -> JointTest | None:
    """Hotelling's test with a covariance of so many degrees of freedom; None where they are too few."""
    q = len(value)
    if df - q + 1 < 1 - 1e-9:
        return None
    square = float(value @ np.linalg.solve(covariance, value))
    return _f_test(square * (df - q + 1) / (df * q), q, df - q + 1)


def _f_test(statistic: float, df1: float, df2: float) -> JointTest:

    return JointTest(statistic, df1, df2, f_tail(df1, df2, statistic))


# Homogeneity of systems: whether they vary alike from item to item, as one model for all of them takes them to.


_FEWEST, _MOST_ITEMS, _SHUFFLES = 3, 500, 999
_LEAST_RATIO, _LEVEL = 1.5, 0.01


@dataclass(frozen=True)
class UnlikeSystem:
    """The system that varies most from item to item, against the others.

    Parameters
    ----------
    system : str
        Which.
    ratio : float
        Its own variance over the mean of the others': what items bring to its mean beyond what they bring to all.
    p_value : float
        Of all systems varying alike; 1 where the ratio is below 1.5, which is not tested.
    own : bool
        Whether what systems share was told apart; with two systems, or items of each, the ratio is of all variance.
    """

    system: str
    ratio: float
    p_value: float
    own: bool

    @property
    def differs(self) -> bool:
        """Whether the system varies more than chance explains, and by enough to matter."""
        return self.p_value <= _LEVEL

    def errors(self, systems: int) -> tuple[float, float]:
        """Standard error of the pooled model over the right one: for its differences, and among the others."""
        pooled = (self.ratio + systems - 1) / systems
        return float(np.sqrt(2 * pooled / (self.ratio + 1))), float(np.sqrt(pooled))


def unlike_caveats(means: JointMeans, varied: UnlikeSystem | None) -> list[Caveat]:
    """The caveat on one model for systems that do not vary alike, where the one that varies most differs."""
    if varied is None or not varied.differs:
        return []
    errors = varied.errors(len(means.systems)) if varied.own else None
    return [caveats.unlike_systems(varied.system, varied.ratio, varied.p_value, errors)]


def unlike_system(judgments: Judgments, facet: str = "system") -> UnlikeSystem | None:
    """The system that varies most from item to item, and whether chance explains by how much.

    Returns
    -------
    UnlikeSystem or None
        None where nothing can be compared: two systems judged on the same cells, whose variances do not matter apart,
        or fewer than 3 items that are judged equally often.

    Notes
    -----
    Of items that all systems have, by the cells that all have, the squares of what is left after subtracting the means
    of items and systems are shuffled among the systems of each item, 999 times; of items of each system, and of two
    systems, the squares about each system's mean. The statistic is the largest mean square over the median one. Ratios
    are of Grubbs' unbiased variances. Size and power are measured in ``docs/methods/compare.md``.

    References
    ----------
    Grubbs (1948), Journal of the American Statistical Association 43, 243-264; Pitman (1939), Biometrika 31, 9-12.
    """
    column, labels = judgments.level_codes([facet]), judgments.facet(facet).levels
    rest = judgments.level_codes([name for name in judgments.names if name != facet])
    shared = np.asarray(np.bincount(rest)[rest] == int(column.max()) + 1)  # cells that every system has
    if shared.all() and len(labels) == 2:
        return None
    together = len(np.unique(judgments.level_codes([judgments.object])[shared])) >= _FEWEST
    square, system, block = (
        _squares_within_items(judgments, column, shared) if together else _squares_between_items(judgments, column)
    )
    count = np.bincount(system, minlength=len(labels))
    if count.min() < _FEWEST:
        return None
    mean = np.bincount(system, square) / (count - 1)
    own = together and len(labels) > 2
    variance = grubbs(mean) if own else mean
    worst = int(np.argmax(mean))
    others = float(np.delete(variance, worst).mean())
    ratio = float(variance[worst] / others) if others > 0 else np.inf
    p = _shuffle_p_value(square, system, block) if ratio >= _LEAST_RATIO else 1.0
    return UnlikeSystem(labels[worst], ratio, p, own)


def _squares_within_items(judgments: Judgments, column: Ints, shared: NDArray[np.bool_]) -> tuple[Floats, Ints, Ints]:
    """Squares by item and system, the systems, and the items, within which systems can be exchanged."""
    item, system = judgments.level_codes([judgments.object])[shared], column[shared]
    item = np.unique(item, return_inverse=True)[1]
    k = int(system.max()) + 1
    cell = item * k + system
    mean = (np.bincount(cell, judgments.mean[shared]) / np.bincount(cell)).reshape(-1, k)
    mean = mean[np.lexsort(mean.T)][_some(len(mean))]  # in an order that labels of items have no part in
    left = mean - mean.mean(axis=0)
    left = left - left.mean(axis=1, keepdims=True) if k > 2 else left
    place = np.indices(left.shape)
    return (left**2).ravel(), place[1].ravel(), place[0].ravel()


def _squares_between_items(judgments: Judgments, column: Ints) -> tuple[Floats, Ints, Ints]:
    """The same of items of each system, judged equally often; all can be exchanged."""
    item = judgments.level_codes([judgments.object])
    pair, code = np.unique(item * (int(column.max()) + 1) + column, return_inverse=True)
    count = np.bincount(code)
    usual = count == np.argmax(np.bincount(count))
    mean, system = (np.bincount(code, judgments.mean) / count)[usual], pair[usual] % (int(column.max()) + 1)
    some = np.lexsort((mean, system))[_some(len(mean))]
    mean, system = mean[some], system[some]
    seen = np.maximum(np.bincount(system), 1)
    left = mean - (np.bincount(system, mean) / seen)[system]
    return left**2, system, np.zeros(len(left), dtype=np.int64)


def _some(n: int) -> Ints:
    """At most 500 of so many, which is enough to see a ratio that matters."""
    return np.arange(n) if n <= _MOST_ITEMS else stream(0, "unlike items").choice(n, _MOST_ITEMS, replace=False)


def grubbs(mean: Floats) -> Floats:
    """Unbiased variances of each system's own deviations, from those about the mean of an item; at least 0."""
    k = len(mean)
    return np.asarray(np.maximum(k / (k - 2) * (mean - mean.sum() / (k * (k - 1))), 0.0))


def _shuffle_p_value(square: Floats, system: Ints, block: Ints) -> float:
    """Share of shuffles within blocks, which come in order, that spread the mean squares as far."""
    rng, shuffled = (
        stream(0, "unlike systems"),
        square.reshape(int(block[-1]) + 1, -1).copy(),
    )  # a row a block, in order
    sums = [np.bincount(system, square)]
    for _ in range(_SHUFFLES):
        rng.permuted(shuffled, axis=1, out=shuffled)
        sums.append(np.bincount(system, shuffled.ravel()))
    mean = np.array(sums) / np.bincount(system)
    spread = mean.max(axis=1) / np.maximum(np.median(mean, axis=1), 1e-300)
    return float(np.mean(spread >= spread[0] * (1 - 1e-12)))
