"""The linear system of a problem at one point: what every solve with ``V(theta)`` needs.

Derivation and notation: ``docs/methods/reml.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.mixed.moments import MeanUnits, Products, gram
from quorate.numerics.mixed.patterns import STRONG, Levels
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.sampled import SIGNS, SampledLevels, filled


@dataclass(frozen=True, repr=False)
class Projected:
    """``V_w^-1 (v - W h)`` for data ``v`` on unit cells, summed over the columns of every term.

    With ``h = B W' V_w^-1 v`` this is ``P v``; with ``v = 0`` and minus ``h`` it is ``V_w^-1 W h``.
    """

    cells: Floats
    within: Floats
    shared: Floats


# Inverses of positive definite matrices, with their log-determinants.


_LARGE = 200
_STACK = 8
"""Matrices from which products of blocks of all of them are quicker than one after the other."""


def scaled_inverse(c: Floats, scale: Floats, p: int) -> tuple[Floats, float]:
    """``S (S C S + diag(0, I))^-1 S``, zero where ``S`` is, and the log-determinant of what is inverted."""
    active = np.flatnonzero(scale)
    s = scale[active]
    system = s[:, None] * (c if len(active) == len(c) else c[np.ix_(active, active)])
    system *= s
    shared = np.flatnonzero(active >= p)
    system[shared, shared] += 1
    inner, log_det = spd_inverse(system)
    inner *= s[:, None]
    inner *= s
    if len(active) == len(c):
        return inner, log_det
    out = np.zeros_like(c)
    out[np.ix_(active, active)] = inner
    return out, log_det


def spd_inverse(matrix: Floats) -> tuple[Floats, float]:
    """Inverse and log-determinant of a positive definite matrix.

    A large one by LAPACK's own inverse from the factor: a third of the time, once loading it is worth its while.
    """
    if matrix.shape[0] == 0:
        return matrix, 0.0
    if matrix.shape[0] <= _LARGE:
        lower = np.linalg.cholesky(matrix)
        half = np.linalg.inv(lower)
        return half.T @ half, 2 * float(np.sum(np.log(np.diag(lower))))
    from scipy.linalg import lapack

    factor, failed = lapack.dpotrf(matrix.T, lower=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError("the coefficient matrix is singular")
    log_det = 2 * float(np.sum(np.log(np.diag(factor))))
    inverse = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    for start in range(0, len(inverse), 128):  # the upper triangle, in place, by blocks that fit the cache
        rows = slice(start, start + 128)
        block = np.tril(inverse[rows, rows])
        inverse[rows, rows] = block + np.tril(block, -1).T
        inverse[rows, rows.stop :] = inverse[rows.stop :, rows].T
    return inverse.T, log_det


def lower_inverses(lower: Floats) -> Floats:
    """Inverses of lower triangular matrices, shape (..., size, size); of many at a time by blocks that double.

    The inverse of ``[[A, 0], [C, B]]`` is ``[[A^-1, 0], [-B^-1 C A^-1, B^-1]]``.
    """
    size = lower.shape[-1]
    if lower.size < _STACK * size**2:
        return np.asarray(np.linalg.inv(lower), dtype=np.float64)
    out, diagonal, half = np.zeros_like(lower), np.arange(size), 1
    out[..., diagonal, diagonal] = 1 / lower[..., diagonal, diagonal]
    while half < size:
        for start in range(0, size - half, 2 * half):
            a, b = slice(start, start + half), slice(start + half, min(start + 2 * half, size))
            out[..., b, a] = -(out[..., b, b] @ (lower[..., b, a] @ out[..., a, a]))
        half *= 2
    return out


# Random effects within blocks, eliminated by the Woodbury identity, with ``R = Gamma^(1/2)``.
#
# The symmetric ``I + R K R`` is factored, not ``I + K Gamma``: where the noise is small beside the effects, ``C`` from
# the unsymmetric inverse is wrong by the square of the ratio of their variances times the rounding error, and from the
# factor by the ratio itself.


_PART = 1 << 15
"""Entries of matrices that are factored together: a few copies of 256 kB fit the cache."""


@dataclass(frozen=True)
class Blocks:
    """What is needed of ``I + R K R = L L'`` for every pattern.

    Parameters
    ----------
    j : array, shape (..., columns, columns)
        ``(I + K Gamma)^-1``.
    half : array, shape (..., columns, columns)
        ``L^-1 R``, so that ``V_w^-1 = D^-1 - D^-1 Z half' half Z' D^-1``.
    log_det : array, shape (...)
        ``ln|I + K Gamma|``.
    """

    j: Floats
    half: Floats
    log_det: Floats


def factored(k: Floats, gamma: Floats) -> Blocks:
    """Factor ``I + R K R``; raises numpy.linalg.LinAlgError where that is not positive definite.

    Parameters
    ----------
    k : array, shape (patterns, columns, columns)
        Within-block columns with themselves.
    gamma : array, shape (..., columns)
        Variance of every column, none negative, the same for all patterns.
    """
    step = max(_PART // max(k.shape[-1] ** 2, 1), 1)
    if k.ndim == 3 and gamma.ndim == 1 and len(k) > 2 * step:
        j, half, log_det = np.empty_like(k), np.empty_like(k), np.empty(len(k))
        for start in range(0, len(k), step):
            some = slice(start, start + step)
            part = factored(k[some], gamma)
            j[some], half[some], log_det[some] = part.j, part.half, part.log_det
        return Blocks(j, half, log_det)
    root = np.sqrt(gamma)[..., None, :]
    system = root[..., None] * k * root[..., None, :]
    at = np.arange(k.shape[-1])
    system[..., at, at] += 1
    lower = np.asarray(np.linalg.cholesky(system), dtype=np.float64)
    inverse = lower_inverses(lower)
    log_det = 2 * np.sum(np.log(lower[..., at, at]), axis=-1)
    # J = R^-1 (I + R K R)^-1 R; on the rows of columns without variance I - K R (I + R K R)^-1 R.
    right = (inverse.swapaxes(-1, -2) @ inverse) * root[..., None, :]
    left, none = root[..., None], root[..., None] == 0
    if none.any():
        j = np.where(none, np.eye(k.shape[-1]) - k @ (left * right), right / np.where(none, 1.0, left))
    else:
        j = np.asarray(right / left, dtype=np.float64)
    return Blocks(j, inverse * root[..., None, :], log_det)


LEAST_NOISE = 1e-18


@dataclass(frozen=True, repr=False)
class Solved:
    """Everything a linear solve with ``V(theta)`` needs, at one point.

    ``j = (I + K Gamma)^-1`` and ``half`` per pattern, with ``half' half = Gamma J``; ``levels`` is the system of fixed
    effects and shared levels that is left across blocks.
    """

    theta: Floats
    weight: Floats
    gamma: Floats
    products: Products
    j: Floats
    half: Floats
    mean_units: MeanUnits
    levels: Levels | SampledLevels
    log_det: float

    @property
    def dense(self) -> Levels:
        """The levels, where their system was inverted."""
        if isinstance(self.levels, SampledLevels):
            raise TypeError("the system of shared levels is too large for its inverse")
        return self.levels

    @cached_property
    def grams(self) -> dict[int, Floats]:
        """What `within_block` has found, by term: traces and information ask for the same."""
        return {}

    @cached_property
    def moments(self) -> dict[bytes, Floats]:
        """Second moments of contrasts found so far, by their weights: a mean is asked for again and again."""
        return {}

    @cached_property
    def weights(self) -> dict[bytes, Projected]:
        """Weights of the contrast that was asked for last, by the contrast: of many cells they take much room."""
        return {}

    @property
    def rows(self) -> Floats | None:
        """``T`` of all mean units, where it is dense and small enough to be held at once."""
        if not self.mean_units.whole:
            return None
        rows = next(iter(self.mean_units)).t
        return rows if isinstance(rows, np.ndarray) else None


def solve(problem: Problem, theta: Floats, *, reml: bool | None = None) -> Solved:
    """Factor ``V(theta)``; raises numpy.linalg.LinAlgError where it is singular.

    Traces are taken with fixed effects projected out (``reml``; by default as the problem says).
    """
    gamma, gamma_shared, residual = problem.split(theta)
    noise = problem.units.noise @ residual
    if noise.min() < LEAST_NOISE:
        raise np.linalg.LinAlgError("a cell without residual variance")
    products = problem.moments.products(1 / noise)
    blocks = factored(products.k, gamma)
    count = problem.units.count
    log_noise = np.bincount(problem.units.cell_pattern, np.log(noise), len(count))
    log_det = float((log_noise + blocks.log_det) @ count)
    units = MeanUnits(products.n, problem.of_mean_units(blocks.j), problem.of_mean_units(blocks.half))
    reml = problem.reml if reml is None else reml
    levels: Levels | SampledLevels
    if problem.sampled:
        levels = SampledLevels(problem, products.g, next(iter(units)).h, gamma_shared, reml=reml)
    else:
        levels = _inverted(problem, products, units, gamma, gamma_shared, reml=reml)
    return Solved(theta, 1 / noise, gamma, products, blocks.j, blocks.half, units, levels, log_det + levels.log_det)


def _inverted(
    problem: Problem, products: Products, units: MeanUnits, gamma: Floats, gamma_shared: Floats, *, reml: bool
) -> Levels:
    """``C`` and its inverse ``B`` among Henderson's equations, as full matrices."""
    some = None if gamma.all() else (gamma > 0).astype(np.float64)
    c = products.g - units.sum(lambda part: gram(part.h, part.h, None if some is None else np.tile(some, len(part))))
    scale = np.concatenate([np.ones(problem.p), np.sqrt(gamma_shared)])
    b, log_det = scaled_inverse(c, scale, problem.p)
    b_trace = b
    if not reml:
        scale[: problem.p] = 0.0
        b_trace, log_det = scaled_inverse(c, scale, problem.p)
    return Levels(problem.p, gamma_shared, b_trace, c, b, log_det)


# Many data sets of one design at once, where the noise of every cell is the same.
#
# With one common noise variance ``d``, ``V = d (I + Z g Z' + U g_s U')``: cross products are taken once, at unit
# weight, and an evaluation is small dense algebra that stacks over data sets. ``docs/methods/bootstrap.md`` has the
# identities.


@dataclass(frozen=True)
class Reduced:
    """What data sets of a design come down to; the first axis is the data set.

    Parameters
    ----------
    zy : array, shape (m, units, columns)
        Within-block columns times the data.
    wy : array, shape (m, q)
        Fixed and shared columns times the data.
    yy : array, shape (m,)
        Sum of squares of the units.
    ss : array, shape (m, residual components)
        Reduced of squares inside cells.
    """

    zy: Floats
    wy: Floats
    yy: Floats
    ss: Floats

    def take(self, rows: Ints) -> Reduced:
        """Some of the data sets."""
        return Reduced(self.zy[rows], self.wy[rows], self.yy[rows], self.ss[rows])


@dataclass(frozen=True)
class Points:
    """Criteria and their derivatives, one per data set; see `quorate.numerics.mixed.reml.Point`.

    Parameters
    ----------
    criterion : array, shape (m,)
        Infinite where the variance matrix is singular.
    gradient : array, shape (m, components)
        Its gradients.
    hessian : array, shape (m, components, components)
        Averages of the observed and expected second derivatives.
    effects : array, shape (m, q)
        Fixed-effect estimates, then predictions of the shared effects.
    """

    criterion: Floats
    gradient: Floats
    hessian: Floats
    effects: Floats

    def take(self, rows: Ints) -> Points:
        """Some of the points."""
        return Points(self.criterion[rows], self.gradient[rows], self.hessian[rows], self.effects[rows])


@dataclass(frozen=True)
class _Solved:
    """`quorate.numerics.mixed.reml.Solved` at noise 1, stacked; units and columns of ``t`` and ``h`` are one axis.

    ``precision`` is the reciprocal of the variance of every fixed and shared column, 0 where there is none.
    """

    j: Floats
    half: Floats
    t: Floats
    h: Floats
    c: Floats
    b: Floats
    b_trace: Floats
    log_det: Floats
    precision: Floats


@dataclass(frozen=True)
class _Projected:
    """``Z'Py`` and ``U'Py`` at noise 1, its squares and products per pattern, ``y'Py`` and the effects."""

    z: Floats
    shared: Floats
    squares: Floats
    quadratic: Floats
    effects: Floats


class Stacked:
    """The likelihood of a design with one noise variance, for many data sets.

    Parameters
    ----------
    problem : Problem
        The design; `applies` must be true of it.
    """

    def __init__(self, problem: Problem) -> None:
        units, moments = problem.units, problem.moments
        products = moments.products(np.ones(len(units.cell_pattern)))
        self.problem = problem
        self._k, self._n, self._g = products.k, products.n.full(), products.g
        self._units, self._columns = moments.mean_units, moments.columns
        self._owner = units.unit_pattern[: self._units]
        self._pattern = units.unit_pattern
        self._order = np.argsort(self._pattern, kind="stable")
        self._first = np.flatnonzero(np.diff(self._pattern[self._order], prepend=-1))
        self._terms = np.eye(problem.n_within)[units.column_term]
        self._levels = np.eye(problem.n_shared)[units.shared_term]
        self._has = problem.replicates.df > 0
        self._free = units.n_cells - (problem.p if problem.reml else 0)
        self._expand = np.zeros((problem.n_components, problem.n_within + problem.n_shared + 1))
        np.fill_diagonal(self._expand, 1.0)
        self._expand[-problem.n_residual :] = 0.0
        self._expand[-problem.n_residual :, -1] = units.noise[0]

    @staticmethod
    def applies(problem: Problem) -> bool:
        """Whether all cells are equally noisy, whatever the components."""
        return bool(np.all(problem.units.noise == problem.units.noise[0]))

    @property
    def size(self) -> int:
        """Numbers held at once per data set, about."""
        return int(3 * self._n.size + 4 * self._g.size + 3 * len(self._pattern) * self._columns**2)

    def sums(self, problems: Sequence[Problem]) -> Reduced:
        """Reduce data sets of the design, made by `quorate.numerics.mixed.refit.with_data`."""
        pairs = [self.problem.moments.from_cells(problem.units.y) for problem in problems]
        return Reduced(
            np.array([z for z, _ in pairs]),
            np.array([w for _, w in pairs]),
            np.array([problem.units.y @ problem.units.y for problem in problems]),
            np.array([problem.replicates.ss for problem in problems]),
        )

    def evaluate(self, theta: Floats, sums: Reduced) -> Points:
        """Criterion, gradient and average information of every data set.

        Parameters
        ----------
        theta : array, shape (m, components) or (1, components)
            Where; one row serves all data sets.
        sums : Reduced
            The data.
        """
        random, residual = np.split(theta, [theta.shape[1] - self.problem.n_residual], axis=1)
        noise = residual @ self._expand[-self.problem.n_residual :, -1]
        proper = (noise > 0) & np.all(residual[:, self._has] > 0, axis=1)
        d = np.where(proper, noise, 1.0)
        ratio = random / d[:, None]
        solved = self._solve(ratio)
        at = self._project(solved, sums)
        # y'P A_t P y of the random components.
        of_random = np.hstack([np.einsum("mpkk->mk", at.squares) @ self._terms, at.shared**2 @ self._levels])
        traces, squares, pairs = self._with_noise(
            ratio, at.quadratic, self._traces(solved), of_random, self._pairs(solved, at)
        )
        # Constant and chi-squares inside cells: criterion, gradient and average information.
        problem, df = self.problem, self.problem.replicates.df
        some = np.where(self._has, np.where(proper[:, None], residual, 1.0), 1.0)
        ss = np.where(self._has, sums.ss, 0.0)
        free = problem.n_rows - (problem.p if problem.reml else 0)
        constant = free * np.log(2 * np.pi) + problem.replicates.log_counts
        inside = constant + np.log(some) @ df + np.sum(ss / some, axis=1)
        criterion = inside + self._free * np.log(d) + solved.log_det + at.quadratic / d
        gradient = (traces / d[:, None] - squares / d[:, None] ** 2) @ self._expand.T
        hessian = self._expand @ (pairs / d[:, None, None] ** 3) @ self._expand.T
        tail = np.arange(random.shape[1], theta.shape[1])
        gradient[:, tail] += df / some - ss / some**2
        hessian[:, tail, tail] += ss / some**3
        return Points(np.where(proper, criterion, np.inf), gradient, hessian, at.effects)

    def _solve(self, ratio: Floats) -> _Solved:
        gamma = ratio[:, : self.problem.n_within] @ self._terms.T
        root = np.sqrt(ratio[:, self.problem.n_within :] @ self._levels.T)
        blocks = factored(self._k, gamma)
        n = self._n.reshape(self._units, self._columns, len(self._g))
        t = blocks.j[:, self._owner] @ n
        h = (blocks.half[:, self._owner] @ n).reshape(len(ratio), *self._n.shape)
        c = self._g - h.transpose(0, 2, 1) @ h
        p = self.problem.p
        scale = np.hstack([np.ones((len(root), p)), root])
        both = scale[:, :, None] * scale[:, None, :]
        system = both * c
        shared = np.arange(p, c.shape[1])
        system[:, shared, shared] += 1
        b = np.linalg.inv(system) * both
        if self.problem.reml:
            b_trace, log_shared = b, np.linalg.slogdet(system).logabsdet
        else:
            b_trace = np.zeros_like(b)
            b_trace[:, p:, p:] = np.linalg.inv(system[:, p:, p:]) * both[:, p:, p:]
            log_shared = np.linalg.slogdet(system[:, p:, p:]).logabsdet
        log_det = blocks.log_det @ self.problem.units.count + log_shared
        precision = np.zeros((len(ratio), len(self._g)))
        np.divide(1.0, root**2, out=precision[:, p:], where=root > 0)
        return _Solved(blocks.j, blocks.half, t.reshape(h.shape), h, c, b, b_trace, log_det, precision)

    def _project(self, solved: _Solved, sums: Reduced) -> _Projected:
        local = _times(solved.half[:, self._pattern], sums.zy)
        wv = sums.wy - _times(solved.h.transpose(0, 2, 1), local[:, : self._units].reshape(len(local), len(self._n)))
        once = _times(solved.b, wv)
        effects = once + _times(solved.b, wv - _times(solved.c, once) - once * solved.precision)
        left = sums.zy.copy()
        left[:, : self._units] -= (effects @ self._n.T).reshape(len(left), self._units, self._columns)
        z = _times(solved.j[:, self._pattern], left)
        quadratic = sums.yy - np.sum(wv * effects, axis=1) - np.sum(local**2, axis=(1, 2))
        ordered = z[:, self._order]
        squares = np.add.reduceat(ordered[..., :, None] * ordered[..., None, :], self._first, axis=1)
        shared = (wv - _times(solved.c, effects))[:, self.problem.p :]
        return _Projected(z[:, : self._units], shared, squares, quadratic, effects)

    def _traces(self, solved: _Solved) -> Floats:
        """``tr(P A_t)`` of the random components."""
        within = np.einsum("mpkk,p->mk", solved.j @ self._k, self.problem.units.count)
        used = np.sum((solved.t @ solved.b_trace) * solved.t, axis=2)
        within -= used.reshape(len(used), self._units, self._columns).sum(axis=1)
        # The diagonal of U'P U, without a difference of products where the level's variance allows it.
        diagonal = np.einsum("mkk->mk", solved.c)
        product = diagonal - np.sum((solved.c @ solved.b_trace) * solved.c, axis=2)
        direct = (1 - np.einsum("mkk->mk", solved.b_trace) * solved.precision) * solved.precision
        strong = (solved.precision > 0) & (diagonal > STRONG * solved.precision)
        levels = np.where(strong, direct, product)[:, self.problem.p :]
        return np.hstack([within @ self._terms, levels @ self._levels])

    def _pairs(self, solved: _Solved, at: _Projected) -> Floats:
        """``y'P A_s P A_t P y`` of the random components."""
        p, a = self.problem.p, self.problem.n_within
        t = solved.t.reshape(len(solved.t), self._units, self._columns, len(self._g))
        within = self._terms.T @ np.sum(t * at.z[..., None], axis=1)
        levels = at.shared[:, :, None] * self._levels
        wf = np.concatenate([within, (solved.c[:, :, p:] @ levels).transpose(0, 2, 1)], axis=1)
        cross = wf[:, :, p:] @ levels
        inside = self._terms.T @ np.sum(at.squares * (solved.j @ self._k), axis=1) @ self._terms
        inner = np.concatenate([np.concatenate([inside, cross[:, :a].transpose(0, 2, 1)], axis=1), cross], axis=2)
        out: Floats = inner - wf @ solved.b @ wf.transpose(0, 2, 1)
        return out

    def _with_noise(
        self, ratio: Floats, quadratic: Floats, traces: Floats, squares: Floats, pairs: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Add the noise as the last component: ``P V P = P`` and ``tr(P V)`` give what belongs to it."""
        trace = self._free - np.sum(ratio * traces, axis=1)
        square = quadratic - np.sum(ratio * squares, axis=1)
        mixed = squares - np.sum(pairs * ratio[:, None, :], axis=2)
        both = square - np.sum(ratio * mixed, axis=1)
        row = np.hstack([mixed, both[:, None]])
        wide = np.concatenate([pairs, mixed[:, None, :]], axis=1)
        return (
            np.hstack([traces, trace[:, None]]),
            np.hstack([squares, square[:, None]]),
            np.concatenate([wide, row[:, :, None]], axis=2),
        )


def _times(matrix: Floats, vector: Floats) -> Floats:
    out: Floats = (matrix @ vector[..., None])[..., 0]
    return out


# Traces by random signs, where the system of shared levels is not inverted; see `SampledLevels`.


def residual_products(problem: Problem, solved: Solved, r: int) -> tuple[Products, float]:
    """Products of a residual component, and its trace before shared levels and fixed effects are taken off."""
    a, count = problem.units.noise[:, r], problem.units.count
    products = problem.moments.products(a * solved.weight**2)
    diagonal = np.bincount(problem.units.cell_pattern, a * solved.weight, len(count)) @ count
    return products, float(diagonal - np.einsum("k,pkl,plk,p->", solved.gamma, solved.j, products.k, count))


def sampled_traces(problem: Problem, solved: Solved, levels: SampledLevels) -> Floats:
    """``tr(P A_t)`` of every component as a sum of columns: without the inverse, then one for each of its sides.

    Shape (components, 1 + columns of `SampledLevels.sides`).
    """
    first = problem.n_within + problem.n_shared
    left, right = levels.sides
    out = np.zeros((problem.n_components, 1 + left.shape[1]))
    count, columns = problem.units.count, len(problem.units.column_term)
    terms = np.eye(problem.n_within)[problem.units.column_term]
    out[: problem.n_within, 0] = terms.T @ np.einsum("pkl,plk,p->k", solved.j, solved.products.k, count)
    (part,) = solved.mean_units
    within = filled(part.t)
    seen = np.asarray(within @ left)
    seen[:, :SIGNS] *= np.asarray(within @ right[:, :SIGNS])
    seen[:, SIGNS:] **= 2  # the same on both sides
    out[: problem.n_within, 1:] = -terms.T @ seen.reshape(len(part), columns, -1).sum(axis=0)
    owner = np.eye(problem.n_shared)[problem.units.shared_term]
    fixed, taken = levels.taken
    out[problem.n_within : first] = owner.T @ np.column_stack([fixed, -taken])
    largest = problem.largest_residual(solved.theta)
    for r in range(problem.n_residual):
        if r != largest:
            products, out[first + r, 0] = residual_products(problem, solved, r)
            out[first + r, 1:] = -_sandwiched(problem, solved, products, left, right)
    projected = problem.p if levels.reml else 0
    share = solved.theta @ out
    share[0] -= problem.units.n_cells - projected
    out[first + largest] = -share / solved.theta[first + largest]
    return out


def sampling_error(problem: Problem, solved: Solved, covariance: Floats) -> Floats:
    """Standard deviation of estimates over other signs, as a part of their standard errors; shape (components,).

    Of a problem that is sampled.

    Parameters
    ----------
    covariance : array, shape (components, components)
        Covariance of the estimated components; zero for others.
    """
    levels = cast("SampledLevels", solved.levels)
    each = sampled_traces(problem, solved, levels)[:, 1 : 1 + SIGNS] * np.sqrt(SIGNS)
    error = np.sqrt(np.diag(covariance))
    moved = np.std(covariance @ each / 2, axis=1, ddof=1)  # the criterion's second derivatives are twice its inverse
    return np.asarray(np.divide(moved, error, out=np.zeros_like(moved), where=error > 0), dtype=np.float64)


def _sandwiched(problem: Problem, solved: Solved, products: Products, left: Floats, right: Floats) -> Floats:
    """``l' W' V_w^-1 A V_w^-1 W r`` of a residual component for every pair of columns, less what needs no inverse."""
    (part,), (columns, gamma) = solved.mean_units, (len(solved.gamma), solved.gamma[:, None])
    k = problem.of_mean_units(products.k)

    def seen(side: Floats) -> tuple[Floats, Floats]:
        shape = len(part), columns, side.shape[1]
        return gamma * np.asarray(part.t @ side).reshape(shape), np.asarray(products.n.rows @ side).reshape(shape)

    (gl, nl), (gr, nr) = seen(left), seen(right)
    across = np.sum(gl * (k @ gr / 2 - nr) + gr * (k @ gl / 2 - nl), axis=(0, 1))
    return np.asarray(np.sum(left * (products.g @ right), axis=0) + across, dtype=np.float64)
