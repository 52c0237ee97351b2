"""Paired-comparison models by Newton's method on counts of votes, for many resamples at once."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.ratings.ties import Cells, Summary, TieModel, summary

# What a model of votes or rankings is to the code that fits it and finds how its parameters vary.


class Likelihood(Protocol):
    """A concave log likelihood of counts, by entry: an outcome of a cell, such as a tie of two systems.

    Counts have a shape of their own and an axis of fits. A *cell* is what has outcomes: two systems in an order,
    or a set of systems of which some are placed first.
    """

    @property
    def systems(self) -> int:
        """Ratings, the first parameters."""

    @property
    def parameters(self) -> int:
        """All parameters."""

    @property
    def centred(self) -> tuple[slice, ...]:
        """Parameters that are known up to a common shift."""

    def known(self, counts: Floats) -> Any:
        """What the likelihood needs of the counts."""

    def started(self, known: Any) -> Floats:
        """Parameters to start from, shape (parameters, fits)."""

    def derivatives(self, known: Any, theta: Floats) -> tuple[Floats, Floats, Any]:
        """Log likelihood (fits,), gradient (parameters, fits) and information (fits, parameters, parameters).

        The information of a single large fit may be sparse, shape (parameters, parameters).
        """

    def gradients(self, theta: Floats, units: Any = None) -> Any:
        """Gradient of one vote of every entry, or sums by units, sparse, shape (units, entries); sparse."""


class Told(Protocol):
    """The information of one vote of every cell.

    ``cell`` has the cell of every entry of the counts.
    """

    @property
    def cell(self) -> Ints:
        """Shape (entries,)."""

    @property
    def size(self) -> int:
        """Cells."""

    def trace(self, inverse: Floats) -> Floats:
        """Leverage of a vote of each cell on all contrasts together, shape (cells,)."""

    def some(self, cells: Ints | Bools) -> Told:
        """The same of some cells."""

    def along(self, x: Floats) -> Floats:
        """What it says of each column of ``x``, shape (cells, columns)."""

    def roots(self, votes: Floats) -> Floats:
        """Rows whose squares are the information of so many votes of each cell."""


# Steps of Newton's method: solutions by an information that is singular along common shifts.


MANY = 3000
"""Systems from which on matrices of all pairs are too large to be kept more than a few at a time."""

_LARGE, _MOST_PRODUCTS = 1000, 1000
_ROUNDING, _NOTHING = 1e-10, 1e-12


def anchored(design: Likelihood, information: Any, ridge: float) -> Floats:
    """The information with the ridge, and with the directions of common shifts filled in so that it can be solved."""
    out = information.copy() if isinstance(information, np.ndarray) else full(information)
    for part in design.centred:
        out[:, part, part] += filled(np.einsum("rii->ri", out[:, part, part]))[:, None, None]
        own = np.arange(part.start, part.stop)
        out[:, own, own] += ridge
    return out


def filled(diagonal: Floats) -> Floats:
    """What is added to every entry of the part of an information that is singular along a common shift.

    Parameters
    ----------
    diagonal : array, shape (..., parameters)
        Diagonal of that part.
    """
    mean = diagonal.sum(axis=-1) / diagonal.shape[-1] ** 2
    return np.where(mean > 0, mean, 1.0)


def _is_large(design: Likelihood, fits: int) -> bool:
    """Whether the information, of a single fit of many ratings, is kept sparse.

    Not where shifts of other parameters than ratings change nothing: these go together with a shift of still others.
    """
    return fits == 1 and design.parameters >= _LARGE and len(design.centred) == 1


def full(information: Any) -> Floats:
    """The information as a full matrix, shape (fits, parameters, parameters)."""
    return information if isinstance(information, np.ndarray) else np.asarray(information.toarray()[None])


def solved(design: Likelihood, information: Any, gradient: Floats, ridge: float) -> Floats:
    """A step of Newton's method for every fit; by conjugate gradients where the information is sparse and these end."""
    if not isinstance(information, np.ndarray):
        step = _conjugate(design, information, gradient[:, 0], ridge)
        if step is not None:
            return step[:, None]
    whole = anchored(design, information, ridge)
    try:
        return np.asarray(np.linalg.solve(whole, gradient.T[:, :, None])[:, :, 0].T)
    except np.linalg.LinAlgError:  # where a parameter runs off; the fit is then said not to have converged
        tiny = _ROUNDING * np.abs(whole).max() * np.eye(len(gradient))
        return np.asarray(np.linalg.solve(whole + tiny, gradient.T[:, :, None])[:, :, 0].T)


def _conjugate(design: Likelihood, information: Any, gradient: Floats, ridge: float) -> Floats | None:
    """The step by products with the information; None where that takes too many of them."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg

    ratings = design.centred[0]
    added, right = np.zeros(len(gradient)), gradient.copy()
    added[ratings] = ridge
    right[ratings] -= right[ratings].mean()  # rounding: along a common shift there is nothing to solve
    matrix = (information + diags_array(added)).tocsr()
    size = matrix.diagonal()
    least, inverse = _NOTHING * float(size.min()), diags_array(1 / size)
    step, left = cg(matrix, right, rtol=_ROUNDING, atol=least, maxiter=_MOST_PRODUCTS, M=inverse)
    step[ratings] -= step[ratings].mean()
    return None if left else np.asarray(step)


# Paired-comparison models by Newton's method on counts of votes, for many resamples at once.
#
# Votes enter as counts, shape (orders, cells, 3, fits): for each order in which two systems were shown, each cell, a
# pair of systems with its covariates, and each outcome (first, second, tie), the votes of each fit. A model is a row
# of a design for each cell, which says what its gap is of the parameters, and a law of the outcomes given the gap
# (`quorate.numerics.ratings.ties`). Parameters are ratings, then the position effect if there are two orders,
# coefficients of covariates, how readily each system ties if that is asked, and the parameter of the model of ties if
# it has one; shape (parameters, fits). The log likelihoods are derived in ``docs/methods/ratings.md``.


_VALUE_ROUNDING = 1e-10
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class Design:
    """What the counts compare.

    Parameters
    ----------
    systems : int
        Systems.
    a, b : array of int, shape (cells,)
        The two systems of each cell; a pair has several cells where covariates differ.
    sign : array, shape (orders,)
        ``[0]`` without a position effect; ``[1, -1]`` where the first of the pair, then the second, was shown first.
    ties : TieModel
        What a tie says of the ratings.
    covariates : array, shape (cells, covariates)
        What else moves the gap, as the first of the pair has more of it than the second.
    own_ties : bool
        Whether every system has ties of its own: the parameter of a pair is the common one and the mean of theirs.
    slope : array, shape (cells,), optional
        What the difference of the ratings is multiplied by; 1 by default.
    slopes : int
        How many of the covariates, the last, are such slopes less 1, which are known up to a common factor.
    offset : array, shape (cells,), optional
        What the gap is at parameters of 0.
    """

    systems: int
    a: Ints
    b: Ints
    sign: Floats
    ties: TieModel
    covariates: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    own_ties: bool = False
    slope: Floats | None = None
    slopes: int = 0
    offset: Floats | None = None

    @property
    def position(self) -> bool:
        """Whether there is a position effect."""
        return len(self.sign) > 1

    @property
    def tied(self) -> bool:
        """Whether ties have a parameter."""
        return self.ties.modelled

    @property
    def effects(self) -> int:
        """The position effect and coefficients."""
        return int(self.position + self.covariates.shape[1])

    @property
    def parameters(self) -> int:
        """Ratings, position effect, coefficients, ties of every system, and the parameter of ties."""
        return self.systems + self.effects + self.systems * self.own_ties + self.tied

    @property
    def plain(self) -> bool:
        """Whether there are ratings, a position effect and one parameter of ties at most."""
        return not (self.covariates.size or self.own_ties or self.slope is not None)

    @cached_property
    def centred(self) -> tuple[slice, ...]:
        """Parameters that are known up to a common shift, and are shown with a mean of 0."""
        s = self.systems
        ties = slice(s + self.effects, 2 * s + self.effects)
        slopes = slice(s + self.effects - self.slopes, s + self.effects)
        return (slice(0, s), *((slopes,) if self.slopes else ()), *((ties,) if self.own_ties else ()))

    @cached_property
    def incidence(self) -> Any:
        """Sparse, shape (systems, cells): 1 for the first of the pair, -1 for the second; times the slope."""
        from scipy.sparse import coo_array

        cells = np.arange(len(self.a))
        one = np.ones(len(self.a)) if self.slope is None else self.slope
        place = np.append(self.a, self.b), np.append(cells, cells)
        return coo_array((np.append(one, -one), place), shape=(self.systems, len(self.a))).tocsr()

    @cached_property
    def ends(self) -> Any:
        """Sparse, shape (systems, cells): 1/2 for each of the two systems of a cell."""
        from scipy.sparse import coo_array

        cells = np.tile(np.arange(len(self.a)), 2)
        entries = np.full(len(cells), 0.5), (np.append(self.a, self.b), cells)
        return coo_array(entries, shape=(self.systems, len(self.a))).tocsr()

    @cached_property
    def columns(self) -> Floats:
        """Covariates of every order and cell, the position effect first; shape (effects, orders, cells)."""
        shape = len(self.sign), len(self.a)
        sign = [np.broadcast_to(self.sign[:, None], shape)] if self.position else []
        columns = [*sign, *(np.broadcast_to(one, shape) for one in self.covariates.T)]
        return np.array(columns, dtype=np.float64).reshape(self.effects, *shape)

    @cached_property
    def rows(self) -> Any:
        """What the gap of every order and cell is of the parameters, sparse."""
        from scipy.sparse import coo_array

        orders, cells = len(self.sign), len(self.sign) * len(self.a)
        one = np.tile(np.ones(len(self.a)) if self.slope is None else self.slope, orders)
        effect, cell = np.nonzero(self.columns.reshape(self.effects, cells))
        value = np.concatenate([one, -one, self.columns.reshape(self.effects, cells)[effect, cell]])
        row = np.concatenate([np.tile(np.arange(cells), 2), cell])
        place = np.concatenate([np.tile(self.a, orders), np.tile(self.b, orders), self.systems + effect])
        return coo_array((value, (row, place)), shape=(cells, self.parameters)).tocsr()

    @cached_property
    def tie_rows(self) -> Any:
        """What the parameter of ties of every order and cell is of the parameters, sparse."""
        from scipy.sparse import coo_array

        cells, last = len(self.sign) * len(self.a), self.parameters - 1
        row = np.arange(cells)
        value, place = [np.full(cells, float(self.tied))], [np.full(cells, last)]
        if self.own_ties:
            own = self.centred[-1].start
            place += [own + np.tile(side, len(self.sign)) for side in (self.a, self.b)]
            value += [np.full(cells, 0.5)] * 2
        entries = np.concatenate(value), (np.tile(row, len(value)), np.concatenate(place))
        return coo_array(entries, shape=(cells, self.parameters)).tocsr()

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Any]:
        """The two systems of every pair, once, and what sums cells to pairs, sparse; None where they are the same."""
        from scipy.sparse import csr_array

        key, place = np.unique(self.a * np.int64(self.systems) + self.b, return_inverse=True)
        if len(key) == len(self.a):
            return self.a, self.b, None
        order = np.argsort(place, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(place)))
        return (*np.divmod(key, self.systems), csr_array((np.ones(len(order)), order, starts)))

    def gap(self, theta: Floats) -> Floats:
        """Log odds of the first of every pair, shape (orders, cells, fits)."""
        gap: Floats = (theta[self.a] - theta[self.b])[None]
        if self.slope is not None:
            gap = gap * self.slope[:, None]
        for column, coefficient in zip(self.columns, theta[self.systems :], strict=False):
            gap = gap + column[..., None] * coefficient
        return gap if self.offset is None else gap + self.offset[:, None]

    def tie(self, theta: Floats) -> Floats:
        """Parameter of ties of every fit, shape (fits,), or (1, cells, fits) where systems have their own."""
        if not self.own_ties:
            return np.asarray(theta[-1])
        own = theta[self.centred[-1]]
        return np.asarray((theta[-1] + (own[self.a] + own[self.b]) / 2)[None])

    def cells(self, known: Summary, theta: Floats) -> Cells:
        """Log likelihood of the votes of every order and cell, with its derivatives."""
        return self.ties.cells(known, self.gap(theta), self.tie(theta))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the counts of one fit."""
        return len(self.sign), len(self.a), 3

    @property
    def touched(self) -> Any:
        """Sparse, shape (entries, systems): not 0 at the two systems of an entry of the counts."""
        return abs(self.incidence.T)[np.tile(np.repeat(np.arange(len(self.a)), 3), len(self.sign))]

    def known(self, counts: Floats) -> Summary:
        """What the likelihood needs of the counts."""
        return summary(counts)

    def started(self, known: Summary) -> Floats:
        """Equal ratings, and the tie parameter that then fits best; shape (parameters, fits)."""
        theta = np.zeros((self.parameters, known.votes.shape[-1]))
        if self.tied:
            ties = known.ties.sum(axis=(0, 1))
            theta[-1] = self.ties.parameter(2 * ties / (known.votes.sum(axis=(0, 1)) - ties))
        return theta

    def derivatives(self, known: Summary, theta: Floats) -> tuple[Floats, Floats, Any]:
        """Log likelihood, gradient and information, which is sparse for a single large fit."""
        at = self.cells(known, theta)
        parts = [self.incidence @ at.slope.sum(axis=0)]
        parts += [np.einsum("op,opr->r", column, at.slope)[None] for column in self.columns]
        if self.own_ties:
            parts.append(self.ends @ at.tie_slope.sum(axis=0))
        if self.tied:
            parts.append(at.tie_slope.sum(axis=(0, 1))[None])
        whole = _sparse_information(self, at) if _is_large(self, theta.shape[-1]) else information(self, at)
        return at.value.sum(axis=(0, 1)), np.concatenate(parts), whole

    def gradients(self, theta: Floats, units: Any = None) -> Any:
        """`scores`, or sums of them by units, shape (units, entries)."""
        vote = scores(self, theta)
        return vote if units is None else units @ vote


class Fit(NamedTuple):
    """Maximum of the likelihood.

    Parameters
    ----------
    theta : array, shape (parameters, fits)
        Ratings that sum to 0, position effect, parameter of ties.
    information : array, shape (fits, parameters, parameters), or sparse, shape (parameters, parameters)
        Minus the second derivative, without the ridge; singular in the direction of equal ratings. Sparse of a single
        fit of many ratings (`quorate.numerics.ratings.bradley_terry.is_large`).
    value : array, shape (fits,)
        Log likelihood, less the ridge.
    converged : array of bool, shape (fits,)
        Whether the last step was small.
    """

    theta: Floats
    information: Any
    value: Floats
    converged: NDArray[np.bool_]


def fit(design: Likelihood, counts: Floats, ridge: float = 0.0, start: Floats | None = None, tol: float = 1e-9) -> Fit:
    """Newton's method, with steps halved where the likelihood would fall; it is concave.

    Parameters
    ----------
    design : Likelihood
        What the counts compare.
    counts : array, shape (*design.shape, fits)
        Votes; the maximum must exist (`quorate.numerics.ratings.existence`).
    ridge : float
        Weight of half the sum of squared ratings, and of what else is shown about its mean, taken off the log
        likelihood.
    start : array, shape (parameters,), optional
        Where to start.
    tol : float
        A step smaller than this in every parameter is the last.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345. In R: ``BradleyTerry2::BTm``.
    """
    known = design.known(counts)
    theta = design.started(known) if start is None else np.tile(start[:, None], counts.shape[-1])
    step, value = np.zeros_like(theta), np.full(counts.shape[-1], -np.inf)
    small = np.zeros(counts.shape[-1], dtype=np.bool_)
    information: Any = np.zeros((0, 0, 0))
    for _ in range(_MOST_STEPS):
        trial = theta + step
        with np.errstate(over="ignore", invalid="ignore"):  # of what runs off
            reached, gradient, information = _shrunk(design, known, trial, ridge)
        up = reached >= value - _VALUE_ROUNDING * (1 + np.abs(value))
        theta, value = np.where(up, trial, theta), np.where(up, reached, value)
        newton = solved(design, information, gradient, ridge)
        step = np.where(up, newton, step / 2)
        small = np.abs(step).max(axis=0) < tol
        if small.all():
            break
    return Fit(theta + np.where(small, step, 0.0), information, value, small)


def _shrunk(design: Likelihood, known: Any, theta: Floats, ridge: float) -> tuple[Floats, Floats, Any]:
    """Log likelihood and gradient less the ridge, and information."""
    value, gradient, information = design.derivatives(known, theta)
    for part in design.centred:
        value = value - ridge / 2 * np.square(theta[part]).sum(axis=0)
        gradient[part] -= ridge * theta[part]
    return value, gradient, information


def information(design: Design, at: Cells) -> Floats:
    """Minus the second derivative of the log likelihood, shape (fits, parameters, parameters)."""
    s, first = design.systems, slice(design.systems)
    out = np.zeros((design.parameters, design.parameters, at.curvature.shape[-1]))
    square = 1.0 if design.slope is None else design.slope[:, None] ** 2
    _fill(design, out, first, first, at.curvature.sum(axis=0) * square, (1, -1, -1))
    for i, column in enumerate(design.columns):
        weighted = column[..., None] * at.curvature
        out[s + i, first] = out[first, s + i] = design.incidence @ weighted.sum(axis=0)
        for j, other in enumerate(design.columns[: i + 1]):
            out[s + i, s + j] = out[s + j, s + i] = np.einsum("op,opr->r", other, weighted)
    if design.tied:
        _add_ties(design, out, at)
    return np.ascontiguousarray(np.moveaxis(out, -1, 0))


def _sparse_information(design: Design, at: Cells) -> Any:
    """The same of a single fit, as a sparse matrix, shape (parameters, parameters)."""
    from scipy.sparse import diags_array

    curvature, cross, tie = (diags_array(part.ravel()) for part in (at.curvature, at.cross, at.tie_curvature))
    gaps, ties = design.rows, design.tie_rows
    total = gaps.T @ curvature @ gaps
    if design.tied:
        both = gaps.T @ cross @ ties
        total = total + both + both.T + ties.T @ tie @ ties
    return total.tocsr()


def _fill(design: Design, out: Floats, rows: slice, columns: slice, value: Floats, signs: tuple[int, int, int]) -> None:
    """Sums over cells of products of what a cell is of the two systems of its pair, put in a block of a matrix.

    ``signs`` are of the products at the first and the second system, at the second twice, and at the second and first.
    """
    a, b, to_pairs = design.pairs
    value = value if to_pairs is None else to_pairs @ value
    block, (twice, across, back) = out[rows, columns], signs
    block[a, b], block[b, a] = across * value, back * value
    if to_pairs is None and design.slope is None:
        both = 2 * (design.ends @ value) if twice > 0 else design.incidence @ value
        block[np.arange(design.systems), np.arange(design.systems)] = both
    else:
        for at, sign in ((a, 1), (b, twice)):
            np.add.at(block, (at, at), sign * value)


def _add_ties(design: Design, out: Floats, at: Cells) -> None:
    """The parts of the information that are of parameters of ties."""
    first, s = slice(design.systems), design.systems
    cross, curvature = (part.sum(axis=0) for part in (at.cross, at.tie_curvature))
    gaps: list[tuple[slice | int, Floats]] = [(first, design.incidence @ cross)]
    gaps += [(s + i, np.einsum("op,opr->r", column, at.cross)) for i, column in enumerate(design.columns)]
    for place, part in [*gaps, (-1, curvature.sum(axis=0))]:
        out[-1, place] = out[place, -1] = part
    if not design.own_ties:
        return
    own, ends = design.centred[-1], design.ends
    _fill(design, out, own, own, curvature / 4, (1, 1, 1))
    _fill(
        design, out, first, own, cross / 2 if design.slope is None else design.slope[:, None] * cross / 2, (-1, 1, -1)
    )
    out[own, first] = np.swapaxes(out[first, own], 0, 1)
    out[own, -1] = out[-1, own] = ends @ curvature
    for i, column in enumerate(design.columns):
        out[own, s + i] = out[s + i, own] = ends @ (column[..., None] * at.cross).sum(axis=0)


def scores(design: Design, theta: Floats) -> Any:
    """Derivative of the log likelihood of one vote, for every order, cell and outcome.

    Parameters
    ----------
    design : Design
        What the votes compare.
    theta : array, shape (parameters,)
        Parameters.

    Returns
    -------
    sparse array, shape (orders * cells * 3, parameters)
        Rows in the order of the counts.
    """
    left, even = vote_slopes(design, theta)
    by_gap = _each_outcome(design.rows, left)
    return by_gap + _each_outcome(design.tie_rows, even) if design.tied else by_gap


def _each_outcome(rows: Any, slope: Floats) -> Any:
    """Rows of cells once for every outcome, times a slope of each, sparse."""
    out = rows[np.repeat(np.arange(len(slope) // 3), 3)]
    out.data *= np.repeat(slope, np.diff(out.indptr))
    return out


def vote_slopes(design: Design, theta: Floats) -> tuple[Floats, Floats]:
    """Derivatives of the log likelihood of one vote in its gap and its parameter of ties; rows as of `scores`."""
    gap = design.gap(theta[:, None])
    slopes = design.ties.scores(gap, design.tie(theta[:, None]))
    left, even = (np.broadcast_to(one[..., 0, :], (*gap.shape[:2], 3)).ravel() for one in slopes)
    return left, even
