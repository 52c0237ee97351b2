"""Conditional modes of the random effects by penalised iteratively reweighted least squares (PIRLS).

Newton's method on ``2 log L - |u|^2``, which is concave: steps are halved until it rises. The fixed parameters are
held, or found together with the effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate.arrays import Floats
from quorate.errors import NotConverged
from quorate.numerics.links.cumulative import Border, Likelihood, border, likelihood, predictor
from quorate.numerics.links.layout import Layout
from quorate.wording import Brief

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
