"""Studies of a design, each with mean squares of its own, and the middle one of the intervals that they find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.estimate.means.intervals import in_order, largest_squares, least_effect
from quorate.estimate.means.targets import POPULATION, Pool
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.plan.designs.groups import GroupSizes, GroupWeights
from quorate.plan.designs.layouts import Layout
from quorate.plan.designs.sources import Source
from quorate.plan.designs.strata import Facets, Strata
from quorate.table.columns.roles import FIXED
from quorate.wording import Brief

_STUDIES = 127
_GENERATOR = 29
"""Of the lattice of studies: of a prime number of them, every mean square takes every step of its law once."""
_MANY = 1000.0
"""Degrees of freedom from which the law of a mean square is that of Wilson and Hilferty (1931)."""
_TABLE = 4096
"""Quantiles of Student's t in a table; as many are cheaper one by one."""
_SHOWN = 2**20
"""Quantiles up to which a result that is shown has each by itself: of a frontier of 8,000 designs."""


@dataclass(frozen=True)
class Studies(Brief):
    """Studies of one design, or of many at once, as they would be analysed.

    Every mean square of a study is drawn from its chi-square law. The parts of the variance are differences of mean
    squares, used as `quorate.estimate.means.intervals` uses them: cut at zero, that of a facet that stands for others
    as large as a small mean square allows, and no interval narrower than with fewer facets drawn, or beyond the ends of
    the scale.

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
        return self._at(share, level, _TABLE)

    def half_width_of(self, place: int, level: float = 0.95) -> float:
        """The same, of one design; the first that is asked for works out all of them."""
        if level not in self._widths:
            self._widths[level] = np.ravel(self._at(0.5, level, _SHOWN))
        each = self._widths[level]
        return float(each[place % len(each)])

    @cached_property
    def _widths(self) -> dict[float, Floats]:
        """Half the interval of the middle study of every design, by level."""
        return {}

    def _at(self, share: float, level: float, few: int) -> Floats:
        """Half the interval of every design that is at a share of those of its studies, by rising width."""

        def half(source: Source, level: float) -> Floats:
            variance, df, effects = self._each_aim[id(source)]
            more = variance
            for noise, square, free in effects:
                more = more + np.maximum(largest_squares(free, level) * noise - square, 0.0)
            upper = (1 + level) / 2
            student = t_quantiles(df, upper, few) * np.sqrt(variance)
            return np.asarray(np.fmax(student, t_quantile(np.inf, upper) * np.sqrt(more)))

        ended, level = self.source.scale, checked_level(level)
        if ended is not None and ended.latent:
            variance, df = self._latent
            widths = t_quantiles(df, (1 + level) / 2, few) * np.sqrt(variance) * self.factor
        else:
            widths = in_order(self._drawn, self.source.choices, half, level) * self.factor
        widths = widths if ended is None else ended.half_width(widths, self.laid.calls)
        return np.asarray(np.median(widths, axis=0) if share == 0.5 else np.quantile(widths, share, axis=0))

    @cached_property
    def _drawn(self) -> Facets:
        """Facets that stand for others and could stand for themselves."""
        free = frozenset[str]().union(*self.source.choices)
        return frozenset(name for name in free if self.source.targets[name] == POPULATION)

    @cached_property
    def _strata(self) -> Strata:
        return Strata(self.source.drawn, self.laid)

    @cached_property
    def _groups(self) -> GroupWeights | None:
        """How the mean weighs groups of items, by the components as they are; None where it weighs all alike."""
        return self.source.grouping(self.laid)

    @cached_property
    def _found(self) -> tuple[dict[Facets, Any], dict[Facets, Any], Any]:
        """Mean squares, and the part of the variance of each stratum, that every study finds; shape (studies, ...).

        And what finding how groups of items vary adds to the variance.
        """
        strata, parts = self._strata, self._parts(self.source.drawn)
        own = {one: _total(part for name, part in parts.items() if strata.of_term(name) == one) for one in strata.each}
        ndim = max(np.ndim(value) for value in (*parts.values(), *self.laid.counts.values()))
        turn = sorted(strata.each, key=lambda one: (self.source.item in one, len(one), sorted(one)))
        drawn: dict[Facets, Any] = {}
        for stratum in strata.each:
            df = strata.df[stratum]
            expected = _total(part for other, part in own.items() if stratum <= other)
            told = df if self._groups is None or not self._is_grouped(stratum) else df * self._groups.seen
            free = np.where(np.asarray(df) >= 1, np.maximum(told, 1.0), df)
            drawn[stratum] = expected * mean_squares(_chances(turn.index(stratum)).reshape(-1, *[1] * ndim), free)
        found = self._cut(self._pooled(drawn))
        if self._groups is not None:
            return self._reweighed(found, self._groups)
        return _squares(found), found, 0.0

    def _pooled(self, drawn: Mapping[Facets, Any]) -> dict[Facets, Any]:
        """Mean squares as the restricted likelihood takes them, which has no part of the variance below zero.

        One that is smaller than the noise in it is set against those that this noise is of, each as uncertain as its
        size and its degrees of freedom say, until they agree: of two alike, to their average. Levels that an analysis
        takes as fixed have no component there.
        """
        strata, out = self._strata, dict(drawn)
        fixed = {*FIXED, *self.source.balance}
        for stratum in (one for one in strata.each if not one <= fixed):
            above = [one for one in strata.each if stratum < one]
            noise = _total(self._cut({one: out[one] for one in above}).values())
            next_ = [one for one in above if not any(other < one for other in above)]
            unsure = {one: out[one] ** 2 / self._free(one) for one in next_} | {stratum: noise**2 / self._free(stratum)}
            short = np.where(strata.df[stratum] >= 1, np.maximum(noise - out[stratum], 0.0), 0.0)
            step = short / np.maximum(_total(unsure.values()), 1e-300)
            out = {
                one: square + (step * unsure[one] * (1 if one == stratum else -1) if one in unsure else 0.0)
                for one, square in out.items()
            }
        return out

    def _cut(self, squares: Mapping[Facets, Any]) -> dict[Facets, Any]:
        """Part of the variance of every stratum: its mean square less those of larger ones, none below zero."""
        out: dict[Facets, Any] = {}
        for stratum in squares:
            noise = _total(part for other, part in out.items() if stratum < other)
            seen = np.maximum(squares[stratum] - noise, 0.0)
            out[stratum] = np.where(self._strata.df[stratum] >= 1, seen, 0.0)  # else it is in a smaller stratum
        return out

    def _is_grouped(self, stratum: Facets) -> bool:
        """Whether a stratum varies with groups of items, but not with items."""
        return self.source.item not in stratum and bool(stratum & self.laid.groups.keys())

    def _reweighed(
        self, found: Mapping[Facets, Any], weights: GroupWeights
    ) -> tuple[dict[Facets, Any], dict[Facets, Any], Any]:
        """The same where every study weighs groups of items by what it finds of them."""
        sizes, item = cast("GroupSizes", self.source.sizes), self.source.item
        kinds = {one: next(name for name in sizes.names if name in one) for one in found if self._is_grouped(one)}
        within = _total(part for one, part in found.items() if item in one) / weights.items
        between = {
            name: _total(found[one] for one, kind in kinds.items() if kind == name) / weights.squares[name]
            for name in sizes.names
        }
        own = sizes.weights(within, between, sizes.times(self.laid))
        times = {one: own.items / weights.items if item in one else np.ones(()) for one in found}
        times |= {one: own.squares[kind] / weights.squares[kind] for one, kind in kinds.items()}
        parts = {one: part * times[one] for one, part in found.items()}
        squares = {
            one: part + _total(more for other, more in parts.items() if one < other) for one, part in parts.items()
        }
        added = own.added * _total(part for one, part in parts.items() if item in one or one in kinds)
        return squares, parts, added

    def _parts(self, source: Source) -> dict[str, Any]:
        """What every term brings to the variance, for some targets."""
        weights = self._weights[id(source)]
        return {name: self.values.get(name, source.values[name]) * weight for name, weight in weights.items()}

    @cached_property
    def _weights(self) -> dict[int, Mapping[str, Any]]:
        """Weight of every term, for the targets, for every choice of drawn facets and for all, by source."""
        sources = (self.source, *self.source.choices.values(), self.source.drawn)
        return {id(one): one.weigh(self.laid) for one in sources}

    @cached_property
    def _each_aim(self) -> dict[int, tuple[Floats, Floats, list[tuple[Floats, Floats, Any]]]]:
        """What each study finds for every choice of drawn facets, by source."""
        return {id(one): self._aimed(one) for one in self.source.choices.values()}

    def _aimed(self, source: Source) -> tuple[Floats, Floats, list[tuple[Floats, Floats, Any]]]:
        """Variance of the mean, and its degrees of freedom, that each study finds for some targets.

        And for every facet that stands for others what the noise in its mean square, and that mean square, bring to the
        variance, and the degrees of freedom of it.
        """
        strata, (squares, found, added) = self._strata, self._found
        times, fixed = self._times(source)
        variance = fixed + _total(times[stratum] * part for stratum, part in found.items())
        weight: dict[Facets, Any] = dict.fromkeys(strata.each, np.zeros(()))
        for stratum, sums in strata.differences.items():
            for square, sign in sums.items():
                weight[square] = weight[square] + sign * times[stratum]
        spread = _total((weight[one] * squares[one]) ** 2 / self._free(one) for one in strata.each)
        effects = []
        for stratum in self._main_effects(source):
            df, sums = self._free(stratum), strata.differences[stratum]
            square = np.sqrt(df * _total((sign * squares[one]) ** 2 / self._free(one) for one, sign in sums.items()))
            effects.append((times[stratum] * (square - found[stratum]), times[stratum] * square, np.maximum(df, 1.0)))
        df, unseen = np.maximum(variance**2 / np.maximum(spread, 1e-300), 1.0), self._unseen(source)
        variance = np.where(unseen, _total(self._parts(source).values()), variance + added)
        return variance, np.where(unseen, 1.0, df), effects

    @cached_property
    def _latent(self) -> tuple[Floats, Floats]:
        """Variance of the mean of a model of log odds, and its degrees of freedom, that each study finds.

        Main effects of few levels are those of the likelihood, corrected, and at least three standard errors of zero.
        """
        source, strata = self.source, self._strata
        squares = dict(self._found[0])
        times, _ = self._times(source)
        variance, _, effects = self._aimed(source)
        spread = _total((times[one] * squares[one]) ** 2 / self._free(one) for one in strata.each)
        for noise, square, free in effects:
            seen = np.maximum(square - noise * (free + 1) / free, 0.0)
            variance = variance - np.maximum(square - noise, 0.0) + np.maximum(seen, least_effect(noise, free))
            spread = spread + ((seen + noise) ** 2 - square**2) / free
        return variance, np.maximum(variance**2 / np.maximum(spread, 1e-300), 1.0)

    def _unseen(self, source: Source) -> Any:
        """Whether a drawn facet has one level, so that nothing shows how it varies, for some targets."""
        strata, drawn = self._strata, _drawn(source, self.laid)
        out: Any = np.zeros((), dtype=bool)
        for stratum in {strata.reach((name,)) for name in drawn}:
            smaller = [df >= 1 for other, df in strata.df.items() if other < stratum and other & drawn]
            out = out | ((strata.df[stratum] < 1) & ~np.any(np.broadcast_arrays(False, *smaller), axis=0))
        return out

    def _free(self, stratum: Facets) -> Any:
        return np.maximum(self._strata.df[stratum], 1e-9)

    def _times(self, source: Source) -> tuple[dict[Facets, Any], Any]:
        """How much of the part of every stratum is in the variance for some targets, and what is in it but no draw."""
        strata, drawn, parts = self._strata, _drawn(source, self.laid), self._parts(source)
        own, every = self._weights[id(source)], self._weights[id(strata.source)]
        out = {stratum: np.asarray(float(bool(stratum & drawn))) for stratum in strata.each}
        fixed: Any = np.zeros(())
        for stratum in strata.each:
            names = [name for name in own if strata.of_term(name) == stratum]
            if not stratum & drawn:
                fixed = fixed + _total(parts[name] for name in names)
            elif names:  # of terms that are worth nothing, by their weights alone
                worth = {name: self.values.get(name, source.values[name]) + 1e-30 for name in names}
                whole = _total(worth[name] * every.get(name, own[name]) for name in names)
                kept = _total(worth[name] * own[name] for name in names)
                out[stratum] = np.divide(kept, whole, out=np.zeros(np.shape(kept)), where=whole > 0)
        return out, fixed

    def _main_effects(self, source: Source) -> list[Facets]:
        """Strata of single facets that stand for others."""
        if source.targets.get(source.item) != POPULATION:
            return []
        apart = {source.item, *self.laid.groups, *source.above.get(source.item, ())}
        return [self._strata.reach((name,)) for name in _drawn(source, self.laid) - apart]


def _drawn(source: Source, laid: Layout) -> Facets:
    """Facets that stand for more than their levels."""
    names = (*laid.counts, *laid.groups)
    return frozenset(
        name for name in names if source.targets.get(name) == POPULATION or isinstance(source.targets.get(name), Pool)
    )


def _chances(mean_square: int) -> Floats:
    """Where each study is in the law of a mean square: a Korobov lattice, shape (studies,)."""
    turns = np.arange(_STUDIES) * pow(_GENERATOR, mean_square, _STUDIES) % _STUDIES
    return (turns + 0.5) / _STUDIES


def mean_squares(chance: Floats, df: ArrayLike) -> Floats:
    """Quantiles of mean squares whose mean is 1; 1 where there are no degrees of freedom to tell.

    Parameters
    ----------
    chance : array, shape (studies, ...)
        Place in the law.
    df : array, shape (...)
        Degrees of freedom.
    """
    from scipy.special import gammaincinv, ndtri

    free = np.asarray(df, dtype=float)
    free = free.reshape((1,) * (chance.ndim - 1 - free.ndim) + free.shape)
    some, at = np.unique(np.clip(free, 1.0, _MANY), return_inverse=True)
    exact = (2 * gammaincinv(some / 2, chance.reshape(-1, 1)) / some)[:, at.reshape(free.shape)]
    if np.all(free <= _MANY):
        return np.where(free < 1, 1.0, exact)
    few = np.maximum(free, _MANY)
    normal = (1 - 2 / (9 * few) + ndtri(chance) * np.sqrt(2 / (9 * few))) ** 3
    return np.where(free < 1, 1.0, np.where(free > _MANY, normal, exact))


def t_quantiles(df: Floats, probability: float, few: int = _TABLE) -> Floats:
    """Quantiles of Student's t; of more than ``few``, from a table, right to 1e-6."""
    from scipy.special import ndtri, stdtrit

    if df.size <= few:
        return np.asarray(stdtrit(df, probability))
    grid = np.linspace(0, 1, _TABLE)
    with np.errstate(divide="ignore"):
        known = np.where(grid > 0, stdtrit(1 / np.maximum(grid, 1e-9), probability), ndtri(probability))
    return np.exp(np.interp(1 / df, grid, np.log(known)))


def _squares(parts: Mapping[Facets, Any]) -> dict[Facets, Any]:
    """Mean squares: the part of every stratum and of those with more facets."""
    return {one: part + _total(more for other, more in parts.items() if one < other) for one, part in parts.items()}


def _total(parts: Iterable[Any]) -> Any:
    return sum(parts, np.zeros(()))
