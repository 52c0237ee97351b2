"""What a design costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from quorate.errors import InvalidInput

Prices = Mapping[str, float | Mapping[str, float]]
_KINDS = ("call", "judge", "item", "prompt")


def cost(prices: Prices | None, counts: Mapping[str, int], item: str, calls: int) -> float | None:
    """Price of a design; None when a price it needs is unknown.

    Parameters
    ----------
    prices : mapping, optional
        Per ``call``, or per call of each ``judge`` by name; per ``item`` and per ``prompt`` on top.
    counts : mapping of str to int
        Levels of every facet.
    item : str
        Role of the item.
    calls : int
        Judgments in the design.
    """
    if prices is None:
        return None
    _check(prices)
    per_call = _per_call(prices, counts.get("judge", 1))
    if per_call is None:
        return None
    extra = sum(_number(prices, kind) * counts.get(role, 0) for kind, role in (("item", item), ("prompt", "prompt")))
    return calls * per_call + extra


def _per_call(prices: Prices, judges: int) -> float | None:
    """Mean price of a call over the judges used, the cheapest first; None where fewer judges have a price."""
    by_judge = prices.get("judge")
    if by_judge is None:
        return _number(prices, "call") if "call" in prices else None
    if not isinstance(by_judge, Mapping):
        return float(by_judge)
    cheapest = sorted(by_judge.values())[:judges]
    return sum(cheapest) / judges if len(cheapest) == judges else None


def _number(prices: Prices, kind: str) -> float:
    value = prices.get(kind, 0.0)
    return float(value) if not isinstance(value, Mapping) else 0.0


def _check(prices: Prices) -> None:
    unknown = set(prices) - set(_KINDS)
    if unknown:
        raise InvalidInput(f"prices: {', '.join(sorted(unknown))} is unknown; use {', '.join(_KINDS)}")
    for kind, value in prices.items():
        values = value.values() if isinstance(value, Mapping) else [value]
        if isinstance(value, Mapping) and kind != "judge":
            raise InvalidInput(f"prices: {kind} must be one number, got {dict(value)!r}")
        if not all(isinstance(v, Real) and not isinstance(v, bool) and math.isfinite(v) and v >= 0 for v in values):
            raise InvalidInput(f"prices: {kind} must be a finite amount of at least 0, got {value!r}")
