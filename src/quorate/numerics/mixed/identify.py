"""Identifiability: the variance components that a design can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.wording import Brief

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
    scale = 1 / np.sqrt(size[first])
    values, vectors = np.linalg.eigh(g[np.ix_(first, first)] * scale[:, None] * scale)
    flat = values < _TOLERANCE * max(values.max(initial=0.0), 1.0)
    null = np.zeros((int(flat.sum()), len(g)))
    null[:, first] = row_echelon((vectors[:, flat] * scale[:, None]).T)
    kept = values[~flat]
    condition = float(kept.max() / kept.min()) if len(kept) else 1.0
    return Identified(tuple(int(t) for t in absorbed), tuple(tuple(c) for c in classes), null, condition)


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


def row_echelon(basis: Floats) -> Floats:
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
