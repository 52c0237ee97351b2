"""Scores that exist, by arm, from which a replay draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints

_SAME = 1e-9
"""Scores closer than this part of their range are one score, written with rounding errors."""


class Pools(NamedTuple):
    """What a pull of every arm may give: the mean of one draw, with replacement, from each of its parts.

    Parameters
    ----------
    values : array, shape (arms, parts, draws)
        Scores, and nan after the last one. A part is a judge of the panel where pulls are cycles; else there is one.
    sizes : array of int, shape (arms, parts)
        Scores of each part, at least 1.
    """

    values: Floats
    sizes: Ints

    @property
    def arms(self) -> int:
        """Number of arms."""
        return len(self.sizes)

    @property
    def parts(self) -> int:
        """Draws of one pull."""
        return int(self.sizes.shape[1])

    @property
    def mean(self) -> Floats:
        """Expectation of a pull, shape (arms,)."""
        return np.asarray(np.nanmean(self.values, axis=2).mean(axis=1))

    @property
    def variance(self) -> Floats:
        """Variance of a pull, shape (arms,); exactly 0 where all scores of every part are equal."""
        inside = self.values - self.values[:, :, :1]
        return np.asarray(np.nanvar(inside, axis=2).sum(axis=1) / self.parts**2)

    @property
    def step(self) -> float | None:
        """Smallest change of a pull: the smallest gap between two scores, divided by the parts; None without a gap."""
        values = np.unique(self.values[np.isfinite(self.values)])
        gaps = np.diff(values)
        gaps = gaps[gaps > _SAME * (values[-1] - values[0])]
        return float(gaps.min()) / self.parts if gaps.size else None

    def at(self, arms: NDArray[np.integer]) -> Pools:
        """The pools of these arms, in this order."""
        return Pools(self.values[arms], self.sizes[arms])


def packed(values: Floats, sizes: Sequence[int] | Ints, parts: int = 1) -> Pools:
    """Pools of scores that follow each other, arm by arm and part by part.

    Parameters
    ----------
    values : array, shape (scores,)
        Scores.
    sizes : sequence of int, shape (arms * parts,)
        Scores of each part, in order.
    parts : int
        Parts of every arm.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    out = np.full((len(sizes), int(sizes.max(initial=0))), np.nan)
    out[np.arange(out.shape[1]) < sizes[:, None]] = values
    shape = (len(sizes) // parts, parts)
    return Pools(out.reshape(*shape, out.shape[1]), sizes.reshape(shape))
