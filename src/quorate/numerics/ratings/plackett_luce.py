"""The model of Plackett and Luce for rankings, with the ties of Firth, Kosmidis and Turner.

A ranking is a series of choices: of all its systems those placed first, then of the rest those placed next, and so on.
A group of k systems is chosen with a chance in proportion to ``exp(mean of their ratings + d_k)``, ``d_1 = 0``, among
all groups of sizes that occur. So the choice from a set is a multinomial logit whose rows are groups, and with two
systems it is Davidson's model. Parameters are ratings, then ``d_k`` from the largest group down to 2. Counts, shape
(groups, fits), say how often each group was chosen; those of one set stand together.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Bools, Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics.ratings.bradley_terry import Design

_BLOCK = 2**22  # numbers at a time
_SMALL = 2**18


@dataclass(frozen=True, eq=False)
class Choices:
    """Sets that groups were chosen from.

    Parameters
    ----------
    systems : int
        Systems.
    rows : sparse array, shape (groups, parameters)
        What the log weight of every group is of the parameters.
    starts : array of int, shape (sets,)
        First group of each set.
    pairs : Design
        Pairs of systems that were ranked together.
    beaten : sparse array, shape (3 * pairs, groups)
        Whether a group, chosen, puts the first of a pair ahead, the second, or neither; of the groups that were chosen.
    """

    systems: int
    rows: Any
    starts: Ints
    pairs: Design
    beaten: Any

    own_ties = False
    position = False

    @property
    def parameters(self) -> int:
        """Ratings and parameters of ties."""
        return int(self.rows.shape[1])

    @property
    def tied(self) -> bool:
        """Whether two systems ever share a place."""
        return self.parameters > self.systems

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the counts of one fit."""
        return (int(self.rows.shape[0]),)

    @property
    def centred(self) -> tuple[slice, ...]:
        """Ratings are known up to a common shift."""
        return (slice(0, self.systems),)

    @cached_property
    def cell(self) -> Ints:
        """The set of every group."""
        return np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, self.shape[0])))

    @cached_property
    def full(self) -> Floats | None:
        """The rows as a full matrix, where it is small: its products are then the faster ones."""
        return np.asarray(self.rows.toarray()) if self.rows.shape[0] * self.parameters <= _SMALL else None

    @cached_property
    def to_sets(self) -> Any:
        """Sparse, shape (sets, groups): what sums groups to sets."""
        from scipy.sparse import csr_array

        groups = self.shape[0]
        return csr_array((np.ones(groups), np.arange(groups), np.append(self.starts, groups)))

    @cached_property
    def touched(self) -> Any:
        """Sparse, shape (groups, systems): systems that are compared where a group is chosen."""
        from scipy.sparse import coo_array

        row = np.arange(3 * len(self.pairs.a))
        place = np.tile(row, 2), np.append(np.repeat(self.pairs.a, 3), np.repeat(self.pairs.b, 3))
        ends = coo_array((np.ones(2 * len(row)), place), shape=(len(row), self.systems)).tocsr()
        return (self.beaten.T @ ends).tocsr()

    def in_pairs(self, counts: Floats) -> Floats:
        """Who was ahead of whom, as counts of the pairs, shape (1, pairs, 3, fits)."""
        return np.asarray((self.beaten @ counts).reshape(1, len(self.pairs.a), 3, -1))

    def every_tie(self, counts: Floats) -> Bools:
        """Whether there are ties of every number of systems that has a parameter; shape (fits,)."""
        return np.asarray((self.rows[:, self.systems :].T @ counts > 0).all(axis=0))

    def known(self, counts: Floats) -> Floats:
        """All of the counts."""
        return counts

    def started(self, known: Floats) -> Floats:
        """Equal ratings, and ties as likely as wins."""
        return np.zeros((self.parameters, known.shape[-1]))

    def chances(self, theta: Floats) -> tuple[Floats, Floats]:
        """Chance of every group in its set, shape (groups, fits), and log of the sum of weights of every set."""
        weight = self.rows @ theta
        most = np.maximum.reduceat(weight, self.starts)
        at = np.exp(weight - most[self.cell])
        total = np.add.reduceat(at, self.starts)
        return at / total[self.cell], most + np.log(total)

    def derivatives(self, known: Floats, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Log likelihood, gradient and information of a multinomial logit."""
        chance, total = self.chances(theta)
        made = np.add.reduceat(known, self.starts)
        value = (known * (self.rows @ theta)).sum(axis=0) - (made * total).sum(axis=0)
        gradient = self.rows.T @ (known - made[self.cell] * chance)
        return value, gradient, np.stack([self._information(*one) for one in zip(chance.T, made.T, strict=True)])

    def gradients(self, theta: Floats, units: Any = None) -> Any:
        """Row of a group less the mean row of its set; sums of these by units."""
        from scipy.sparse import csr_array

        mean = self._mean(self.chances(theta[:, None])[0][:, 0])
        if units is None:
            groups = self.shape[0]
            back = csr_array((np.ones(groups), self.cell, np.arange(groups + 1)), shape=(groups, len(self.starts)))
            return (self.rows - back @ mean).tocsr()
        return (units @ self.rows - (units @ self.to_sets.T) @ mean).tocsr()

    def told(self, theta: Floats) -> Told:
        """The information of one choice from each set."""
        return Told(self.rows, self.chances(theta)[0][:, 0], self.starts, self.cell)

    def _mean(self, chance: Floats) -> Any:
        """Mean row of every set, sparse, shape (sets, parameters)."""
        from scipy.sparse import diags_array

        return (self.to_sets @ diags_array(chance) @ self.rows).tocsr()

    def _information(self, chance: Floats, made: Floats) -> Floats:
        """Sum over choices of the covariance of the row."""
        from scipy.sparse import diags_array

        if self.full is not None:
            weighted = chance[:, None] * self.full
            middle = np.add.reduceat(weighted, self.starts)
            return np.asarray(self.full.T @ (made[self.cell, None] * weighted) - middle.T @ (made[:, None] * middle))
        mean = self._mean(chance)
        square = self.rows.T @ (diags_array(chance * made[self.cell]) @ self.rows)
        return np.asarray((square - mean.T @ (diags_array(made) @ mean)).toarray())


@dataclass(frozen=True, eq=False)
class Told:
    """The information of one choice from each set: the covariance of the row of the group that is chosen."""

    rows: Any
    chance: Floats
    starts: Ints
    cell: Ints

    @property
    def size(self) -> int:
        """Sets."""
        return len(self.starts)

    def trace(self, inverse: Floats) -> Floats:
        """Mean square of rows less the square of their mean, in the metric of the inverse information."""
        out = np.zeros(self.size)
        block = max(1, _BLOCK // len(inverse))
        ends = np.append(self.starts, len(self.cell))
        first = 0
        while first < self.size:
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + block, side="right")) - 1)
            groups = slice(int(ends[first]), int(ends[last]))
            rows, starts = self.rows[groups], self.starts[first:last] - ends[first]
            weighted = rows.multiply(self.chance[groups, None]).tocsr()
            square = np.add.reduceat(weighted.multiply(rows @ inverse).sum(axis=1), starts)
            mean = np.add.reduceat(weighted.toarray(), starts)
            out[first:last] = square - ((mean @ inverse) * mean).sum(axis=1)
            first = last
        return out

    def some(self, cells: Ints | Bools) -> Told:
        """The same of some sets, in their order."""
        ends = np.append(self.starts, len(self.cell))
        size = (ends[1:] - ends[:-1])[cells]
        starts = np.append(0, np.cumsum(size)[:-1])
        groups = np.arange(int(size.sum())) + np.repeat(self.starts[cells] - starts, size)
        return Told(self.rows[groups], self.chance[groups], starts, np.repeat(np.arange(len(size)), size))

    def along(self, x: Floats) -> Floats:
        """Variance of the row along each column of ``x``."""
        gap = self.rows @ x
        weighted = self.chance[:, None] * gap
        mean = np.add.reduceat(weighted, self.starts)
        return np.asarray(np.add.reduceat(weighted * gap, self.starts) - mean**2)

    def roots(self, votes: Floats) -> Floats:
        """Rows about the mean of their set."""
        rows = self.rows.toarray()
        mean = np.add.reduceat(self.chance[:, None] * rows, self.starts)
        return np.asarray(np.sqrt(votes[self.cell] * self.chance)[:, None] * (rows - mean[self.cell]))
