"""Search of studies by their power: the cheapest of all designs allowed, or the best for a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats, Ints
from quorate.errors import NotEstimable
from quorate.estimate.means.targets import FEWEST_DRAWN
from quorate.numerics.reach import Effect
from quorate.numerics.study_power import Studies, one_square, studies
from quorate.planning.designs.dstudy import Projection, bill
from quorate.planning.designs.studies import Studies as Planned
from quorate.planning.designs.studies import mean_squares
from quorate.planning.search.optimum import Searched
from quorate.planning.search.search import Kept, placed
from quorate.streams import stream

Chance = Callable[[Studies], float]
"""Power of studies of one design."""
Chosen = Callable[[Floats, Floats], NDArray[np.bool_]]
"""Designs to look at, by their price and their standard error over the largest that would do."""
DF = np.geomspace(1.0, 1e5, 31)
"""Degrees of freedom for which largest standard errors are found."""
_RANGE, _HALVINGS = (-40.0, 40.0), 30
_FAR = 1.5
"""Standard error over the largest that would do, by the screen, above which a design is not looked at again."""
_MORE = 100
"""Designs that are judged in full, the best by the screen: cheaper than the first found, or within a budget."""
_SLACK = 1e-9


def cheapest_study(searched: Searched, chance: Chance, power: float) -> Projection | None:
    """The cheapest of all designs whose studies have the power; None where no design has.

    All designs are screened by their standard error and Satterthwaite's degrees of freedom, as if their variance were
    one mean square. Those that are better, so seen, than all that cost no more are judged in full, from cheap to dear;
    then the hundred best of those cheaper than the first that does, for the screen is rough where levels are few.
    """
    kept = screened(searched, largest_errors(chance, power), lambda _, over: over <= _FAR)
    cost, over = kept.cost, kept.width

    def first(order: Ints) -> int | None:
        plans = ((place, searched.projection(kept, place)) for place in order.tolist())
        return next((place for place, plan in plans if _chance(chance, plan) >= power), None)

    order = np.lexsort((over, cost))
    place = first(order[over[order] < np.append(np.inf, np.minimum.accumulate(over[order])[:-1])])
    cheaper = np.flatnonzero(cost < (np.inf if place is None else cost[place] * (1 - 1e-9)))
    cheaper = cheaper[np.argsort(over[cheaper], kind="stable")[:_MORE]]
    better = first(cheaper[np.lexsort((over[cheaper], cost[cheaper]))])
    place = place if better is None else better
    return None if place is None else searched.projection(kept, place)


def best_study(searched: Searched, chance: Chance, power: float, budget: float) -> Projection | None:
    """The design within a budget whose studies have the most power; None where a budget buys none.

    The hundred best by the screen of `cheapest_study` are judged in full.
    """
    kept = screened(searched, largest_errors(chance, power), lambda cost, _: cost <= budget * (1 + _SLACK))
    plans = [searched.projection(kept, place) for place in np.argsort(kept.width, kind="stable")[:_MORE].tolist()]
    return max(plans, key=lambda plan: _chance(chance, plan), default=None)


def _chance(chance: Chance, plan: Projection) -> float:
    """Power of a plan; 0 where it has too few levels to speak for others."""
    try:
        return chance(studies_of_plan(plan))
    except NotEstimable:
        return 0.0


def screened(searched: Searched, largest: Floats, chosen: Chosen) -> Kept:
    """Designs by price and by their standard error over the largest that would do.

    Parameters
    ----------
    searched : Searched
        The designs; where judgments are paid for, the price is that of the rest.
    largest : array
        Of `largest_errors`.
    chosen : callable
        Which designs to keep.

    Returns
    -------
    Kept
        With that ratio as its width.
    """
    source, parts_of = searched.source, []
    for number, piece in enumerate(searched.found.pieces):
        laid = placed(source, piece)
        weights = source.weigh(laid)
        parts = {name: source.values[name] * weight for name, weight in weights.items()}
        squares = mean_squares(source, laid, parts)
        drawn = [(spread + noise, df) for spread, noise, df in squares.effects.values()]
        total = squares.items + sum((square for square, _ in drawn), np.zeros(()))
        spent = squares.items**2 / squares.df + sum((square**2 / df for square, df in drawn), np.zeros(()))
        with np.errstate(invalid="ignore"):
            df = np.nan_to_num(np.maximum(total**2 / np.maximum(spent, 1e-300), 1.0), nan=1.0)
        limit = np.interp(np.log(df), np.log(DF), largest)
        over = np.sqrt(sum(parts.values(), np.zeros(()))) / np.maximum(limit, 1e-300)
        variance = np.asarray(sum(parts.values(), np.zeros(())), dtype=float)
        cost = np.asarray(bill(source, laid, searched.prices), dtype=float)
        cost, over, variance = (np.broadcast_to(values, piece.shape).ravel() for values in (cost, over, variance))
        if searched.paid is not None:
            cost = np.maximum(cost - searched.paid.saved(piece)[0], 0.0)
        known = np.flatnonzero(chosen(cost, over) & np.isfinite(over))
        parts_of.append((cost[known], variance[known], over[known], np.full(len(known), number), known))
    cost, variance, over, piece_of, index = (np.concatenate(values) for values in zip(*parts_of, strict=True))
    return Kept(cost, variance, over, piece_of, index, np.zeros(len(cost), dtype=np.int64))


def largest_errors(chance: Chance, power: float) -> Floats:
    """Largest standard errors with power enough, by degrees of freedom from 1 to 100,000."""
    return np.array([largest_error(df, chance, power) for df in DF])


def largest_error(df: float, chance: Chance, power: float) -> float:
    """Largest standard error with power enough, if the variance is one mean square; 0 where none is small enough."""
    unit, (low, high) = one_square(1.0, df), _RANGE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(unit.times(math.exp(middle))) >= power else (low, middle)
    return math.exp(low) if low > _RANGE[0] else 0.0


def studies_of_plan(plan: Projection) -> Studies:
    """What studies of a design for the difference would find, if its components are right.

    Raises
    ------
    NotEstimable
        If the design has fewer than three levels of a facet that stands for others.
    """
    made = cast("Planned", plan.studies)
    squares = mean_squares(made.source, made.laid, made.parts)

    def of_plan(values: object) -> float:
        each = np.ravel(np.broadcast_to(np.asarray(values, dtype=float), made.shape))
        return float(each[plan.place % len(each)])

    effects = []
    for name, (spread, noise, df) in squares.effects.items():
        if not np.isfinite(of_plan(spread)):
            raise NotEstimable(
                f"{name}: a study of fewer than {FEWEST_DRAWN} levels says nothing of others; plan as many or more",
                [name],
            )
        effects.append(Effect(of_plan(spread) + of_plan(noise), of_plan(noise), of_plan(df)))
    items = of_plan(squares.items) * made.factor**2
    rng = stream(0, "study power")
    return studies(items, of_plan(squares.df), effects, plan.variance - items, rng)
