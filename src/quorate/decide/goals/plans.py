"""Plans: the studies that may be bought for a goal, at the price of what is not yet paid for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.decide.goals.offer import Offer, Spent
from quorate.decide.scores.search import screened
from quorate.decide.scores.step import searched_studies
from quorate.errors import NotEstimable
from quorate.estimate.differences.difference import SystemDifference, common_share
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import POPULATION, Target
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS
from quorate.planning.search.optimize import designs
from quorate.planning.search.optimum import Searched
from quorate.planning.search.search import Kept, intervals, judge
from quorate.roles import ITEM, JUDGE, PROMPT
from quorate.table.cells import Cells
from quorate.table.judgments import Judgments

_STEPS = 60
_FEWEST = 2
_SLACK = 1e-9
"""Price below which nothing is bought, over that of the dearest design: prices are sums of floats."""


@dataclass(frozen=True, eq=False)
class Stock:
    """What the judgments at hand are worth to a plan in which new items take turns.

    Parameters
    ----------
    items : int
        Items that were judged.
    variance : float
        Part of the variance that more items reduce.
    """

    items: int
    variance: float


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
    stock : Stock
        What the judgments at hand are worth.
    """

    searched: Searched
    found: Kept
    left: float
    stock: Stock

    @cached_property
    def kept(self) -> Kept:
        """The same with what the judgments at hand are worth."""
        found = self.found
        cost, variance = found.cost.copy(), found.variance.copy()
        for rows in self._alike(found):
            if self._in_turns(found, rows):
                cost[rows], variance[rows] = self._with_stock(found, rows)
        width = found.width * np.sqrt(variance / found.variance)
        return Kept(cost, variance, width, found.piece, found.index, found.levels)

    def cheapest(self, times: float = 1.0) -> Plan | None:
        """The cheapest study that does and buys something, for errors so many times as large; None where none does."""
        kept = self.kept
        good = np.flatnonzero((kept.width <= times) & (kept.cost > _SLACK * kept.cost.max(initial=0.0)))
        return self._plan(good[np.lexsort((kept.width[good], kept.cost[good]))][:1])

    def best(self) -> Plan | None:
        """The study that does best for what is left; None where nothing can be bought."""
        kept = self.kept
        good = np.flatnonzero((kept.cost <= self.left) & (kept.cost > _SLACK * kept.cost.max(initial=0.0)))
        return self._plan(good[np.lexsort((kept.cost[good], kept.width[good]))][:1])

    def affords(self, plan: Plan) -> bool:
        """Whether what is left pays for it."""
        return plan.cost <= self.left

    def part(self, plan: Plan, variance: float, most: float) -> int:
        """Items of a plan that bring the variance down to a value, those at hand included; all on offer if none do.

        Those that cost no more than ``most``, but some.
        """
        kept, items = self.kept, self._levels(self.kept)[ITEM]
        rows = next(rows for rows in self._alike(kept) if plan.place in rows)
        enough = rows[kept.variance[rows] <= variance * (1 + 1e-9)]
        wanted = items[enough if len(enough) else rows[-1:]].min()

        some = rows[kept.cost[rows] > _SLACK * kept.cost.max(initial=0.0)]
        paid = items[some[kept.cost[some] <= most]].max(initial=items[some].min(initial=np.inf))
        return int(min(wanted, paid))

    def _plan(self, place: NDArray[np.int64]) -> Plan | None:
        if not len(place):
            return None
        at = int(place[0])
        kept = self.kept
        return Plan(
            at,
            float(kept.cost[at]),
            float(kept.variance[at]),
            float(kept.width[at]),
            self.searched.projection(kept, at),
        )

    def _levels(self, kept: Kept) -> dict[str, Floats]:
        """Levels of every design."""
        out: dict[str, Floats] = {}
        for number in np.unique(kept.piece).tolist():
            rows = kept.piece == number
            each = self.searched.found.pieces[number].designs(kept.index[rows])
            for name, counts in each.items():
                out.setdefault(name, np.zeros(len(kept.cost)))[rows] = counts
        return out

    def _alike(self, kept: Kept) -> list[NDArray[np.int64]]:
        """Designs that differ by their number of items alone, by rising number."""
        levels = self._levels(kept)
        items = levels.pop(ITEM)
        key = np.column_stack([kept.piece, *levels.values()])
        group = np.unique(key, axis=0, return_inverse=True)[1].ravel()
        order = np.lexsort((items, group))
        return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)

    def _in_turns(self, kept: Kept, rows: NDArray[np.int64]) -> bool:
        layout = self.searched.found.pieces[int(kept.piece[rows[0]])].scheme.layout
        return bool(LAYOUTS[layout].assigned) and len(rows) > 1

    def _with_stock(self, kept: Kept, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Price and variance where items at hand keep what they have and new ones take turns: precision adds up."""
        cost, variance, items = kept.cost[rows], kept.variance[rows], self._levels(kept)[ITEM][rows]
        new = np.maximum(items - self.stock.items, 0)
        price = (cost[-1] - cost[0]) / (items[-1] - items[0])
        slope = (variance[0] - variance[-1]) / (1 / items[0] - 1 / items[-1])
        common = variance[-1] - slope / items[-1]
        together = common + 1 / (1 / self.stock.variance + new / slope)
        return new * price, np.minimum(variance, together)


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
    stock = Stock(found.items, found.se**2 * (1 - common_share(found.estimate)))
    return Plans(searched, screened(searched, largest, lambda cost, _: np.isfinite(cost)), offer.left(spent), stock)


def of_mean(found: Estimate, offer: Offer, half_width: float, spent: Spent) -> Plans:
    """Studies of a mean, for a half-width of the usual 95% interval."""
    fit = found.basis.fit
    have = fit.judgments
    allowed = limits(offer, have, found.target)
    prices = offer.prices_of(1)
    searched = designs(fit, prices=prices, limits=allowed, layouts=offer.layouts, targets=found.target, have=have)
    stock = Stock(have.n_levels(ITEM), found.se**2 * (1 - common_share(found)))
    return Plans(searched, by_interval(searched, half_width), offer.left(spent), stock)


def by_interval(searched: Searched, half_width: float, share: float = 0.5) -> Kept:
    """All designs, with half the interval than which a share of their studies find a narrower, over what is wanted."""
    parts, paid = [], searched.paid
    for number, piece in enumerate(searched.found.pieces):
        price, variance = judge(searched.source, piece, searched.prices, paid)
        width = intervals(searched.source, piece, variance, share) / half_width
        known = np.flatnonzero(np.isfinite(width))
        parts.append((price[known], variance[known], width[known], np.full(len(known), number), known))
    price, variance, width, piece_of, index = (np.concatenate(values) for values in zip(*parts, strict=True))
    return Kept(price, variance, width, piece_of, index, np.zeros(len(price), dtype=np.int64))


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
