"""Pilots cut from a full table, and whether they choose the design that the full table would choose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from quorate.arrays import Floats, Ints, dense
from quorate.errors import InvalidInput, NotEstimable, QuorateError
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.means.targets import Target
from quorate.numerics.correlation import of_pair, spearman
from quorate.planning.designs.dstudy import Prices, Projection
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.sources import Design, Source, from_fit
from quorate.planning.search.grid import CATEGORIES, Grid, Piece, allowed, around
from quorate.planning.search.grid import checked as checked_grid
from quorate.planning.search.optimize import Limits
from quorate.planning.search.optimum import Searched, within
from quorate.planning.search.search import Found, judge, search
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked
from quorate.waiting import each
from quorate.wording import Brief

_SLACK = 1e-12  # relative, as in the search
_MOST_DESIGNS = 1_000_000
_CLOSE = 0.01


@dataclass(frozen=True)
class Choice:
    """What pilots choose for one budget, judged by the components of the full table.

    Fractions are of all pilots, and a pilot that could not be fitted or could not decide is right in none of them.
    Losses, correlation and optimism are over the pilots that did decide; nan if none did.

    Parameters
    ----------
    budget : float
        Most that may be spent.
    best : Projection
        What the full table chooses.
    exact : float
        Fraction of pilots that choose this very design.
    alike : float
        Fraction that choose it but for the number of items.
    close : float
        Fraction whose choice is at most 1% worse in standard error.
    loss, loss_high : float
        How much larger the standard error of the choice is than that of the best design, relative: the mean, and the
        95th percentile.
    correlation : float
        Mean rank correlation (Spearman) between pilot and full table, of the standard errors of all strategies: every
        combination of levels and layout, each with its best affordable number of items.
    optimism : float
        How much smaller the pilot says the standard error of its choice is than the full table says, relative: the
        mean over pilots. Negative where pilots promise too little.
    strategies : int
        Strategies compared.
    undecided : int
        Pilots that were fitted but determine the variance of no affordable design, or choose one whose variance the
        full table does not determine.
    """

    budget: float
    best: Projection
    exact: float
    alike: float
    close: float
    loss: float
    loss_high: float
    correlation: float
    optimism: float
    strategies: int
    undecided: int


@dataclass(frozen=True)
class PilotStudy(Brief):
    """How well pilots of one size choose.

    Parameters
    ----------
    levels : mapping of str to int
        Levels drawn per pilot; facets that are not named keep all of theirs.
    runs : int
        Pilots drawn.
    unfitted : int
        Pilots that could not be fitted.
    largest : tuple of str
        The two largest components of the full table, the larger first.
    ordered : float
        Fraction of all pilots that estimate these two in the same order.
    choices : tuple of Choice
        One per budget.
    """

    levels: Mapping[str, int]
    runs: int
    unfitted: int
    largest: tuple[str, ...]
    ordered: float
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class _Contest:
    """All designs, strategy after strategy, with their prices and true variances.

    ``starts`` is where each strategy begins, ``position`` the place of every design of every piece among all.
    """

    searched: Searched
    grid: Grid
    cost: Floats
    truth: Floats
    starts: Ints
    position: tuple[Ints, ...]

    def variances(self, source: Source) -> Floats:
        """The variance of every design by some components; infinite where it is not determined."""
        searched = self.searched
        variances = [
            _by_strategy(judge(source, piece, searched.prices)[1], piece, source.item)
            for piece in searched.found.pieces
        ]
        return _known(np.concatenate(variances))

    def choose(self, found: Found, budget: float) -> int | None:
        """The design of least standard error; None where there is none, or its true variance is unknown."""
        place = within(found, budget)
        if place is None:
            return None
        design = int(self.position[found.frontier.piece[place]][found.frontier.index[place]])
        return design if math.isfinite(self.truth[design]) else None

    def strategy(self, design: int) -> int:
        """Strategy that a design belongs to."""
        return int(np.searchsorted(self.starts, design, side="right")) - 1

    def by_strategy(self, variance: Floats, budget: float) -> Floats:
        """Least variance of every strategy within a budget; infinite where it has none."""
        return np.minimum.reduceat(np.where(self.cost <= budget * (1 + _SLACK), variance, np.inf), self.starts)

    def picks(self, source: Source, budgets: Sequence[float]) -> list[_Pick | None]:
        """What one pilot chooses for every budget; None where it determines the variance of no affordable design."""
        found, variance = search(source, self.grid, self.searched.prices), self.variances(source)
        picks: list[_Pick | None] = []
        for budget in budgets:
            design = self.choose(found, budget)
            true, promised = self.by_strategy(self.truth, budget), self.by_strategy(variance, budget)
            both = np.isfinite(true) & np.isfinite(promised)
            ranks = of_pair(spearman, true[both], promised[both]) if both.any() else math.nan
            picks.append(None if design is None else _Pick(design, math.sqrt(variance[design]), ranks))
        return picks

    def choice(self, picks: list[_Pick | None], runs: int, budget: float, place: int) -> Choice:
        """Compare what every pilot chooses with the best design, which has its place in the frontier."""
        best, winner = self.searched.frontier(place), self.choose(self.searched.found, budget)
        assert best is not None
        assert winner is not None
        decided = [pick for pick in picks if pick is not None]
        chosen = np.array([pick.design for pick in decided], dtype=np.int64)
        se = np.sqrt(self.truth[chosen])
        loss = se / best.se - 1
        return Choice(
            budget=float(budget),
            best=best,
            exact=float(np.sum(chosen == winner)) / runs,
            alike=sum(self.strategy(pick.design) == self.strategy(winner) for pick in decided) / runs,
            close=float(np.sum(loss <= _CLOSE)) / runs,
            loss=_mean(loss),
            loss_high=float(np.quantile(loss, 0.95)) if len(loss) else math.nan,
            correlation=_mean([pick.correlation for pick in decided]),
            optimism=_mean(1 - np.array([pick.promised for pick in decided]) / se),
            strategies=int(np.isfinite(self.by_strategy(self.truth, budget)).sum()),
            undecided=len(picks) - len(decided),
        )


@dataclass(frozen=True)
class _Pick:
    """What a pilot chooses for a budget, the standard error it promises, and its rank correlation with the truth."""

    design: int
    promised: float
    correlation: float


def pilot_study(
    judgments: Judgments,
    *,
    budgets: Sequence[float],
    items: int = 30,
    prompts: int | None = 3,
    judges: int | None = None,
    runs: int = 200,
    prices: Prices | None = None,
    limits: Limits | None = None,
    layouts: Sequence[LayoutName] = ("factorial", "cyclic", "latin"),
    targets: Mapping[str, Target] | None = None,
    rng: np.random.Generator | int | None = None,
) -> PilotStudy:
    """Cut random pilots out of a full table and see which design each would buy.

    Every pilot keeps all judgments of the items, prompts and judges it draws. It is fitted, chooses the design of
    least standard error that a budget buys, and its choice is judged by the components of the full table,
    which are taken for the truth. They are estimates too, and the pilots are part of the same table; with few levels of
    a facet in the full table, this flatters the pilots.

    Parameters
    ----------
    judgments : Judgments
        The full table.
    budgets : sequence of float
        Budgets to decide for, in the unit of the prices.
    items, prompts, judges : int
        Levels that a pilot draws without replacement; all of them where None.
    runs : int
        Pilots.
    prices, limits, layouts, targets
        As for `quorate.plan`; what limits do not name stays as it is in the full table, groups of items included.
    rng : numpy.random.Generator or int, optional
        Where the draws come from; the same every time if left out.

    Raises
    ------
    InvalidInput
        If a pilot would be larger than the table, or a budget buys nothing.
    NotEstimable
        If the full table determines the variance of no design that is allowed.

    References
    ----------
    Messing (2026), section I: a pilot against the full run. ``docs/methods/optimize.md``.
    """
    levels = _levels(checked(judgments), items, prompts, judges, runs)
    full = decompose(judgments)
    made = from_fit(full, Design(targets=targets or {}))
    contest = _contest(full, made, limits, layouts, {"call": 1.0} if prices is None else prices)
    winners = []
    for budget in budgets:
        place = within(contest.searched.found, budget)
        if place is None:
            least = contest.searched.found.frontier.cost[0]
            raise InvalidInput(f"budgets: {budget:g} buys no design within the limits; the cheapest costs {least:g}")
        winners.append(place)
    draws = stream(0, "pilots") if rng is None else np.random.default_rng(rng)
    ranked = sorted(full.components, key=lambda component: component.variance, reverse=True)
    largest = tuple(component.name for component in ranked[:2])
    picks, ordered = [], []
    for _ in each("simulated pilots", range(runs)):
        pilot = cut(judgments, levels, draws)
        try:
            fit = decompose(pilot)
        except QuorateError:
            ordered.append(False)
            continue
        variance = {component.name: component.variance for component in fit.components}
        ordered.append(all(variance.get(a, math.nan) > variance.get(b, math.nan) for a, b in pairwise(largest)))
        picks.append(contest.picks(from_fit(fit, Design(targets=targets or {})), budgets))
    choices = [
        contest.choice([pick[number] for pick in picks], runs, budget, winners[number])
        for number, budget in enumerate(budgets)
    ]
    return PilotStudy(levels, runs, runs - len(picks), largest, float(np.mean(ordered)), tuple(choices))


def cut(judgments: Judgments, levels: Mapping[str, int], rng: np.random.Generator) -> Judgments:
    """Judgments at levels drawn at random without replacement."""
    mask = np.ones(judgments.n_cells, dtype=bool)
    for name, count in levels.items():
        drawn = np.zeros(judgments.n_levels(name), dtype=bool)
        drawn[rng.permutation(len(drawn))[:count]] = True
        mask &= drawn[dense(judgments.level_codes([name]))]
    return judgments.keep(mask)


def _levels(judgments: Judgments, items: int, prompts: int | None, judges: int | None, runs: int) -> dict[str, int]:
    asked = {judgments.object: items, "prompt": prompts, "judge": judges}
    for name, count in {**asked, "runs": runs}.items():
        if count is not None and count < 1:
            raise InvalidInput(f"{name}: at least 1 is needed, got {count}")
    levels = {name: count for name, count in asked.items() if count is not None}
    for name, count in levels.items():
        most = judgments.n_levels(name)
        if count > most:
            raise InvalidInput(f"{name}: a pilot of {count} cannot be cut from a table of {most}; draw fewer")
    return levels


def _contest(
    full: Decomposition, source: Source, limits: Limits | None, layouts: Sequence[LayoutName], prices: Prices
) -> _Contest:
    """Search all designs by the full table. Those of the pilots are the same, so groups of items have its number."""
    limits = around(source, prices) if limits is None else limits
    groups = set(source.groups.values())
    if groups and CATEGORIES not in limits:
        limits = {**limits, CATEGORIES: groups}
    grouping = {CATEGORIES: 1} if groups else {}
    if "weighted" in layouts:
        raise InvalidInput('layouts: "weighted" cycles differ from pilot to pilot and cannot be compared; leave it out')
    held = {**source.counts, REPLICATE: source.replicates, **grouping}
    grid = checked_grid(allowed(limits, layouts, source.item, held))
    designs = sum(piece.size for piece in grid.pieces())
    if designs > _MOST_DESIGNS:
        raise InvalidInput(
            f"limits: {designs:,} designs are more than the {_MOST_DESIGNS:,} that every pilot can go through; "
            "take larger steps"
        )
    searched = Searched(source, prices, search(source, grid, prices), full, grid)
    if not searched.found.candidates:
        raise NotEstimable("the full table determines the variance of no design within the limits; widen the limits")
    item, seen = source.item, 0
    cost, truth, starts, position = [], [], [], []
    for piece in searched.found.pieces:
        price, variance = judge(source, piece, prices)
        cost.append(_by_strategy(price, piece, item))
        truth.append(_by_strategy(variance, piece, item))
        starts.append(seen + np.arange(0, piece.size, len(piece.axes[item])))
        order = _by_strategy(np.arange(piece.size), piece, item)
        position.append(seen + np.argsort(order))
        seen += piece.size
    known = _known(np.concatenate(truth))
    return _Contest(searched, grid, np.concatenate(cost), known, np.concatenate(starts), tuple(position))


def _by_strategy(flat: Any, piece: Piece, item: str) -> Any:
    """Designs that differ by items alone, side by side."""
    return np.moveaxis(flat.reshape(piece.shape), list(piece.axes).index(item), -1).ravel()


def _known(variance: Floats) -> Floats:
    return np.where(np.isnan(variance), np.inf, variance)


def _mean(values: Sequence[float] | Floats) -> float:
    """The mean of what there is."""
    there = [value for value in values if not math.isnan(value)]
    return float(np.mean(there)) if there else math.nan
