"""Studies of a design, each with mean squares of its own, and the middle one of the intervals that they find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.estimate.means.targets import POPULATION, Pool
from quorate.numerics.inference import checked_level
from quorate.numerics.quantiles import mean_squares as mean_squares_of
from quorate.numerics.reach import KAPPA
from quorate.numerics.study_power import half_widths
from quorate.planning.designs.degrees import degrees_of_freedom
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.mean_squares import mean_squares
from quorate.planning.designs.sources import Source
from quorate.wording import Brief

_STUDIES = 127
_GENERATOR = 29
"""Of the lattice of studies: of a prime number of them, every mean square takes every step of its law once."""
_CHANCES = tuple((turn + 0.5) / _STUDIES for turn in range(_STUDIES))


@dataclass(frozen=True)
class Studies(Brief):
    """Studies of one design, or of many at once, as they would be analysed.

    Every mean square of a study is drawn from its chi-square law, and its interval is that of
    `quorate.numerics.reach.Reach`, within the ends of the scale. Where items stand for themselves or for a pool it is
    Student's on the variance of the components.

    Parameters
    ----------
    source : Source
        Where the variance comes from.
    laid : Layout
        Designs that share a layout.
    values : mapping of str to float or array
        What every term is worth, in the last axis of designs if they are many.
    factor : float
        How many times as large standard errors are, as in studies that leave cells open.

    References
    ----------
    ``docs/methods/optimize.md``.
    """

    source: Source
    laid: Layout
    values: Mapping[str, Any]
    factor: float = 1.0

    def half_width(self, level: float = 0.95, share: float = 0.5) -> Floats:
        """Half the interval than which so large a share of the studies of every design find a narrower one.

        By default that of the middle study: half find a narrower interval, half a wider one, if components are right.
        """
        upper, targets = (1 + checked_level(level)) / 2, self.source.targets
        parts = self.parts
        if targets[self.source.item] != POPULATION or any(isinstance(one, Pool) for one in targets.values()):
            df = degrees_of_freedom(self.source, self.laid, parts)
            variance = sum(parts.values(), np.zeros(())) * self._at(share, df)
            widths = half_widths(upper, variance, df, ()) * self.factor
        else:
            squares = mean_squares(self.source, self.laid, parts)
            drawn = [
                (np.maximum((spread + noise) * self._drawn(1 + place, df) - KAPPA * noise, 0.0), df)
                for place, (spread, noise, df) in enumerate(squares.effects.values())
            ]
            found = self._drawn(0, squares.df) if drawn else self._at(share, squares.df)
            over_items = squares.items * found + squares.rest
            widths = half_widths(upper, over_items, squares.df, tuple(drawn)) * self.factor
        if self.source.scale is not None:
            known = np.where(np.isfinite(widths), widths, 0.0)  # of fewer than three levels nothing is known of others
            widths = np.where(np.isfinite(widths), self.source.scale.half_width(known, self.laid.calls), np.inf)
        return np.asarray(np.quantile(widths, share, axis=0, method="lower"))

    def half_width_of(self, place: int, level: float = 0.95) -> float:
        """The same, of one design; the first that is asked for works out all of them."""
        if level not in self._widths:
            self._widths[level] = np.ravel(self.half_width(level))
        each = self._widths[level]
        return float(each[place % len(each)])

    @cached_property
    def _widths(self) -> dict[float, Floats]:
        """Half the interval of the middle study of every design, by level."""
        return {}

    def _drawn(self, mean_square: int, df: ArrayLike) -> Floats:
        """A mean square as every study finds it, in units of what is expected: a Korobov lattice through its law."""
        turns = np.arange(_STUDIES) * pow(_GENERATOR, mean_square, _STUDIES) % _STUDIES
        return mean_squares_of(_CHANCES, self._spread(df))[turns]

    def _at(self, share: float, df: ArrayLike) -> Floats:
        """A mean square at one place of its law: where there is no other, studies are in its order."""
        return mean_squares_of((share,), self._spread(df))

    def _spread(self, df: ArrayLike) -> Floats:
        """Degrees of freedom with the axes of the designs."""
        free = np.asarray(df, dtype=float)
        return free.reshape((1,) * (len(self.shape) - free.ndim) + free.shape)

    @cached_property
    def parts(self) -> Mapping[str, Any]:
        """What every term brings to the variance."""
        weights = self.source.weigh(self.laid)
        return {name: self.values.get(name, self.source.values[name]) * weight for name, weight in weights.items()}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the designs."""
        return np.broadcast_shapes(*map(np.shape, self.parts.values()), np.shape(self.laid.calls), (1,))
