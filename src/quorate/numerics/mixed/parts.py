"""Mean units at one point of the likelihood, some at a time: what is summed over them, and never held all at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING

import numpy as np

from quorate.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quorate.numerics.mixed.moments import UnitRows
    from quorate.numerics.mixed.rows import Rows, Sparsity


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Some mean units: ``n = Z'D^-1 W`` and what follows from it, a row per unit and column."""

    units: slice
    n: Rows
    sparsity: Sparsity
    j: Floats
    half: Floats

    @cached_property
    def t(self) -> Rows:
        """``Z' V_w^-1 W``."""
        return self.sparsity.apply(self.j, self.n)

    @cached_property
    def h(self) -> Rows:
        """``half Z' D^-1 W``, so that ``W' V_w^-1 W = W' D^-1 W - h' h``."""
        return self.sparsity.apply(self.half, self.n)

    def __len__(self) -> int:
        return int(self.units.stop) - int(self.units.start)


class MeanUnits:
    """The mean units at one point: their rows are kept where all fit at once, else made for every sum anew.

    Parameters
    ----------
    n : UnitRows
        ``Z'D^-1 W`` of all mean units.
    j, half : array, shape (mean units, columns, columns)
        ``(I + K Gamma)^-1``, and what has ``half' half = Gamma J``.
    """

    def __init__(self, n: UnitRows, j: Floats, half: Floats) -> None:
        self._moments, self._n, self._j, self._half = n.moments, n, j, half
        self.whole = n.moments.sparsity.whole

    def __iter__(self) -> Iterator[Part]:
        if self.whole:
            yield self._all
        else:
            yield from starmap(self._part, self._n)

    def sum(self, of: Callable[..., Floats], *others: UnitRows) -> Floats:
        """Sum over parts of what ``of`` makes of each, shape (..., width, width), as shape (..., q, q).

        ``of`` takes a part, and its rows under other weights.
        """
        if self.whole:
            return self._moments.inward(of(self._all, *(rows.rows for rows in others)))
        total = sum(of(part, *(rows for _, rows in more)) for part, *more in zip(self, *others, strict=True))
        return self._moments.inward(np.asarray(total))

    def taken_out(self, z: Floats) -> Floats:
        """``sum over mean units of h' z``, for ``z`` of shape (units, columns) or (units, columns, m)."""
        rows = z[: self._moments.mean_units]
        if self.whole:
            h = self._all.h
            return self._moments.inward_vector(np.asarray(h.T @ rows.reshape(h.shape[0], *z.shape[2:])))
        back = self._half.swapaxes(1, 2)
        return self._n.transposed(back @ rows if z.ndim == 3 else (back @ rows[:, :, None])[:, :, 0])

    @cached_property
    def _all(self) -> Part:
        return self._part(*next(iter(self._n)))

    def _part(self, units: slice, n: Rows) -> Part:
        return Part(units, n, self._moments.sparsity, self._j[units], self._half[units])
