"""Sources of variance: components, fitted or published, as the variance of any layout's mean; those published."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.published import Components
from quorate.estimate.means.intervals import Ended
from quorate.estimate.means.targets import (
    ABSORBED,
    FINITE,
    FIXED,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Pool,
    Target,
)
from quorate.planning.designs.layouts import Count, Layout
from quorate.planning.designs.schemes import GENERATION
from quorate.planning.designs.weights import (
    GroupSizes,
    GroupWeights,
    answers_of,
    coefficient,
    given_sizes,
    group_weights,
    own_facets,
    published,
    refuse_small_pools,
)
from quorate.roles import CATEGORY, ITEM
from quorate.wording import Brief


@dataclass(frozen=True)
class Design:
    """What is asked of a design: levels where they are given, targets, and nothing about the layout.

    Parameters
    ----------
    items : int, optional
        Levels of the object of measurement.
    given : mapping of str to int
        Levels of other facets.
    replicates, categories : int, optional
        Answers per cell, and groups of items.
    targets : mapping of str to str or Pool
        What facets stand for, where it is not the default.
    judges : tuple of str
        Judges by name in the order in which plans take them; empty where any will do.
    unequal : bool
        Whether there are plans in which the levels of a fixed facet do not weigh equally, by chance or by choice.
    sizes : tuple of float
        Items of each category, or their proportions; empty where categories are equally large.
    wanted : tuple of float
        What each category counts for in the mean; empty where that is left to the analysis.
    """

    items: int | None = None
    given: Mapping[str, int] = field(default_factory=dict)
    replicates: int | None = None
    categories: int | None = None
    targets: Mapping[str, Target] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    unequal: bool = False
    sizes: tuple[float, ...] = ()
    wanted: tuple[float, ...] = ()


CategoryItems = Mapping[str, float] | Sequence[float]
"""Items of each category, or their proportions, by name or in any order."""


def sizes_of(category_items: CategoryItems | None, categories: object = None) -> tuple[float, ...]:
    """Items of each category as numbers; empty where none are given.

    Raises
    ------
    InvalidInput
        If they are no numbers above 0, or a number of categories is given beside them.
    """
    if category_items is None:
        return ()
    if categories is not None:
        raise InvalidInput("category_items: says how many categories there are; leave categories out")
    values = category_items.values() if isinstance(category_items, Mapping) else category_items
    sizes = tuple(values)
    if not sizes or any(isinstance(x, bool) or not isinstance(x, Real) or not 0 < x < math.inf for x in sizes):
        raise InvalidInput(
            f"category_items: a number above 0 for each category is needed, such as 60, 30, 10, got {category_items!r}"
        )
    return tuple(map(float, sizes))


def shares_of(category_shares: CategoryItems | None, category_items: CategoryItems | None) -> tuple[float, ...]:
    """What each category counts for in the mean, in the order of the items of each; empty where nothing is said.

    Raises
    ------
    InvalidInput
        If they are not those of the categories, or do not sum to 1.
    """
    if category_shares is None:
        return ()
    if category_items is None:
        raise InvalidInput("category_shares: category_items must say how many items each category has")
    if isinstance(category_shares, Mapping) != isinstance(category_items, Mapping):
        raise InvalidInput("category_shares: name the categories here and in category_items, or in neither")
    keys: list[object] = list(category_items if isinstance(category_items, Mapping) else range(len(category_items)))
    named = category_shares.items() if isinstance(category_shares, Mapping) else enumerate(category_shares)
    given: dict[object, float] = dict(named)
    values = [given[key] for key in keys if key in given]
    known = len(given) == len(keys) == len(values) and all(isinstance(x, Real) and 0 <= x <= 1 for x in values)
    if not known or abs(sum(values) - 1) > 1e-9:
        listed = ", ".join(map(str, keys)) if isinstance(category_items, Mapping) else f"{len(keys)} of them"
        raise InvalidInput(
            f"category_shares: one for each of the categories ({listed}), summing to 1, is needed, "
            f"got {category_shares!r}"
        )
    return tuple(map(float, values))


@dataclass(frozen=True)
class Source(Brief):
    """A design's counts, and how its variance follows from a layout.

    The variance is the sum over terms of a value times a weight. Values come from the components, weights from the
    layout, so that many designs, or many draws of the components, are one product.

    Parameters
    ----------
    item : str
        Role of the object of measurement.
    counts : mapping of str to int
        Levels of every facet of the design; a nested facet counts its levels within one parent.
    replicates : int
        Answers per cell.
    targets : mapping of str to str or Pool
        What each facet stands for.
    groups : mapping of str to int
        Levels of what groups the items; empty where nothing does, or where it is absorbed in them.
    above : mapping of str to tuple of str
        What each nested facet is nested in.
    balance : tuple of str
        Facets that should weigh equally whatever the layout, the first that it assigns before others.
    values : mapping of str to float
        What every term is worth, in squared score units.
    weigh : callable
        Maps a layout to the weight of every term; nan for designs whose variance the data leave open.
    refuse : callable
        Raises NotEstimable, with the range, for a single design whose variance the data leave open.
    unseen : frozenset of str
        Facets of which nothing is known beyond their levels.
    scale : Ended, optional
        Where the mean is on a scale that ends; None where scores have no ends, or nothing is known of them.
    sizes : GroupSizes, optional
        How items are spread over what groups them, where nothing else is said; None where nothing does.
    latent : bool
        Whether studies are analysed by log odds: their mean has Student's interval on the variance of the components.
    grouping : callable
        Maps a layout to how the mean weighs groups of items; to None where it weighs all alike.
    """

    item: str
    counts: Mapping[str, int]
    replicates: int
    targets: Mapping[str, Target]
    groups: Mapping[str, int]
    above: Mapping[str, tuple[str, ...]]
    balance: tuple[str, ...]
    values: Mapping[str, float]
    weigh: Callable[[Layout], dict[str, Floats]]
    refuse: Callable[[Layout], None]
    unseen: frozenset[str] = frozenset()
    scale: Ended | None = None
    sizes: GroupSizes | None = None
    latent: bool = False
    grouping: Callable[[Layout], GroupWeights | None] = lambda _: None

    def totals(self, laid: Layout) -> dict[str, Count]:
        """Levels of every facet in all: those of a nested one over all that it is nested in."""
        sizes = {**laid.counts, **laid.grouped}
        parents = {name: [up for up in self.above.get(name, ()) if up in sizes] for name in laid.counts}
        own = {name: [] if name == self.item else ups for name, ups in parents.items()}
        out = {name: count * math.prod(sizes[up] for up in own[name]) for name, count in laid.counts.items()}
        if GENERATION in out and self.item not in self.above.get(GENERATION, ()):
            # labelled alike for every item, and one of each for each item
            out[GENERATION] = laid.counts[self.item] * out[GENERATION]
        return out

    def parts(self, laid: Layout) -> dict[str, float]:
        """The variance that each term brings to a single design.

        Raises
        ------
        NotEstimable
            If the data do not determine the variance of this design.
        """
        weights = self.weigh(laid)
        if any(np.isnan(weight) for weight in weights.values()):
            self.refuse(laid)
        return {name: float(self.values[name] * weight) for name, weight in weights.items()}


def from_components(source: Components, design: Design) -> Source:
    """A design under published components; see `quorate.project`."""
    facets = [name for name in source.facets if name != CATEGORY]
    _check_published(source, design)
    if design.items is None:
        raise InvalidInput("items: the number of items is needed with published components, got None")
    counts = {ITEM: design.items, **{name: design.given.get(name, 1) for name in facets if name != ITEM}}
    chosen: dict[str, Target] = dict.fromkeys(counts, POPULATION)
    chosen |= {name: SENSITIVITY if name in design.given else PANEL for name in source.sensitivity if name in counts}
    chosen[CATEGORY] = POPULATION if design.categories else ABSORBED
    chosen |= design.targets
    if CATEGORY not in design.targets and (chosen[ITEM] in (FINITE, PANEL) or isinstance(chosen[ITEM], Pool)):
        chosen[CATEGORY] = FINITE if design.categories else FIXED  # a finite set of items has its own categories
    return _published(source, design, counts, chosen)


def _published(source: Components, design: Design, counts: Mapping[str, int], chosen: Mapping[str, Target]) -> Source:
    """A design under published components, for targets of all facets."""
    above = source.above
    own = {name: own_facets(name, tuple(counts)) for name in source.random}
    whole = {
        name: mine | {up for one in mine for up in above.get(one, ()) if up in counts} for name, mine in own.items()
    }
    sizes = given_sizes([CATEGORY], design.sizes, design.wanted)
    drawn = chosen[CATEGORY] == POPULATION or isinstance(chosen[CATEGORY], Pool)
    varying = [name for name in source.random if drawn or ITEM in whole[name]]  # known categories weigh as their items

    def grouping(laid: Layout) -> GroupWeights | None:
        return group_weights(sizes, laid, ((name, whole[name], source.random[name]) for name in varying))

    def weigh(laid: Layout) -> dict[str, Floats]:
        groups, out = grouping(laid), {}
        for name in source.random:
            square = coefficient(name, own[name], whole[name], laid, above, groups, chosen)
            out[name] = square / answers_of(name, laid)
        for name in source.sensitivity:
            out[name] = published(name.split(":"), chosen, laid)
        return out

    def refuse(laid: Layout) -> None:
        refuse_small_pools(laid, chosen, above)

    values = {**source.random, **source.sensitivity}
    groups = {CATEGORY: design.categories} if design.categories else {}
    balance = balanced(source.sensitivity, counts)
    answers, unseen = design.replicates or 1, frozenset(source.sensitivity)
    return Source(
        item=ITEM,
        counts=counts,
        replicates=answers,
        targets=chosen,
        groups=groups,
        above=above,
        balance=balance,
        values=values,
        weigh=weigh,
        refuse=refuse,
        unseen=unseen,
        sizes=sizes,
        grouping=grouping,
    )


def _check_published(source: Components, design: Design) -> None:
    """Refuse targets and counts that published components say nothing about."""
    for name in (*design.given, *design.targets):
        if name not in (*source.facets, CATEGORY):
            raise UnknownTerm(name, source.facets)
    for name, argument in ((ITEM, "items"), (CATEGORY, "categories")):
        if name in design.given:
            raise InvalidInput(f"levels: {name} has an argument of its own; use {argument}=")
    for name, target in design.targets.items():
        allowed = [POPULATION, PANEL, FINITE, *([SENSITIVITY] if name in source.sensitivity else [])]
        allowed += [ABSORBED, FIXED] if name == CATEGORY else []
        if not isinstance(target, Pool) and target not in allowed:
            raise InvalidInput(f"targets: {name} must be one of {', '.join(allowed)} or pool(K), got {target!r}")
    if design.categories is not None and CATEGORY not in source.facets:
        raise InvalidInput(f"categories: there is no category component here, got {design.categories}")
    if design.categories is None and design.targets.get(CATEGORY, ABSORBED) not in (ABSORBED, FIXED):
        raise InvalidInput(f"categories: how many are needed for category={design.targets[CATEGORY]!s}, got None")


def balanced(fixed: Mapping[str, object], counts: Mapping[str, int]) -> tuple[str, ...]:
    """Facets that should weigh equally whatever the layout, judges before others."""
    return tuple(dict.fromkeys(name for name in ("judge", *fixed) if name in fixed and name in counts))
