"""How ratings vary with the votes: inverses of their information, sandwich covariances, refits of resampled counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import MANY, Design, Fit, Likelihood, anchored, filled, fit, vote_slopes
from quorate.numerics.ratings.core import Core, core, inverse_of_all, part_of, put_together
from quorate.numerics.ratings.existence import exists
from quorate.numerics.ratings.plackett_luce import Choices
from quorate.numerics.ratings.polynomial import COARSE, FINE, Polynomial, mirror, polynomial

# Inverse of the information of ratings, and products with it: on a large board in single precision.
#
# A board of 10,000 systems has matrices of 100 million entries. In single precision these take half the memory and half
# the time, and standard errors are right to four digits as long as the information, scaled to a diagonal of 1, is well
# conditioned; that is measured, and a board on which it is not, such as a long chain of systems, is inverted in double.


LEAST_CONDITION = 1e-4
"""Reciprocal condition number (1-norm, scaled) from which on single precision is enough."""

_ROWS = 512
_FEW = 100
_DRAWS = 64  # at a time
_MOST_FACTORS = 30  # for every parameter, from which on drawing them takes longer than a root


def inverse_information(design: Likelihood, at: Fit, ridge: float, error: float = FINE) -> Floats:
    """Inverse of the information of a single fit, with the direction of equal ratings filled in.

    Parameters
    ----------
    design : Likelihood
        What the counts compare.
    at : Fit
        A single fit.
    ridge : float
        Its ridge.
    error : float
        Part of a variance that it may be off by on a large board: `COARSE` where it goes into a `covariance`.

    Returns
    -------
    array, shape (parameters, parameters)
        In single precision on a board of more than `MANY` systems whose information is well conditioned.
    """
    if design.parameters <= _FEW:  # as fast, and without loading LAPACK for it
        inverse = np.linalg.inv(anchored(design, at.information, ridge)[0])
        return _held(design, (inverse + inverse.T) / 2)
    from scipy.linalg.lapack import dpotrf, dpotri

    if design.parameters > MANY and not isinstance(at.information, np.ndarray):
        single = _in_single_precision(design, at.information, ridge, error)
        if single is not None:
            return single
    matrix = anchored(design, at.information, ridge)[0].T  # symmetric; in the order that LAPACK works on in place
    root, refused = dpotrf(matrix, overwrite_a=1)
    if refused:
        return _held(design, np.linalg.inv(anchored(design, at.information, ridge)[0]))
    inverse, _ = dpotri(root, overwrite_c=1)
    mirror(inverse)
    return _held(design, np.asarray(inverse.T))


def _in_single_precision(design: Likelihood, information: Any, ridge: float, error: float) -> Floats | None:
    """The inverse of a sparse information, scaled to a diagonal of 1 and back; None where that is too coarse."""
    from scipy.linalg.lapack import spocon, spotrf, spotri
    from scipy.sparse import diags_array

    ratings = design.centred[0]
    steps = None if ridge else polynomial(information, ratings, error)
    if steps is not None:
        return steps.inverse()
    added = np.zeros(design.parameters)
    added[ratings] = ridge
    shift = filled(information.diagonal()[ratings])
    diagonal = information.diagonal() + added
    diagonal[ratings] += shift
    if not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    by = diags_array(scale)
    scaled = (by @ (information + diags_array(added)) @ by).tocsr()
    # A ridge moves systems that are left out along a common shift too: then all are kept.
    parts, inner, filling = None if ridge else core(scaled, ratings), scaled, np.zeros(design.parameters)
    filling[ratings] = np.sqrt(shift) * scale[ratings]
    if parts is not None:
        columns, filling = scaled[:, parts.kept].tocsc(), filling[parts.kept]
        inner = columns[parts.kept] + columns[parts.out].T @ parts.through
    matrix = inner.astype(np.float32).toarray(order="F")
    for start in range(0, len(matrix), _ROWS):
        some = slice(start, start + _ROWS)
        matrix[:, some] += np.outer(filling, filling[some]).astype(np.float32)
    norm = float(np.abs(matrix).sum(axis=0, dtype=np.float64).max())
    root, refused = spotrf(matrix, overwrite_a=1)
    if refused or spocon(root, norm)[0] < LEAST_CONDITION:
        return None
    inverse, _ = spotri(root, overwrite_c=1)
    mirror(inverse)
    if parts is not None:
        inverse = inverse_of_all(parts, inverse.T)
    inverse *= scale[:, None].astype(np.float32)
    inverse *= scale.astype(np.float32)
    return np.asarray(inverse.T)


def symmetric_product(left: Floats, right: Callable[[slice], Floats]) -> Floats:
    """Product of two square matrices that is symmetric: half of it is computed, the other half copied.

    Parameters
    ----------
    left : array, shape (n, n)
        The first matrix.
    right : callable
        Some columns of the second.
    """
    out = np.empty(left.shape, dtype=left.dtype)
    for start in range(0, len(left), _ROWS):
        columns, after = slice(start, start + _ROWS), slice(start + _ROWS, None)
        out[start:, columns] = left[start:] @ right(columns)
        out[columns, after] = out[after, columns].T
    return out


def _held(design: Likelihood, inverse: Floats) -> Floats:
    """The same with what is known up to a shift, but for ratings, held at a mean of 0."""
    for part in design.centred[1:]:
        shift = inverse[:, part].sum(axis=1)
        inverse = inverse - np.outer(shift, shift) / shift[part].sum()
    return inverse


# Sandwich covariances of ratings, and refits of resampled counts: how ratings vary with the votes.
#
# Both need the *units* that are independent, votes or clusters of votes. Units that are alike are kept once, with how
# many there are: a million votes between 55 systems are at most 4,455 kinds of unit.


_BLOCK = 2**17  # counts at a time: what a processor keeps at hand
_SPARSE = 0.02  # part of a matrix that is not 0, from which on it is multiplied as a full one
_TOL = 1e-5  # a step of Newton's method this small leaves an error of about its square


@dataclass(frozen=True, eq=False)
class Units:
    """What is independent: votes, or clusters of them.

    Parameters
    ----------
    size : array, shape (units,)
        How many units are of each kind.
    matrix : sparse array, shape (units, cells), or None
        What one unit of each kind adds to the cells of the counts. None where kind and cell are one: single votes.
    """

    size: Floats
    matrix: Any = None

    @cached_property
    def share(self) -> Floats:
        """Part of all votes that one unit of each kind has, shape (units,)."""
        votes = np.ones(len(self.size)) if self.matrix is None else np.asarray(self.matrix.sum(axis=1)).ravel()
        return np.asarray(votes / float(self.size @ votes))

    @property
    def effective(self) -> float:
        """Units of equal weight that would be worth these, at most as many as there are.

        References
        ----------
        Carter, Schnepel and Steigerwald (2017), Review of Economics and Statistics 99, 698-709.
        """
        return 1 / float(self.size @ self.share**2)

    def evenness(self, heavy: Ints) -> float:
        """One over how many units of equal weight those that are not ``heavy`` are worth; 0 where there are none."""
        size, share = np.delete(self.size, heavy), np.delete(self.share, heavy)
        weight = size @ share
        return float(size @ share**2 / weight**2) if weight else 0.0

    @cached_property
    def columns(self) -> Any:
        """The matrix by cell. In the order of units, so that sums stay at hand and draws are read once, in turn."""
        return None if self.matrix is None else self.matrix.astype(np.float32).T

    def resample(self, resamples: int, rng: np.random.Generator) -> Floats:
        """Counts of cells, shape (cells, resamples), with every unit taken a Poisson(1) number of times.

        References
        ----------
        Hanley and MacGibbon (2006), Computer Methods and Programs in Biomedicine 83, 57-62.
        """
        if (self.size == 1).all():
            times = poisson(len(self.size) * resamples, rng).reshape(-1, resamples)
        else:
            times = rng.poisson(self.size[:, None], (len(self.size), resamples)).astype(np.float32)
        drawn = times if self.matrix is None else self.columns @ times
        return np.asarray(drawn, dtype=np.float64)


def poisson(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Poisson(1) numbers from 16 random bits each; mean and variance are exactly 1, chances within 2e-5 of the law."""
    bits = rng.integers(0, 2**16, size=size, dtype=np.uint16)
    return _TABLE.take(bits).astype(np.float32)


def poisson_table() -> NDArray[np.uint8]:
    """65,536 numbers from 0 to 8 as often as Poisson's law has them, with mean and variance 1."""
    large = np.array([4017, 1005, 201, 34, 4, 1])
    k = np.arange(3, 9)
    total = 2**16
    two = (2 * total - int(large @ k**2) - (total - int(large @ k))) // 2
    one = total - int(large @ k) - 2 * two
    often = [total - one - two - int(large.sum()), one, two, *large.tolist()]
    return np.repeat(np.arange(9, dtype=np.uint8), often)


_TABLE = poisson_table()


def covariance(
    design: Likelihood,
    at: Fit,
    ridge: float,
    units: Units | None = None,
    inverse: Floats | None = None,
    *,
    spent: bool = False,
) -> Floats:
    """Covariance of the parameters of one fit, ratings about their mean.

    With ``units`` the sandwich ``J^-1 sum_g u_g u_g' / (1 - w_g) J^-1`` over units with scores u and parts w of all
    votes, robust against whatever goes on inside a unit; without, the inverse information, which takes the model for
    true. A ridge adds the error that it brings, on average over ratings that spread as it supposes.

    Parameters
    ----------
    design : Likelihood
        What the counts compare.
    at : Fit
        A single fit.
    ridge : float
        Its ridge.
    units : Units, optional
        What is independent.
    inverse : array, shape (parameters, parameters), optional
        `quorate.numerics.ratings.draws.inverse_information` of the fit, if it is at hand.
    spent : bool
        Whether the inverse may be written over, as there is no room for both.

    References
    ----------
    White (1982), Econometrica 50, 1-25. Liang and Zeger (1986), Biometrika 73, 13-22. Divisor ``1 - w``: Bell and
    McCaffrey (2002), Survey Methodology 28, 169-181, for a mean. In R, with units of one size:
    ``sandwich::vcovCL(fit, cluster, type = "HC0", cadjust = TRUE)``.
    """
    inverse = inverse_information(design, at, ridge) if inverse is None else inverse
    if units is None:  # information and ridge are the matrix that was inverted
        return centred(inverse.copy(), design.systems)
    summed = design.gradients(at.theta[:, 0], units.matrix)
    weighed = summed.copy()
    weighed.data *= np.repeat(units.size / (1 - units.share), np.diff(summed.indptr))
    meat = weighed.T.tocsr() @ summed
    sparse = inverse.dtype == np.float32 and not ridge and not isinstance(at.information, np.ndarray)
    steps = polynomial(at.information, design.centred[0], COARSE) if sparse else None
    if steps is not None:
        alike = float(np.mean(meat.diagonal() / at.information.diagonal()))
        beyond = _as_fast(meat - 2 * alike * at.information, inverse.dtype)
        return steps.sandwich(inverse, alike, beyond, inverse if spent else np.empty_like(inverse))
    meat = _as_fast(meat, inverse.dtype)

    def right(columns: slice) -> Floats:
        by, product = inverse[:, columns], meat @ np.ascontiguousarray(inverse[:, columns])
        if ridge:
            for part in design.centred:
                product[part] += ridge * by[part]
        return np.asarray(product)

    parts = core(at.information, design.centred[0]) if sparse else None
    if parts is None:
        return centred(symmetric_product(inverse, right), design.systems)
    return centred(_by_core(inverse, meat, parts), design.systems)


def _as_fast(meat: Any, kind: Any) -> Any:
    """Sparse or full, as it is multiplied faster."""
    meat = meat.astype(kind)
    return meat.toarray() if meat.nnz > _SPARSE * meat.shape[0] ** 2 else meat


def _by_core(inverse: Floats, meat: Any, parts: Core) -> Floats:
    """The inverse times the meat times the inverse, with full products of the core alone."""
    through, kept, out = parts.through.astype(inverse.dtype), parts.kept, parts.out
    down, own = through.T.tocsr(), parts.own.astype(inverse.dtype)[:, None]

    def right(columns: slice) -> Floats:
        product = meat @ np.ascontiguousarray(inverse[kept[columns]].T)
        return np.asarray(product[kept] + down @ product[out])

    inner = symmetric_product(part_of(inverse, kept), right)
    theirs = own * (meat[out] @ inverse)
    across = through @ inner + theirs[:, kept]
    outer = through @ np.ascontiguousarray(across.T) + theirs[:, out]
    return put_together(parts, inner, across, outer)


@dataclass(frozen=True, eq=False)
class Scatter:
    """How ratings of a large board deviate, by which they are drawn without a root of their covariance.

    Parameters
    ----------
    steps : Polynomial
        In place of the inverse of the information.
    factor : sparse array, shape (parameters, draws)
        What scores of units deviate by: its product with its transpose is the meat of the sandwich.
    excess : array, shape (systems,)
        What is added to the variance of each rating by itself.
    order : array of int, shape (systems,)
        Order in which systems are drawn.
    """

    steps: Polynomial
    factor: Any
    excess: Floats
    order: Ints

    def drawn(self, draws: int, rng: np.random.Generator) -> Floats:
        """Draws of ratings about their mean less what they estimate, in single precision; shape (draws, systems)."""
        systems, own = len(self.excess), np.sqrt(self.excess, dtype=np.float32)[:, None]
        out: Any = np.empty((draws, systems), dtype=np.float32)
        for start in range(0, draws, _DRAWS):
            rows = slice(start, min(start + _DRAWS, draws))
            size = rows.stop - rows.start
            scores = self.factor @ rng.standard_normal((self.factor.shape[1], size), dtype=np.float32)
            found = self.steps.solved(scores)[:systems]
            found += own * rng.standard_normal((systems, size), dtype=np.float32)
            found -= found.mean(axis=0)
            out[rows] = found[self.order].T
        return np.asarray(out)


def scatter(design: Likelihood, at: Fit, ridge: float, units: Units, excess: Floats) -> Scatter | None:
    """How ratings deviate; None where a root of their covariance is found as soon.

    Parameters
    ----------
    design, at, ridge, units
        As for `covariance`.
    excess : array, shape (parameters,) or (parameters, parameters)
        From `quorate.numerics.ratings.leverage`.
    """
    if design.parameters <= MANY or ridge or excess.ndim > 1 or isinstance(at.information, np.ndarray):
        return None
    steps, factor = polynomial(at.information, design.centred[0], COARSE), _factor(design, at.theta[:, 0], units)
    if steps is None or factor.shape[1] > _MOST_FACTORS * design.parameters:
        return None
    s = design.systems
    return Scatter(steps, factor, np.maximum(excess[:s], 0.0), np.arange(s))


def _factor(design: Likelihood, theta: Floats, units: Units) -> Any:
    """Sparse, a column for each unit, or for each cell of single votes: what its scores deviate by."""
    from scipy.sparse import coo_array, diags_array, vstack

    times = units.size / (1 - units.share)
    if units.matrix is not None or not isinstance(design, Design):
        summed = design.gradients(theta, units.matrix)
        return (diags_array(np.sqrt(times)) @ summed).astype(np.float32).T.tocsr()
    gap, tie = (slope.reshape(-1, 3) for slope in vote_slopes(design, theta))
    times = times.reshape(-1, 3)
    by_gap, across, by_tie = ((times * one).sum(axis=1) for one in (gap**2, gap * tie, tie**2))
    root = np.sqrt(by_gap)
    ties = across / np.where(root > 0, root, 1.0)
    rest = float(np.maximum(by_tie - ties**2, 0.0).sum())  # of ties alone, which have one parameter
    last = coo_array(([np.sqrt(rest)], ([0], [design.parameters - 1])), shape=(1, design.parameters))
    columns = diags_array(root) @ design.rows + diags_array(ties) @ design.tie_rows
    return vstack([columns, last]).astype(np.float32).T.tocsr()


def centred(matrix: Floats, systems: int) -> Floats:
    """A covariance of parameters with the ratings taken about their mean, in place."""
    matrix[:systems] -= matrix[:systems].mean(axis=0, dtype=np.float64).astype(matrix.dtype)
    matrix[:, :systems] -= matrix[:, :systems].mean(axis=1, keepdims=True, dtype=np.float64).astype(matrix.dtype)
    return matrix


class Refits(NamedTuple):
    """Fits of resampled votes.

    Parameters
    ----------
    theta : array, shape (parameters, refits)
        Parameters.
    without : int
        Resamples for which there is no maximum, or it was not reached; left out.
    """

    theta: Floats
    without: int


def refits(
    design: Design | Choices, units: Units, resamples: int, start: Floats, ridge: float, rng: np.random.Generator
) -> Refits:
    """Fit resampled votes, many at a time.

    Parameters
    ----------
    design : Likelihood
        What the counts compare.
    units : Units
        What is drawn.
    resamples : int
        How many.
    start : array, shape (parameters,)
        The fit of the votes as they are.
    ridge : float
        Its ridge.
    rng : numpy.random.Generator
        Source of the draws; the same generator gives the same fits.
    """
    block = max(1, _BLOCK // int(np.prod(design.shape)))
    parts = []
    for first in range(0, resamples, block):
        counts = units.resample(min(block, resamples - first), rng).reshape(*design.shape, -1)
        known = exists(design, counts, ridge > 0)
        if known.any():
            at = fit(design, counts[..., known], ridge, start, _TOL)
            parts.append(at.theta[:, at.converged])
    theta = np.concatenate(parts, axis=1) if parts else np.zeros((design.parameters, 0))
    return Refits(theta, resamples - theta.shape[1])
