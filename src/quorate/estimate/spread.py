"""How far contrasts of means would vary: by the spread over items, or by a fitted model; tests of several at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quorate.estimate.decomposition import Decomposition
from quorate.numerics.inference import satterthwaite, t_quantile
from quorate.numerics.information import adjustment, weights
from quorate.numerics.reml import squares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_ROUNDING = 1e-13
"""Variance of a contrast, as a part of those of its means, that rounding errors leave of none."""


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
        from scipy.special import ndtr, stdtr

        t = -np.abs(self.value / self.se)
        return np.asarray(2 * np.where(np.isinf(self.df), ndtr(t), stdtr(np.minimum(self.df, 1e9), t)))


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
class Group:
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
    groups : tuple of Group
        Every item is in one.
    items : array of int, shape (combinations,), optional
        Items that have each combination, where those of a group do not have the same.
    """

    groups: tuple[Group, ...]
    items: Ints | None = None

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
        return np.sqrt(variance), df if self.items is None else np.minimum(df, self._independent(weights))

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """Hotelling's test; with several groups Krishnamoorthy and Yu's (2004, Stat. Probab. Lett. 66, 161-169)."""
        parts = [w @ g.covariance @ w.T for g in self.groups for w in [weights[:, g.combinations]]]
        total, q = np.sum(parts, axis=0), len(value)
        if not _regular(total):
            return None
        ratios = [np.linalg.solve(total, part) for part in parts]
        spent = [(np.sum(r * r.T) + np.trace(r) ** 2) / (g.n - 1) for r, g in zip(ratios, self.groups, strict=True)]
        df = (q + q**2) / float(np.sum(spent))
        if self.items is not None:
            df = min(df, float(self._independent(weights).min()))
        if df - q + 1 < 1 - 1e-9:
            return None
        square = float(value @ np.linalg.solve(total, value))
        return _f_test(square * (df - q + 1) / (df * q), q, df - q + 1)

    def _independent(self, weights: Floats) -> Floats:
        """Degrees of freedom if every mean had items of its own: few where a contrast rests on a mean of few items."""
        variances = np.zeros(weights.shape[1])
        for group in self.groups:
            variances[group.combinations] += np.diag(group.covariance)
        parts = weights**2 * variances
        left = np.ones(len(variances)) if self.items is None else self.items - 1.0
        spent = np.sum(parts**2 / left, axis=1)
        none = np.full(len(parts), np.inf)
        return np.asarray(np.divide(parts.sum(axis=1) ** 2, spent, out=none, where=spent > 0), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class FittedSpread:
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
        found = [self._one(row) for row in weights @ self.levels]
        variance, df = np.array(found).reshape(-1, 2).T
        return np.sqrt(variance), df

    def joint(self, value: Floats, weights: Floats) -> JointTest | None:
        """F with the denominator of Fai and Cornelius (1996, J. Stat. Comput. Simul. 54, 363-378)."""
        rows = weights @ self.levels
        plain = rows @ self.fit.beta_covariance @ rows.T
        if not _regular(plain):
            return None
        axes = np.linalg.eigh(plain)[1].T
        variance, df = np.array([self._one(row) for row in axes @ rows]).T
        return _f_test(float(np.mean((axes @ value) ** 2 / variance)), len(value), _fai_cornelius(df))

    def _one(self, weight: Floats) -> tuple[float, float]:
        problem, solved, scale = self.fit.assembled.problem, self.fit.point.solved, self.fit.assembled.scale
        covariance = self.fit.covariance
        variance = float(weight @ self.fit.beta_covariance @ weight)
        gradient = squares(problem, weights(problem, solved, weight))
        extra = scale**2 * adjustment(problem, solved, weight, covariance / scale**4)
        return variance + extra, satterthwaite(variance, gradient, covariance)


def holm(p: Floats) -> Floats:
    """P-values adjusted for being looked at together, shape as given; nan stays nan but counts.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70. R: ``p.adjust(p, "holm")``.
    """
    order = np.argsort(p)
    steps = np.arange(len(p), 0, -1)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(steps * p[order]), 1.0)
    return out


def _regular(matrix: Floats) -> bool:
    size = np.sqrt(np.diag(matrix))
    return bool(size.min() > 0 and np.linalg.eigvalsh(matrix / np.outer(size, size)).min() > _ROUNDING * len(size))


def _fai_cornelius(df: Floats) -> float:
    """Denominator of an F whose independent t's have these degrees of freedom."""
    if np.ptp(df) < 1e-8 * df.max():
        return float(df.mean())
    expected = float(np.sum(df / (df - 2))) if df.min() > 2 else np.inf
    return 2.0 if np.isinf(expected) else 2 * expected / (expected - len(df))


def _f_test(statistic: float, df1: float, df2: float) -> JointTest:
    from scipy.special import fdtrc

    return JointTest(statistic, df1, df2, float(fdtrc(df1, min(df2, 1e9), statistic)))
