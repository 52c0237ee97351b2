"""Decision studies: the standard error that a design would have, and its price by call, judge, item and prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from numbers import Real
from typing import Any

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition, LatentMean
from quorate.estimate.components.model import CELL, of_items
from quorate.estimate.components.published import Components, components
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.differences.methods import paired, two_systems
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import PANEL, Target
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.planning.designs import sources
from quorate.planning.designs.layouts import Count, Layout, lay_out
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.schemes import MOST, Scheme
from quorate.planning.designs.studies import Studies, degrees_of_freedom
from quorate.roles import ITEM, REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import Brief

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


@dataclass(frozen=True)
class OfDifference(Brief):
    """A difference as designs see it: every judgment is one of both systems.

    Parameters
    ----------
    source : Components or Decomposition
        Components of the difference.
    targets : mapping of str to str or Pool
        What facets stand for.
    counts : mapping of str to int
        Levels of every facet at hand, by the names that the components have.
    shares_items : bool
        Whether the same items serve both systems.
    found : SystemDifference
        The difference.
    """

    source: Components | Decomposition
    targets: Mapping[str, Target]
    counts: Mapping[str, int]
    shares_items: bool
    found: SystemDifference

    def paid(self, have: Judgments) -> Judgments:
        """Judgments that are paid for, each one of both systems.

        Raises
        ------
        InvalidInput
            If the systems were not compared by pairs.
        """
        a, b, facet = self.found.a, self.found.b, self.found.facet
        if self.found.method != "paired":
            raise InvalidInput(f"have: {a} and {b} were not judged on the same cells; leave it out")
        return paired(two_systems(have, a, b, facet=facet)).judgments if facet in have.names else have

    def prices(self, prices: Prices | None) -> Prices:
        """Prices of judgments of both; items and prompts are bought once where both are judged on the same."""
        check(prices := {"call": 1.0} if prices is None else prices)
        once = {"item", "prompt"} if self.shares_items else {"prompt"}
        both: dict[str, float | Mapping[str, float]] = {}
        for kind, price in prices.items():
            if kind in once:
                both[kind] = price
            else:
                both[kind] = {name: 2 * own for name, own in price.items()} if isinstance(price, Mapping) else 2 * price
        return both


def of_difference(found: SystemDifference) -> OfDifference:
    """What a difference is to designs, for the reading that it has."""
    item, seen = found.fit.judgments.object, sources.observed_counts(found.fit)
    shared = found.method == "paired" or any(
        item in names and not _by_system(names, found.facet) for names in found.fit.classes
    )
    if found.method == "paired":
        return OfDifference(found.fit, dict(found.estimate.target), seen, shared, found)
    made = components_of_difference(found)
    named = {ITEM if name == item else name: n for name, n in seen.items()}
    counts = {name: n for name, n in named.items() if name in made.facets}
    targets: dict[str, Target] = {
        name: PANEL for name, to in found.estimate.target.items() if to == PANEL and name in made.facets
    }
    return OfDifference(made, targets, counts, shared, found)


def of_both(plan: Projection) -> Projection:
    """A design with the judgments of both systems, where it counts those that are one of each."""
    return replace(plan, calls=2 * plan.calls, reused=2 * plan.reused)


def components_of_difference(found: SystemDifference) -> Components:
    """Components of the difference of two systems, from those of the scores of both: what is each system's own.

    Of components that cannot be told apart the one that the fewest things reduce stands for all. The cell is called by
    its facets, for in a list of components it would be one of those that are named elsewhere in it.
    """
    item = found.fit.judgments.object
    cell = [name for name in sources.observed_counts(found.fit) if name not in (found.facet, item)]

    def spelled(name: str) -> str:
        parts = [item, *cell] if name == CELL else [part for part in name.split(":") if part != found.facet]
        return ":".join(ITEM if part == item else part for part in parts)

    out: dict[str, float] = {}
    for side in found.sides:  # what items bring where each system has its own: the components of either, added
        fit = side.basis.fit
        for names, value in zip(fit.classes, fit.variances.values(), strict=True):
            if of_items(" + ".join(names), item):
                name = spelled(names[0])
                out[name] = out.get(name, 0.0) + max(value, 0.0)
    for names, value in zip(found.fit.classes, found.fit.variances.values(), strict=True):
        if found.sides and of_items(" + ".join(names), item):
            continue
        own = [name for name in names if _by_system([name], found.facet) or name in (CELL, REPLICATE)]
        if own:
            name = spelled(own[0])
            out[name] = out.get(name, 0.0) + 2 * max(value, 0.0)
    return components(out)


def _by_system(names: Sequence[str], facet: str) -> bool:
    return any(facet in name.split(":") for name in names)


@dataclass(frozen=True)
class Projection(Result):
    """What a design would give.

    Parameters
    ----------
    se : float
        Standard error of the mean, in score units.
    calls : int
        Judgments the design asks for.
    cost : float or None
        Its price, or what is still to be paid of it where judgments are there; None when a price is unknown.
    shares : mapping of str to float
        Fraction of the variance by component; sums to 1.
    design : mapping of str to int
        Levels of every facet, and replicates.
    layout : str
        How prompts and judges are assigned to items; "partly crossed" of a study with open cells that follows none.
    targets : mapping of str to str or Pool
        What each facet stands for.
    per_item : int or None
        Judges per item, for the layout "blocks"; (prompt, judge) pairs per item, for "latin".
    places : mapping of str to int, or None
        Places of every judge in a "weighted" cycle; judges without names are numbered from 1.
    balanced : float
        How far the levels of fixed facets weigh equally in the mean; see `project`.
    judges : tuple of str
        The judges, in the order in which they take turns; empty where any will do.
    groups : mapping of str to int
        Levels of what groups the items.
    df : float
        Degrees of freedom that the standard error will have in a study of this design.
    found : Estimate or LatentMean, optional
        Of a study that was made, the mean that it found, whose standard error is the one here.
    studies : Studies, optional
        Many studies of the design, which find its intervals; None where the data do not tell what these would be.
    place : int
        Which of the designs of ``studies`` it is, where they are of several.
    reused : int
        Judgments of it that are paid for; see ``have`` of `quorate.plan`.
    level : float
        Coverage of its intervals; see `at`.
    """

    se: float
    calls: int
    cost: float | None
    shares: Mapping[str, float]
    design: Mapping[str, int]
    layout: str
    targets: Mapping[str, Target]
    per_item: int | None = None
    places: Mapping[str, int] | None = None
    balanced: float = 1.0
    judges: tuple[str, ...] = ()
    groups: Mapping[str, int] = field(default_factory=dict)
    df: float = np.inf
    found: Estimate | LatentMean | None = field(default=None, repr=False, compare=False)
    studies: Studies | None = field(default=None, repr=False, compare=False)
    place: int = field(default=0, repr=False, compare=False)
    reused: int = 0
    level: float = field(default=0.95, repr=False)

    entries = (
        "se half_width_95=half_width found_half_width_95=found_half_width df calls reused cost shares design "
        "layout per_item places balanced judges groups targets"
    )

    @property
    def bought(self) -> int:
        """Judgments that must still be bought."""
        return self.calls - self.reused

    @property
    def variance(self) -> float:
        """Variance of the mean."""
        return self.se**2

    def at(self, level: float) -> Projection:
        """The same with intervals of another coverage, in (0, 1)."""
        return replace(self, level=checked_level(level))

    @property
    def half_width(self) -> float:
        """Half the interval that the middle one of the studies of this design finds, whether one was made or none.

        Half of them find a narrower interval, half a wider one, if components are right; infinite where the design has
        too few levels of what stands for others. Of a study that was made `found` has the interval that it found.
        """
        if self.studies is not None:
            return self.studies.half_width_of(self.place, self.level)
        found = self.found_half_width
        return t_quantile(self.df, (1 + self.level) / 2) * self.se if found is None else found

    @property
    def found_half_width(self) -> float | None:
        """Half the interval that a study that was made found; None of a plan."""
        return None if self.found is None else self.found.at(self.level).half_width


def project(
    source: Components | Decomposition | LatentDecomposition | SystemDifference,
    *,
    items: int | None = None,
    prompts: int | None = None,
    judges: int | Sequence[str] | None = None,
    temperatures: int | None = None,
    replicates: int | None = None,
    layout: LayoutName = "factorial",
    per_item: int | None = None,
    places: Mapping[str, int] | Sequence[int] | None = None,
    balanced: float = 1.0,
    levels: Mapping[str, int] | None = None,
    categories: int | None = None,
    category_items: sources.CategoryItems | None = None,
    category_shares: sources.CategoryItems | None = None,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
) -> Projection:
    """The standard error, calls and price of a proposed design.

    Parameters
    ----------
    source : Components, Decomposition, LatentDecomposition or SystemDifference
        Published components, a fit, or a difference of two systems, whose designs are of both, for the reading that it
        has. A fit with a link counts as the components of scores that those of its log odds
        stand for, and its half-width is that of its own mean, in score units; facets then stand for what they do by
        default. From a fit, what is not given stays as in the data. From published components,
        a random facet that is not given has one level, and a fixed facet that is not given is a condition of the study:
        its sensitivity does not enter.
    items : int, optional
        How many items; as fitted if left out.
    prompts : int, optional
        How many prompts; as fitted if left out.
    judges : int or sequence of str, optional
        How many judges; as fitted if left out. They may be named, in the order in which they take turns: their own
        prices count, and their own residual variances where the fit has them.
    temperatures : int, optional
        How many temperatures; as fitted if left out.
    replicates : int, optional
        Answers of each cell; as fitted if left out.
    layout : {"factorial", "random", "cyclic", "weighted", "latin", "blocks"}
        How judges are assigned: all crossed; one at random for every item; in turn; in turn with unequal places; in
        turn with prompts, pair by pair; or blocks of several in turn. As a factorial, random, cyclic, weighted by
        ``places``, latin, or balanced blocks of ``per_item`` judges. Facets that a layout does not assign are crossed.
        With a facet "generation", turns are taken by generations: the judges of an item change from one generation to
        the next.
    per_item : int, optional
        Judges per item, with blocks; pairs per item, with latin, 1 unless given.
    places : mapping of str to int, or sequence of int, optional
        Places of each judge in a cycle, with weighted, such as gpt=4,small=1. By name or in any order.
    balanced : float
        1: judges weigh equally in the mean; 0: every judgment does. With 1 the levels of a fixed facet that is assigned
        weigh equally, so that nothing of their spread is left in the mean. With 0, where levels then weigh unequally,
        by what remains of a cycle, by ``places`` or by chance, a bias is left, and its expected square is part of the
        variance: by what a fit says of judges that are named, over a random order of levels where they are not. In
        between, a mixture of the two means.
    levels : mapping of str to int, optional
        Levels of any other facet, such as ``{"annotator": 4}``. Within one parent for nested ones.
    categories : int, optional
        How many categories are drawn with the items. From published components the category variance is otherwise
        absorbed in the items' (divided by items), as the source paper has it.
    category_items : mapping of str to int, or sequence of int, optional
        Where categories are not equally large: items of each, or their proportions, such as math=60,code=40, or 60,40.
        In place of ``categories``. The mean weighs them as its analysis does, by how precisely each is known, so that a
        large one counts for less than its items where categories differ.
    category_shares : mapping of str to float, or sequence of float, optional
        What each category counts for in the mean, where the analysis is not to say, such as math=.5,code=.5. They sum
        to 1. See `Assignment.weights`.
    targets : mapping of str to str or Pool, optional
        What facets stand for: population, panel, finite, sensitivity or pool(K), such as ``{"judge": "panel"}``. As for
        `Decomposition.mean_for`.
    prices : mapping, optional
        ``{"call": usd}``, or ``{"judge": {name: usd}, "item": usd, "generation": usd, "prompt": usd}``: per call, per
        call of each judge (the cheapest ones are used unless ``places`` name them), per item, per generation (a
        response that is judged) and per prompt.

    Returns
    -------
    Projection

    Raises
    ------
    InvalidInput
        If a count is not a positive whole number or a layout does not fit.
    NotEstimable
        If the fit cannot tell components apart that the design weighs differently; carries the range.

    References
    ----------
    Messing (2026), Eqs. 3, 8, 9, 10; Zhu et al. (2026), Eqs. 2 to 5 and 35. The general form is derived in
    ``docs/methods/intervals.md``, the layouts in ``docs/methods/layouts.md``.

    Examples
    --------
    >>> from quorate.estimate.components.published import components
    >>> safety = components({"item": 0.0104, "item:judge": 0.0251, "replicate": 0.0120}, sensitivity={"judge": 4.65e-4})
    >>> round(project(safety, items=141, judges=3, replicates=1).se, 4)
    0.0178
    >>> round(project(safety, items=141, judges=3, layout="cyclic").se, 4)
    0.0222
    """
    pair = of_difference(source) if isinstance(source, SystemDifference) else None
    if pair is not None:
        if targets is not None:
            raise InvalidInput("targets: a difference says what facets stand for; leave it out")
        source, targets, prices = pair.source, pair.targets, None if prices is None else pair.prices(prices)
    if not isinstance(source, (Components, Decomposition, LatentDecomposition)):
        kind = type(source).__name__
        raise InvalidInput(f"source: expects what decompose or components returns, got {kind}; decompose it first")
    names: tuple[str, ...] = ()
    if isinstance(judges, Sequence) and not isinstance(judges, str):
        named: Sequence[object] = judges
        names = tuple(name for name in named if isinstance(name, str))
        if not named or len(set(names)) < len(named):
            raise InvalidInput(f"judges: a whole number, or different names, are needed, got {judges!r}")
    scheme = scheme_of(layout, per_item, places, balanced, names)
    many = len(names or scheme.places or ()) or judges
    asked: dict[str, Any] = {"prompt": prompts, "judge": many, "temperature": temperatures, **(levels or {})}
    given = {name: count for name, count in asked.items() if count is not None}
    others = {"items": items, "replicates": replicates, "categories": categories, "per_item": per_item}
    for name, count in (given | others).items():
        if count is not None:
            rules.whole(name, count, 1, MOST)
    if categories is not None and items is not None and categories > items:
        raise InvalidInput(f"categories: {categories} need at least as many items, got {items}")
    sizes, unequal = sources.sizes_of(category_items, categories), layout == "random" or balanced < 1
    if pair is not None and isinstance(source, Components):  # which have no levels of their own
        at_hand = {**pair.counts, **given}
        items, given = items or at_hand[ITEM], {name: n for name, n in at_hand.items() if name != ITEM}
    groups = len(sizes) or categories
    wanted, named = sources.shares_of(category_shares, category_items), cheapest(prices or {})
    design = sources.Design(items, given, replicates, groups, targets or {}, named, unequal, sizes, wanted)
    made = (
        sources.from_components(source, design) if isinstance(source, Components) else sources.from_fit(source, design)
    )
    plan = projection(made, made.counts, made.replicates, scheme, prices=prices)
    return plan if pair is None else of_both(plan)


def scheme_of(
    layout: LayoutName,
    per_item: int | None,
    places: Mapping[str, int] | Sequence[int] | None,
    balanced: float = 1.0,
    judges: tuple[str, ...] = (),
) -> Scheme:
    """A layout from its name and options.

    Raises
    ------
    InvalidInput
        If an option does not go with the layout.
    """
    if not isinstance(places, Mapping):
        return Scheme(layout, per_item, None if places is None else tuple(places), judges, balanced)
    if judges and set(judges) != set(map(str, places)):
        raise InvalidInput(f"places: one for each of the judges {', '.join(judges)} is needed, got {dict(places)!r}")
    return Scheme(layout, per_item, tuple(places.values()), tuple(map(str, places)), balanced)


def projection(
    source: sources.Source, counts: Mapping[str, int], replicates: int, scheme: Scheme, *, prices: Prices | None = None
) -> Projection:
    """A design with these counts, whatever those of the source are; see `project`."""
    laid = lay_out(scheme, counts, source.item, replicates=replicates, balance=source.balance, groups=source.groups)
    [made] = _in_full(source, laid, source.parts(laid), scheme, prices)
    return made


def projections(
    source: sources.Source,
    counts: Mapping[str, Count],
    replicates: Count,
    scheme: Scheme,
    *,
    prices: Prices | None = None,
    groups: Mapping[str, int] | None = None,
) -> tuple[Projection, ...]:
    """Designs of one layout whose variance the data determine, with arrays of counts; as `projection` has each."""
    chosen = source.groups if groups is None else groups
    laid = lay_out(scheme, counts, source.item, replicates=replicates, balance=source.balance, groups=chosen)
    parts = {name: source.values[name] * weight for name, weight in source.weigh(laid).items()}
    return _in_full(source, laid, parts, scheme, prices)


def _in_full(
    source: sources.Source, laid: Layout, parts: Mapping[str, Any], scheme: Scheme, prices: Prices | None
) -> tuple[Projection, ...]:
    """Every design of a layout, from what each term brings to its variance."""
    studies = Studies(source, laid, source.values)
    variance: Any = sum(parts.values())
    shape = np.broadcast_shapes(np.shape(variance), np.shape(laid.calls), (1,))
    variances, calls, df = (
        np.broadcast_to(values, shape) for values in (variance, laid.calls, degrees_of_freedom(source, laid, parts))
    )
    price = bill(source, laid, prices)
    costs = None if price is None else np.broadcast_to(price, shape)
    shares = {
        name: np.where(variances > 0, part / np.where(variances > 0, variances, 1), np.nan)
        for name, part in parts.items()
    }
    levels = {
        name: np.broadcast_to(count, shape) for name, count in {**laid.counts, "replicate": laid.replicates}.items()
    }
    return tuple(
        Projection(
            se=float(np.sqrt(variances[one])),
            calls=int(calls[one]),
            cost=None if costs is None else known(costs[one]),
            shares={name: float(part[one]) for name, part in shares.items()},
            design={name: int(count[one]) for name, count in levels.items()},
            layout=scheme.layout,
            targets=source.targets,
            per_item=scheme.per_item,
            places=scheme.named_places,
            balanced=scheme.balanced,
            judges=scheme.judges,
            groups={name: int(np.broadcast_to(count, shape)[one]) for name, count in laid.groups.items()},
            df=float(df[one]),
            studies=studies,
            place=one,
        )
        for one in range(*shape)
    )


def bill(source: sources.Source, laid: Layout, prices: Prices | None) -> Floats | None:
    """Price of a layout, or of many designs at once; None where a price is unknown."""
    named = isinstance((prices or {}).get("judge"), Mapping)
    by_judge = laid.calls_of("judge") if named else None
    return cost(prices, source.totals(laid), source.item, laid.calls, by_judge, laid.judges)
