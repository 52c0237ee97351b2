"""Expected information about variance components, without ever forming a matrix over cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.mixed.moments import Part, Products, gram, less, scaled
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.reml import (
    projected_data,
    residual_projection,
    sandwich,
    second_moment,
    squares,
    traces,
    within_block,
)
from quorate.numerics.mixed.sampled import FEW_LEVELS
from quorate.numerics.mixed.solved import Projected, Solved, solve
from quorate.streams import stream
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.numerics.mixed.moments import Rows


DRAWS = 8
"""Data sets that an information is averaged over."""


def information(problem: Problem, solved: Solved) -> Floats:
    """Half the trace of ``P A_s P A_t`` for every pair of components, replicates inside cells included.

    This is the expected REML information (ML with ``b_trace``), whatever the data. Parts across blocks are
    ``tr(B R_s B R_t)`` with ``R_t = W' V_w^-1 A_t V_w^-1 W``; where ``B`` is not at hand, averages over drawn data.

    Parameters
    ----------
    problem : Problem
        The design.
    solved : Solved
        The linear system at the components where the information is wanted.

    Returns
    -------
    array, shape (components, components)
    """
    out = _of_draws(problem, solved) if problem.sampled else _exact(problem, solved)
    residual = solved.theta[-problem.n_residual :]
    tail = np.arange(problem.n_components - problem.n_residual, problem.n_components)
    has = problem.replicates.df > 0
    out[tail[has], tail[has]] += problem.replicates.df[has] / (2 * residual[has] ** 2)
    return out


def _of_draws(problem: Problem, solved: Solved) -> Floats:
    """The mean of average information over data drawn from the model; rows of terms of few levels exactly.

    ``E[y'P A_s P A_t P y] = tr(P A_s P A_t)`` for ``y`` with covariance ``V``; being a sum of products of the vectors
    ``A_t P y`` it is flat wherever the likelihood is. Of few levels ``u``, ``tr(P A_s P A_t) = sum (P u)'A_t P u``.
    """
    from quorate.numerics.mixed.problem import Redraw

    redraw, rng = Redraw(problem, solved.theta, np.zeros(problem.p)), stream(0, "draws of information")
    out = np.zeros((problem.n_components, problem.n_components))
    for _ in range(DRAWS):
        _, projected = projected_data(problem, solved, redraw.draw(rng).units.y)
        out += second_moment(problem, solved, projected) / (2 * DRAWS)
    shared = problem.units.shared_term
    few = np.flatnonzero(np.bincount(shared, minlength=problem.n_shared) <= FEW_LEVELS)
    for t in few if np.any(solved.theta[: problem.n_within + problem.n_shared]) else ():
        row = sum(squares(problem, _of_column(problem, solved, at)) for at in problem.p + np.flatnonzero(shared == t))
        out[problem.n_within + t] = out[:, problem.n_within + t] = row / 2
    return out


def _of_column(problem: Problem, solved: Solved, at: int) -> Projected:
    """``P u`` for a column of the shared levels."""
    unit = np.zeros(problem.moments.q)
    unit[at] = 1.0
    return _spread(problem, solved, unit - solved.levels.inverse_times(solved.levels.coefficients_times(unit)))


def _exact(problem: Problem, solved: Solved) -> Floats:
    """Half the traces, but for what replicates add."""
    first = problem.n_within + problem.n_shared
    pairs = np.zeros((problem.n_components, problem.n_components))
    terms = np.eye(problem.n_within)[problem.units.column_term]
    levels = np.eye(problem.n_shared)[problem.units.shared_term]
    seen = range(problem.n_within if _few_rows(problem, solved) is None else 0)
    sides = [_side(solved, levels, within_block(problem, solved, t)) for t in seen]
    pairs[:first, :first] = _random(problem, solved, terms, levels, sides)
    largest = problem.largest_residual(solved.theta)
    others: list[_Residual] = []
    for r in range(problem.n_residual):
        if r == largest:
            continue
        products = problem.moments.products(problem.units.noise[:, r] * solved.weight**2)
        others.append(_Residual(r, products, _side(solved, levels, sandwich(problem, solved, products))))
        row = first + r
        pairs[row, :first] = pairs[:first, row] = _with_random(problem, solved, others[-1], terms, sides)
        for other in others:
            place = first + other.place
            pairs[row, place] = pairs[place, row] = _residual_pair(problem, solved, others[-1], other)
    # Row and column of the largest residual component from sum_s theta_s tr(P A_r P A_s) = tr(P A_r).
    t, once = first + largest, traces(problem, solved)
    pairs[t] = pairs[:, t] = (once - pairs @ solved.theta) / solved.theta[t]
    pairs[t, t] = (once[t] - pairs[t] @ solved.theta + pairs[t, t] * solved.theta[t]) / solved.theta[t]
    return pairs / 2


def covariance(problem: Problem, solved: Solved, kept: list[int]) -> Floats:
    """Covariance of the components ``kept``, from the expected information; shape (components, components), else 0."""
    inside = information(problem, solved)[np.ix_(kept, kept)]
    out = np.zeros((problem.n_components, problem.n_components))
    if len(kept) == 1:  # quicker, and asked for in every comparison of pairs
        out[kept, kept] = 1 / inside[0, 0]
        return out
    told = np.diag(inside) > 0  # rounding may leave less than nothing of what a component is known by
    inside, kept = inside[np.ix_(told, told)], [one for one, known in zip(kept, told, strict=True) if known]
    scale = 1 / np.sqrt(np.diag(inside))
    inverse = np.linalg.pinv(inside * scale[:, None] * scale, rcond=1e-10, hermitian=True)
    out[np.ix_(kept, kept)] = inverse * scale[:, None] * scale
    return out


def component_df(problem: Problem, theta: Floats, kept: list[int], t: int) -> float:
    """Degrees of freedom a component would have if nothing disturbed it: ``2 s2^2 / var`` as ``s2`` grows.

    For balanced data these are the degrees of freedom of its line in the analysis of variance. At ``s2`` the ratio is
    ``df s2^2 / (s2 + d)^2``, so two moderate values give the limit without the rounding errors of a large one.

    Parameters
    ----------
    theta : array, shape (components,)
        Components at which the others stay.
    kept : list of int
        Components that are told apart.
    t : int
        The component.
    """
    sizes = np.array([10.0, 100.0]) * max(float(theta.max()), 1e-12)
    roots = []
    for size in sizes:
        large = np.where(np.arange(len(theta)) == t, size, theta)
        roots.append(size * np.sqrt(2 / covariance(problem, solve(problem, large), kept)[t, t]))
    reciprocal = np.diff(sizes / np.array(roots)) / np.diff(sizes)
    return max(1.0, float(reciprocal[0] ** -2))


def null_point(problem: Problem) -> Floats:
    """Components under which the raw rows are uncorrelated with variance 1, so that ``P`` projects out ``X`` only."""
    noise = problem.units.noise
    residual = (problem.replicates.df > 0).astype(float)
    for r in reversed(range(problem.n_residual)):  # strata without replicates: one component stands for both
        if np.any((noise[:, r] > 0) & (noise @ residual == 0)):
            residual[r] = 1.0
    return np.append(np.zeros(problem.n_components - problem.n_residual), residual)


def quadratic_forms(problem: Problem, solved: Solved) -> Floats:
    """``y' P A_t P y`` for every component, plus the sums of squares inside cells."""
    out = squares(problem, projected_data(problem, solved, problem.units.y)[1])
    out[-problem.n_residual :] += problem.replicates.ss
    return out


def adjustment(problem: Problem, solved: Solved, contrast: Floats, covariance: Floats) -> float:
    """What estimating the components adds to the variance of ``contrast' beta`` (Kenward and Roger 1997, Eq. 6).

    Parameters
    ----------
    contrast : array, shape (p,)
        Weights on the fixed effects.
    covariance : array, shape (components, components)
        Covariance of the estimated components.
    """
    key = contrast.tobytes()
    if key not in solved.moments:
        solved.moments[key] = second_moment(problem, solved, weights(problem, solved, contrast))
    added = 2 * float(np.sum(covariance * solved.moments[key]))
    return max(added, 0.0)  # a trace of a product of matrices without negative eigenvalues, but for rounding


def weights(problem: Problem, solved: Solved, contrast: Floats) -> Projected:
    """Weights ``w = V^-1 X (X'V^-1X)^-1 L`` of the estimate ``L'beta`` on cells, columns and shared levels."""
    key = contrast.tobytes()
    if key not in solved.weights:
        spread = _spread(problem, solved, solved.levels.of_fixed @ contrast)
        solved.weights.clear()
        solved.weights[key] = spread
    return solved.weights[key]


def _spread(problem: Problem, solved: Solved, h: Floats) -> Projected:
    """``V_w^-1 W h``."""
    units, moments = problem.units, problem.moments
    zero = np.zeros_like(units.y)
    none = np.zeros((moments.n_units, moments.columns))
    return residual_projection(problem, solved, zero, none, np.zeros(moments.q), -h)


def cell_weights(problem: Problem, projected: Projected) -> Floats:
    """Weight of every cell of the model in an estimate, from `weights`; shape (cells,)."""
    units = problem.units
    out: Floats = projected.cells[units.mean_cell] / units.scale[units.cell_unit[units.mean_cell]]
    return out


@dataclass(frozen=True, eq=False)
class _Side:
    """A component seen across blocks: ``B R``, and the trace of ``P A_t P U_s U_s'`` for every shared term ``s``."""

    br: Floats
    shared: Floats


@dataclass(frozen=True, eq=False)
class _Residual:
    """A residual component: its place, cross products with weights ``a / d^2``, and how it is seen across blocks."""

    place: int
    products: Products
    side: _Side


def _few_rows(problem: Problem, solved: Solved) -> Floats | None:
    """``T`` where ``tr(B R_s B R_t)`` is better taken as ``|T_s B T_t'|^2``: it has fewer rows than fixed effects."""
    if problem.n_shared or problem.n_residual > 1 or problem.moments.mean_units * problem.moments.columns >= problem.p:
        return None
    return solved.rows


def _side(solved: Solved, levels: Floats, r: Floats) -> _Side:
    br, outside = solved.dense.times(r)
    return _Side(br, levels.T @ np.einsum("ij,ij->i", outside, solved.dense.outside))


def _across(left: _Side, right: _Side) -> float:
    return float(np.einsum("ij,ji->", left.br, right.br))


def _random(problem: Problem, solved: Solved, terms: Floats, levels: Floats, sides: list[_Side]) -> Floats:
    """Pairs of within-block and shared terms."""
    a, b = terms.shape[1], levels.shape[1]
    out = np.zeros((a + b, a + b))
    m = solved.j @ solved.products.k
    out[:a, :a] = terms.T @ np.einsum("pkl,p->kl", m**2, problem.units.count) @ terms
    out[:a, :a] += _inner_pairs(problem, solved, m, terms)
    if (few := _few_rows(problem, solved)) is not None:
        rows = np.tile(terms, (problem.moments.mean_units, 1))
        out[:a, :a] += rows.T @ np.asarray(few @ problem.moments.outward_both(solved.dense.b_trace) @ few.T) ** 2 @ rows
    for t, own in enumerate(sides):
        out[:a, t] += [_across(side, own) for side in sides]
        out[a:, t] = out[t, a:] = own.shared
    out[a:, a:] = levels.T @ solved.dense.projected**2 @ levels
    return out


def _inner_pairs(problem: Problem, solved: Solved, m: Floats, terms: Floats) -> Floats:
    """``-2 tr(T_s B T_t' M_ts)`` for every pair of within-block terms; dense rows are multiplied with ``B`` once."""
    moments, m = problem.moments, problem.of_mean_units(m)
    b, out = moments.outward_both(solved.dense.b_trace), np.zeros((problem.n_within, problem.n_within))
    for part in solved.mean_units:
        if isinstance(part.t, np.ndarray):
            t = part.t.reshape(len(part), moments.columns, moments.width)
            out -= 2 * terms.T @ np.einsum("pkl,pkl->kl", m[part.units], (t @ b) @ t.swapaxes(1, 2)) @ terms
            continue
        for at, term in enumerate(terms.T):
            out[:, at] -= 2 * _inner(problem, part, moments.sparsity.apply(m * term, part.t), b)
    return out


def _inner(problem: Problem, part: Part, rows: Rows, b: Floats) -> Floats:
    """Trace of ``T B rows'``, over the columns of every within-block term."""
    grams = (gram(part.t, rows, problem.rows_of(t, len(part))) for t in range(problem.n_within))
    return np.array([float(np.sum(b * block)) for block in grams])


def _with_random(problem: Problem, solved: Solved, residual: _Residual, terms: Floats, sides: list[_Side]) -> Floats:
    """A residual component with every within-block and shared term."""
    jk = solved.j @ residual.products.k
    within = terms.T @ np.einsum("pkl,pkl,p->k", jk, solved.j, problem.units.count)
    b = problem.moments.outward_both(solved.dense.b_trace)
    for part, (_, n) in zip(solved.mean_units, residual.products.n, strict=True):
        cross = _noise_cross(problem, solved, part, residual.products, n)
        within -= 2 * _inner(problem, part, part.sparsity.apply(part.j, cross), b)
    across = np.array([_across(residual.side, other) for other in sides])
    return np.concatenate([within + across, residual.side.shared])


def _residual_pair(problem: Problem, solved: Solved, left: _Residual, right: _Residual) -> float:
    """Two residual components."""
    units = problem.units
    both = units.noise[:, left.place] * units.noise[:, right.place]
    third = problem.moments.products(both * solved.weight**3)
    gj = solved.gamma[:, None] * solved.j
    count = units.count
    out = np.bincount(units.cell_pattern, both * solved.weight**2, len(count)) @ count
    out -= 2 * np.einsum("pkl,plk,p->", gj, third.k, count)
    out += np.einsum("pkl,plk,p->", gj @ left.products.k, gj @ right.products.k, count)

    def crossed(part: Part, n: Rows, other: Rows) -> Floats:
        first = _noise_cross(problem, solved, part, left.products, n)
        second = _noise_cross(problem, solved, part, right.products, other)
        return gram(first, part.sparsity.apply(solved.gamma[:, None] * part.j, second))

    inner = solved.mean_units.sum(crossed, left.products.n, right.products.n)
    out -= 2 * np.sum(solved.dense.b_trace * (sandwich(problem, solved, third) - inner))
    return float(out) + _across(left.side, right.side)


def _noise_cross(problem: Problem, solved: Solved, part: Part, products: Products, n: Rows) -> Rows:
    """``Z' D^-1 a V_w^-1 W`` per mean unit and column of a part, of whose rows ``n`` are those with weights ``a``."""
    gt = scaled(part.t, np.tile(solved.gamma, len(part)))
    return less(n, part.sparsity.apply(problem.of_mean_units(products.k)[part.units], gt))


# Identifiability: the variance components that a design can tell apart.


_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Identified(Brief):
    """What is identifiable, from ``G_st = ||Z_t' Q Z_s||^2`` on the raw rows.

    Parameters
    ----------
    absorbed : tuple of int
        Components with ``G_tt = 0``: fixed effects, or having one level only, leave nothing to see.
    classes : tuple of tuple of int
        Components of equal structure; only the sum of a class can be estimated. Singletons included.
    null : array, shape (m, components)
        Other directions along which the likelihood is flat, on the representatives of the classes.
    condition : float
        Condition number of the scaled matrix on the representatives, without its null directions.
    """

    absorbed: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    null: Floats
    condition: float

    @property
    def representatives(self) -> tuple[int, ...]:
        """One component of each class, the last: residual components, which a fit cannot do without, come last."""
        return tuple(members[-1] for members in self.classes)

    def null_space(self) -> Floats:
        """All flat directions, shape (directions, components)."""
        size = self.null.shape[1]
        unit = np.eye(size)
        rows = [unit[t] for t in self.absorbed]
        rows += [unit[members[-1]] - unit[other] for members in self.classes for other in members[:-1]]
        return np.vstack([*rows, self.null]) if rows or len(self.null) else np.zeros((0, size))

    def estimable(self, coefficients: Floats) -> bool:
        """Whether a linear function of the components is the same along every flat direction."""
        space = self.null_space()
        size = np.linalg.norm(space, axis=1) * max(float(np.abs(coefficients).max(initial=0)), 1e-300)
        return bool(np.all(np.abs(space @ coefficients) <= 1e-7 * size))


def identify(g: Floats, rows: float) -> Identified:
    """Read aliases off the matrix ``G``.

    Parameters
    ----------
    g : array, shape (components, components)
        ``G_st``, twice the expected information where the raw rows have unit variance.
    rows : float
        Number of raw rows.
    """
    size = np.diag(g)
    absorbed = np.flatnonzero(size <= _TOLERANCE * rows)
    left = [t for t in range(len(g)) if t not in absorbed]
    classes: list[list[int]] = []
    for t in left:
        for members in classes:
            s = members[0]
            if g[s, s] - 2 * g[s, t] + g[t, t] <= _TOLERANCE * (g[s, s] + g[t, t]):
                members.append(t)
                break
        else:
            classes.append([t])
    first = [members[-1] for members in classes]
    if len(first) == 1:  # which no other can replace
        return Identified(tuple(absorbed.tolist()), (tuple(classes[0]),), np.zeros((0, len(g))), 1.0)
    scale = 1 / np.sqrt(size[first])
    values, vectors = np.linalg.eigh(g[np.ix_(first, first)] * scale[:, None] * scale)
    flat = values < _TOLERANCE * max(values.max(initial=0.0), 1.0)
    null = np.zeros((int(flat.sum()), len(g)))
    null[:, first] = _row_echelon((vectors[:, flat] * scale[:, None]).T)
    kept = values[~flat]
    condition = float(kept.max() / kept.min()) if len(kept) else 1.0
    return Identified(tuple(absorbed.tolist()), tuple(map(tuple, classes)), null, condition)


def bounds(coefficients: Floats, theta: Floats, space: Floats) -> tuple[float, float]:
    """Range of ``coefficients' sigma`` over the non-negative components that fit the data as well as ``theta``.

    Parameters
    ----------
    coefficients, theta : array, shape (components,)
        The linear function, and one set of components at the optimum.
    space : array, shape (directions, components)
        Flat directions. An absorbed component is unbounded above.
    """
    if not np.any((space != 0).sum(axis=0) > 1):  # directions that share no component: no linear programme is needed
        ends = np.array([_ends(row, row * coefficients, theta) for row in space]).reshape(-1, 2).sum(axis=0)
        return tuple((float(coefficients @ theta) + ends).tolist())
    from scipy.optimize import linprog

    def extreme(sign: float) -> float:
        answer = linprog(sign * (space @ coefficients), A_ub=-space.T, b_ub=np.maximum(theta, 0), bounds=(None, None))
        return sign * float(answer.fun) if answer.fun is not None else -sign * np.inf

    base = float(coefficients @ theta)
    return base + extreme(1.0), base + extreme(-1.0)


def _ends(row: Floats, moved: Floats, theta: Floats) -> tuple[float, float]:
    """Least and greatest change of a function along a direction, by what it is moved in each component."""
    slope, theta = float(moved.sum()), np.maximum(theta, 0.0)
    if abs(slope) <= 1e-12 * float(np.abs(moved).max(initial=0.0)):
        return 0.0, 0.0
    back = float(np.min(theta[row > 0] / row[row > 0], initial=np.inf))
    forth = float(np.min(theta[row < 0] / -row[row < 0], initial=np.inf))
    return (-slope * back, slope * forth) if slope > 0 else (slope * forth, -slope * back)


def _row_echelon(basis: Floats) -> Floats:
    """Reduced row echelon form: flat directions with as few components as possible, largest coefficient 1."""
    basis = basis.copy()
    row = 0
    for column in range(basis.shape[1]):
        if row == len(basis):
            break
        pivot = row + int(np.argmax(np.abs(basis[row:, column])))
        if abs(basis[pivot, column]) < 1e-6 * np.abs(basis).max():
            continue
        basis[[row, pivot]] = basis[[pivot, row]]
        basis[row] /= basis[row, column]
        others = np.arange(len(basis)) != row
        basis[others] -= np.outer(basis[others, column], basis[row])
        row += 1
    basis[np.abs(basis) < 1e-6] = 0.0
    out: Floats = basis / np.abs(basis).max(axis=1, keepdims=True, initial=1e-300)
    return out


# Many contrasts of the fixed effects at once: the parts of their variances, by products of matrices.
#
# Only mean units carry weight, since contrast units know nothing of the fixed effects; all contrasts share the products
# with ``B`` and with the design, which cost the most.


_BLOCK = 1 << 24
"""Numbers held at a time: 130 MB of each of a few arrays."""


class Parts(NamedTuple):
    """What the variances of contrasts are made of.

    Parameters
    ----------
    squares : array, shape (contrasts, components)
        ``w' A_t w`` for the weights ``w`` of each contrast on the rows.
    added : array, shape (contrasts,)
        What estimating the components adds, at least 0.
    """

    squares: Floats
    added: Floats


def variance_parts(problem: Problem, solved: Solved, contrasts: Floats, covariance: Floats) -> Parts:
    """Squares of the weights of contrasts, and their Kenward-Roger adjustments.

    The same as `quorate.numerics.mixed.information.weights` and ``adjustment`` give for one contrast at a time.

    Parameters
    ----------
    contrasts : array, shape (contrasts, p)
        Weights on the fixed effects.
    covariance : array, shape (components, components)
        Covariance of the estimated components.

    References
    ----------
    Kenward and Roger (1997), Biometrics 53, 983-997, equation 6.
    """
    design = _Design(problem, solved)
    estimated = np.flatnonzero(covariance.any(axis=0))
    size = (len(estimated) + 2) * (sum(design.w.shape) + design.z.shape[1])
    blocks = np.array_split(contrasts, max(1, -(-len(contrasts) * size // _BLOCK)))
    parts = [_parts(design, some, covariance[np.ix_(estimated, estimated)], estimated) for some in blocks]
    return Parts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class _Design:
    """Cells of the mean units: their columns, weights and noise."""

    def __init__(self, problem: Problem, solved: Solved) -> None:
        self.problem, self.solved = problem, solved
        self.z, self.w = problem.moments.indicators()  # sparse
        index = problem.units.cell_index[: self.z.shape[0]]
        self.weight = solved.weight[index][:, None]
        self.noise = problem.units.noise[index]
        self.column_term = np.tile(problem.units.column_term, problem.moments.mean_units)

    def units(self, per_pattern: Floats, z: Floats) -> Floats:
        """``J z`` or ``half z`` of every mean unit, for rows (mean units x columns) of many contrasts."""
        matrices = self.problem.of_mean_units(per_pattern)
        out = matrices @ z.reshape(*matrices.shape[:2], z.shape[1])
        return np.asarray(out.reshape(z.shape), dtype=np.float64)

    def weights(self, contrasts: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """``h = (X'V^-1X)^-1 L'`` of contrasts, and their weights on columns, shared levels and cells; one a column."""
        solved = self.solved
        gamma = np.tile(solved.gamma, self.problem.moments.mean_units)[:, None]
        h = solved.levels.of_fixed @ contrasts.T
        within = self.units(solved.j, solved.products.n.times(h).reshape(-1, h.shape[1]))
        left = np.asarray(self.w @ h - self.z @ (gamma * within), dtype=np.float64)
        refined = self.units(solved.j, self.z.T @ (self.weight * left) - within)  # one step, for tiny noise
        cells: Floats = self.weight * np.asarray(left - self.z @ (gamma * refined), dtype=np.float64)
        return h, within + refined, solved.levels.coefficients_times(h)[self.problem.p :], cells

    def component(self, t: int, cells: Floats, within: Floats, shared: Floats) -> Floats:
        """``A_t w`` on cells."""
        problem = self.problem
        first = problem.n_within + problem.n_shared
        if t >= first:
            return np.asarray(self.noise[:, t - first, None] * cells)
        if t < problem.n_within:
            return np.asarray(self.z @ np.where((self.column_term == t)[:, None], within, 0.0))
        kept = np.where((problem.units.shared_term == t - problem.n_within)[:, None], shared, 0.0)
        return np.asarray(self.w[:, problem.p :] @ kept)


class Weights(NamedTuple):
    """Weights of some contrasts.

    Parameters
    ----------
    cells : array, shape (contrasts, cells)
        As of `cell_weights`.
    components : tuple of array, shape (contrasts, ...)
        What has ``w' A_t v`` for products of the weights of two, for every component.
    """

    cells: Floats
    components: tuple[Floats, ...]


def contrast_weights(problem: Problem, solved: Solved, contrasts: Floats) -> Weights:
    """Weights of contrasts of the fixed effects, shape (contrasts, p), on cells, and seen by every component."""
    design, units = _Design(problem, solved), problem.units
    _, within, shared, cells = design.weights(contrasts)
    seen = [within[design.column_term == t] for t in range(problem.n_within)]
    seen += [shared[units.shared_term == t] for t in range(problem.n_shared)]
    seen += [np.sqrt(noise)[:, None] * cells for noise in design.noise.T]
    of_cells = cells[units.mean_cell] / units.scale[units.cell_unit[units.mean_cell], None]
    return Weights(np.ascontiguousarray(of_cells.T), tuple(one.T for one in seen))


def _parts(design: _Design, contrasts: Floats, covariance: Floats, estimated: Ints) -> tuple[Floats, Floats]:
    problem, solved = design.problem, design.solved
    h, within, shared, cells = design.weights(contrasts)
    terms = np.eye(problem.n_within)[design.column_term], np.eye(problem.n_shared)[problem.units.shared_term]
    squares = np.vstack([terms[0].T @ within**2, terms[1].T @ shared**2, design.noise.T @ cells**2])

    f: Floats = np.array([design.component(t, cells, within, shared) for t in estimated]).reshape(-1, *cells.shape)
    weighted = design.weight * f
    zf = [design.units(solved.half, design.z.T @ one) for one in weighted]
    local = np.array(zf).reshape(len(f), *within.shape)
    rows = problem.moments.mean_units, problem.moments.columns, h.shape[1]
    out = [solved.mean_units.taken_out(z.reshape(rows)) for z in local]
    wf = np.array([design.w.T @ one - z for one, z in zip(weighted, out, strict=True)])
    wf = wf.reshape(len(f), *h.shape)

    def paired(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.einsum("sim,sim->m", one, np.tensordot(covariance, other, 1)), dtype=np.float64)

    added = 2 * (
        paired(f, weighted)
        - paired(local, local)
        - paired(wf, np.array([solved.levels.inverse_times(one) for one in wf]))
    )
    return squares.T, np.maximum(added, 0.0)  # a trace of matrices without negative eigenvalues, but for rounding
