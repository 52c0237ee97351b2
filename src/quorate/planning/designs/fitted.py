"""Fits as sources of variance: what the components of a study give for any layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import LatentDecomposition
from quorate.estimate.components.marginal import scored
from quorate.estimate.components.model import CELL, closure
from quorate.estimate.means.intervals import Ended, inside_fixed, score_ends
from quorate.estimate.means.mean import draw_of
from quorate.estimate.means.prediction import residual_facet
from quorate.estimate.means.targets import FINITE, PANEL, Target, all_drawn, drawn_too, is_grouping, resolve
from quorate.numerics.mixed.information import bounds
from quorate.planning.designs.layouts import Layout
from quorate.planning.designs.sources import Design, Source, balanced
from quorate.planning.designs.weights import (
    GroupWeights,
    answers_of,
    coefficient,
    given_sizes,
    group_sizes_of,
    group_weights,
    known_judges,
    own_facets,
    refuse_small_pools,
    spread,
)
from quorate.roles import JUDGE, REPLICATE
from quorate.table.judgments import Judgments


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
    answers = design.replicates or round(judgments.n_answers / judgments.n_cells)
    above = {name: judgments.ancestors(name) for name in judgments.names}
    given = given_sizes(judgments.ancestors(judgments.object), design.sizes, design.wanted)
    sizes = group_sizes_of(judgments) if design.categories is None else given
    names, theta, space = extended_components(source)
    fixed = source.assembled.fixed.levels
    drawn = spreading(source, design, counts, chosen)
    judges = known_judges(source) if JUDGE in drawn and chosen[JUDGE] in (PANEL, FINITE) else None

    whole = [closure(judgments, own_facets(name, tuple(judgments.names))) for name in names]

    def portions(laid: Layout) -> list[Floats | float]:
        return [residual_portion(source, name, laid, design.judges) for name in names]

    def grouping(laid: Layout) -> GroupWeights | None:
        worth = (value * portion for value, portion in zip(theta, portions(laid), strict=True))
        return group_weights(sizes, laid, zip(names, whole, worth, strict=True))

    def vector(laid: Layout) -> list[Floats]:
        groups = grouping(laid)
        return [
            component_weight(source, name, laid, chosen, above, groups) * portion
            for name, portion in zip(names, portions(laid), strict=True)
        ]

    def weigh(laid: Layout) -> dict[str, Floats]:
        weights = vector(laid)
        unknown, moving = left_open(weights, space), {*np.flatnonzero(np.any(space, axis=0)).tolist()}
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
        refuse_open(names, np.array(vector(laid)), theta, space, beyond)

    values = {label: float(theta[t]) for label, t in source.representatives.items()}
    values |= {name: variance_of_levels(source, name, chosen[name], theta) for name in drawn}
    values |= {JUDGE: judges.spread} if judges is not None else {}
    balance = balanced(fixed, counts)
    ends, mean = score_ends(judgments), float(source.assembled.fixed.mean @ source.beta)
    scale = None if ends is None else Ended(mean, ends)
    item, unseen = judgments.object, frozenset(name for name, levels in fixed.items() if len(levels) < 2)
    return Source(
        item=item,
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
        scale=scale,
        sizes=sizes,
        grouping=grouping,
    )


def spreading(
    fit: Decomposition, design: Design, counts: Mapping[str, int], targets: Mapping[str, Target]
) -> list[str]:
    """Fixed facets whose spread may enter: they stand for more than their levels, or these weigh unequally."""
    return [
        name
        for name, levels in fit.assembled.fixed.levels.items()
        if name in counts and (targets[name] not in (PANEL, FINITE) or (design.unequal and len(levels) > 1))
    ]


def variance_of_levels(fit: Decomposition, name: str, target: Target, theta: Floats) -> float:
    """The variance of the levels of a fixed facet, less the noise in their means."""
    draw = draw_of(fit, name, target)
    return max(draw.square - float(draw.noise @ theta[: len(draw.noise)]), 0.0)


def component_weight(
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


def extended_components(fit: Decomposition) -> tuple[tuple[str, ...], Floats, Floats]:
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


def residual_portion(fit: Decomposition, name: str, laid: Layout, order: tuple[str, ...]) -> Floats | float:
    """How much of a residual that differs by level is one level's: that of the cells it is asked for.

    Levels that the plan takes without saying which are average ones.
    """
    if "[" not in name:
        return 1.0
    known, level = fit.assembled.residual_levels, name.partition("=")[2].removesuffix("]")
    facet, average = residual_facet(fit), 1 / len(known)
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


def left_open(weights: list[Floats], space: Floats) -> NDArray[np.bool_]:
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


def refuse_open(names: tuple[str, ...], vector: Floats, theta: Floats, space: Floats, beyond: float = 0.0) -> None:
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
