"""Optimisation: the cheapest design that is precise enough, or the most precise one that a budget buys."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quorate import caveats, rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decompose import scored
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.components.published import Components
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.means.targets import FEWEST_DRAWN, PANEL, POPULATION, Target
from quorate.numerics.reach import Effect
from quorate.numerics.roots import root
from quorate.numerics.study_power import Studies, one_square, studies
from quorate.planning.designs import dstudy, sources
from quorate.planning.designs.dstudy import check as _check_prices
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.studies import Studies as Planned
from quorate.planning.designs.studies import mean_squares
from quorate.planning.search.grid import (
    CATEGORIES,
    ROLES,
    Grid,
    allowed,
    around,
    checked,
    named_panels,
    roles,
    weighted_cycles,
)
from quorate.planning.search.optimum import Optimum, Searched, precise, within
from quorate.planning.search.search import Found, Kept, Paid, joined, kept_of, paid_for, placed, priced, search
from quorate.planning.search.whatif import as_it_is
from quorate.roles import ITEM, JUDGE, REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.read import read_first
from quorate.wording import plural

Chance = Callable[[Studies], float]
"""Power of studies of one design."""
Chosen = Callable[[Floats, Floats], NDArray[np.bool_]]
"""Designs to look at, by their price and their standard error over the largest that would do."""
DF = np.array([1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.2, 6.0, 9.0, 15.0, 30.0, 100.0, 1e5])
"""Degrees of freedom for which largest standard errors are found: between them their logarithm is linear in 1/df."""
_FURTHEST = 40.0
"""Logarithm of standard errors, in units of the difference, beyond which none is looked for."""
_FAR = 1.5
"""Standard error over the largest that would do, by the screen, above which a design is not looked at again."""
_MORE = 100
"""Designs that are judged in full, the best by the screen: cheaper than the first found, or within a budget."""
_SLACK = 1e-9


def cheapest_study(searched: Searched, chance: Chance, power: float) -> dstudy.Projection | None:
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


def best_study(searched: Searched, chance: Chance, power: float, budget: float) -> dstudy.Projection | None:
    """The design within a budget whose studies have the most power; None where a budget buys none.

    The hundred best by the screen of `cheapest_study` are judged in full.
    """
    kept = screened(searched, largest_errors(chance, power), lambda cost, _: cost <= budget * (1 + _SLACK))
    plans = [searched.projection(kept, place) for place in np.argsort(kept.width, kind="stable")[:_MORE].tolist()]
    return max(plans, key=lambda plan: _chance(chance, plan), default=None)


def _chance(chance: Chance, plan: dstudy.Projection) -> float:
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
    source, kept = searched.source, []
    for number, piece in enumerate(searched.found.pieces):
        laid = placed(source, piece)
        parts = Planned(source, laid, {}).parts
        squares = mean_squares(source, laid, parts)
        drawn = [(spread + noise, df) for spread, noise, df in squares.effects.values()]
        total = squares.items + sum((square for square, _ in drawn), np.zeros(()))
        spent = squares.items**2 / squares.df + sum((square**2 / df for square, df in drawn), np.zeros(()))
        with np.errstate(invalid="ignore"):
            df = np.nan_to_num(np.maximum(total**2 / np.maximum(spent, 1e-300), 1.0), nan=1.0)
        log_limit = np.interp(-1 / df, -1 / DF, np.log(np.maximum(largest, 1e-300)))
        variance = sum(parts.values(), np.zeros(()))
        over = np.sqrt(variance) / np.exp(log_limit)
        variance, over = (np.broadcast_to(values, piece.shape).ravel() for values in (variance, over))
        cost = priced(source, piece, laid, searched.prices, searched.paid)
        known = np.flatnonzero(chosen(cost, over) & np.isfinite(over))
        kept.append(kept_of(source, piece, number, cost, variance, over, known))
    return joined(kept)


def largest_errors(chance: Chance, power: float) -> Floats:
    """Largest standard errors with power enough, by degrees of freedom from 1 to 100,000."""
    logs = [_log_largest(DF[0], chance, power, 0.0, 0.25)]
    for place, df in enumerate(DF[1:], 1):
        guess, step = logs[-1], 0.25
        if place > 1 and all(np.isfinite(logs[-2:])):
            run = (1 / df - 1 / DF[place - 1]) / (1 / DF[place - 1] - 1 / DF[place - 2])
            guess, step = logs[-1] + (logs[-1] - logs[-2]) * run, 0.02
        logs.append(_log_largest(df, chance, power, guess if np.isfinite(guess) else 0.0, step))
    return np.exp(logs)


def _log_largest(df: float, chance: Chance, power: float, low: float, step: float) -> float:
    """Logarithm of the largest standard error with power enough, if the variance is one mean square; -inf for none."""
    unit = one_square(1.0, df)

    @cache
    def short(log_error: float) -> float:
        return power - chance(unit.times(math.exp(log_error)))

    high = low
    while short(low) > 0:
        if low < -_FURTHEST:
            return -math.inf
        low, high, step = low - step, low, 2 * step
    while short(high) <= 0:
        if high > _FURTHEST:
            return high
        low, high, step = high, high + step, 2 * step
    return root(short, low, high, xtol=1e-4)


def studies_of_plan(plan: dstudy.Projection) -> Studies:
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
    for name, (spread, noise, df) in sorted(squares.effects.items(), reverse=True):  # in one order, as their widths
        if not np.isfinite(of_plan(spread)):
            raise NotEstimable(
                f"{name}: a study of fewer than {FEWEST_DRAWN} levels says nothing of others; plan as many or more",
                [name],
            )
        effects.append(Effect(of_plan(spread) + of_plan(noise), of_plan(noise), of_plan(df)))
    items = of_plan(squares.items) * made.factor**2
    return studies(items, of_plan(squares.df), effects, plan.variance - items)


Limits = Mapping[str, Iterable[int] | int]
_MOSTLY = 0.5
_SAME = 1e-9
"""Relative: designs that differ by less are as good."""
_NEARLY, _LITTLE = 0.05, 0.5
"""A design so much less precise, for at most this part of the price, is named beside the best."""
_SPENT = 0.8
"""Part of a budget below which it is said that the rest buys nothing."""
_FEWEST = 3
"""Levels of a facet that a pilot has at least, for its spread to be seen."""


@read_first
def plan(
    source: Components | Decomposition | LatentDecomposition | SystemDifference,
    *,
    budget: float | None = None,
    target_se: float | None = None,
    half_width: float | None = None,
    prices: dstudy.Prices | None = None,
    limits: Limits | None = None,
    layouts: Sequence[LayoutName] = ("factorial", "cyclic", "latin"),
    targets: Mapping[str, Target] | None = None,
    own: Mapping[str, Any] | None = None,
    traded: bool = False,
    have: Judgments | None = None,
    category_items: sources.CategoryItems | None = None,
) -> Optimum:
    """What to buy next: the most precise design for a budget, or the cheapest that is as precise as asked.

    Precise is what has a narrow interval (`Projection.half_width`); with fewer than three levels of what stands for
    others there is none. Standard errors are compared where one is asked for, or no design allowed has an interval.

    Every design that the limits allow is compared, and the one at hand, whatever the limits: what is found is never
    worse than that.

    Parameters
    ----------
    source : Components, Decomposition, LatentDecomposition or SystemDifference
        From `quorate.components` or `quorate.decompose`; of a fit with a link as for `quorate.project`. Of a difference
        (``quorate.compare(...).difference``, or its ``others``) the designs are of both systems, for the reading that
        the difference has, and a price per call, judge or generation is paid for either.
    budget : float, optional
        Most to spend, in the unit of the prices; a number of calls where there is none. Exactly one of ``budget``,
        ``target_se`` and ``half_width`` is given.
    target_se : float, optional
        Largest standard error allowed, in score units.
    half_width : float, optional
        Largest half-width of the 95% interval that an analysis of the design would find. In score units: half of the
        studies of the plan find one as narrow (`Projection.half_width`).
    prices : mapping, optional
        ``{"call": usd}``, or ``{"judge": {name: usd}, "item": usd, "generation": usd, "prompt": usd}``: per call, or
        per call of each judge; per item, per generation (a response that is judged) and per prompt on top. By default
        a call costs 1, so that a budget is a number of calls. Designs with fewer judges than have a price use the
        cheapest; where each judge's residual variance is known (``decompose(..., residual_by="judge")``), every choice
        of judges is compared, or of more than 100 the cheapest, the steadiest and a compromise.
    limits : mapping of str to int or iterable of int, optional
        Numbers allowed of ``items``, ``prompts``, ``judges``, ``temperatures``, ``replicates``, of judges ``per_item``
        for the layout "blocks" (and of pairs for "latin", next to 1), of ``categories`` that group the items, and of
        the levels of any other facet by its role. What is not named stays as it is in the data; 1, with published
        components. Without any limits, designs around the study that was fitted: up to four times its items, twice its
        levels of facets that stand for a population, and a few replicates.
    layouts : sequence of str
        Layouts allowed, of factorial, random, cyclic, weighted, latin and blocks. As `quorate.project` has them.
        "weighted" compares cycles in which judges that are cheap, or whose scores scatter less, come more often.
    targets : mapping of str to str or Pool, optional
        As for `quorate.project`. With judges as a panel, designs of one and of three judges answer different questions;
        compare them with ``{"judge": "population"}``.
    own : mapping, optional
        The design at hand, as options of `quorate.project`, to place it among the others. By default the study that
        was fitted.
    traded : bool
        Weighted cycles may leave some of the panel's bias for less variance. Judges then weigh unequally in the mean
        (`Projection.balanced`), and the analysis must weigh them so.
    have : Judgments, optional
        Judgments that are paid for, such as those that were fitted: a plan keeps those that have a cell in it
        (`Projection.reused`) and costs what must still be bought: calls, items, generations and prompts that are not
        there. Exact where everything is crossed and the plan holds all levels at hand, and where all items have the
        same judgments or one each; elsewhere what a good choice of levels and turns keeps, so that no plan costs more
        than is said. The layout "random" draws judges anew and keeps none. ``docs/methods/optimize.md``.
    category_items : mapping of str to int, or sequence of int, optional
        As for `quorate.project`, in every design. In place of ``categories`` among the limits, whose categories are
        equally large.

    Returns
    -------
    Optimum

    Raises
    ------
    InvalidInput
        If an argument breaks a rule, a design that is allowed has no price, or no design fits.
    NotEstimable
        If the data determine the variance of no design that is allowed.

    References
    ----------
    Messing (2026), Eqs. 3 and 10 and Fig. 3b. ``docs/methods/optimize.md``.

    Examples
    --------
    >>> from quorate.estimate.components.published import components
    >>> safety = components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})
    >>> limits = {"items": [50, 100, 141], "judges": range(1, 4), "replicates": [1, 2]}
    >>> best = plan(safety, budget=141, limits=limits)
    >>> best.plan.layout, best.calls, round(best.se, 4)
    ('cyclic', 141, 0.0222)
    """
    asked = _goal(budget=budget, target_se=target_se, half_width=half_width)
    if limits is not None and not isinstance(limits, Mapping):
        shape = 'a mapping such as {"items": [50, 100], "judges": range(1, 4)} is needed'
        raise InvalidInput(f"limits: {shape}, got {type(limits).__name__}")
    given, prices = prices, {"call": 1.0} if prices is None else prices
    _check_prices(prices)
    pair: dstudy.OfDifference | None = None
    fit: Components | Decomposition | LatentDecomposition
    if isinstance(source, SystemDifference):
        if targets is not None or own is not None:
            name = "own" if targets is None else "targets"
            raise InvalidInput(f"{name}: a difference says what facets stand for, and what is at hand; leave it out")
        pair = dstudy.of_difference(source)
        fit, prices, targets = pair.source, pair.prices(prices), pair.targets
        have = None if have is None else pair.paid(have)
    elif isinstance(source, (Components, Decomposition, LatentDecomposition)):
        fit = source
    else:
        expects = f"expects what decompose or components returns, got {type(source).__name__}; decompose it first"
        raise InvalidInput(f"source: {expects}")
    sizes = sources.sizes_of(category_items, (limits or {}).get(CATEGORIES))
    made, grid = _prepared(
        fit, limits, layouts, targets or {}, prices, traded, sizes, None if pair is None else pair.counts
    )
    paid = None if have is None else paid_for(made, have, prices)
    found = search(made, grid, prices, by_interval=target_se is None, paid=paid)
    if budget is not None and not len(found.frontier.cost):  # none speaks for others: by what the components say
        found = search(made, grid, prices, paid=paid)
    searched = Searched(made, prices, found, fit, grid, paid, pair is not None)
    if not searched.found.candidates:  # why the data determine no design: the reason for the first one
        piece = next(grid.pieces())
        design = piece.design(0)
        dstudy.projection(made, {name: design[name] for name in made.counts}, design[REPLICATE], piece.scheme)
    own = own if own is None or not sizes else {"category_items": sizes, **own}
    at_hand = _design_at_hand(fit, own, prices, targets, grid, paid)
    if pair is not None and at_hand is not None:
        at_hand = dstudy.of_both(at_hand)
    [(goal, value)] = asked.items()
    place = within(found, value) if goal == "budget" else precise(found, value)
    plan = None if place is None else searched.projection(found.frontier, place)
    if at_hand is not None and _is_better(at_hand, plan, found, asked):
        plan = at_hand
    if plan is None:
        raise InvalidInput(_out_of_reach(searched, asked, grid))
    said = [] if pair is None else [*pair.found.caveats]
    said += _caveats(scored(fit) if isinstance(fit, LatentDecomposition) else fit, made, grid, plan, prices)
    said += _of_money(searched, plan, budget)
    said += [caveats.ends_unknown()] if half_width is not None and isinstance(source, Components) else []
    return Optimum(
        plan=plan,
        budget=budget,
        target_se=target_se,
        half_width=half_width,
        own=at_hand,
        judges=plan.judges or tuple(dstudy.cheapest(prices)[: plan.design.get(JUDGE, 1)]),
        caveats=tuple(dict.fromkeys(said)),
        position=place or 0,
        searched=searched,
        prices=given,
        systems=() if pair is None else (pair.found.a, pair.found.b),
    )


def _goal(**goals: float | None) -> dict[str, float]:
    """The one thing that is asked for, by its name."""
    asked = {name: value for name, value in goals.items() if value is not None}
    if len(asked) != 1:
        got = ", ".join(asked) or "none; half a 95% interval may be " + argument("half_width", 0.1)
        raise InvalidInput(f"{', '.join(goals)}: exactly one is needed, got " + got)
    for name, value in asked.items():
        rules.number(name, value, above=0)
    return asked


def designs(
    source: Components | Decomposition,
    *,
    prices: dstudy.Prices,
    limits: Limits,
    layouts: Sequence[LayoutName],
    targets: Mapping[str, Target] | None = None,
    have: Judgments | None = None,
    both: bool = False,
) -> Searched:
    """All designs that limits allow, with what is paid for, for another search than that of `plan`."""
    _check_prices(prices)
    made, grid = _prepared(source, limits, layouts, targets or {}, prices, False)
    none, empty = np.zeros(0, dtype=np.int64), np.zeros(0)
    kept = Kept(empty, empty, empty, none, none, none)
    paid = None if have is None else paid_for(made, have, prices)
    return Searched(made, prices, Found(tuple(grid.pieces()), kept, kept, 0, 0), source, grid, paid, both)


def _prepared(
    source: Components | Decomposition | LatentDecomposition,
    limits: Limits | None,
    layouts: Sequence[LayoutName],
    targets: Mapping[str, Target],
    prices: dstudy.Prices,
    traded: bool,
    sizes: tuple[float, ...] = (),
    counts: Mapping[str, int] | None = None,
) -> tuple[sources.Source, Grid]:
    """The variance of any layout, and the designs allowed. Facets that limits name count as given by the design.

    So do those of components whose counts at hand are known.
    """
    unequal = traded or "random" in layouts
    if not isinstance(source, Components):
        design = sources.Design(categories=len(sizes) or None, sizes=sizes, targets=targets, unequal=unequal)
        made = sources.from_fit(source, replace(design, judges=dstudy.cheapest(prices)))
        limits = around(made, prices) if limits is None else limits
    elif counts is not None:
        own = {name: n for name, n in counts.items() if name != ITEM}
        made = sources.from_components(source, sources.Design(items=counts[ITEM], given=own, targets=targets))
        limits = around(made, prices) if limits is None else limits
    elif not limits or "items" not in limits:
        raise InvalidInput('limits: how many items are allowed is needed with published components: {"items": [...]}')
    else:
        named = {ROLES.get(name, name) for name in limits} & set(source.facets) - {"item"}
        categories = 1 if CATEGORIES in limits else len(sizes) or None
        design = sources.Design(
            items=1, given=dict.fromkeys(named, 1), categories=categories, targets=targets, sizes=sizes
        )
        made = sources.from_components(source, design)
    grouping = {CATEGORIES: 1} if CATEGORIES in limits and made.groups else {}
    held = {**made.counts, REPLICATE: made.replicates, **grouping}
    grid = allowed(limits, layouts, made.item, held)
    known: tuple[str, ...] = ()
    if isinstance(source, Decomposition) and source.assembled.residual_by == JUDGE:
        known = source.assembled.residual_levels  # judges whose residual variance was fitted one by one
    judges = () if made.item == JUDGE else grid.levels.get(JUDGE, ())
    cycles = weighted_cycles(made, prices, judges, known=known, traded=traded) if "weighted" in grid.layouts else {}
    return made, checked(replace(grid, weighted=cycles, judges=named_panels(made, prices, judges, known)))


def _is_better(
    own: dstudy.Projection, plan: dstudy.Projection | None, found: Found, asked: Mapping[str, float]
) -> bool:
    """Whether the design at hand does what is asked, and better than the best of the grid."""
    [(goal, value)] = asked.items()
    if own.cost is None:
        return False
    if goal == "budget":
        return own.cost <= value and (plan is None or found.reach(own) < found.reach(plan) * (1 - _SAME))
    found_it = own.found_half_width if found.by_interval else None
    reached = found.reach(own) if found_it is None else found_it
    return reached <= value and (plan is None or plan.cost is None or own.cost < plan.cost * (1 - _SAME))


def _out_of_reach(searched: Searched, asked: Mapping[str, float], grid: Grid) -> str:
    """Why no design will do, how near one comes, and what may."""
    kept = searched.found.frontier
    [(goal, value)] = asked.items()
    if not len(kept.cost):
        return f"{goal}: designs within the limits have fewer than 3 levels of what stands for others; allow 3 or more"
    if goal == "budget":
        return f"budget: {value:g} buys no design within the limits; the cheapest costs {kept.cost[0]:g}"
    last = searched.projection(kept, -1)
    source = max(last.shares, key=lambda name: last.shares[name])
    said = (
        f"{goal}: no design within the limits reaches {value:g}; the best has {math.sqrt(kept.width[-1]):.4g} at a "
        f"cost of {kept.cost[-1]:g}, and {last.shares[source]:.0%} of its variance is {source}; allow more with "
    ) + argument("limits", _wider(last, grid)[1])
    if last.targets.get(source) != POPULATION or source == grid.item:
        return said
    return said + f", or ask for these {plural(source)} alone with " + argument("targets", {source: PANEL})


def _design_at_hand(
    source: Components | Decomposition | LatentDecomposition,
    own: Mapping[str, Any] | None,
    prices: dstudy.Prices,
    targets: Mapping[str, Target] | None,
    grid: Grid,
    paid: Paid | None = None,
) -> dstudy.Projection | None:
    """The design at hand; with the only number of categories that is allowed, unless it says another.

    A study that was made has nothing to be bought where its judgments are paid for.
    """
    if own is not None:
        only = grid.levels.get(CATEGORIES, ())
        given = {**({CATEGORIES: only[0]} if len(only) == 1 else {}), **own}
        try:
            asked = dstudy.project(source, prices=prices, targets=targets, **given)
        except TypeError:
            raise InvalidInput(
                f"own: options of project are needed, such as items=100, judges=3; got {own!r}"
            ) from None
        return asked if paid is None else paid.applied(asked)
    if isinstance(source, Components):
        return None
    try:
        made = as_it_is(source, prices=prices, targets=targets)
    except NotEstimable:
        return None
    if paid is None:
        return made
    return replace(made, cost=0.0, reused=made.calls) if paid.holds(source.judgments) else None


def _wider(plan: dstudy.Projection, grid: Grid) -> tuple[dict[str, int], dict[str, range]]:
    """What a plan has the most of that limits allow, and limits with twice as much of it; where none vary, of all."""
    at, named = {**plan.design, **plan.groups}, {role: name for name, role in roles(grid.item).items()}
    varied = {name: values for name, values in grid.levels.items() if len(values) > 1} or grid.levels
    most = [name for name, values in varied.items() if at.get(name) == values[-1]]
    wider = {
        named.get(name, name): range(values[0], (2 if name in most else 1) * values[-1] + 1)
        for name, values in varied.items()
    }
    return {named.get(name, name): at[name] for name in most}, wider


def _caveats(
    source: Components | Decomposition, made: sources.Source, grid: Grid, plan: dstudy.Projection, prices: dstudy.Prices
) -> tuple[caveats.Caveat, ...]:
    """What the data and the limits leave open about a plan."""
    out = []
    if isinstance(source, Decomposition):
        levels = {name: len(rows) for name, rows in source.assembled.fixed.levels.items() if name in made.values}
        out = [*source.caveats, *(caveats.no_spread(name, m) for name, m in levels.items() if not made.values[name])]
        judges = source.judgments.facet(JUDGE).levels if JUDGE in source.judgments.names else ()
        priced = dstudy.cheapest(prices)
        if priced and set(priced) != set(judges):
            strangers, unpriced = [n for n in priced if n not in judges], [n for n in judges if n not in priced]
            out.append(caveats.other_judges(strangers, unpriced))
        seen = sources.observed_counts(source)
        far = {name: (plan.design[name], n) for name, n in seen.items() if plan.design[name] >= 2 * n}
        far.pop(source.judgments.object, None)
        out += [caveats.beyond_the_study(far)] if far else []
    few = {
        name: count
        for name, count in plan.design.items()
        if count < _FEWEST and plan.targets.get(name) == POPULATION and name != made.item
    }
    out += [caveats.below_a_pilot(few, _FEWEST)] if few else []
    varied = {name for name, values in grid.levels.items() if len(values) > 1}
    out += [caveats.panels_differ(name) for name in plan.targets if plan.targets[name] == PANEL and name in varied]
    if CATEGORIES in varied:
        varied |= set(plan.groups)
    held = {}
    for name, share in plan.shares.items():
        parts = {part for term in name.split(" + ") for part in term.split(":")}
        if not varied & ({*plan.design} if parts & {CELL, REPLICATE} else parts):  # a cell is one of all facets
            held[name] = share
    if sum(held.values()) >= _MOSTLY:
        out.append(caveats.held_by_limits(max(held, key=held.__getitem__), sum(held.values())))
    return tuple(out)


def _of_money(searched: Searched, plan: dstudy.Projection, budget: float | None) -> list[caveats.Caveat]:
    """Judgments paid for that have no place in a plan, and a budget of which much buys nothing, or little more."""
    out, paid, found, grid = [], searched.paid, searched.found, searched.grid
    if paid is not None and plan.reused < paid.total and plan.found is None:
        out.append(caveats.paid_for_nothing(paid.total - plan.reused, paid.total, plan.layout))
    if budget is None:
        return out
    if plan.cost is not None and plan.cost <= _SPENT * budget:
        out.append(caveats.money_left(budget, plan.cost, *_wider(plan, grid)))
    place = precise(found, (1 + _NEARLY) * found.reach(plan))
    if place is not None and plan.cost and found.frontier.cost[place] <= _LITTLE * plan.cost:
        near = searched.projection(found.frontier, place)
        reach = [f"{'±' if found.by_interval else 'SE '}{found.reach(one):.3g}" for one in (plan, near)]
        out.append(caveats.buys_little((plan.cost, reach[0]), (near.cost or 0.0, reach[1]), near.calls))
    return out
