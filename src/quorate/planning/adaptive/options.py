"""Options of an adaptive allocation: variances, weights and prices of its arms, and the scale of the scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.table.columns.labels import label
from quorate.table.roster import Roster


class Scale(NamedTuple):
    """Scale of the scores of one attribute.

    Parameters
    ----------
    low, high : float, optional
        Least and greatest score possible.
    step : float, optional
        Smallest gap between two scores; None where there is none.
    """

    low: float | None = None
    high: float | None = None
    step: float | None = None


def scales(
    scale: Iterable[float] | Mapping[str, Iterable[float]] | None,
    bounds: Sequence[float] | None,
    attributes: Sequence[str],
) -> tuple[Scale, ...]:
    """Scale of every attribute, of one where none are named.

    Raises
    ------
    InvalidInput
        If a scale is no two numbers or more, or both kinds are given.
    """
    if scale is not None and bounds is not None:
        raise InvalidInput("scale, bounds: give the possible scores, or the ends of a continuous scale, not both")
    count = max(len(attributes), 1)
    if bounds is not None:
        ends = _numbers(bounds, "bounds")
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise InvalidInput(f"bounds: the least and the greatest score possible, got {bounds}")
        return (Scale(ends[0], ends[1]),) * count
    if isinstance(scale, Mapping):
        missing = [name for name in attributes if name not in scale]
        if missing or not attributes:
            raise InvalidInput(f"scale: one for every attribute, got {', '.join(map(str, scale))}")
        return tuple(_scale(scale[name]) for name in attributes)
    return (Scale() if scale is None else _scale(scale),) * count


def _scale(scores: Iterable[float]) -> Scale:
    steps = sorted(set(_numbers(scores, "scale")))
    if len(steps) < 2:
        raise InvalidInput(f"scale: the possible scores, two or more, such as range(1, 6), got {steps}")
    return Scale(steps[0], steps[-1], float(np.diff(steps).min()))


def _numbers(values: Iterable[float], argument: str) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise InvalidInput(f"{argument}: expects numbers, got {values!r}") from None
    if not all(map(math.isfinite, numbers)):
        raise InvalidInput(f"{argument}: expects finite numbers, got {numbers}")
    return numbers


def by_arm(given: Any, argument: str, names: Sequence[str], attributes: int, *, zero: bool) -> Floats:
    """A number for every arm and attribute.

    Parameters
    ----------
    given : mapping of str to number, or array
        By the name of the arm, or in the order of the arms: shape (arms,) or (arms, attributes).
    argument : str
        For errors.
    names : sequence of str
        The arms.
    attributes : int
        How many columns.
    zero : bool
        Whether 0 is allowed.

    Returns
    -------
    array, shape (arms, attributes)

    Raises
    ------
    InvalidInput
        If one is missing or no finite number of at least 0.
    """
    if isinstance(given, Mapping):
        known = {label(name): value for name, value in given.items()}
        missing = [name for name in names if name not in known]
        if missing:
            raise InvalidInput(f'{argument}: one for every arm, got none for "{missing[0]}" ({len(missing)} in all)')
        given = [known[name] for name in names]
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{argument}: expects a number for every arm") from None
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != len(names) or values.shape[1] not in (1, attributes):
        raise InvalidInput(f"{argument}: one for each of {len(names):,} arms, got shape {np.shape(given)}")
    bad = ~(np.isfinite(values) & ((values >= 0) if zero else (values > 0)))
    if bad.any():
        at = int(bad.any(axis=1).argmax())
        rule = "finite numbers of at least 0" if zero else "finite numbers above 0"
        raise InvalidInput(f'{argument}: expects {rule}, got {values[at][bad[at]][0]} for "{names[at]}"')
    return np.broadcast_to(values, (len(names), attributes))


def prices_of(prices: Mapping[str, Any] | None, roster: Roster) -> Floats:
    """Price of one call of every cell, 1 where no prices are given.

    Parameters
    ----------
    prices : mapping, optional
        ``{"call": price}``, or a facet with a price for a call of each of its labels, such as
        ``{"judge": {"large": 0.02, "small": 0.001}}``.
    roster : Roster
        The cells.

    Raises
    ------
    InvalidInput
        If a price is missing, or not above 0.
    """
    if prices is None:
        return np.ones(len(roster))
    if not hasattr(prices, "items") or len(prices) != 1:
        raise InvalidInput(f'prices: one kind, {{"call": 0.01}} or {{"judge": {{...}}}}, got {prices!r}')
    ((kind, given),) = prices.items()
    if kind == "call":
        return np.full(len(roster), _price(given, "a call"))
    if kind not in roster.levels or not isinstance(given, Mapping):
        known = ", ".join(roster.levels)
        raise InvalidInput(f'prices: "call" has one price, a facet ({known}) one for every label; got {prices!r}')
    known_prices = {label(name): value for name, value in given.items()}
    missing = [name for name in roster.levels[kind] if name not in known_prices]
    if missing:
        raise InvalidInput(f"prices: no price for {kind} {', '.join(missing[:3])} ({len(missing)} in all)")
    each = np.array([_price(known_prices[name], f"{kind} {name}") for name in roster.levels[kind]])
    return np.asarray(each[roster.column(kind)])


def _price(value: Any, what: str) -> float:
    if not positive(value):
        raise InvalidInput(f"prices: a price is a finite number above 0, got {value!r} for {what}")
    return float(value)


def positive(value: Any) -> bool:
    """Whether it is a finite number above 0, of Python or of NumPy."""
    return not isinstance(value, bool) and isinstance(value, Real) and 0 < float(value) < math.inf
