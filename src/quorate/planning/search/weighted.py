"""Weighted cycles of judges, and panels of named judges where it matters who they are.

Judges that are cheap or steady are asked more often, and weigh no more in the mean for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.means.targets import POPULATION
from quorate.planning.designs.prices import Prices, cheapest
from quorate.planning.designs.schemes import Scheme
from quorate.planning.designs.sources import Source
from quorate.planning.designs.weights import own_facets
from quorate.roles import JUDGE

_LONGEST = 4
"""Longest cycle, in places per judge."""
_MOST_PANELS = 100
MIXTURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""How far judges weigh equally in the mean, where a bias may be traded for variance."""


def named_panels(
    source: Source, prices: Prices, judges: Iterable[int], known: Sequence[str]
) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Judges to look at, by their number, where their residual variances are known one by one; else none.

    Every choice is looked at where there are at most 100; of more, the cheapest, the steadiest and those whose price
    times variance is least. Each is in the order of prices.
    """
    names = cheapest(prices) or tuple(known)
    if not known:
        return {}
    price, noise = _prices(prices, names), np.array([_own(source, name, known) for name in names])
    orders = (np.lexsort((noise, price)), np.lexsort((price, noise)), np.argsort(price * noise, kind="stable"))
    rank = orders[0].argsort()

    def choices(count: int) -> Iterable[tuple[int, ...]]:
        if math.comb(len(price), count) <= _MOST_PANELS:
            return combinations(range(len(price)), count)
        return dict.fromkeys(tuple(sorted(order[:count].tolist())) for order in orders)

    return {
        count: tuple(tuple(names[at] for at in sorted(chosen, key=rank.__getitem__)) for chosen in choices(count))
        for count in judges
        if count <= len(names)
    }


def weighted_cycles(
    source: Source,
    prices: Prices,
    judges: Iterable[int],
    *,
    known: Sequence[str] = (),
    traded: bool = False,
) -> dict[int, tuple[Scheme, ...]]:
    """Cycles worth looking at, by the number of judges.

    With equal weights of judges, the variance per cost is least where judge ``l`` has places in proportion to
    ``sqrt(v_l / p_l)``: ``v_l`` the variance of one of its scores, ``p_l`` what one costs with its item. What an item's
    price and variance come to per turn depends on the design, so cycles run from those of calls and residuals alone to
    those with all of it, in whole numbers, for every length up to four places per judge.

    Parameters
    ----------
    source : Source
        What scores vary by.
    prices : mapping
        As for `quorate.project`.
    judges : iterable of int
        Numbers of judges.
    known : sequence of str
        Judges whose residual variance is known one by one.
    traded : bool
        Whether cycles also come with weights that leave a bias of the panel.

    Raises
    ------
    InvalidInput
        If nothing tells one judge from another.

    References
    ----------
    Neyman (1934), for the allocation. ``docs/methods/layouts.md``.
    """
    names = cheapest(prices) or tuple(known)
    if not names:
        raise InvalidInput(
            'layouts: "weighted" asks some judges more often, and nothing tells judges apart; give each a price, '
            + argument("prices", {"judge": {...: ...}}, text='prices={"judge": {name: usd}}')
            + ', or a residual variance, decompose(..., residual_by="judge")'
        )
    sizes = [count for count in judges if 1 < count <= len(names) and (cheapest(prices) or count == len(names))]
    panels = named_panels(source, prices, sizes, known) or {count: (names[:count],) for count in sizes}
    mixtures = MIXTURES if traded else MIXTURES[:1]
    return {
        count: tuple(
            Scheme("weighted", places=places, judges=panel, balanced=balanced)
            for panel in panels[count]
            for places in _cycles(source, prices, panel, known)
            for balanced in mixtures
        )
        for count in sizes
    }


def _cycles(source: Source, prices: Prices, names: Sequence[str], known: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Cycles for these judges, each once."""
    call, own = _prices(prices, names), np.array([_own(source, name, known) for name in names])
    amounts: Mapping[str, Any] = prices
    costs = _between(call, call + float(amounts.get("item", 0.0)) + float(amounts.get("generation", 0.0)))
    shared = 0.0  # what every turn brings, whoever judges: terms that have the item and that the target leaves open
    for name, value in source.values.items():
        facets = set().union(*(own_facets(term, tuple(source.counts)) for term in name.split(" + ")))
        if "[" not in name and source.item in facets and POPULATION in map(source.targets.get, facets):
            shared += value
    variances = _between(own, own + shared) if known else [np.ones(len(names))]
    ideals = [np.sqrt(variance / cost) for variance in variances for cost in costs]
    return tuple(dict.fromkeys(places for ideal in ideals for places in cycles_near(ideal)))


def _between(low: Floats, high: Floats) -> list[Floats]:
    """Two ends and their geometric mean."""
    floor = 1e-12 * max(float(np.max(high)), 1e-300)
    low = np.maximum(low, floor)
    return [low, np.sqrt(low * high), high] if np.any(high > low) else [low]


def _prices(prices: Mapping[str, Any], names: Sequence[str]) -> Floats:
    """What one call of each judge costs."""
    named = prices.get(JUDGE)
    each = [named[name] if isinstance(named, Mapping) else prices.get("call", 1.0) for name in names]
    return np.asarray(np.maximum(np.array(each, dtype=float), 1e-12))


def _own(source: Source, judge: str, known: Sequence[str]) -> float:
    """Residual variance of a judge; of one that is not known, the average."""
    wanted = [judge] if judge in known else list(known)
    variances = [sum(v for name, v in source.values.items() if f"[{JUDGE}={own}]" in name) for own in wanted]
    return float(np.mean(variances)) if variances else 0.0


def cycles_near(ideal: Floats) -> tuple[tuple[int, ...], ...]:
    """Whole numbers near these proportions, for cycles of every length; equal places are the plain cycle."""
    cycles: dict[tuple[int, ...], None] = {}
    for length in range(len(ideal) + 1, _LONGEST * len(ideal) + 1):
        places = np.maximum(1, np.rint(length * ideal / ideal.sum())).astype(int)
        places //= math.gcd(*places.tolist())
        if places.max() > places.min():
            cycles[tuple(places.tolist())] = None
    return tuple(cycles)
