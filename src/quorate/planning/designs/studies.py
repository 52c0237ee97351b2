"""Studies of a design, each with mean squares of its own, and the middle one of the intervals that they find."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.estimate.components.model import CELL
from quorate.estimate.means.reach import tell_their_mean
from quorate.estimate.means.targets import FEWEST_DRAWN, POPULATION, Pool
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.reach import KAPPA
from quorate.numerics.study_power import half_widths, squares_of_studies
from quorate.numerics.study_power import mean_squares as mean_squares_of
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.sources import Source
from quorate.roles import GENERATION, REPLICATE
from quorate.wording import Brief

# Degrees of freedom that a design's standard error will have.


_MOST = 1e7
"""Degrees of freedom that are as good as endless."""


def degrees_of_freedom(source: Source, laid: Layout, parts: Mapping[str, Any]) -> Floats:
    """Satterthwaite degrees of freedom of the variance of a design's mean, at least 1; for many designs at once.

    Facets that are drawn, and nested in no other that is, each tell as much as they have levels less one, and every
    set of them as the product says: the variance is the sum over sets ``c`` of ``(-1)^(|c| + 1) M_c``, with ``M_c``
    what the terms bring that vary with all of ``c``, and mean squares estimate each ``M_c`` on its own.

    Parameters
    ----------
    source : Source
        Where the variance comes from.
    laid : Layout
        Designs that share a layout.
    parts : mapping of str to array
        What every term brings to the variance.

    References
    ----------
    Satterthwaite (1946), Biometrics Bulletin 2, 110-114; ``docs/methods/optimize.md``.
    """
    # facets that stand for more than their levels, and are nested in none that does
    drawn = {
        name
        for name in (*laid.counts, *laid.groups)
        if source.targets.get(name) == POPULATION or _from_a_pool(source, laid, name)
    }
    tops = sorted(name for name in drawn if not _parents_of(source, laid, name) & drawn)
    varies = {name: _reach_of(source, laid, name) & {*tops} for name in parts}
    variance, spread = sum(parts.values(), np.zeros(())), np.zeros(())
    for chosen in chain.from_iterable(combinations(tops, size) for size in range(1, len(tops) + 1)):
        square: Any = sum((part for name, part in parts.items() if {*chosen} <= varies[name]), np.zeros(()))
        free: Any = math.prod(_levels(source, laid, facet) - 1.0 for facet in chosen)
        spread = spread + np.where(square > 0, square**2 / np.maximum(free, 1e-9), 0.0)
    return np.clip(variance**2 / np.maximum(spread, 1e-300), 1.0, _MOST)


def _from_a_pool(source: Source, laid: Layout, name: str) -> bool:
    """Whether a facet has some levels of a larger pool, in any of the designs; all of them stand for themselves."""
    target = source.targets.get(name)
    return isinstance(target, Pool) and bool(np.min({**laid.grouped, **laid.counts}.get(name, 1)) < target.size)


def _parents_of(source: Source, laid: Layout, name: str) -> set[str]:
    """What a facet is nested in: what it belongs to; of items, what groups them and what they meet one level of."""
    over = set(source.above.get(name, ()))
    if name != source.item:
        return over
    alone = laid.cycle is not None and laid.cycle.per_item == 1
    return over | {*laid.groups} | (laid.assigned - {source.item} if alone else set())


def _reach_of(source: Source, laid: Layout, names: str | Iterable[str]) -> frozenset[str]:
    """Facets and what they are nested in; those of a term, or of a sum of some, by its name."""
    facets: set[str] = set()
    for one in names.split(" + ") if isinstance(names, str) else names:
        base = one.partition("[")[0]
        facets |= set(laid.counts) if base in (CELL, REPLICATE) else set(base.split(":"))
    while more := {up for name in facets for up in _parents_of(source, laid, name)} - facets:
        facets |= more
    return frozenset(facets & {*laid.counts, *laid.groups})


def _levels(source: Source, laid: Layout, facet: str) -> Any:
    """Levels that tell how a facet varies: items less those that fixed levels assigned to them take up."""
    if facet in laid.groups:
        return laid.grouped[facet]
    if facet != source.item or laid.cycle is None:
        return laid.counts[facet]
    fixed = math.prod(laid.counts[name] for name in laid.assigned - {source.item, GENERATION} if name in laid.counts)
    turns = laid.counts[GENERATION] if GENERATION in laid.assigned else 1
    return laid.counts[facet] - (0 if turns % fixed == 0 else fixed - 1)  # whole cycles within an item take up none


# Mean squares of a design: what its interval rests on, from what every term brings to the variance.


@dataclass(frozen=True)
class MeanSquares(Brief):
    """Parts of the variance of a design by what they are found from; of many designs, arrays.

    Parameters
    ----------
    items : float or array
        What varies with items, or with what groups them where that stands for others.
    df : float or array
        Its degrees of freedom.
    effects : mapping of str to (array, array, array)
        Of every facet that stands for others: what its levels bring, what items bring to their spread, and levels
        less one; infinite spread where a design has fewer than three levels, which say nothing of others.
    rest : float or array
        What varies with neither.
    """

    items: Any
    df: Any
    effects: Mapping[str, tuple[Any, Any, Any]]
    rest: Any


def mean_squares(source: Source, laid: Layout, parts: Mapping[str, Any]) -> MeanSquares:
    """The mean squares of a layout, from what every term brings to the variance for the targets of its source.

    Few groups of items that stand for others are levels as those of the setup are, and items are drawn within them;
    many, or small ones, are drawn whole as items are.
    """
    varies, item = {name: _reach_of(source, laid, name) for name in parts}, source.item
    groups = [name for name in laid.groups if source.targets.get(name) == POPULATION]
    outermost = [name for name in groups if not _parents_of(source, laid, name) & {*groups}]
    setup = [
        name
        for name in laid.counts
        if source.targets.get(name) == POPULATION and name != item and item not in source.above.get(name, ())
    ]
    # groups of items are strata where they are known, and where drawn ones tell their own means
    told = (tell_their_mean(laid.grouped[name], laid.counts[item]) for name in groups)
    few: Any = np.all(np.broadcast_arrays(True, *told), axis=0)
    weighed, effects = source.grouping(laid), {}
    for facet in (*setup, *outermost):
        counts = np.asarray(laid.counts.get(facet, laid.grouped.get(facet)), dtype=float)
        own = [name for name in parts if facet in varies[name]]
        spread = _total(parts[name] for name in own if item not in varies[name])
        noise = _total(parts[name] for name in own if item in varies[name])
        spread = np.where(counts < FEWEST_DRAWN, np.inf, spread)
        if facet in outermost:
            spread, noise = np.where(few, spread, 0.0), np.where(few, noise, 0.0)
            noise = noise if weighed is None else noise * weighed.told[facet]
        effects[facet] = spread, noise, np.maximum(counts - 1, 1.0)
    with_groups = {name for name in parts if varies[name] & {*groups} and item not in varies[name]}
    free = [np.asarray(laid.grouped[name], dtype=float) - 1 for name in outermost]
    # over items: less one, or less the levels assigned to them in turn, of each stratum
    of_items = _levels(source, laid, item) - np.where(few, math.prod(laid.grouped[name] for name in laid.groups), 1.0)
    return MeanSquares(
        items=_total(parts[name] for name in parts if item in varies[name])
        + np.where(few, 0.0, _total(parts[name] for name in with_groups)),
        df=np.maximum(np.where(few, of_items, np.min(free, axis=0) if free else np.inf), 1.0),
        effects=effects,
        rest=_total(part for name, part in parts.items() if not varies[name] & {item, *groups, *setup}),
    )


def _total(parts: Any) -> Any:
    return sum(parts, np.zeros(()))


@dataclass(frozen=True)
class Studies(Brief):
    """Studies of one design, or of many at once, as they would be analysed.

    Every mean square of a study is drawn from its chi-square law, and its interval is that of
    `quorate.numerics.reach.Reach`, within the ends of the scale. Where items stand for themselves or for a pool, and of
    log odds, it is Student's on the variance of the components.

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
        held = targets[self.source.item] != POPULATION or any(
            _from_a_pool(self.source, self.laid, name) for name in targets
        )
        if held or self.source.latent:
            df = degrees_of_freedom(self.source, self.laid, parts)
            variance = sum(parts.values(), np.zeros(())) * self._at(share, df)
            widths = half_widths(upper, variance, df, ()) * self.factor
        else:
            squares = mean_squares(self.source, self.laid, parts)
            effects = sorted(squares.effects.items(), reverse=True)  # in one order, whatever that of the counts is
            drawn = [
                (np.maximum((spread + noise) * self._drawn(1 + place, df) - KAPPA * noise, 0.0), df)
                for place, (_, (spread, noise, df)) in enumerate(effects)
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
        """A mean square as every study finds it, in units of what is expected."""
        return squares_of_studies(mean_square, self._spread(df))

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
