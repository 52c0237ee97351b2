"""Which analyses judgments support, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from quorate.errors import InvalidInput, NotEstimable, QuorateError, UnknownTerm
from quorate.estimate.components.balanced import balanced_strata
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import dependability
from quorate.estimate.doctor.estimable import Analysis, class_of, component_analyses, facets_of
from quorate.estimate.means.configurations import configuration_facets
from quorate.estimate.means.effects import predicted_term
from quorate.estimate.means.mean import mean_for
from quorate.estimate.means.targets import FINITE, POPULATION, Target, default_targets
from quorate.roles import REPLICATE
from quorate.table.facts.describe import Description
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

COMPONENTS = "variance components"
MEAN = "interval for the mean"
NAIVE = "naive against corrected"
PROJECTION = "projection of full crossings"
DEPENDABILITY = "dependability"
ANOVA = "analysis of variance"


def analyses(judgments: Judgments, facts: Description) -> tuple[Analysis, ...]:
    """Every analysis of one table of judgments, possible or not.

    Parameters
    ----------
    judgments : Judgments
        As read.
    facts : Description
        Their facts.
    """
    obstacle = _obstacle(facts)
    if obstacle is None:
        try:
            return tuple(_of_fit(decompose(judgments)))
        except QuorateError as error:
            obstacle = Analysis(COMPONENTS, False, str(error))
    return (obstacle, *(Analysis(name, False, f"needs the {COMPONENTS}") for name in _others(judgments)))


def _obstacle(facts: Description) -> Analysis | None:
    """What rules every analysis out."""
    name, statuses = facts.object, listed(f"{one.rows:,} {one.name}" for one in facts.statuses)
    objects = next(facet.levels for facet in facts.facets if facet.name == name)
    repeats = 0 if facts.duplicates is None else facts.duplicates.rows
    if facts.answers == 0:
        reason, fix = f"no judgment has a usable score ({statuses})", "check the score column and the statuses"
    elif objects < 2:
        reason, fix = f"1 {name}: there is nothing to vary between", f"judge at least 2 {plural(name)}, 30 for a pilot"
    elif facts.constancy.all:
        reason, fix = f"all {facts.answers:,} scores are equal", "check that the score column is the right one"
    elif repeats:
        fix = "drop the repeats, or read without the replicate column if they are further replicates"
        reason = f"{counted(repeats, 'row')} with the facets and replicate of another row"
    else:
        return None
    return Analysis(COMPONENTS, False, reason, fix)


def _others(judgments: Judgments) -> Iterator[str]:
    """Names of the analyses that rest on the components."""
    sampled, grouping = configuration_facets(judgments), judgments.ancestors(judgments.object)
    yield from (MEAN, *(_like(name) for name in sampled), _only(judgments))
    yield from (_effects_of(name) for name in (*sampled, *grouping))
    yield from (_by(name) for name in grouping)
    yield from (_without(name) for name in sampled)
    yield from (NAIVE, PROJECTION, DEPENDABILITY, ANOVA)


def _of_fit(fit: Decomposition) -> Iterator[Analysis]:
    """All analyses of judgments that can be decomposed."""
    judgments = fit.judgments
    sampled, grouping = configuration_facets(judgments), judgments.ancestors(judgments.object)
    mean = _mean(fit)
    refits = [_by_level(judgments, name) for name in grouping]
    refits += [_leave_out(judgments, name) for name in sampled]
    refits += [_naive(judgments, sampled)]
    yield _components(fit)
    yield from component_analyses(fit)
    yield mean
    yield from (_population(fit, name) for name in sampled)
    yield _estimated(fit, _only(judgments), _holds(judgments, [judgments.object]), {judgments.object: FINITE})
    yield from (_effects(fit, name) for name in (*sampled, *grouping))
    yield from (one if mean.possible else Analysis(one.name, False, f"needs the {MEAN}") for one in refits)
    yield from (_projection(fit), _dependability(fit), _anova(fit))


def _components(fit: Decomposition) -> Analysis:
    size = f"{counted(fit.judgments.n_answers, 'answer')} in {counted(fit.judgments.n_cells, 'cell')}"
    known, total = len(fit.identified.classes), len(fit.assembled.names)
    parts = counted(total, "component")
    if known < total:
        parts = f"{counted(known, 'part')} that can be told apart, of {parts},"
    return Analysis(COMPONENTS, True, f"{parts} from {size}")


def _mean(fit: Decomposition) -> Analysis:
    targets = default_targets(fit)
    over = [plural(name) for name, target in targets.items() if target == POPULATION]
    held = [name for name, target in targets.items() if target != POPULATION]
    parts = [f"generalises over {listed(over)}"] if over else []
    parts += [_holds(fit.judgments, held)] if held else []
    return _estimated(fit, MEAN, "; ".join(parts), {})


def _holds(judgments: Judgments, names: Sequence[str]) -> str:
    levels = [counted(judgments.n_levels(name), name) for name in names]
    return f"holds for {'this' if levels[0].startswith('1 ') else 'these'} {listed(levels)}"


def _estimated(fit: Decomposition, name: str, reason: str, targets: Mapping[str, Target]) -> Analysis:
    """A mean for some targets, tried on the fit."""
    try:
        mean_for(fit, targets)
    except NotEstimable as error:
        needed = f"needs {listed(sorted(error.names))} apart" if error.names else "has a part"
        return Analysis(name, False, f"its variance {needed}, which this design does not tell", "see the components")
    return Analysis(name, True, reason)


def _population(fit: Decomposition, facet: str) -> Analysis:
    levels = fit.judgments.n_levels(facet)
    if levels == 1:
        reason = f"1 {facet} says nothing about others"
        return Analysis(_like(facet), False, reason, f"use at least 2 {plural(facet)}")
    reason = f"{counted(levels, facet)}, {counted(levels - 1, 'degree')} of freedom for their spread"
    if facet not in fit.assembled.fixed.levels and default_targets(fit)[facet] != POPULATION:
        return Analysis(_like(facet), False, f"the fixed effects leave nothing to see of the spread of {plural(facet)}")
    return _estimated(fit, _like(facet), reason, {facet: POPULATION})


def _effects(fit: Decomposition, facet: str) -> Analysis:
    levels = fit.judgments.n_levels(facet)
    if levels == 1:
        return Analysis(
            _effects_of(facet), False, f"1 {facet}: nothing to compare it with", f"use more {plural(facet)}"
        )
    if facet not in fit.assembled.fixed.levels:
        try:
            predicted_term(fit, facet)
        except (NotEstimable, UnknownTerm):
            reason = f"effects of {plural(facet)} cannot be told apart from those of other facets"
            return Analysis(_effects_of(facet), False, reason, f"see the component {facet}")
    return Analysis(_effects_of(facet), True, f"{counted(levels, facet)} against their average")


def _by_level(judgments: Judgments, facet: str) -> Analysis:
    pairs = np.unique(np.stack([judgments.level_codes([facet]), judgments.level_codes([judgments.object])]), axis=1)
    sizes = np.bincount(pairs[0])
    if len(sizes) == 1:
        return Analysis(_by(facet), False, f"1 {facet}", f"use at least 2 {plural(facet)}")
    few = int((sizes < 2).sum())
    span = f"{sizes.min():,} to " if sizes.min() < sizes.max() else ""
    reason = f"{counted(len(sizes), facet)} of {span}{counted(int(sizes.max()), judgments.object)}"
    return Analysis(_by(facet), few < len(sizes), reason + (f"; no interval for the {few} with 1" if few else ""))


def _leave_out(judgments: Judgments, facet: str) -> Analysis:
    levels = judgments.n_levels(facet)
    if levels == 1:
        return Analysis(_without(facet), False, f"1 {facet}: without it nothing is left", f"use more {plural(facet)}")
    return Analysis(_without(facet), True, f"{counted(levels, 'fit')} with {counted(levels - 1, facet)} each")


def _naive(judgments: Judgments, facets: Sequence[str]) -> Analysis:
    pairs = np.unique(np.stack([judgments.level_codes(facets), judgments.level_codes([judgments.object])]), axis=1)
    enough = int((np.bincount(pairs[0]) > 1).sum())
    reason = counted(enough, "single configuration") + (f" of {listed(facets)}" if facets else "")
    if enough:
        return Analysis(NAIVE, True, reason)
    fix = f"judge at least 2 {plural(judgments.object)} with the same {listed(facets)}"
    return Analysis(NAIVE, False, f"no configuration of {listed(facets)} has 2 {plural(judgments.object)}", fix)


def _projection(fit: Decomposition) -> Analysis:
    """A full crossing weighs the terms of a sum equally only while the facets they differ in have one level."""
    judgments = fit.judgments
    sums = [class_of(fit, members[-1]) for members in fit.identified.classes]
    sums += [tuple(fit.assembled.names[t] for t in np.flatnonzero(row)) for row in fit.identified.null]
    numbers = [name for name in judgments.names if name not in judgments.ancestors(judgments.object)]
    apart = [{*facets_of(fit, one)} ^ {*facets_of(fit, other)} for names in sums for one in names for other in names]
    tied = [name for name in numbers if name in frozenset().union(*apart) or name in fit.absorbed]
    if mixed := [name for name in tied if judgments.n_levels(name) > 1]:
        reason = (
            f"a full crossing needs components apart that differ in {listed(mixed)}, which this design does not tell"
        )
        return Analysis(PROJECTION, False, reason, "see the components")
    tied += [name for name in fit.assembled.fixed.levels if name not in tied and not _population(fit, name).possible]
    free = [plural(name) for name in numbers if name not in tied]
    (free if fit.assembled.replicated else tied).append(plural(REPLICATE))
    held = f"; not of {listed(map(plural, tied))}, whose part no component tells" if tied else ""
    return Analysis(PROJECTION, True, f"other numbers of {listed(free)}{held}")


def _dependability(fit: Decomposition) -> Analysis:
    name = fit.judgments.object
    try:
        found = dependability(fit)
    except (NotEstimable, InvalidInput) as error:
        return Analysis(DEPENDABILITY, False, str(error))
    return Analysis(DEPENDABILITY, True, f"of {counted(found.n_objects, name)}, told apart by their mean scores")


def _anova(fit: Decomposition) -> Analysis:
    try:
        found = balanced_strata(fit.assembled)
    except NotEstimable as error:
        reason = str(error).removeprefix("method 'anova': ").partition(";")[0]
        return Analysis(ANOVA, False, reason, "not needed: REML takes unbalanced judgments")
    return Analysis(ANOVA, True, f"balanced: {counted(len(found.df), 'mean square')}")


def _like(name: str) -> str:
    return f"mean for {plural(name)} like these"


def _only(judgments: Judgments) -> str:
    return f"mean for these {plural(judgments.object)} only"


def _effects_of(name: str) -> str:
    return f"effect of each {name}"


def _by(name: str) -> str:
    return f"mean by {name}"


def _without(name: str) -> str:
    return f"mean without each {name}"
