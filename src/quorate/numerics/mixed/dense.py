"""A few cells, dense: the criterion of a small problem at many places at once."""

from __future__ import annotations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.numerics.mixed.patterns import Cells
from quorate.numerics.mixed.problem import Problem
from quorate.numerics.mixed.solved import LEAST_NOISE
from quorate.numerics.mixed.stacked import Points

_ROUNDING = 1e-13
"""Noise, as a part of the largest component, below which a covariance matrix is singular by rounding."""


class Dense:
    """REML or ML of one table with one matrix per component; what `quorate.numerics.mixed.reml.evaluate` computes.

    Parameters
    ----------
    cells : Cells
        The model, one row per cell.
    problem : Problem
        The same, with the part of the likelihood inside cells.
    kept : array of int
        Components that vary; the others are zero.
    """

    def __init__(self, cells: Cells, problem: Problem, kept: Ints) -> None:
        replicates, self.reml = problem.replicates, problem.reml
        block = cells.block[:, None] == cells.block
        parts = [block & (column[:, None] == column) for column in cells.within.T]
        parts += [column[:, None] == column for column in cells.shared.T]
        matrices = np.array([*(part.astype(float) for part in parts), *(np.diag(noise) for noise in cells.noise.T)])
        self.a, self.y = matrices[kept], cells.y
        self.x = cells.x if cells.row is None else cells.x[cells.row]
        first = len(matrices) - cells.noise.shape[1]
        ss, df = (np.concatenate([np.zeros(first), values])[kept] for values in (replicates.ss, replicates.df))
        self.inside, self.ss, self.df = df > 0, ss[df > 0], df[df > 0]
        self.noise = np.concatenate([np.zeros((first, len(self.y))), cells.noise.T])[kept]
        free = problem.n_rows - (problem.p if self.reml else 0)
        self.constant = free * np.log(2 * np.pi) + replicates.log_counts

    def evaluate(self, theta: Floats) -> Points:
        """Criterion, gradient, average information and fixed effects at every row of ``theta`` (places, components).

        The criterion is infinite where a cell, or a replicate, has no variance, or next to none beside the others.
        """
        own = theta[:, self.inside]
        proper = ((theta @ self.noise).min(axis=1) >= np.maximum(LEAST_NOISE, _ROUNDING * theta.max(axis=1))) & np.all(
            own >= LEAST_NOISE, axis=1
        )
        own = np.where(proper[:, None], own, 1.0)
        v = np.einsum("mt,tij->mij", theta, self.a, optimize=True)
        v = np.where(proper[:, None, None], v, np.eye(len(self.y)))
        inverse = np.linalg.inv(v)
        weighted = inverse @ self.x
        inner = self.x.T @ weighted
        solve = np.linalg.solve(inner, weighted.transpose(0, 2, 1))
        p = inverse - weighted @ solve
        py = p @ self.y
        apy = np.einsum("tij,mj->mti", self.a, py, optimize=True)
        traced = p if self.reml else inverse
        gradient = np.einsum("tij,mij->mt", self.a, traced, optimize=True) - np.einsum("mti,mi->mt", apy, py)
        hessian = apy @ p @ apy.transpose(0, 2, 1)
        sign, log_det = np.linalg.slogdet(v)
        criterion = self.constant + log_det + py @ self.y
        if self.reml:
            criterion = criterion + np.linalg.slogdet(inner).logabsdet
        criterion = criterion + np.log(own) @ self.df + (self.ss / own).sum(axis=1)
        gradient[:, self.inside] += self.df / own - self.ss / own**2
        tail = np.flatnonzero(self.inside)
        hessian[:, tail, tail] += self.ss / own**3
        return Points(np.where(proper & (sign > 0), criterion, np.inf), gradient, hessian, solve @ self.y)
