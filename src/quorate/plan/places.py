"""Weighted cycles: judges that are cheap or steady are asked more often, and weigh no more in the mean for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.errors import InvalidInput
from quorate.plan.prices import Prices, cheapest
from quorate.plan.schemes import JUDGE, Scheme
from quorate.plan.sources import Source

Floats = NDArray[np.float64]
_LONGEST = 4
"""Longest cycle, in places per judge."""
MIXTURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""How far judges weigh equally in the mean, where a bias may be traded for variance."""


def weighted_cycles(
    source: Source, prices: Prices, judges: Iterable[int], *, residual_judges: Sequence[str] = (), traded: bool = False
) -> dict[int, tuple[Scheme, ...]]:
    """Cycles worth looking at, by the number of judges.

    With equal weights of judges, the variance per cost is least where judge ``l`` has places in proportion to
    ``sqrt(v_l / p_l)``: ``v_l`` the variance of one of its scores, ``p_l`` what one costs with its item. Cycles are
    that in whole numbers, for every length up to four places per judge.

    Parameters
    ----------
    source : Source
        What scores vary by.
    prices : mapping
        As for `quorate.project`.
    judges : iterable of int
        Numbers of judges.
    residual_judges : sequence of str
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
    names = cheapest(prices) or tuple(residual_judges)
    if not names:
        raise InvalidInput(
            'layouts: "weighted" asks some judges more often, and nothing tells judges apart; give each a price, '
            'prices={"judge": {name: usd}}, or a residual variance, decompose(..., residual_by="judge")'
        )
    costs = _costs(prices, names)
    variances = np.array([_variance(source, name) for name in names])
    sizes = [count for count in judges if 1 < count <= len(names) and (cheapest(prices) or count == len(names))]
    mixtures = MIXTURES if traded else MIXTURES[:1]
    return {
        count: tuple(
            Scheme("weighted", places=places, judges=names[:count], balanced=balanced)
            for places in _rounded(np.sqrt(variances[:count] / costs[:count]))
            for balanced in mixtures
        )
        for count in sizes
    }


def _costs(prices: Mapping[str, Any], names: Sequence[str]) -> Floats:
    """What one score of each judge costs, with the item and the response that it is about."""
    named = prices.get(JUDGE)
    each = [named[name] if isinstance(named, Mapping) else prices.get("call", 1.0) for name in names]
    own = float(prices.get("item", 0.0)) + float(prices.get("generation", 0.0))
    return np.maximum(np.array(each, dtype=float) + own, 1e-12)


def _variance(source: Source, judge: str) -> float:
    """Variance of one score of a judge about the mean of the panel, items and all."""
    own = f"[{JUDGE}={judge}]"
    parts = [value for name, value in source.values.items() if own in name or ("[" not in name and name != JUDGE)]
    return max(sum(parts), 1e-300)


def _rounded(ideal: Floats) -> tuple[tuple[int, ...], ...]:
    """Whole numbers near these proportions, for cycles of every length; equal places are the plain cycle."""
    found: dict[tuple[int, ...], None] = {}
    for length in range(len(ideal) + 1, _LONGEST * len(ideal) + 1):
        places = np.maximum(1, np.rint(length * ideal / ideal.sum())).astype(int)
        places //= math.gcd(*places.tolist())
        if places.max() > places.min():
            found[tuple(places.tolist())] = None
    return tuple(found)
