"""Plans: the studies that may be bought for a goal, at the price of what is not yet paid for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.decide.goals.goal import Offer, Spent
from quorate.decide.scores import searched_studies
from quorate.errors import NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.differences.difference import SystemDifference, common_share
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION, Target
from quorate.frozen import dataclass
from quorate.planning.assign import assign
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS
from quorate.planning.search.optimize import designs, screened
from quorate.planning.search.optimum import Searched
from quorate.planning.search.search import Kept, intervals, joined, judge, kept_of
from quorate.roles import CATEGORY, ITEM, JUDGE, PROMPT, REPLICATE, SYSTEM
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments

_STEPS = 60
_FEWEST = 2
_SLACK = 1e-9
"""Price below which nothing is bought, over that of the dearest design: prices are sums of floats."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A study, with what is bought of it.

    Parameters
    ----------
    place : int
        Which of the designs.
    cost : float
        What must still be paid.
    variance : float
        Of the estimate when all of it is there.
    width : float
        What it comes to, over what is wanted: at most 1 where it does.
    projection : Projection
        The design.
    """

    place: int
    cost: float
    variance: float
    width: float
    projection: Projection


@dataclass(frozen=True, eq=False)
class Plans:
    """All studies that are allowed.

    Parameters
    ----------
    searched : Searched
        The designs, with what is paid for.
    found : Kept
        Price of every design, its variance, and as its width what it comes to over what is wanted.
    left : float
        What may still be spent.
    items : int
        Items that were judged: what they are worth adds to that of new items, which take turns.
    variance : float
        Part of the variance of now that more items reduce.
    """

    searched: Searched
    found: Kept
    left: float
    items: int
    variance: float

    @cached_property
    def kept(self) -> Kept:
        """The same with what the judgments at hand are worth."""
        found, every = self.found, self._levels[ITEM]
        cost, variance = found.cost.copy(), found.variance.copy()
        for rows in self._alike:
            layout = self.searched.found.pieces[int(found.piece[rows[0]])].scheme.layout
            if len(rows) > 1 and LAYOUTS[layout].assigned:
                # items at hand keep what they have and new ones take turns: precision adds up
                price, square, items = found.cost[rows], found.variance[rows], every[rows]
                new = np.maximum(items - self.items, 0)
                each = (price[-1] - price[0]) / (items[-1] - items[0])
                slope = (square[0] - square[-1]) / (1 / items[0] - 1 / items[-1])
                common = square[-1] - slope / items[-1]
                cost[rows], variance[rows] = new * each, common + 1 / (1 / self.variance + new / slope)
        width = found.width * np.sqrt(variance / found.variance)
        return Kept(cost, variance, width, found.piece, found.index, found.levels)

    def cheapest(self, times: float = 1.0) -> Plan | None:
        """The cheapest study that does and buys something, for errors so many times as large; None where none does."""
        return self._first(self.kept.width <= times, self.kept.width, self.kept.cost)

    def best(self) -> Plan | None:
        """The study that does best for what is left; None where nothing can be bought."""
        return self._first(self.kept.cost <= self.left, self.kept.cost, self.kept.width)

    def _first(self, good: Bools, second: Floats, first: Floats) -> Plan | None:
        """The least by one measure, then by another, of the studies that are good enough and buy something."""
        kept = self.kept
        some = np.flatnonzero(good & (kept.cost > _SLACK * kept.cost.max(initial=0.0)))
        if not len(some):
            return None
        at = int(some[np.lexsort((second[some], first[some]))][0])
        cost, variance, width = (float(values[at]) for values in (kept.cost, kept.variance, kept.width))
        return Plan(at, cost, variance, width, self.searched.projection(kept, at))

    def affords(self, plan: Plan) -> bool:
        """Whether what is left pays for it."""
        return plan.cost <= self.left

    def part(self, plan: Plan, variance: float, most: float) -> int:
        """Items of a plan that bring the variance down to a value, those at hand included; all on offer if none do.

        Those that cost no more than ``most``, but some.
        """
        kept, items = self.kept, self._levels[ITEM]
        rows = next(rows for rows in self._alike if plan.place in rows)
        enough = rows[kept.variance[rows] <= variance * (1 + 1e-9)]
        wanted = items[enough if len(enough) else rows[-1:]].min()
        some = rows[kept.cost[rows] > _SLACK * kept.cost.max(initial=0.0)]
        paid = items[some[kept.cost[some] <= most]].max(initial=items[some].min(initial=np.inf))
        return int(min(wanted, paid))

    @cached_property
    def _levels(self) -> dict[str, Floats]:
        """Levels of every design."""
        found, out = self.found, dict[str, Floats]()
        for number in np.unique(found.piece).tolist():
            rows = found.piece == number
            for name, counts in self.searched.found.pieces[number].designs(found.index[rows]).items():
                out.setdefault(name, np.zeros(len(found.cost)))[rows] = counts
        return out

    @cached_property
    def _alike(self) -> list[NDArray[np.int64]]:
        """Designs that differ by their number of items alone, by rising number."""
        levels = dict(self._levels)
        items = levels.pop(ITEM)
        key = np.column_stack([self.found.piece, *levels.values()])
        group = np.unique(key, axis=0, return_inverse=True)[1].ravel()
        order = np.lexsort((items, group))
        return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def of_difference(found: SystemDifference, offer: Offer, largest: Floats, spent: Spent, systems: int) -> Plans:
    """Studies of so many systems, for the difference of two of them.

    Raises
    ------
    NotEstimable
        If the judgments tell the variance of none.
    """
    have = found.fit.judgments
    allowed = limits(offer, have, found.estimate.target)
    prices = offer.prices_of(systems / 2)  # of a judgment of each of two
    searched = searched_studies(found, prices, allowed, offer.layouts, have)
    if searched is None:
        raise NotEstimable("these judgments tell the variance of no plan that is allowed; allow more layouts or levels")
    kept = screened(searched, largest, lambda cost, _: np.isfinite(cost))
    reduced = found.se**2 * (1 - common_share(found.estimate))
    return Plans(searched, kept, offer.left(spent), found.items, reduced)


def of_mean(found: Estimate, offer: Offer, half_width: float, spent: Spent) -> Plans:
    """Studies of a mean, for a half-width of the usual 95% interval."""
    fit = cast("Decomposition", found.basis.fit)
    have = fit.judgments
    allowed = limits(offer, have, found.target)
    prices = offer.prices_of(1)
    searched = designs(fit, prices=prices, limits=allowed, layouts=offer.layouts, targets=found.target, have=have)
    reduced = found.se**2 * (1 - common_share(found))
    return Plans(searched, by_interval(searched, half_width), offer.left(spent), have.n_levels(ITEM), reduced)


def by_interval(searched: Searched, half_width: float, share: float = 0.5) -> Kept:
    """All designs, with half the interval than which a share of their studies find a narrower, over what is wanted."""
    source, kept = searched.source, []
    for number, piece in enumerate(searched.found.pieces):
        price, variance = judge(source, piece, searched.prices, searched.paid)
        width = intervals(source, piece, variance, share) / half_width
        known = np.flatnonzero(np.isfinite(width))
        kept.append(kept_of(source, piece, number, price, variance, width, known))
    return joined(kept)


def limits(offer: Offer, have: Judgments, targets: Mapping[str, Target]) -> dict[str, Any]:
    """Numbers of levels that plans may have: chosen of facets that stand for more than these, else all on offer."""
    items = have.n_levels(ITEM)
    steps = np.geomspace(items, max(len(offer.order), items), _STEPS).round()
    out: dict[str, Any] = {"items": [int(n) for n in np.unique(steps)], "replicates": range(1, offer.replicates + 1)}
    for name, plural, most in ((JUDGE, "judges", len(offer.judges)), (PROMPT, "prompts", len(offer.prompts))):
        if name in have.names:
            least = max(_FEWEST, have.n_levels(name)) if targets.get(name) == POPULATION else most
            out[plural] = range(min(least, most), most + 1)
    if "blocks" in offer.layouts:  # from two judges per item to all but one
        out["per_item"] = range(2, max(len(offer.judges), 3))
    return out


def bought(offer: Offer, cells: Cells) -> Spent:
    """Calls, and their price."""
    return Spent(len(cells), float(offer.price(cells).sum()))


def described(plan: Plan, items: int) -> dict[str, Any]:
    """A plan as plain values, with the items that are wanted by now."""
    made = plan.projection
    own = {"layout": made.layout, "levels": dict(made.design), "items": items, "judges": list(made.judges)}
    return {**own, "se": float(np.sqrt(plan.variance)), "cost": plan.cost}


# Batches: the calls that a plan still needs, given those that were made.


def crossed(offer: Offer, levels: Mapping[str, int], systems: Sequence[str] = ()) -> Cells:
    """All calls of the first levels of every facet.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    levels : mapping of str to int
        How many items, judges, prompts and replicates.
    systems : sequence of str
        Systems, of those on offer; all unless given.
    """
    wanted = _nothing(offer)
    chosen = [offer.systems.index(name) for name in systems or offer.systems] or [0]
    part = wanted[: levels[ITEM], :, : levels.get(PROMPT, 1), : levels[JUDGE]]
    part[:, chosen] = levels.get(REPLICATE, 1)
    return _cells(offer, wanted, _nothing(offer))


def batch(offer: Offer, plan: Projection, items: int, have: Judgments, systems: Sequence[str] = ()) -> Cells:
    """The calls that a plan of so many items still needs.

    Where judges take turns, items that were judged keep what they have, and new ones go to the turns; where everything
    is crossed, those that were judged are completed. A call that was made and gave no score is not made again.

    Parameters
    ----------
    offer : Offer
        What may be bought.
    plan : Projection
        The plan; of two systems that are compared, for either.
    items : int
        Items of the plan that are wanted by now, of those that it has.
    have : Judgments
        All judgments so far.
    systems : sequence of str
        Systems, of those on offer; all unless given.
    """
    made, wanted = _made(offer, have), _nothing(offer)
    chosen = [offer.systems.index(name) for name in systems or offer.systems] or [0]
    names = plan.judges or offer.judge_order[: plan.design.get(JUDGE, 1)]
    judges = np.array([offer.judge_order.index(name) for name in names])
    prompts, replicates = np.arange(plan.design.get(PROMPT, 1)), plan.design.get(REPLICATE, 1)
    if not LAYOUTS[plan.layout].assigned:  # type: ignore[index]
        place = np.ix_(np.arange(items), np.array(chosen), prompts, judges)
        wanted[place] = replicates
        return _cells(offer, wanted, made)
    seen = made.any(axis=(1, 2, 3))
    new = np.flatnonzero(~seen)[: max(items - int(seen.sum()), 0)]
    if not len(new):
        return _cells(offer, wanted, made)
    cycle = len(prompts) * max(len(judges), sum((plan.places or {}).values()))
    many = max(len(new), cycle)  # a layout needs a whole cycle; of the last one some turns may be left out
    group = [offer.group_order[at] for at in np.resize(new, many)] if offer.categories is not None else None
    turns = assign(
        items=many,
        categories=group,
        judges=names,
        prompts=offer.prompts[: len(prompts)],
        layout=plan.layout,  # type: ignore[arg-type]
        per_item=plan.per_item,
        places=plan.places,
        seed=offer.seed + int(seen.sum()),
        order="given",
    )
    number = np.array([int(label) for label in turns.levels[ITEM]])[turns.code(ITEM)]
    mine = number <= len(new)
    judge = _index(turns, JUDGE, offer.judge_order)[mine]
    prompt = _index(turns, PROMPT, offer.prompts)[mine] if offer.prompts else np.zeros(int(mine.sum()), dtype=np.int64)
    for system in chosen:
        wanted[new[number[mine] - 1], system, prompt, judge] = replicates
    return _cells(offer, wanted, made)


def calls(offer: Offer, wanted: Ints) -> Cells:
    """Calls that are wanted, by item, system, prompt and judge in the orders of the offer."""
    return _cells(offer, wanted, np.zeros_like(wanted))


def together(offer: Offer, parts: Iterable[tuple[Cells, str]], have: Judgments | None) -> Cells:
    """The calls of parts of a study, each with the system that it is of where that is left out, item by item.

    Parameters
    ----------
    offer : Offer
        What may be bought, in all parts.
    parts : iterable of (Cells, str)
        Calls, all of one system if that has a name.
    have : Judgments or None
        All judgments so far; None before the first.
    """
    made = _nothing(offer) if have is None else _made(offer, have)
    wanted = made.copy()
    for cells, system in parts:
        place = [_index(cells, ITEM, offer.item_order)]
        for name, order in ((SYSTEM, offer.systems), (PROMPT, offer.prompts), (JUDGE, offer.judge_order)):
            only = order.index(system) if name == SYSTEM and system else 0
            known = name in cells.levels
            place.append(_index(cells, name, order) if known else np.full(len(cells), only, dtype=np.int64))
        np.add.at(wanted, tuple(place), 1)
    return _cells(offer, wanted, made)


def nothing(offer: Offer) -> Cells:
    """No calls."""
    return _cells(offer, _nothing(offer), _nothing(offer))


def _index(cells: Cells, name: str, order: Sequence[str]) -> Ints:
    """Place of every row's label among those on offer."""
    place = {label: at for at, label in enumerate(order)}
    return np.array([place[label] for label in cells.levels[name]], dtype=np.int64)[cells.code(name)]


def _nothing(offer: Offer) -> Ints:
    """No answers, by item, system, prompt and judge."""
    shape = (len(offer.order), max(len(offer.systems), 1), max(len(offer.prompts), 1), len(offer.judges))
    return np.zeros(shape, dtype=np.int64)


def _made(offer: Offer, have: Judgments) -> Ints:
    """Calls that were made, by item, system, prompt and judge."""
    orders = {ITEM: offer.item_order, SYSTEM: offer.systems, PROMPT: offer.prompts, JUDGE: offer.judge_order}
    where: list[NDArray[np.int64]] = []
    for name, order in orders.items():
        if name not in have.names:
            where.append(np.zeros(have.n_cells, dtype=np.int64))
            continue
        place = {label: at for at, label in enumerate(order)}
        levels = have.facet(name).levels
        where.append(np.array([place[label] for label in levels], dtype=np.int64)[have.column(name)])
    out = _nothing(offer)
    np.add.at(out, tuple(where), np.asarray(have.rows, dtype=np.int64))
    return out


def _cells(offer: Offer, wanted: Ints, made: Ints) -> Cells:
    """The calls that are wanted and were not made, item by item."""
    missing = np.maximum(wanted - made, 0)
    place = np.argwhere(missing)
    times = missing[tuple(place.T)]
    first = made[tuple(place.T)]
    rows = np.repeat(place, times, axis=0)
    starts = np.repeat(np.cumsum(times) - times, times)
    replicate = np.arange(len(rows)) - starts + np.repeat(first, times) + 1
    levels: dict[str, tuple[str, ...]] = {ITEM: offer.item_order}
    columns, nested = [rows[:, 0]], {}
    if offer.categories is not None:
        names = tuple(sorted(set(offer.group_order)))
        levels[CATEGORY] = names
        group = np.array([names.index(name) for name in offer.group_order])
        columns.append(group[rows[:, 0]])
        nested[ITEM] = CATEGORY
    for at, (name, labels) in enumerate({SYSTEM: offer.systems, PROMPT: offer.prompts}.items(), 1):
        if labels:
            levels[name] = labels
            columns.append(rows[:, at])
    levels[JUDGE] = offer.judge_order
    columns.append(rows[:, 3])
    return Cells(levels, np.column_stack(columns).astype(np.int32), replicate, nested)
