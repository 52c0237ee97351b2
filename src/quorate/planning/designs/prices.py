"""Prices: what a design costs, by call, judge, item, generation and prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.planning.designs.layouts import Count

Prices = Mapping[str, float | Mapping[str, float]]
_KINDS = ("call", "judge", "item", "generation", "prompt")


def cost(
    prices: Prices | None,
    counts: Mapping[str, Count],
    item: str,
    calls: Count,
    by_judge: Floats | None = None,
    judges: Sequence[str] = (),
) -> Floats | None:
    """Price of a design, or of many at once; None when a price it needs is unknown, nan for those that it is of.

    Where the judges of a design are not named, the cheapest are used, in the order of their prices: what does not
    divide evenly falls on the first, as in `quorate.assign` with ``order="given"``. Of judges drawn at random the price
    is the one to expect.

    Parameters
    ----------
    prices : mapping, optional
        Per ``call``, or per call of each ``judge`` by name; per ``item``, per ``generation`` (a response of the model
        that is judged; one for each item where there is no such facet) and per ``prompt`` on top.
    counts : mapping of str to int or array
        Levels of every facet, in all.
    item : str
        Role of the item.
    calls : int or array
        Judgments in the design.
    by_judge : array, shape (..., judges), optional
        Judgments by each judge, in their order; equal if absent.
    judges : sequence of str, optional
        The judges, where they are particular ones.

    Raises
    ------
    InvalidInput
        If a price is no amount, or a judge of the design has none.
    """
    if prices is None:
        return None
    check(prices)
    amounts = {kind: float(price) for kind, price in prices.items() if not isinstance(price, Mapping)}
    bill: Any
    if isinstance(named := prices.get("judge"), Mapping):
        if unpriced := [name for name in judges if name not in named]:
            raise InvalidInput(f"prices: {', '.join(unpriced)} has no price; name one for each judge of the design")
        ordered = np.array([named[name] for name in judges or cheapest(prices)], dtype=float)
        if by_judge is None:
            means = np.append(np.cumsum(ordered) / np.arange(1, len(ordered) + 1), np.nan)
            bill = calls * means[np.minimum(np.asarray(counts.get("judge", 1), dtype=int), len(means)) - 1]
        else:
            used = by_judge.shape[-1]
            bill = by_judge @ ordered[:used] if used <= len(ordered) else np.full(by_judge.shape[:-1], np.nan)
    elif (each := amounts.get("judge", amounts.get("call"))) is not None:
        bill = calls * each
    else:
        return None
    items = counts.get(item, 0)
    bought = {"item": items, "generation": counts.get("generation", items), "prompt": counts.get("prompt", 0)}
    return np.asarray(bill + sum(amounts.get(kind, 0.0) * count for kind, count in bought.items()), dtype=float)


def cheapest(prices: Prices) -> tuple[str, ...]:
    """Judges by name, the cheapest first; empty where judges have no prices of their own."""
    by_judge = prices.get("judge")
    return tuple(sorted(by_judge, key=by_judge.__getitem__)) if isinstance(by_judge, Mapping) else ()


def known(value: Floats | None) -> float | None:
    """A single price; None where it is unknown."""
    return None if value is None or np.isnan(value) else float(value)


def check(prices: Prices, kinds: Sequence[str] = _KINDS) -> None:
    """Refuse prices that are none, or of other kinds than there are.

    Raises
    ------
    InvalidInput
        If a kind of price is unknown, or an amount is not a finite number of at least 0.
    """
    if not isinstance(prices, Mapping):
        raise InvalidInput(f'prices: a mapping such as {{"call": 0.01}} is needed, got {prices!r}')
    if "call" in prices and "judge" in prices:
        raise InvalidInput("prices: a call has one price, or one by judge; got both call and judge")
    unknown = set(prices) - set(kinds)
    if unknown:
        raise InvalidInput(f"prices: {', '.join(sorted(unknown))} is unknown; use {', '.join(kinds)}")
    for kind, value in prices.items():
        values = value.values() if isinstance(value, Mapping) else [value]
        if isinstance(value, Mapping) and kind != "judge":
            raise InvalidInput(f"prices: {kind} must be one number, got {dict(value)!r}")
        if not all(isinstance(v, Real) and not isinstance(v, bool) and math.isfinite(v) and v >= 0 for v in values):
            raise InvalidInput(f"prices: {kind} must be a finite amount of at least 0, got {value!r}")
