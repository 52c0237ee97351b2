"""Predictions of random effects with their prediction errors, for any random term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quorate.estimate.model import REPLICATE, closure
from quorate.table.judgments import dense

if TYPE_CHECKING:
    from quorate.estimate.decomposition import Decomposition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Prediction:
    """Best linear unbiased predictions of the levels of one random term.

    Parameters
    ----------
    effect : array, shape (levels,)
        Predictions, in score units, in the order of the term's dense codes.
    deviation_variance : array, shape (levels,)
        Prediction error variance of each level's deviation from the average over the levels.
    """

    effect: Floats
    deviation_variance: Floats


def predict(fit: Decomposition, term: str) -> Prediction:
    """Predict the effects of a random term at the fitted components.

    The prediction error variance is that of the mixed-model equations: it holds the components fixed.

    Parameters
    ----------
    fit : Decomposition
    term : str
        A random term of the model, by the name it has in ``fit.assembled.names``.

    References
    ----------
    Henderson (1975), Biometrics 31, 423-447.
    """
    position = fit.assembled.names.index(term)
    problem = fit.assembled.problem
    if position >= problem.n_within:
        return _shared(fit, position - problem.n_within)
    return _within(fit, position)


def _shared(fit: Decomposition, shared_term: int) -> Prediction:
    """A term whose levels run across blocks: its part of the mixed-model coefficient inverse."""
    problem, scale = fit.assembled.problem, fit.assembled.scale
    at = problem.p + np.flatnonzero(problem.units.shared_term == shared_term)
    error = fit.point.solved.b[np.ix_(at, at)]
    centred = error - error.mean(axis=0)
    return Prediction(fit.point.effects[at] * scale, np.diag(centred - centred.mean(axis=1)[:, None]) * scale**2)


def _within(fit: Decomposition, position: int) -> Prediction:
    """A term whose levels lie inside blocks: eliminated by the fit, so solved for again block by block."""
    scale = fit.assembled.scale
    gamma = fit.point.solved.theta[position]
    level = fit.judgments.level_codes(fit.assembled.names[position].split(":"))
    levels = int(level.max()) + 1
    effect, own, row = np.zeros(levels), np.zeros(levels), np.zeros(levels)
    design = np.zeros((levels, len(fit.point.effects)))
    for cells in _blocks(fit):
        z, prior, noise, data, w = _block(fit, cells)
        weighted = z.T / noise
        half = np.linalg.solve(np.eye(len(prior)) + (weighted @ z) * prior, weighted)
        inner, code = np.unique(level[cells], return_inverse=True)
        columns = code[:, None] == np.arange(len(inner))
        mine = np.flatnonzero((z.T @ columns).any(axis=1) & (_owner(fit, cells) == position))
        at = level[cells][np.argmax(z[:, mine] > 0, axis=0)]
        known = half[mine] @ z[:, mine]
        effect[at] = gamma * (half[mine] @ data)
        design[at] = gamma * (half[mine] @ w)
        own[at] = gamma - gamma**2 * np.diag(known)
        row[at] = gamma - gamma**2 * known.sum(axis=1)
    centred = design - design.mean(axis=0)
    across = np.einsum("lq,qr,lr->l", centred, fit.point.solved.b, centred, optimize=True)
    variance = own - 2 * row / levels + row.sum() / levels**2 + across
    return Prediction(effect * scale, variance * scale**2)
