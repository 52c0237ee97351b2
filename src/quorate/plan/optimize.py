"""The cheapest design that is precise enough, or the most precise one that a budget buys."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate import caveats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.decomposition import Decomposition
from quorate.estimate.published import Components
from quorate.estimate.targets import PANEL, Target
from quorate.plan.dstudy import Projection, project, projection
from quorate.plan.grid import JUDGE, REPLICATE, ROLES, Grid, allowed
from quorate.plan.layouts import LayoutName
from quorate.plan.limits import around
from quorate.plan.prices import Prices, cheapest
from quorate.plan.search import Found, Kept, search
from quorate.plan.sources import Design, Source, from_components, from_fit
from quorate.plan.whatif import as_it_is

if TYPE_CHECKING:
    from quorate.plan.ranking import Ranking

Floats = NDArray[np.float64]
Limits = Mapping[str, Iterable[int] | int]
_SLACK = 1e-12  # relative: a budget of .3 buys three calls at .1


@dataclass(frozen=True)
class Cloud:
    """A sample of all designs, for a picture.

    Parameters
    ----------
    cost, se : array, shape (designs,)
        Price and standard error.
    layout : tuple of str
        Layout of each.
    """

    cost: Floats
    se: Floats
    layout: tuple[str, ...]


@dataclass(frozen=True)
class Searched:
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
    """

    source: Source
    prices: Prices
    found: Found
    fit: Components | Decomposition

    def projection(self, kept: Kept, position: int) -> Projection:
        """One of some designs, in full."""
        piece = self.found.pieces[kept.piece[position]]
        counts = piece.design(int(kept.index[position]))
        ordered = {name: counts[name] for name in self.source.counts}
        replicates = counts[REPLICATE]
        return projection(self.source, ordered, replicates, piece.layout, per_item=piece.per_item, prices=self.prices)


@dataclass(frozen=True)
class Optimum:
    """The best of all allowed designs.

    Parameters
    ----------
    plan : Projection
        The most precise design within the budget, or the cheapest that is precise enough.
    budget, target_se : float or None
        What was asked for; exactly one is given.
    own : Projection or None
        The design at hand: the study that was fitted, or the one named.
    judges : tuple of str
        The judges to ask, where they have prices of their own; empty where not.
    caveats : tuple of Caveat
        What the reader must know.
    searched : Searched
        The search itself.
    """

    plan: Projection
    budget: float | None
    target_se: float | None
    own: Projection | None
    judges: tuple[str, ...]
    caveats: tuple[caveats.Caveat, ...]
    searched: Searched = field(repr=False)

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
        from quorate.plan.ranking import ranking

        return ranking(self, n=n, rng=rng)

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
        """Price of the plan."""
        return float(self.plan.cost) if self.plan.cost is not None else math.nan

    @property
    def candidates(self) -> int:
        """Designs that were compared: all that the limits allow and whose variance is known."""
        return self.searched.found.candidates

    @cached_property
    def frontier(self) -> tuple[Projection, ...]:
        """Designs that no allowed design beats in both price and precision, the cheapest first."""
        kept = self.searched.found.frontier
        return tuple(self.searched.projection(kept, position) for position in range(len(kept.cost)))

    @cached_property
    def same_cost(self) -> Projection | None:
        """The most precise design that costs no more than the one at hand; None where that has no price, or none is."""
        if self.own is None or self.own.cost is None:
            return None
        return _best(self.searched, _within(self.searched.found, self.own.cost))

    @cached_property
    def same_se(self) -> Projection | None:
        """The cheapest design that is no less precise than the one at hand; None where none is."""
        return None if self.own is None else _best(self.searched, _precise(self.searched.found, self.own.se))

    @cached_property
    def cloud(self) -> Cloud:
        """About two thousand of all designs, for a picture."""
        found = self.searched.found
        layouts = tuple(found.pieces[number].layout for number in found.cloud.piece)
        return Cloud(found.cloud.cost, np.sqrt(found.cloud.variance), layouts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, but for the sample of all designs."""
        named = {name: getattr(self, name) for name in ("own", "same_cost", "same_se")}
        return {
            "budget": self.budget,
            "target_se": self.target_se,
            "plan": self.plan.to_dict(),
            "judges": list(self.judges),
            **{name: plan.to_dict() if plan is not None else None for name, plan in named.items()},
            "frontier": [plan.to_dict() for plan in self.frontier],
            "candidates": self.candidates,
            "caveats": [str(caveat) for caveat in self.caveats],
        }


def optimize(
    source: Components | Decomposition,
    *,
    budget: float | None = None,
    target_se: float | None = None,
    prices: Prices | None = None,
    limits: Limits | None = None,
    layouts: Sequence[LayoutName] = ("factorial", "cyclic", "latin"),
    targets: Mapping[str, Target] | None = None,
    categories: int | None = None,
    own: Mapping[str, Any] | None = None,
) -> Optimum:
    """What to buy next: the most precise design for a budget, or the cheapest that reaches a standard error.

    Every design that the limits allow is compared, so the result is the optimum of the grid.

    Parameters
    ----------
    source : Components or Decomposition
        From `quorate.components` or `quorate.decompose`.
    budget : float, optional
        Most that may be spent, in the unit of the prices. Exactly one of ``budget`` and ``target_se`` is given.
    target_se : float, optional
        Largest standard error allowed, in score units.
    prices : mapping, optional
        ``{"call": usd}``, or ``{"judge": {name: usd}, "item": usd, "prompt": usd}``: per call, or per call of each
        judge; per item and per prompt on top. By default a call costs 1, so that a budget is a number of calls.
        Judges are taken to differ in price alone, so the cheapest are used.
    limits : mapping of str to int or iterable of int, optional
        Numbers allowed of ``items``, ``prompts``, ``judges``, ``temperatures``, ``replicates``, of judges ``per_item``
        for the layout "blocks", and of the levels of any other facet by its role. What is not named stays as it is
        in the data; 1, with published components. Without any limits, designs around the study that was fitted: up to
        four times its items, twice its levels of facets that stand for a population, and a few replicates.
    layouts : sequence of {"factorial", "cyclic", "latin", "blocks"}
        Layouts allowed; see `quorate.project`.
    targets : mapping of str to str or Pool, optional
        As for `Decomposition.mean_for`. With judges as a panel, designs of one and of three judges answer different
        questions; compare them with ``{"judge": "population"}``.
    categories : int, optional
        As for `quorate.project`.
    own : mapping, optional
        The design at hand, as options of `quorate.project`, to place it among the others. By default the study that
        was fitted.

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
    >>> from quorate.estimate.published import components
    >>> safety = components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})
    >>> limits = {"items": [50, 100, 141], "judges": range(1, 4), "replicates": [1, 2]}
    >>> best = optimize(safety, budget=141, limits=limits)
    >>> best.plan.layout, best.calls, round(best.se, 4)
    ('cyclic', 141, 0.0222)
    """
    _check(source, budget, target_se, limits)
    prices = {"call": 1.0} if prices is None else prices
    made, grid = _prepared(source, limits, layouts, targets or {}, categories, prices)
    searched = Searched(made, prices, search(made, grid, prices), source)
    if not searched.found.candidates:
        raise _all_open(made, grid)
    plan = _plan(searched, budget, target_se)
    return Optimum(
        plan=plan,
        budget=budget,
        target_se=target_se,
        own=_own(source, own, prices, targets, categories),
        judges=cheapest(prices)[: plan.design.get(JUDGE, 1)],
        caveats=_caveats(source, made, grid),
        searched=searched,
    )


def _check(source: object, budget: float | None, target_se: float | None, limits: object) -> None:
    if not isinstance(source, (Components, Decomposition)):
        kind = type(source).__name__
        raise InvalidInput(f"source: expects what decompose or components returns, got {kind}; decompose it first")
    if limits is not None and not isinstance(limits, Mapping):
        shape = '{"items": [50, 100], "judges": range(1, 4)}'
        raise InvalidInput(f"limits: a mapping such as {shape} is needed, got {type(limits).__name__}")
    if (budget is None) == (target_se is None):
        given = "neither" if budget is None else "both"
        raise InvalidInput(f"budget, target_se: exactly one is needed, got {given}")
    for name, value in (("budget", budget), ("target_se", target_se)):
        if value is None:
            continue
        if not isinstance(value, Real) or isinstance(value, bool) or not (math.isfinite(value) and value > 0):
            raise InvalidInput(f"{name}: must be a finite number above 0, got {value!r}")


def _prepared(
    source: Components | Decomposition,
    limits: Limits | None,
    layouts: Sequence[LayoutName],
    targets: Mapping[str, Target],
    categories: int | None,
    prices: Prices,
) -> tuple[Source, Grid]:
    """The variance of any layout, and the designs allowed. Facets that limits name count as given by the design."""
    if isinstance(source, Decomposition):
        made = from_fit(source, Design(categories=categories, targets=targets))
        limits = around(made, prices) if limits is None else limits
    elif not limits or "items" not in limits:
        raise InvalidInput('limits: how many items are allowed is needed with published components: {"items": [...]}')
    else:
        named = {ROLES.get(name, name) for name in limits} & set(source.facets) - {"item"}
        design = Design(items=1, given=dict.fromkeys(named, 1), categories=categories, targets=targets)
        made = from_components(source, design)
    return made, allowed(limits, layouts, made.item, {**made.counts, REPLICATE: made.replicates})


def _plan(searched: Searched, budget: float | None, target_se: float | None) -> Projection:
    """The optimum, or an error that says how near one comes."""
    kept = searched.found.frontier
    if budget is not None:
        plan = _best(searched, _within(searched.found, budget))
        if plan is None:
            raise InvalidInput(
                f"budget: {budget:g} buys no design within the limits; the cheapest costs {kept.cost[0]:g}"
            )
        return plan
    assert target_se is not None  # noqa: S101  (exactly one is given)
    plan = _best(searched, _precise(searched.found, target_se))
    if plan is None:
        last = searched.projection(kept, -1)
        source = max(last.shares, key=lambda name: last.shares[name])
        raise InvalidInput(
            f"target_se: no design within the limits reaches {target_se:g}; the best has {last.se:.4g} at a cost of "
            f"{kept.cost[-1]:g}, and {last.shares[source]:.0%} of its variance is {source}. Widen the limits"
        )
    return plan


def _within(found: Found, budget: float) -> int | None:
    """The last design of the frontier that a budget pays for."""
    position = int(np.searchsorted(found.frontier.cost, budget * (1 + _SLACK), side="right")) - 1
    return position if position >= 0 else None


def _precise(found: Found, target_se: float) -> int | None:
    """The first design of the frontier that is precise enough."""
    enough = np.flatnonzero(np.sqrt(found.frontier.variance) <= target_se * (1 + _SLACK))
    return int(enough[0]) if len(enough) else None


def _best(searched: Searched, position: int | None) -> Projection | None:
    return None if position is None else searched.projection(searched.found.frontier, position)


def _own(
    source: Components | Decomposition,
    own: Mapping[str, Any] | None,
    prices: Prices,
    targets: Mapping[str, Target] | None,
    categories: int | None,
) -> Projection | None:
    if own is not None:
        try:
            return project(source, prices=prices, targets=targets, categories=categories, **own)
        except TypeError:
            raise InvalidInput(
                f"own: options of project are needed, such as items=100, judges=3; got {own!r}"
            ) from None
    if not isinstance(source, Decomposition):
        return None
    try:
        return as_it_is(source, prices=prices, targets=targets)
    except NotEstimable:
        return None


def _all_open(made: Source, grid: Grid) -> NotEstimable:
    """Why the data determine no design: the reason for the first one."""
    piece = next(grid.pieces())
    design = piece.design(0)
    replicates = design.pop(REPLICATE)
    try:
        projection(made, design, replicates, piece.layout, per_item=piece.per_item)
    except NotEstimable as error:
        return error
    raise AssertionError("a design without a variance has a reason")


def _caveats(source: Components | Decomposition, made: Source, grid: Grid) -> tuple[caveats.Caveat, ...]:
    out = list(source.caveats) if isinstance(source, Decomposition) else []
    for name, target in made.targets.items():
        if target == PANEL and len(grid.levels.get(name, ())) > 1:
            out.append(caveats.panels_differ(name))
    return tuple(out)
