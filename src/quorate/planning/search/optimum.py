"""Optimum: the plan that an optimisation chose, the designs that nothing beats, and the one at hand among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate import caveats
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.published import Components
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.targets import SENSITIVITY
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import Prices, Projection, of_both, projections
from quorate.planning.designs.sources import Source
from quorate.planning.designs.studies import Studies
from quorate.planning.search.grid import Grid, Piece
from quorate.planning.search.search import Found, Kept, Paid, digits, grouped, joined, placed, strategies
from quorate.roles import REPLICATE
from quorate.streams import stream
from quorate.table.results import Result, Row, picked, plain
from quorate.wording import Brief

if TYPE_CHECKING:
    from quorate.estimate.components.bootstrap import Bootstrap


_MOST_STRATEGIES = 2_000
_ALIKE = 1e-9


@dataclass(frozen=True)
class Ranking:
    """What other pilots like this one would have chosen for the same money.

    Parameters
    ----------
    top : float
        Fraction of redrawn pilots that choose the same design, whatever the number of items.
    within : float
        Fraction whose choice is at most 5% worse than the plan in half its interval, or in its standard error where
        these are compared, by the components at hand.
    loss, loss_high : float
        How much larger the standard error, or half interval, of their choices is than that of the plan, relative: the
        mean, and the largest but for 5% of pilots.
    se_low, se_high : float
        95% interval of the plan's standard error: the components that the pilot makes plausible, in the plan.
    met : float
        Fraction of those components by which the plan reaches the standard error or half-width asked for; nan where
        none was.
    strategies : int
        Designs compared: every combination of levels and layout, each with its best number of items.
    draws : int
        Redrawn pilots.
    unconverged : int
        Redrawn pilots whose fit did not converge; the best point that was found stands for them.
    """

    top: float
    within: float
    loss: float
    loss_high: float
    se_low: float
    se_high: float
    met: float
    strategies: int
    draws: int
    unconverged: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return dict(vars(self))


def ranking(best: Optimum, *, n: int = 1000, rng: np.random.Generator | int | None = None) -> Ranking:
    """How often pilots redrawn from the fitted model choose the same design, and what a wrong choice costs.

    The pilot is redrawn by parametric bootstrap; every redrawn pilot chooses among the same strategies at the plan's
    price. Components estimated at zero are redrawn from zero. Over simulated pilots ``within`` is right to
    about .1 and ``loss`` to 2 points, and the interval of the standard error holds it in 90 to 98%; ``top`` is too high
    by up to a quarter where designs are crossed, since many designs are nearly as good (``docs/methods/optimize.md``).

    Raises
    ------
    InvalidInput
        If the components were published: they come without the uncertainty that would be needed. Or if they are of log
        odds.

    References
    ----------
    Messing (2026), sections E.2 and I: the ranking of interventions by simulation. ``docs/methods/optimize.md``.
    """
    fit = best.searched.fit
    if isinstance(fit, LatentDecomposition):
        raise InvalidInput(
            "ranking: pilots are redrawn as scores that are numbers; optimise by its linear, the decomposition of the "
            "same scores as numbers"
        )
    if not isinstance(fit, Decomposition):
        raise InvalidInput(
            "ranking: published components carry no uncertainty; fit the pilot's judgments with decompose instead"
        )
    draws = np.random.default_rng(stream(0, "ranking") if rng is None else rng)
    boot = fit.bootstrap(n, rng=draws)
    kept, weights = contenders(best)
    drawn = reached(best, kept, weights, redrawn(best.searched.source, fit, boot, draws))
    here = reached(best, kept, weights, np.array(list(best.searched.source.values.values()))[:, None])[:, 0]
    likely = plausible(best.searched.source, fit, boot, draws)
    se = np.sqrt(weights[:, 0] @ likely)
    chosen = np.argmin(drawn, axis=0)
    same = drawn[0] <= drawn[chosen, np.arange(drawn.shape[1])] * (1 + _ALIKE)
    loss = np.where(same, 0.0, here[chosen] / here[0] - 1)
    low, high = np.quantile(se, [0.025, 0.975])  # what is at zero is drawn above: the plan's own may lie below all
    goal = best.target_se if best.half_width is None else best.half_width
    plan = reached(best, kept.take(np.array([0])), weights[:, :1], likely)[0]
    return Ranking(
        top=float(np.mean(same)),
        within=float(np.mean(loss <= 0.05)),
        loss=float(np.mean(loss)),
        loss_high=float(np.quantile(loss, 0.95)),
        se_low=min(float(low), best.se),
        se_high=float(high),
        met=float(np.mean(plan <= goal)) if goal is not None else float("nan"),
        strategies=len(kept.cost),
        draws=drawn.shape[1],
        unconverged=boot.unconverged,
    )


def reached(best: Optimum, kept: Kept, weights: Floats, values: Floats) -> Floats:
    """What strategies are compared by, shape (strategies, draws): standard errors, or half intervals if asked for.

    Parameters
    ----------
    best : Optimum
        What was asked for.
    kept : Kept
        The strategies.
    weights : array, shape (terms, strategies)
        Weight of every term in each.
    values : array, shape (terms, draws)
        What every term is worth.
    """
    if not best.searched.found.by_interval:
        return np.asarray(np.sqrt(weights.T @ values))
    source, pieces = best.searched.source, best.searched.found.pieces
    out = np.empty((weights.shape[1], values.shape[1]))
    for at in range(len(out)):
        piece = pieces[kept.piece[at]]
        design = piece.design(int(kept.index[at]))
        held = {name: count for name, count in design.items() if name != source.item}
        laid = placed(source, Piece(piece.scheme, held, {source.item: np.array([design[source.item]])}))
        out[at] = Studies(source, laid, dict(zip(source.values, values, strict=True))).half_width()
    return out


def contenders(best: Optimum) -> tuple[Kept, Floats]:
    """Strategies at no more than the plan's price, the best first, and the weight of every term in each."""
    searched = best.searched
    plan = searched.found.frontier.take(np.array([best.position]))
    piece = searched.found.pieces[plan.piece[0]]
    terms = searched.source.weigh(placed(searched.source, piece)).values()
    own = np.array([np.broadcast_to(weight, piece.shape).ravel()[plan.index] for weight in terms])
    others = list(strategies(searched.source, searched.found, searched.prices, best.cost * (1 + 1e-12), searched.paid))
    kept = joined([plan, *(part for part, _ in others)])
    weights = np.hstack([own, *(rows for _, rows in others)])
    order = np.lexsort((-kept.levels, digits(kept.cost), digits(kept.variance)))
    order = np.append(0, order[order != 0])[: 2 * _MOST_STRATEGIES]  # the plan is the first, whatever is as good
    first: dict[Hashable, int] = {}  # designs but for their number of items: the search may have met one in many pieces
    for position in order.tolist():
        design = searched.found.pieces[kept.piece[position]]
        counts = design.design(int(kept.index[position])) | {searched.source.item: 0}
        first.setdefault((design.scheme, tuple(sorted(counts.items()))), position)
    chosen = np.array(list(first.values())[:_MOST_STRATEGIES])
    return kept.take(chosen), weights[:, chosen]


def redrawn(source: Source, fit: Decomposition, boot: Bootstrap, rng: np.random.Generator) -> Floats:
    """What every term is worth in every redrawn pilot, shape (terms, draws).

    Fixed facets that stand for more than their levels would have had other levels: those are drawn too.
    """
    theta = np.maximum(boot.theta, 0.0)

    def spread(name: str) -> Floats:
        if source.targets[name] == SENSITIVITY:
            return np.asarray(boot.level_means[name].var(axis=1))
        drawn = draw_of(fit, name, source.targets[name])
        return np.asarray(np.maximum(boot.redrawn_square(name, drawn, rng) - theta @ drawn.noise, 0.0))

    return _by_term(source, fit, theta, spread)


def plausible(source: Source, fit: Decomposition, boot: Bootstrap, rng: np.random.Generator) -> Floats:
    """What every term may be worth, given the pilot, shape (terms, draws): the law behind intervals of components."""

    def spread(name: str) -> Floats:
        if source.targets[name] == SENSITIVITY:
            return boot.plausible_spread(name)
        drawn = draw_of(fit, name, source.targets[name])
        return np.asarray(np.maximum(boot.plausible_square(drawn, rng) - boot.plausible @ drawn.noise, 0.0))

    return _by_term(source, fit, boot.plausible, spread)


def _by_term(source: Source, fit: Decomposition, theta: Floats, spread: Callable[[str], Floats]) -> Floats:
    """Draws of every term: of its component, or of the spread of a fixed facet."""
    members = fit.representatives
    return np.array([theta[:, members[name]] if name in members else spread(name) for name in source.values])


_MOST_LISTED = 500
_SLACK = 1e-12  # relative: a budget of .3 buys three calls at .1


@dataclass(frozen=True)
class Cloud(Brief):
    """A sample of all designs, for a picture.

    Parameters
    ----------
    cost, reach : array, shape (designs,)
        Price, and what designs are compared by: half their intervals, or their standard errors.
    layout : tuple of str
        Layout of each.
    """

    cost: Floats
    reach: Floats
    layout: tuple[str, ...]


@dataclass(frozen=True)
class Searched(Brief):
    """What a search was about and what it found; the results are read from it.

    Parameters
    ----------
    source : Source
        Variance of any layout.
    prices : mapping
        As for `quorate.project`.
    found : Found
        The designs that no other beats, and a sample of all.
    fit : Components or Decomposition
        Where the components came from.
    grid : Grid
        The designs allowed.
    paid : Paid, optional
        Judgments that are paid for.
    both : bool
        Whether every judgment is one of both of two systems, whose difference the designs are for.
    """

    source: Source
    prices: Prices
    found: Found
    fit: Components | Decomposition | LatentDecomposition
    grid: Grid
    paid: Paid | None = None
    both: bool = False

    def frontier(self, position: int | None) -> Projection | None:
        """A design of the frontier, in full; None for none."""
        return None if position is None else self.projection(self.found.frontier, position)

    def projection(self, kept: Kept, position: int) -> Projection:
        """One of some designs, in full."""
        [made] = self.projections(kept, np.array([position]))
        return made

    def projections(self, kept: Kept, positions: Ints) -> tuple[Projection, ...]:
        """Several of some designs, in full; those of one piece together, which takes little longer than one."""
        made: dict[int, Projection] = {}
        for number in np.unique(kept.piece[positions]).tolist():
            piece, places = self.found.pieces[number], positions[kept.piece[positions] == number]
            counts = piece.designs(kept.index[places])
            replicates = counts.pop(REPLICATE)
            groups = grouped(self.source, counts)
            counts = {name: counts[name] for name in self.source.counts}
            found = projections(self.source, counts, replicates, piece.scheme, prices=self.prices, groups=groups)
            made |= zip(places.tolist(), found, strict=True)
        each = [made[position] for position in positions.tolist()]
        each = each if self.paid is None else [*map(self.paid.applied, each)]
        return tuple(map(of_both, each) if self.both else each)


@dataclass(frozen=True)
class Optimum(Result):
    """The best of all allowed designs.

    Parameters
    ----------
    plan : Projection
        The most precise design within the budget, or the cheapest that is precise enough.
    budget, target_se, half_width : float or None
        What was asked for; exactly one is given.
    own : Projection or None
        The design at hand: the study that was fitted, or the one named.
    judges : tuple of str
        The judges to ask, where they have prices of their own; empty where not.
    caveats : tuple of Caveat
        What the reader must know.
    position : int
        Place of the plan on the frontier; of what comes nearest where the design at hand is the best.
    searched : Searched
        The search itself.
    prices : mapping or None
        As they were given.
    systems : tuple of str
        The two systems whose difference the designs are for; empty where they are for a mean.
    sure : Ranking or None
        How sure the choice is, where `ranking` was asked for that.
    """

    plan: Projection
    budget: float | None
    target_se: float | None
    half_width: float | None
    own: Projection | None
    judges: tuple[str, ...]
    caveats: tuple[caveats.Caveat, ...]
    position: int = field(repr=False)
    searched: Searched = field(repr=False)
    prices: Prices | None = None
    systems: tuple[str, ...] = ()
    sure: Ranking | None = None

    entries = "budget target_se half_width systems plan judges own same_cost same_se candidates caveats ranking=sure"

    def ranking(self, n: int = 1000, *, rng: np.random.Generator | int | None = None) -> Ranking:
        """How sure the choice is: what pilots redrawn from the fit would have chosen; see `Ranking`.

        Parameters
        ----------
        n : int
            Redrawn pilots.
        rng : numpy.random.Generator or int, optional
            Where the draws come from.

        Raises
        ------
        InvalidInput
            If the components were published, which carry no uncertainty.
        """
        if self.stays:
            raise InvalidInput("ranking: the design at hand is better than all that were searched, so none was chosen")
        return ranking(self, n=n, rng=rng)

    @property
    def stays(self) -> bool:
        """Whether the design at hand is the best."""
        return self.plan is self.own

    @property
    def se(self) -> float:
        """Standard error of the plan, in score units."""
        return self.plan.se

    @property
    def calls(self) -> int:
        """Judgments the plan asks for."""
        return self.plan.calls

    @property
    def cost(self) -> float:
        """Price of the plan, less what is paid for."""
        return float(self.plan.cost) if self.plan.cost is not None else math.nan

    @property
    def candidates(self) -> int:
        """Designs that were compared: all that the limits allow and whose variance is known."""
        return self.searched.found.candidates

    @cached_property
    def frontier(self) -> tuple[Projection, ...]:
        """Designs that no allowed design beats in both price and precision, the cheapest first."""
        kept = self.searched.found.frontier
        return self.searched.projections(kept, np.arange(len(kept.cost)))

    def along(self, most: int) -> tuple[Projection, ...]:
        """At most ``most`` designs of the frontier, at about equal ratios of price, the plan among them.

        Parameters
        ----------
        most : int
            At least 3. A frontier that is no longer is given whole.

        Raises
        ------
        InvalidInput
            If it is less.
        """
        places = self._along(most)
        if len(places) == len(self.searched.found.frontier.cost):
            return self.frontier
        return self.searched.projections(self.searched.found.frontier, places)

    def edge(self, most: int) -> Cloud:
        """Prices and precision alone of the same designs as `along`, for a line in a picture."""
        places, found = self._along(most), self.searched.found
        layouts = tuple(found.pieces[number].scheme.layout for number in found.frontier.piece[places])
        return Cloud(found.frontier.cost[places], np.sqrt(found.frontier.width[places]), layouts)

    def _along(self, most: int) -> Ints:
        """Places on the frontier of at most ``most`` designs, as for `along`."""
        if most < 3:
            raise InvalidInput(f"most: at least 3 designs are needed to show a frontier, got {most}")
        prices = self.searched.found.frontier.cost
        if len(prices) <= most or not prices[-1]:
            return np.arange(len(prices))
        low, high = max(prices[0], 1e-9 * prices[-1]), prices[-1]
        wanted = low * (high / low) ** (np.arange(most - 1) / (most - 2))
        near = np.searchsorted(prices, wanted * (1 + 1e-9), side="right") - 1
        return np.unique([*near.clip(0), self.position])

    @cached_property
    def same_cost(self) -> Projection | None:
        """What is most precise at the price of the one at hand, or that itself; None where it has no price."""
        if self.own is None or self.own.cost is None:
            return None
        best = self.searched.frontier(within(self.searched.found, self.own.cost))
        return self.own if best is None or self.reach(self.own) < self.reach(best) else best

    @cached_property
    def same_se(self) -> Projection | None:
        """What is cheapest and no less precise than the one at hand, or that itself; None where none is at hand."""
        if self.own is None:
            return None
        best = self.searched.frontier(precise(self.searched.found, self.reach(self.own)))
        if best is None or (self.own.cost is not None and best.cost is not None and self.own.cost <= best.cost):
            return self.own
        return best

    def reach(self, plan: Projection) -> float:
        """What designs are compared by: half their 95% intervals, or their standard errors; see `measure`."""
        return self.searched.found.reach(plan)

    @property
    def measure(self) -> str:
        """What that is: standard errors where one was asked for, or no design has an interval."""
        return "half a 95% interval" if self.searched.found.by_interval else "standard error"

    @cached_property
    def cloud(self) -> Cloud:
        """About two thousand of all designs, for a picture."""
        found = self.searched.found
        layouts = tuple(found.pieces[number].scheme.layout for number in found.cloud.piece)
        return Cloud(found.cloud.cost, np.sqrt(found.cloud.width), layouts)

    def rows(self) -> list[Row]:
        """The frontier, one design a row: price, half-width, se, calls, layout, and the levels of every facet."""
        return [
            picked(plan, "half_width cost se calls reused layout per_item")
            | {name: plan.design[name] for name in self.plan.design}
            | {name: plan.groups[name] for name in self.plan.groups}
            for plan in self.frontier
        ]

    def _backend(self) -> str | None:
        fit = self.searched.fit
        return None if isinstance(fit, Components) else fit.judgments.source.backend

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, but for the sample of all designs; of a long frontier, some designs along it."""
        some = {"frontier": plain(self.along(_MOST_LISTED))}
        return super().to_dict() | some | {"frontier_designs": len(self.searched.found.frontier.cost)}


def within(found: Found, budget: float) -> int | None:
    """The last design of the frontier that a budget pays for."""
    position = int(np.searchsorted(found.frontier.cost, budget * (1 + _SLACK), side="right")) - 1
    return position if position >= 0 else None


def precise(found: Found, wanted: float) -> int | None:
    """The first design of the frontier whose standard error, or half interval, is small enough."""
    enough = np.flatnonzero(np.sqrt(found.frontier.width) <= wanted * (1 + _SLACK))
    return int(enough[0]) if len(enough) else None
