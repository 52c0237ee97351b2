"""Conditional modes of the random effects of a generalised linear mixed model, laid out and found block by block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.errors import NotConverged
from quorate.frozen import dataclass
from quorate.wording import Brief

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Sparse = csr_array[np.float64]


# Random effects of a generalised linear mixed model, laid out for elimination block by block.
#
# A block is a level of the largest facet. Terms that contain this facet have columns within its blocks, the others
# levels that blocks share, and a term with a level of its own for every row (that of cells, usually) is a number a
# row.


@dataclass(frozen=True, eq=False)
class Layout(Brief):
    """Rows of counts with their fixed and random effects.

    Parameters
    ----------
    counts : array, shape (rows, categories)
        Judgments by category.
    x : array, shape (rows, effects)
        Fixed effects, without an intercept, which the thresholds are.
    block : array of int, shape (rows,)
        Block of each row, dense codes.
    within : array of int, shape (rows, terms within)
        Level of each within-block term, dense codes; each belongs to one block.
    shared : array of int, shape (rows, shared terms)
        Level of each shared term, dense codes.
    cells : bool
        Whether there is a term with a level for every row; it comes last.
    """

    counts: Floats
    x: Floats
    block: Ints
    within: Ints
    shared: Ints
    cells: bool

    @property
    def n_terms(self) -> int:
        """Random terms: within blocks, shared, of cells."""
        return int(self.within.shape[1] + self.shared.shape[1] + self.cells)

    @property
    def by_term(self) -> tuple[Ints, ...]:
        """Level of every row, for each random term."""
        return (*self.within.T, *self.shared.T, *([np.arange(len(self.counts))] if self.cells else []))

    @property
    def n_fixed(self) -> int:
        """Thresholds and fixed effects."""
        return int(self.counts.shape[1] - 1 + self.x.shape[1])

    @cached_property
    def n_blocks(self) -> int:
        """Blocks."""
        return int(self.block.max()) + 1

    @cached_property
    def slots(self) -> tuple[Ints, Ints]:
        """Column of every row and within-block term in its block, and the term of every column."""
        columns, terms = np.zeros_like(self.within), list[int]()
        for t, level in enumerate(self.within.T):
            owner = np.zeros(int(level.max()) + 1, dtype=np.int64)
            owner[level] = self.block
            order = np.argsort(owner, kind="stable")
            rank = np.empty_like(owner)
            rank[order] = np.arange(len(owner)) - np.searchsorted(owner[order], owner[order])
            columns[:, t] = rank[level] + len(terms)
            terms += [t] * (int(rank.max()) + 1)
        return columns, np.array(terms, dtype=np.int64)

    @property
    def width(self) -> int:
        """Columns of a block."""
        return len(self.slots[1])

    @cached_property
    def shared_term(self) -> Ints:
        """Term of every shared level, numbered after those within blocks."""
        sizes = self.shared.max(axis=0, initial=-1) + 1
        return np.repeat(np.arange(len(sizes)) + self.within.shape[1], sizes)

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """Within-block column of every row and term among all blocks, and its shared level among all terms."""
        inside = self.block[:, None] * self.width + self.slots[0]
        sizes = self.shared.max(axis=0, initial=-1) + 1
        return inside, self.shared + np.cumsum(np.append(0, sizes[:-1]))[: self.shared.shape[1]]

    @cached_property
    def incidence(self) -> tuple[Sparse, Sparse]:
        """Rows by within-block columns of all blocks, and by shared levels; both transposed."""
        inside, across = self.places
        return _ones(inside, self.n_blocks * self.width), _ones(across, len(self.shared_term))

    @cached_property
    def pairs(self) -> tuple[Sparse, Sparse, Sparse]:
        """Rows by pairs of columns of a block, of a column and a shared level, and of shared levels; transposed."""
        (inside, across), k, q = self.places, self.width, len(self.shared_term)
        slot = self.slots[0]
        own = (inside[:, :, None] * k + slot[:, None, :]).reshape(len(slot), -1)
        mixed = (inside[:, :, None] * q + across[:, None, :]).reshape(len(slot), -1)
        both = (across[:, :, None] * q + across[:, None, :]).reshape(len(slot), -1)
        return _ones(own, self.n_blocks * k * k), _ones(mixed, self.n_blocks * k * q), _ones(both, q * q)


def _ones(column: Ints, n: int) -> Sparse:
    """Transpose of the matrix with a one in each of these columns of every row."""
    from scipy.sparse import csr_array

    rows, each = column.shape
    starts = np.arange(rows + 1) * each
    return csr_array((np.ones(column.size), column.ravel(), starts), shape=(rows, n)).T.tocsr()


# Collapse: one row of counts for every combination of levels that the linear predictor depends on.


def collapse(counts: Floats, codes: Sequence[Ints]) -> tuple[Floats, Ints]:
    """Sums of counts by combination of codes, and the first row that has each.

    Parameters
    ----------
    counts : array, shape (rows, categories)
        Judgments by category.
    codes : sequence of array of int, shape (rows,)
        Dense codes of every term and of the fixed effects.
    """
    key = np.zeros(len(counts), dtype=np.int64)
    for code in codes:
        key = np.unique(key * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
    first = np.unique(key, return_index=True)[1]
    if len(first) == len(counts):
        return counts, np.arange(len(counts))
    return np.column_stack([np.bincount(key, column) for column in counts.T]), first


# Cumulative logit: counts of ordered categories given a linear predictor; two categories are the logit model.
#
# ``P(Y <= k) = F(threshold_k - eta)`` with ``F(x) = 1 / (1 + exp(-x))``. With ``m_k = n_k + n_{k+1}`` and ``F_k =
# F(threshold_k - eta)`` the score in ``eta`` is ``sum_k m_k F_k + n_K - n``: all derivatives in ``eta`` are sums over
# thresholds. The logarithm of the likelihood is concave in thresholds and ``eta`` (Pratt 1981).


@dataclass(frozen=True, eq=False)
class Likelihood(Brief):
    """Log-likelihood of the rows at one linear predictor, with its derivatives in that predictor.

    Parameters
    ----------
    value : float
        Of all rows; minus infinity where thresholds are not in order.
    score, weight, slope : array, shape (rows,)
        First derivative, minus the second, and minus the third.
    """

    value: float
    score: Floats
    weight: Floats
    slope: Floats


@dataclass(frozen=True, eq=False)
class Border(Brief):
    """Derivatives that involve the fixed parameters: thresholds first, then effects.

    Parameters
    ----------
    score : array, shape (parameters,)
        First derivative of the log-likelihood.
    information : array, shape (parameters, parameters)
        Minus the second.
    coupling : array, shape (rows, parameters)
        Minus the second derivative in the linear predictor of a row and a parameter.
    weight : array, shape (rows, parameters)
        Derivative of `Likelihood.weight` in a parameter.
    """

    score: Floats
    information: Floats
    coupling: Floats
    weight: Floats


def predictor(x: Floats, fixed: Floats, random: Floats) -> Floats:
    """Linear predictor of every row; ``fixed`` are thresholds, then effects of the columns of ``x``."""
    return np.asarray(x @ fixed[len(fixed) - x.shape[1] :] + random, dtype=np.float64)


def likelihood(counts: Floats, thresholds: Floats, eta: Floats) -> Likelihood:
    """Log-likelihood of counts of shape (rows, categories), without multinomial coefficients."""
    gaps = np.diff(thresholds)
    if np.any(gaps <= 0):
        return Likelihood(-np.inf, eta, eta, eta)
    at = thresholds - eta[:, None]
    below, above = -np.logaddexp(0, -at), -np.logaddexp(0, at)  # logarithms of F and of 1 - F
    value = np.sum(counts[:, :-1] * below) + np.sum(counts[:, 1:] * above)
    value += counts[:, 1:-1].sum(axis=0) @ np.log(-np.expm1(-gaps))
    share, met = np.exp(below), counts[:, :-1] + counts[:, 1:]
    density = share * np.exp(above)
    score = np.sum(met * share, axis=1) + counts[:, -1] - counts.sum(axis=1)
    slope = -np.sum(met * density * (1 - 2 * share), axis=1)
    return Likelihood(float(value), score, np.sum(met * density, axis=1), slope)


def border(counts: Floats, x: Floats, thresholds: Floats, eta: Floats, at: Likelihood) -> Border:
    """Derivatives in thresholds and effects, where the likelihood is `at`."""
    share = 1 / (1 + np.exp(np.minimum(eta[:, None] - thresholds, 700)))
    met, density = counts[:, :-1] + counts[:, 1:], share * (1 - share)
    of_gap = np.concatenate([[0.0], 1 / np.expm1(np.diff(thresholds)), [0.0]])
    total = counts.sum(axis=0)
    score = np.sum(counts[:, :-1] * (1 - share) - counts[:, 1:] * share, axis=0)
    score += total[:-1] * of_gap[:-1] - total[1:] * of_gap[1:]
    bend = total * of_gap * (1 + of_gap)
    coupling = np.hstack([-met * density, at.weight[:, None] * x])
    information = np.zeros((coupling.shape[1],) * 2)
    k = len(thresholds)
    information[:k, :k] = np.diag(-coupling[:, :k].sum(axis=0) + bend[:-1] + bend[1:])
    information[:k, :k] -= np.diag(bend[1:-1], 1) + np.diag(bend[1:-1], -1)
    information[k:] = x.T @ coupling
    information[:k, k:] = information[k:, :k].T
    weight = np.hstack([met * density * (1 - 2 * share), at.slope[:, None] * x])
    return Border(np.concatenate([score, x.T @ at.score]), information, coupling, weight)


def start(counts: Floats) -> Floats:
    """Thresholds of the categories' shares, half a count added to each."""
    share = np.cumsum(counts.sum(axis=0) + 0.5)
    return np.asarray(np.log(share[:-1] / (share[-1] - share[:-1])), dtype=np.float64)


# Conditional modes of the random effects by penalised iteratively reweighted least squares (PIRLS).
#
# Newton's method on ``2 log L - |u|^2``, which is concave: steps are halved until it rises. The fixed parameters are
# held, or found together with the effects.


# Factor of ``I + M'W M`` with ``M = Z diag(sd)``, bordered by the fixed parameters.
#
# Effects of cells are eliminated as numbers, which leaves the weight ``w / (1 + w variance)`` to the others; then all
# blocks at once, as a stack of small matrices; what is left is a dense system of shared levels and fixed parameters.


@dataclass(frozen=True, eq=False)
class Effects(Brief):
    """A vector over all random effects, one column or several.

    Parameters
    ----------
    within : array, shape (blocks, width, columns)
        Of the columns of blocks.
    shared : array, shape (levels, columns)
        Of shared levels.
    cell : array, shape (rows, columns) or (0, columns)
        Of cells.
    """

    within: Floats
    shared: Floats
    cell: Floats

    def __add__(self, other: Effects) -> Effects:
        return Effects(self.within + other.within, self.shared + other.shared, self.cell + other.cell)

    def __mul__(self, factor: float) -> Effects:
        return Effects(self.within * factor, self.shared * factor, self.cell * factor)

    def dot(self, other: Effects) -> float:
        """Sum of products."""
        parts = zip((self.within, self.shared, self.cell), (other.within, other.shared, other.cell), strict=True)
        return float(sum(np.vdot(a, b) for a, b in parts))


class Scaled:
    """The columns ``M = Z diag(sd)`` of a layout.

    Parameters
    ----------
    layout : Layout
        Rows and terms.
    variance : array, shape (terms,)
        Of every term, above 0.
    """

    def __init__(self, layout: Layout, variance: Floats) -> None:
        self.layout, self.variance = layout, variance
        sd = np.sqrt(variance)
        self.inside, self.across = sd[layout.slots[1]], sd[layout.shared_term]
        self.cell = float(sd[-1]) if layout.cells else 0.0

    def rows(self, effects: Effects) -> Floats:
        """``M u``, shape (rows, columns)."""
        (inside, across), m = self.layout.incidence, effects.within.shape[-1]
        out = inside.T @ (effects.within * self.inside[:, None]).reshape(-1, m)
        out += across.T @ (effects.shared * self.across[:, None])
        if self.layout.cells:
            out += effects.cell * self.cell
        return np.asarray(out, dtype=np.float64)

    def sums(self, rows: Floats) -> Effects:
        """``M'y`` of rows of shape (rows, columns)."""
        inside, across = self.layout.incidence
        shape = (self.layout.n_blocks, self.layout.width, rows.shape[1])
        within = np.asarray(inside @ rows).reshape(shape) * self.inside[:, None]
        cell = self.cell * rows if self.layout.cells else rows[:0]
        return Effects(within, np.asarray(across @ rows) * self.across[:, None], cell)

    def zero(self) -> Effects:
        """No effects."""
        n = len(self.layout.counts) if self.layout.cells else 0
        shape = (self.layout.n_blocks, self.layout.width, 1)
        return Effects(np.zeros(shape), np.zeros((len(self.across), 1)), np.zeros((n, 1)))


class Factor:
    """``I + M'W M`` eliminated, with its border if there is one.

    Parameters
    ----------
    scaled : Scaled
        The columns.
    weight : array, shape (rows,)
        Diagonal of ``W``, positive.
    coupling, information : array, shape (rows, parameters) and (parameters, parameters), optional
        Border: minus second derivatives of the log-likelihood in rows and fixed parameters.
    """

    def __init__(
        self, scaled: Scaled, weight: Floats, coupling: Floats | None = None, information: Floats | None = None
    ) -> None:
        layout = scaled.layout
        self.scaled, self.weight = scaled, weight
        self.grown = 1 + weight * scaled.cell**2
        nb, k, q = layout.n_blocks, layout.width, len(scaled.across)
        rest = weight / self.grown
        own, mixed, both = (np.asarray(pairs @ rest) for pairs in layout.pairs)
        d = own.reshape(nb, k, k) * scaled.inside[:, None] * scaled.inside
        d[:, np.arange(k), np.arange(k)] += 1
        c = mixed.reshape(nb, k, q) * scaled.inside[:, None] * scaled.across
        s = both.reshape(q, q) * scaled.across[:, None] * scaled.across
        s[np.diag_indices(q)] += 1
        if coupling is not None and information is not None:
            less = coupling / self.grown[:, None]
            own_sum = Scaled.sums(scaled, less)
            c = np.concatenate([c, own_sum.within], axis=2)
            corner = information - coupling.T @ (coupling * (scaled.cell**2 / self.grown)[:, None])
            s = np.block([[s, own_sum.shared], [own_sum.shared.T, corner]])
        self.coupling = coupling
        lower = np.linalg.cholesky(d)
        self.inverse = np.asarray(np.linalg.inv(d), dtype=np.float64)
        self.half = self.inverse @ c
        s = s - c.reshape(nb * k, len(s)).T @ self.half.reshape(nb * k, len(s))
        self.lower = np.linalg.cholesky((s + s.T) / 2)
        self.log_det = float(np.sum(np.log(self.grown)))
        self.log_det += 2 * float(np.sum(np.log(np.diagonal(lower, axis1=1, axis2=2))))
        self.log_det += 2 * float(np.sum(np.log(np.diag(self.lower)[:q])))

    @property
    def q(self) -> int:
        """Shared levels."""
        return len(self.scaled.across)

    def solve(self, right: Effects, fixed: Floats | None = None) -> tuple[Effects, Floats]:
        """Effects, and fixed parameters, of the bordered system; of the effects alone without ``fixed``."""
        from scipy.linalg import cho_solve

        scaled, m = self.scaled, right.within.shape[-1]
        within, shared, cell = right.within, right.shared, right.cell
        if scaled.layout.cells:
            passed = scaled.sums(cell * (self.weight * scaled.cell / self.grown)[:, None])
            within, shared = within - passed.within, shared - passed.shared
        size = self.q if fixed is None else len(self.lower)
        half = self.half[:, :, :size].reshape(len(within.reshape(-1, m)), size)
        low = shared
        if fixed is not None:
            if scaled.layout.cells and self.coupling is not None:
                fixed = fixed - self.coupling.T @ (cell * (scaled.cell / self.grown)[:, None])
            low = np.vstack([shared, fixed])
        low = low - half.T @ within.reshape(-1, m)
        low = cho_solve((self.lower[:size, :size], True), low, check_finite=False) if size else low
        inside = self.inverse @ within - (half @ low).reshape(within.shape)
        out = Effects(inside, low[: self.q], np.zeros_like(cell))
        if scaled.layout.cells:
            met = self.weight[:, None] * scaled.rows(out)
            if fixed is not None and self.coupling is not None:
                met += self.coupling @ low[self.q :]
            out = Effects(out.within, out.shared, (cell - scaled.cell * met) / self.grown[:, None])
        return out, low[self.q :]

    @cached_property
    def leverage(self) -> tuple[Floats, Floats]:
        """``m'(I + M'W M)^-1 m`` of every row ``m`` of ``M``, and of every term ``tr(Z'P Z)``."""
        scaled, layout = self.scaled, self.scaled.layout
        (inside, across), k, q = layout.places, layout.width, self.q
        shared = np.linalg.inv(self.lower[:q, :q])
        shared = shared.T @ shared
        half = self.half[:, :, :q]
        mixed = -(half.reshape(layout.n_blocks * k, q) @ shared).reshape(half.shape)
        own = (self.inverse - mixed @ half.swapaxes(1, 2)) * scaled.inside[:, None] * scaled.inside
        mixed = (mixed * scaled.inside[:, None] * scaled.across).reshape(layout.n_blocks * k, q)
        shared = shared * scaled.across[:, None] * scaled.across
        both = mixed[inside[:, :, None], across[:, None, :]]
        own = own.reshape(layout.n_blocks * k, k)[inside[:, :, None], layout.slots[0][:, None, :]]
        of_within = own.sum(axis=2) + both.sum(axis=2)
        of_shared = both.sum(axis=1) + shared[across[:, :, None], across[:, None, :]].sum(axis=2)
        parts = np.hstack([of_within, of_shared])
        rest = parts.sum(axis=1)
        traces = (self.weight / self.grown) @ parts
        h = rest / self.grown**2
        if layout.cells:
            kept = self.weight / self.grown
            traces = np.append(traces, scaled.cell**2 * np.sum(kept - kept**2 * rest))
            h += scaled.cell**2 / self.grown
        return h, traces / scaled.variance


_TOLERANCE = 1e-10
"""Rise that a step promises below which it is no longer taken; `Modes.step` then has it."""
_MOST = 100


@dataclass(frozen=True, eq=False)
class Modes(Brief):
    """The modes, and what is needed of the likelihood there.

    Parameters
    ----------
    scaled : Scaled
        ``M = Z diag(sd)``.
    effects : Effects
        Modes ``u``, of variance 1.
    fixed : array, shape (parameters,)
        Thresholds, then effects.
    at : Likelihood
        The likelihood there.
    border : Border
        Its derivatives in the fixed parameters.
    factor : Factor
        ``I + M'W M`` there, with its border.
    step : Effects
    move : array, shape (parameters,)
        What a further step would add to the modes and to the fixed parameters.
    """

    scaled: Scaled
    effects: Effects
    fixed: Floats
    at: Likelihood
    border: Border
    factor: Factor
    step: Effects
    move: Floats

    @property
    def deviance(self) -> float:
        """Minus twice the logarithm of Laplace's approximation to the likelihood."""
        return -2 * self.at.value + self.effects.dot(self.effects) + self.factor.log_det


def modes(layout: Layout, variance: Floats, fixed: Floats, start: Effects | None = None, *, free: bool) -> Modes:
    """Modes given the variances.

    Parameters
    ----------
    layout : Layout
        Rows and terms.
    variance : array, shape (terms,)
        Of every term, above 0.
    fixed : array, shape (parameters,)
        Thresholds, then effects.
    start : Effects, optional
        Where to begin.
    free : bool
        Whether the fixed parameters are found too, from ``fixed`` on.

    Raises
    ------
    NotConverged
        If the modes run away.
    """
    scaled, k = Scaled(layout, variance), layout.counts.shape[1] - 1

    def looked(effects: Effects, fixed: Floats) -> tuple[Floats, Likelihood, float]:
        eta = predictor(layout.x, fixed, scaled.rows(effects)[:, 0])
        at = likelihood(layout.counts, fixed[:k], eta)
        return eta, at, 2 * at.value - effects.dot(effects)

    effects = scaled.zero() if start is None else start
    eta, at, height = looked(effects, fixed)
    if start is not None and not np.isfinite(height):
        effects = scaled.zero()
        eta, at, height = looked(effects, fixed)
    for _ in range(_MOST):
        edge = border(layout.counts, layout.x, fixed[:k], eta, at)
        try:
            factor = Factor(scaled, at.weight, edge.coupling, edge.information)
        except np.linalg.LinAlgError:  # thresholds or effects so far away that no digit is left
            break
        slope = scaled.sums(at.score[:, None]) + effects * -1.0
        step, move = factor.solve(slope, edge.score[:, None] if free else None)
        change = move[:, 0] if free else np.zeros(len(fixed))
        rise = slope.dot(step) + float(edge.score @ change)
        if rise < _TOLERANCE:
            return Modes(scaled, effects, fixed, at, edge, factor, step, change)
        there, moved = effects + step, fixed + change
        eta, at, higher = looked(there, moved)
        while not higher > height - 1e-12 * abs(height) and np.any(there.within != effects.within):
            step, change = step * 0.5, change * 0.5
            there, moved = effects + step, fixed + change
            eta, at, higher = looked(there, moved)
        effects, fixed, height = there, moved, higher
    raise NotConverged("conditional modes: they run away", fixed)
