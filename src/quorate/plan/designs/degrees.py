"""Degrees of freedom that a design's standard error will have, and how wide its interval will then be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quorate.arrays import Floats
from quorate.estimate.components.model import CELL
from quorate.estimate.means.intervals import least_effect
from quorate.estimate.means.targets import POPULATION, Pool
from quorate.numerics.inference import checked_level
from quorate.plan.designs.layouts import Layout
from quorate.plan.designs.sources import Source
from quorate.roles import REPLICATE
from quorate.wording import Brief

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
    tops = _tops(source, laid)
    varies = {name: _varies(source, laid, name, tops) for name in parts}
    variance, spread = sum(parts.values(), np.zeros(())), np.zeros(())
    for chosen in _sets(tops):
        square: Any = sum((part for name, part in parts.items() if chosen <= varies[name]), np.zeros(()))
        free: Any = math.prod(_levels(source, laid, facet) - 1.0 for facet in chosen)
        spread = spread + np.where(square > 0, square**2 / np.maximum(free, 1e-9), 0.0)
    return np.clip(variance**2 / np.maximum(spread, 1e-300), 1.0, _MOST)


@dataclass(frozen=True)
class Middle(Brief):
    """The middle one of many studies of a design, by the width of its interval; for one design or many.

    Parameters
    ----------
    factor : float or array
        The standard error that it finds, as a multiple of the true one.
    df : float or array
        Degrees of freedom that it finds.
    """

    factor: Any
    df: Any

    def half_width(self, se: ArrayLike, level: float = 0.95) -> Floats:
        """Half its interval, where the true standard error is so large."""
        from scipy.special import stdtrit

        return np.asarray(stdtrit(self.df, (1 + checked_level(level)) / 2) * self.factor * np.asarray(se))


def middle_study(source: Source, laid: Layout, parts: Mapping[str, Any]) -> Middle:
    """The middle one of many studies of a design: each mean square at the median of its law, used as a study uses it.

    The part of a set of facets is its mean square less the noise in it: what larger sets bring, and terms that are
    nested in it. It is cut at zero; that of a facet that stands for others is never below three standard errors that it
    has at zero, as in ``quorate.estimate.means.intervals``. A sum of medians is less than the median of the sum, which
    is known where nothing is cut: the variance is larger by as much.

    Parameters
    ----------
    source, laid, parts
        As for `degrees_of_freedom`.

    References
    ----------
    ``docs/methods/optimize.md``.
    """
    tops = _tops(source, laid)
    varies = {name: _varies(source, laid, name, tops) for name in parts}
    apart = {source.item, *laid.groups}
    seen: dict[frozenset[str], Any] = {}
    uncut: Any = np.zeros(())
    spread: Any = np.zeros(())
    for chosen in sorted(_sets(tops), key=len, reverse=True):
        free = np.maximum(math.prod(_levels(source, laid, facet) - 1.0 for facet in chosen), 1e-9)
        square = _total(part for name, part in parts.items() if chosen <= varies[name])
        found = square * chi_square_median(np.maximum(free, 1.0))
        uncut = uncut - (-1) ** len(chosen) * found
        noise = _total(part for other, part in seen.items() if chosen < other)
        nested = _total(part for name, part in parts.items() if varies[name] == chosen and not _is_of(name, chosen))
        bounded = len(chosen) == 1 and not chosen & apart and source.targets.get(source.item) == POPULATION
        least = least_effect(noise + nested, np.maximum(free, 1.0)) if bounded else 0.0
        seen[chosen] = nested + np.maximum(found - noise - nested, least)
        spread = spread + (seen[chosen] + noise) ** 2 / free
    df = degrees_of_freedom(source, laid, parts)
    fixed = _total(part for name, part in parts.items() if not varies[name])
    variance, total = _total(seen.values()) + fixed, _total(parts.values())
    short = (total * chi_square_median(df)) / np.maximum(uncut + fixed, 1e-3 * total + 1e-300)
    factor = np.sqrt(np.maximum(short, 1.0) * np.divide(variance, total, out=np.ones(np.shape(total)), where=total > 0))
    return Middle(factor, np.clip(variance**2 / np.maximum(spread, 1e-300), 1.0, _MOST))


def chi_square_median(df: ArrayLike) -> Floats:
    """Median of a mean square, the mean of its law being 1."""
    from scipy.special import gammaincinv

    free = np.minimum(np.asarray(df, dtype=float), _MOST)
    return np.asarray(2 * gammaincinv(free / 2, 0.5) / free)


def _total(parts: Iterable[Any]) -> Any:
    return sum(parts, np.zeros(()))


def _is_of(term: str, facets: frozenset[str]) -> bool:
    """Whether a term, or a sum of some, has these facets and no more."""
    return any(set(one.partition("[")[0].split(":")) == facets for one in term.split(" + "))


def _tops(source: Source, laid: Layout) -> frozenset[str]:
    """Facets that stand for more than their levels, and are nested in none that does."""
    drawn = {
        name
        for name in (*laid.counts, *laid.groups)
        if source.targets.get(name) == POPULATION or isinstance(source.targets.get(name), Pool)
    }
    return frozenset(name for name in drawn if not _parents(source, laid, name) & drawn)


def _parents(source: Source, laid: Layout, name: str) -> set[str]:
    """What a facet is nested in: what it belongs to, what groups the items, and what they are assigned."""
    over = set(source.above.get(name, ()))
    return over | (({*laid.groups} | laid.assigned) - {source.item} if name == source.item else set())


def _varies(source: Source, laid: Layout, term: str, tops: frozenset[str]) -> frozenset[str]:
    """The tops that a term varies with, its parents included."""
    facets: set[str] = set()
    for one in term.split(" + "):
        base = one.partition("[")[0]
        facets |= set(laid.counts) if base in (CELL, REPLICATE) else set(base.split(":"))
    while more := {up for name in facets for up in _parents(source, laid, name)} - facets:
        facets |= more
    return frozenset(facets & tops)


def _sets(tops: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every set of some of them."""
    names = sorted(tops)
    every = chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1))
    return map(frozenset, every)


def _levels(source: Source, laid: Layout, facet: str) -> Any:
    """Levels that tell how a facet varies: items less those that fixed levels assigned to them take up."""
    if facet in laid.groups:
        return laid.grouped[facet]
    if facet != source.item or laid.cycle is None:
        return laid.counts[facet]
    fixed = math.prod(laid.counts[name] for name in laid.assigned - {source.item} if name in laid.counts)
    return laid.counts[facet] - fixed + 1
