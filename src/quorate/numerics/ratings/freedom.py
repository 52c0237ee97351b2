"""Degrees of freedom of all differences of many ratings, found when asked for: there is no room for a matrix."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass

_ENTRIES = 2**17  # of a block of rows: what a processor keeps at hand
_GROUPS, _ROUNDING = 100, 1e-5


@dataclass(frozen=True, eq=False)
class Freedom:
    """A symmetric matrix that is indexed as an array is: by slices of rows and columns, or by their numbers.

    Parameters
    ----------
    known, square, part : array, shape (systems,)
        What all votes tell of each rating, and what heavy units do: the sum of squares of what they tell, and the sum.
    even : float
        Sum over light units of squares of their parts in what these tell together.
    met : sparse array, shape (systems, systems)
        Degrees of freedom of ratings by themselves, and of systems that some heavy unit has both of.
    other : array, shape (parameters - systems,)
        Of other parameters.
    free : float
        Between these and all others.
    """

    known: Floats
    square: Floats
    part: Floats
    even: float
    met: Any
    other: Floats
    free: float

    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        """Parameters, twice."""
        return len(self), len(self)

    def __len__(self) -> int:
        return len(self.known) + len(self.other)

    def __getitem__(self, key: tuple[Any, Any]) -> Any:
        rows, columns = key
        if isinstance(rows, slice):
            return self._block(np.arange(len(self))[rows], np.arange(len(self))[columns])
        return self._of(*np.broadcast_arrays(rows, columns))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        step = max(1, _ENTRIES // len(self))
        rows = (self[start : start + step, :] for start in range(0, len(self), step))
        return np.concatenate([*rows]).astype(np.float32 if dtype is None else dtype, copy=False)

    @property
    def of_ratings(self) -> Freedom:
        """Of ratings alone."""
        return replace(self, other=self.other[:0])

    def reordered(self, order: Ints) -> Freedom:
        """With the systems in another order."""
        own = order[: len(self.known)]
        vectors = self.known[own], self.square[own], self.part[own]
        return Freedom(*vectors, self.even, self.met[own][:, own].tocsr(), self.other, self.free)

    def min(self) -> float:
        """No more than the least, and not much less."""
        return self._ends[0]

    def max(self) -> float:
        """No less than the most, and not much more."""
        return self._ends[1]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """By groups of systems of which about as much is known."""
        order = np.argsort(self.known, kind="stable")
        starts = np.arange(0, len(order), max(1, len(order) // _GROUPS))
        parts = [one[order].astype(np.float64) for one in (self.known, self.square, self.part)]
        ends = [[end.reduceat(part, starts) for part in parts] for end in (np.minimum, np.maximum)]
        (least, low, few), (most, high, many) = ([one[:, None] + one for one in end] for end in ends)
        given = [self.met.data, *([self.other, [self.free]] if len(self.other) else [])]
        worst = [spent(high / least**2, few / most, self.even), *given]
        best = [spent(low / most**2, many / least, self.even), *given]
        low_end, high_end = min(float(np.min(one)) for one in worst), max(float(np.max(one)) for one in best)
        return low_end * (1 - _ROUNDING), high_end * (1 + _ROUNDING)

    def _block(self, rows: Ints, columns: Ints) -> Any:
        s = len(self.known)
        out = np.full((len(rows), len(columns)), self.free, dtype=np.float32)
        same = np.flatnonzero(rows >= s)
        same = same[np.isin(rows[same], columns)]
        out[same, rows[same] - columns[:1]] = self.other[rows[same] - s]
        i, j = rows[rows < s], columns[columns < s]
        if len(i) and len(j):
            known, square, part = (one[i, None] + one[j] for one in (self.known, self.square, self.part))
            square /= known
            square /= known
            part /= known
            met = self.met[i[0] : i[-1] + 1, j[0] : j[-1] + 1]
            found = out[: len(i), : len(j)]
            found[:] = spent(square, part, self.even)
            found[np.repeat(np.arange(len(i)), np.diff(met.indptr)), met.indices] = met.data
        return out

    def _of(self, rows: Ints, columns: Ints) -> Floats:
        s = len(self.known)
        out = np.full(rows.shape, self.free, dtype=np.float64)
        both = (rows < s) & (columns < s)
        i, j = rows[both], columns[both]
        if len(i):
            found = np.asarray(self.met[i, j], dtype=np.float64).ravel()
            known, square, part = (one[i] + one[j] for one in (self.known, self.square, self.part))
            out[both] = np.where(found > 0, found, spent(square / known**2, part / known, self.even))
        same = (rows == columns) & ~both
        out[same] = self.other[rows[same] - s]
        return out


def spent(squares: Floats, parts: Floats, even: float) -> Floats:
    """Degrees of freedom by parts of the information.

    Parameters
    ----------
    squares, parts : array
        Sum of squares of the parts that heavy units have, and their sum.
    even : float
        As of `Freedom`.
    """
    if even:
        squares = squares + np.maximum(1 - parts, 0.0) ** 2 * even
    return np.maximum(1 / squares - 1, 1.0)
