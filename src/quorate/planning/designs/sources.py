"""Sources of variance: components, fitted or published, as the variance of any layout's mean; those published."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial, reduce
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decompose import scored
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.model import CELL, closure
from quorate.estimate.components.published import Components
from quorate.estimate.means.intervals import Ended, inside_fixed, score_ends
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.targets import (
    ABSORBED,
    FINITE,
    FIXED,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Pool,
    Target,
    all_drawn,
    drawn_too,
    is_grouping,
    resolve,
)
from quorate.frozen import dataclass
from quorate.numerics.mixed.information import bounds
from quorate.planning.designs.layouts import Count, Layout
from quorate.planning.designs.weights import (
    GroupSizes,
    GroupWeights,
    answers_of,
    coefficient,
    given_sizes,
    group_sizes_of,
    group_weights,
    known_judges,
    own_facets,
    published,
    refuse_small_pools,
    spread,
)
from quorate.roles import CATEGORY, GENERATION, ITEM, JUDGE, REPLICATE
from quorate.table.judgments import Judgments
from quorate.wording import Brief


def from_fit(source: Decomposition | LatentDecomposition, design: Design) -> Source:
    """A design under fitted components; see `quorate.project`.

    Those of log odds count as the components of scores that they stand for, in the interval of their mean.
    """
    if isinstance(source, LatentDecomposition):
        refuse_targets(source.linear, design.targets)
        own = {name: to for name, to in all_drawn(source.linear).items() if not is_grouping(source.judgments, name)}
        made = from_fit(scored(source), replace(design, targets=own))  # what the mean of such a model stands for
        return replace(made, scale=Ended(source.mean.value, source.mean.scale), latent=True)
    judgments = source.judgments
    counts = observed_counts(source)
    for name in design.given:
        if name not in counts:
            raise UnknownTerm(name, counts)
    counts |= design.given
    counts[judgments.object] = design.items or counts[judgments.object]
    chosen = resolve(source, drawn_too(source, design.targets))
    groups = {name: judgments.n_levels(name) for name in judgments.names if is_grouping(judgments, name)}
    if design.categories is not None:
        if not groups:
            raise InvalidInput(f"categories: nothing groups the {judgments.object}s here, got {design.categories}")
        groups = dict.fromkeys(groups, design.categories)
    return _fitted(source, design, counts, groups, chosen)


def refuse_targets(fit: Decomposition, targets: Mapping[str, Target]) -> None:
    """Refuse what the mean of a model of log odds does not stand for.

    Raises
    ------
    InvalidInput
        If a facet is to stand for anything but its default.
    """
    usual = all_drawn(fit)
    for name, target in targets.items():
        if target != usual.get(name, target):
            raise InvalidInput(
                f"targets: the mean of a fit with a link has {name}={usual[name]}, got {target!s}; other targets are "
                "planned from its linear, the decomposition of the same scores as numbers"
            )


def _fitted(
    source: Decomposition,
    design: Design,
    counts: Mapping[str, int],
    groups: Mapping[str, int],
    chosen: Mapping[str, Target],
) -> Source:
    """A design under fitted components, for targets of all facets."""
    judgments = source.judgments
    above = {name: judgments.ancestors(name) for name in judgments.names}
    given = given_sizes(judgments.ancestors(judgments.object), design.sizes, design.wanted)
    sizes = group_sizes_of(judgments) if design.categories is None else given
    names, theta, space = _extended_components(source)
    fixed = source.assembled.fixed.levels
    drawn = [  # fixed facets whose spread may enter: they stand for more than their levels, or these weigh unequally
        name
        for name, levels in fixed.items()
        if name in counts and (chosen[name] not in (PANEL, FINITE) or (design.unequal and len(levels) > 1))
    ]
    judges = known_judges(source) if JUDGE in drawn and chosen[JUDGE] in (PANEL, FINITE) else None
    whole = [closure(judgments, own_facets(name, tuple(judgments.names))) for name in names]

    def portions(laid: Layout) -> list[Floats | float]:
        return [_residual_portion(source, name, laid, design.judges) for name in names]

    def grouping(laid: Layout) -> GroupWeights | None:
        worth = (value * portion for value, portion in zip(theta, portions(laid), strict=True))
        return group_weights(sizes, laid, zip(names, whole, worth, strict=True))

    def vector(laid: Layout) -> list[Floats]:
        groups = grouping(laid)
        return [
            _component_weight(source, name, laid, chosen, above, groups) * portion
            for name, portion in zip(names, portions(laid), strict=True)
        ]

    def weigh(laid: Layout) -> dict[str, Floats]:
        weights = vector(laid)
        unknown, moving = _left_open(weights, space), {*np.flatnonzero(np.any(space, axis=0)).tolist()}
        out = {
            label: np.where(unknown, np.nan, weights[t]) if t in moving else weights[t]
            for label, t in source.representatives.items()
        }
        out |= {name: spread(name, chosen[name], laid) for name in drawn}
        if judges is not None and judges.knows(laid):  # they stand for themselves: the square of their bias
            out[JUDGE] = judges.square(laid) / max(judges.spread, 1e-300)
        return out

    def refuse(laid: Layout) -> None:
        refuse_small_pools(laid, chosen, above)
        beyond = sum(float(values[name] * spread(name, chosen[name], laid)) for name in drawn)
        _refuse_open(names, np.array(vector(laid)), theta, space, beyond)

    values = {label: float(theta[t]) for label, t in source.representatives.items()}
    for name in drawn:  # the variance of the levels, less the noise in their means
        draw = draw_of(source, name, chosen[name])
        values[name] = max(draw.square - float(draw.noise @ theta[: len(draw.noise)]), 0.0)
    values |= {JUDGE: judges.spread} if judges is not None else {}
    ends = score_ends(judgments)
    return Source(
        item=judgments.object,
        counts=counts,
        replicates=design.replicates or round(judgments.n_answers / judgments.n_cells),
        targets=chosen,
        groups=groups,
        above=above,
        balance=balanced(fixed, counts),
        values=values,
        weigh=weigh,
        refuse=refuse,
        unseen=frozenset(name for name, levels in fixed.items() if len(levels) < 2),
        scale=None if ends is None else Ended(float(source.assembled.fixed.mean @ source.beta), ends),
        sizes=sizes,
        grouping=grouping,
    )


def _component_weight(
    fit: Decomposition,
    name: str,
    laid: Layout,
    targets: Mapping[str, Target],
    above: Mapping[str, tuple[str, ...]],
    groups: GroupWeights | None,
) -> Floats:
    """Weight of a component in a layout."""
    judgments, sizes = fit.judgments, laid.counts.keys() | laid.groups.keys()
    own = own_facets(name, tuple(judgments.names)) & sizes
    whole = closure(judgments, own) & sizes
    weight = coefficient(name, own, whole, laid, above, groups, targets) / answers_of(name, laid)
    if not inside_fixed(fit, name, targets):
        return weight
    others = own - set(fit.assembled.fixed.levels)
    single = np.all(np.broadcast_arrays(True, *(laid.counts.get(facet, 1) == 1 for facet in others)), axis=0)
    return np.where(single, 0.0, weight)


def observed_counts(fit: Decomposition) -> dict[str, int]:
    """Levels of every facet in the data, within one parent for nested facets; without groupings and item attributes."""
    judgments = fit.judgments
    covariates = {name for term in fit.assembled.model.covariates for name in term.split(":")}
    out = {}
    for facet in judgments.facets:
        name = facet.name
        if is_grouping(judgments, name) or (name in covariates and is_attribute(judgments, name)):
            continue
        parents = 1 if facet.parent is None or name == judgments.object else judgments.n_levels(facet.parent)
        out[name] = max(1, round(judgments.n_levels(name) / parents))
    return out


def is_attribute(judgments: Judgments, name: str) -> bool:
    """Whether a covariate is fixed by the level of some other facet, as a benchmark is by the item."""
    value = judgments.column(name)
    for other in judgments.names:
        codes = judgments.level_codes([other])
        owner = np.zeros(int(codes.max()) + 1, dtype=value.dtype)
        owner[codes] = value
        if other != name and bool(np.all(owner[codes] == value)):
            return True
    return False


def _extended_components(fit: Decomposition) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names, values and flat directions of all components, the replicate included where no cell was judged twice."""
    names, space = fit.assembled.names, fit.identified.null_space()
    theta = np.maximum(fit.theta, 0.0) * fit.assembled.scale**2
    if fit.assembled.replicated:
        return names, theta, space
    cells = [t for t, name in enumerate(names) if name.startswith(CELL)]
    more = tuple(names[t].replace(CELL, REPLICATE, 1) for t in cells)
    space = np.hstack([space, np.zeros((len(space), len(cells)))])
    rows = np.zeros((len(cells), space.shape[1]))
    rows[np.arange(len(cells)), cells] = 1.0
    rows[np.arange(len(cells)), len(names) + np.arange(len(cells))] = -1.0
    return names + more, np.append(theta, np.zeros(len(cells))), np.vstack([space, rows])


def _residual_portion(fit: Decomposition, name: str, laid: Layout, order: tuple[str, ...]) -> Floats | float:
    """How much of a residual that differs by level is one level's: that of the cells it is asked for.

    Levels that the plan takes without saying which are average ones.
    """
    if "[" not in name:
        return 1.0
    known, level = fit.assembled.residual_levels, name.partition("=")[2].removesuffix("]")
    facet, average = fit.assembled.residual_by, 1 / len(known)
    if facet is None or facet not in laid.counts:
        return average
    portion = laid.portion(facet)
    used = (laid.judges or order)[: portion.shape[-1]] if facet == JUDGE else ()
    if not used and portion.shape[-1] == len(known):
        used = known  # all of them, in whatever order
    if len(used) < portion.shape[-1]:
        return average
    named = [portion[..., at] for at, judge in enumerate(used) if judge == level]
    others = [portion[..., at] for at, judge in enumerate(used) if judge not in known]
    return np.asarray(sum(named, np.zeros(())) + average * sum(others, np.zeros(())))


def _left_open(weights: list[Floats], space: Floats) -> NDArray[np.bool_]:
    """Designs that a flat direction of the likelihood moves."""
    unknown: NDArray[np.bool_] = np.zeros((), dtype=bool)
    if not len(space):
        return unknown
    by_size = sorted(map(np.abs, weights), key=np.size)  # so that most of the work is on few numbers
    largest = reduce(np.maximum, by_size, np.asarray(1e-300))
    for row in space:
        moved = sum((row[t] * weights[t] for t in np.flatnonzero(row)), np.zeros(()))
        unknown = unknown | (np.abs(moved) > 1e-9 * largest)
    return unknown


def _refuse_open(names: tuple[str, ...], vector: Floats, theta: Floats, space: Floats, beyond: float = 0.0) -> None:
    """Raise NotEstimable, with the range, for a design that a flat direction of the likelihood moves."""
    moved = np.abs(space @ vector) > 1e-9 * max(float(np.abs(vector).max()), 1e-300)
    if not moved.any():
        return
    low, high = (float(np.sqrt(max(end, 0.0) + beyond)) for end in bounds(vector, theta, space))
    listed = sorted({names[t] for row in space[moved] for t in np.flatnonzero(row)})
    limits = f"between {low:.4g} and {high:.4g}" if np.isfinite(high) else f"at least {low:.4g}"
    raise NotEstimable(
        f"this design weighs {', '.join(listed)} differently, and the data do not tell them apart: the standard error "
        f"is {limits}. Collect a small crossed pilot with replicates to know",
        listed,
        (low, high),
    )


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
        return out | {name: published(name.split(":"), chosen, laid) for name in source.sensitivity}

    return Source(
        item=ITEM,
        counts=counts,
        replicates=design.replicates or 1,
        targets=chosen,
        groups={CATEGORY: design.categories} if design.categories else {},
        above=above,
        balance=balanced(source.sensitivity, counts),
        values={**source.random, **source.sensitivity},
        weigh=weigh,
        refuse=partial(refuse_small_pools, targets=chosen, above=above),
        unseen=frozenset(source.sensitivity),
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
