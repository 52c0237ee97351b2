"""Many data sets of one design at once, where the noise of every cell is the same.

With one common noise variance ``d``, ``V = d (I + Z g Z' + U g_s U')``: cross products are taken once, at unit weight,
and an evaluation is small dense algebra that stacks over data sets. ``docs/methods/bootstrap.md`` has the identities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.patterns import STRONG
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.solved import factored


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
