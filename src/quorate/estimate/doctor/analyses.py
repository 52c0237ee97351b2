"""Support for every analysis of judgments: what it rests on, or what would make it possible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, occurring
from quorate.errors import InvalidInput, NotEstimable, QuorateError, Unbalanced, UnknownTerm
from quorate.estimate.components.assemble import balanced_strata
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.dependability import dependability
from quorate.estimate.components.model import CELL, leaves, spanned
from quorate.estimate.doctor.findings import Finding
from quorate.estimate.means.effects import configuration_facets, predicted_term
from quorate.estimate.means.mean import plain_mean
from quorate.estimate.means.targets import FINITE, POPULATION, Target, all_drawn
from quorate.frozen import dataclass
from quorate.numerics.nominal import tally
from quorate.roles import JUDGE, REPLICATE
from quorate.table.facts.describe import Description
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

if TYPE_CHECKING:
    from quorate.estimate.labels import Coefficient, Share

COMPONENTS = "variance components"
COMPONENT = "component {}"
MEAN = "interval for the mean"
MEAN_LIKE, MEAN_ONLY = "mean for {} like these", "mean for these {} only"
EFFECTS, BY_LEVEL, WITHOUT = "effect of each {}", "mean by {}", "mean without each {}"
NAIVE = "naive against corrected"
PROJECTION = "projection of full crossings"
DEPENDABILITY = "dependability"
ANOVA = "analysis of variance"
CONSTANT = "check that the score column is the right one"


@dataclass(frozen=True)
class Supported:
    """One analysis and whether the judgments support it.

    Parameters
    ----------
    name : str
        What it is called.
    possible : bool
        Whether it can be done.
    reason : str
        What it rests on, or why it cannot be done; one line.
    fix : str
        What would make it possible; empty where it is, or where nothing is known to.
    """

    name: str
    possible: bool
    reason: str
    fix: str = ""


def analyses(judgments: Judgments, facts: Description, fit: Decomposition | None = None) -> tuple[Supported, ...]:
    """Every analysis of one table of judgments, possible or not; by its fit with the default terms, if it is there."""
    obstacle = _obstacle_of(facts)
    if obstacle is None:
        try:
            return tuple(_of_fit(decompose(judgments) if fit is None else fit))
        except QuorateError as error:
            obstacle = Supported(COMPONENTS, False, str(error))
    sampled, grouping = configuration_facets(judgments), judgments.ancestors(judgments.object)
    names = [MEAN, *(MEAN_LIKE.format(plural(name)) for name in sampled), MEAN_ONLY.format(plural(judgments.object))]
    names += [EFFECTS.format(name) for name in (*sampled, *grouping)]
    names += [*map(BY_LEVEL.format, grouping), *map(WITHOUT.format, sampled), NAIVE, PROJECTION, DEPENDABILITY, ANOVA]
    needs = {name: Supported(name, False, f"needs the {COMPONENTS}") for name in names}
    if facts.constancy.all and obstacle.fix == CONSTANT:
        needs[MEAN] = Supported(MEAN, True, "a bound, from items without an exception")
    return obstacle, *needs.values()


def _obstacle_of(facts: Description, answer: str = "score") -> Supported | None:
    """What rules every analysis out; an answer is a score or a label."""
    name, statuses = facts.object, listed(f"{status.rows:,} {status.name}" for status in facts.statuses)
    objects = next(facet.levels for facet in facts.facets if facet.name == name)
    repeats = 0 if facts.duplicates is None else facts.duplicates.rows
    if facts.answers == 0:
        reason = f"no judgment has a usable {answer} ({statuses})"
        fix = "check the score column and the statuses"
    elif objects < 2:
        reason, fix = f"1 {name}: there is nothing to vary between", f"judge at least 2 {plural(name)}, 30 for a pilot"
    elif facts.constancy.all:
        reason = f"all {facts.answers:,} {answer}s are equal"
        fix = CONSTANT
    elif repeats:
        fix = "drop the repeats, or read without the replicate column if they are further replicates"
        reason = f"{counted(repeats, 'row')} with the facets and replicate of another row"
    else:
        return None
    return Supported(COMPONENTS, False, reason, fix)


def _of_fit(fit: Decomposition) -> Iterator[Supported]:
    """All analyses of judgments that can be decomposed."""
    judgments = fit.judgments
    sampled, grouping = configuration_facets(judgments), judgments.ancestors(judgments.object)
    known, total = len(fit.identified.classes), len(fit.assembled.names)
    parts = counted(total, "component")
    if known < total:
        parts = f"{counted(known, 'part')} that can be told apart, of {parts},"
    size = f"{counted(judgments.n_answers, 'answer')} in {counted(judgments.n_cells, 'cell')}"
    yield Supported(COMPONENTS, True, f"{parts} from {size}")
    yield from component_analyses(fit)
    targets = all_drawn(fit)
    over = [plural(name) for name, target in targets.items() if target == POPULATION]
    held = [name for name, target in targets.items() if target != POPULATION]
    scope = [f"generalises over {listed(over)}"] if over else []
    scope += [_holds(judgments, held)] if held else []
    mean = _mean(fit, MEAN, "; ".join(scope), {})
    yield mean
    yield from (_population(fit, name) for name in sampled)
    item = judgments.object
    yield _mean(fit, MEAN_ONLY.format(plural(item)), _holds(judgments, [item]), {item: FINITE})
    yield from (_effect_analysis(fit, name) for name in (*sampled, *grouping))
    for refit in _refit_analyses(judgments, sampled, grouping):
        yield refit if mean.possible else Supported(refit.name, False, f"needs the {MEAN}")
    yield _projection_analysis(fit)
    try:
        n_objects = dependability(fit).n_objects
        yield Supported(DEPENDABILITY, True, f"of {counted(n_objects, item)}, told apart by their mean scores")
    except (NotEstimable, InvalidInput) as error:
        yield Supported(DEPENDABILITY, False, str(error))
    try:
        strata = balanced_strata(fit.assembled)
        yield Supported(ANOVA, True, f"balanced: {counted(len(strata.df), 'mean square')}")
    except Unbalanced as error:
        yield Supported(ANOVA, False, error.reason, "not needed: REML takes unbalanced judgments")


def _holds(judgments: Judgments, names: Sequence[str]) -> str:
    levels = [counted(judgments.n_levels(name), name) for name in names]
    return f"holds for {'this' if levels[0].startswith('1 ') else 'these'} {listed(levels)}"


def _mean(fit: Decomposition, name: str, reason: str, targets: Mapping[str, Target]) -> Supported:
    """A mean for some targets, tried on the fit."""
    try:
        plain_mean(fit, targets)
    except NotEstimable as error:
        needed = f"needs {listed(sorted(error.names))} apart" if error.names else "has a part"
        return Supported(name, False, f"its variance {needed}, which this design does not tell", "see the components")
    return Supported(name, True, reason)


def _population(fit: Decomposition, facet: str) -> Supported:
    name, levels = MEAN_LIKE.format(plural(facet)), fit.judgments.n_levels(facet)
    if levels == 1:
        return Supported(name, False, f"1 {facet} says nothing about others", f"use at least 2 {plural(facet)}")
    reason = f"{counted(levels, facet)}, {counted(levels - 1, 'degree')} of freedom for their spread"
    if facet in fit.absorbed:
        return Supported(name, False, f"the fixed effects leave nothing to see of the spread of {plural(facet)}")
    return _mean(fit, name, reason, {facet: POPULATION})


def _effect_analysis(fit: Decomposition, facet: str) -> Supported:
    """The effect of each level of a facet."""
    name, levels = EFFECTS.format(facet), fit.judgments.n_levels(facet)
    if levels == 1:
        return Supported(name, False, f"1 {facet}: nothing to compare it with", f"use more {plural(facet)}")
    if facet not in fit.assembled.fixed.levels:
        try:
            predicted_term(fit, facet)
        except (NotEstimable, UnknownTerm):
            reason = f"effects of {plural(facet)} cannot be told apart from those of other facets"
            return Supported(name, False, reason, f"see the component {facet}")
    return Supported(name, True, f"{counted(levels, facet)} against their average")


def _refit_analyses(judgments: Judgments, sampled: Sequence[str], grouping: Sequence[str]) -> Iterator[Supported]:
    """Means of parts of the judgments: by level of what items are nested in, without each level, each configuration."""
    item = judgments.object
    for facet in grouping:
        name, sizes = BY_LEVEL.format(facet), _objects_of(judgments, [facet])
        if len(sizes) == 1:
            yield Supported(name, False, f"1 {facet}", f"use at least 2 {plural(facet)}")
            continue
        few = int((sizes < 2).sum())
        span = f"{sizes.min():,} to " if sizes.min() < sizes.max() else ""
        reason = f"{counted(len(sizes), facet)} of {span}{counted(int(sizes.max()), item)}"
        yield Supported(name, few < len(sizes), reason + (f"; no interval for the {few} with 1" if few else ""))
    for facet in sampled:
        name, levels = WITHOUT.format(facet), judgments.n_levels(facet)
        if levels == 1:
            yield Supported(name, False, f"1 {facet}: without it nothing is left", f"use more {plural(facet)}")
        else:
            yield Supported(name, True, f"{counted(levels, 'fit')} with {counted(levels - 1, facet)} each")
    enough = int((_objects_of(judgments, sampled) > 1).sum())
    if enough:
        reason = counted(enough, "single configuration") + (f" of {listed(sampled)}" if sampled else "")
        yield Supported(NAIVE, True, reason)
    else:
        fix = f"judge at least 2 {plural(item)} with the same {listed(sampled)}"
        yield Supported(NAIVE, False, f"no configuration of {listed(sampled)} has 2 {plural(item)}", fix)


def _objects_of(judgments: Judgments, facets: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Objects judged with each combination of levels that occurs."""
    item = judgments.level_codes([judgments.object])
    span = int(item.max(initial=0)) + 1
    return np.bincount(occurring(judgments.level_codes(facets) * span + item) // span)


def _projection_analysis(fit: Decomposition) -> Supported:
    """A full crossing weighs the terms of a sum equally only while the facets they differ in have one level."""
    judgments = fit.judgments
    sums = [alias_class(fit, members[-1]) for members in fit.identified.classes]
    sums += [tuple(fit.assembled.names[t] for t in np.flatnonzero(row)) for row in fit.identified.null]
    numbers = [name for name in judgments.names if name not in judgments.ancestors(judgments.object)]
    apart = [{*spanned(judgments, a)} ^ {*spanned(judgments, b)} for names in sums for a in names for b in names]
    tied = [name for name in numbers if name in frozenset().union(*apart) or name in fit.absorbed]
    if mixed := [name for name in tied if judgments.n_levels(name) > 1]:
        reason = (
            f"a full crossing needs components apart that differ in {listed(mixed)}, which this design does not tell"
        )
        return Supported(PROJECTION, False, reason, "see the components")
    tied += [name for name in fit.assembled.fixed.levels if name not in tied and not _population(fit, name).possible]
    free = [plural(name) for name in numbers if name not in tied]
    (free if fit.assembled.replicated else tied).append(plural(REPLICATE))
    held = f"; not of {listed(map(plural, tied))}, whose part no component tells" if tied else ""
    return Supported(PROJECTION, True, f"other numbers of {listed(free)}{held}")


def component_analyses(fit: Decomposition) -> Iterator[Supported]:
    """One entry for every component of a fit: random terms, replicates, and the spread of fixed facets."""
    yield from (_component_analysis(fit, t) for t in range(len(fit.assembled.names)))
    replicate = COMPONENT.format(REPLICATE)
    if REPLICATE not in fit.assembled.names and fit.assembled.replicated:
        yield Supported(replicate, True, "zero: every replicate repeats the score of its cell")
    elif REPLICATE not in fit.assembled.names:
        reason = "no cell was judged twice, so it is part of the cell component"
        yield Supported(replicate, False, reason, "judge some cells again, 3 times for a pilot")
    for name in fit.assembled.fixed.levels:
        levels = fit.judgments.n_levels(name)
        if levels == 1:
            reason, fix = f"1 {name}: nothing to compare it with", f"use at least 2 {plural(name)}"
            yield Supported(COMPONENT.format(name), False, reason, fix)
        else:
            reason = f"spread of {counted(levels, name)}, taken as chosen: an index, not a variance of draws"
            yield Supported(COMPONENT.format(name), True, reason)


def alias_class(fit: Decomposition, t: int) -> tuple[str, ...]:
    """Names of the components that only their sum with component ``t`` tells; empty where ``t`` is absorbed."""
    names = fit.assembled.names
    members = next((m for m in fit.identified.classes if t in m), ())
    out = [names[s] for s in members]
    return tuple(out) if CELL not in out or fit.assembled.replicated else (*out, REPLICATE)


def _component_analysis(fit: Decomposition, t: int) -> Supported:
    """One random component: absorbed, aliased with others, or what it rests on."""
    judgments, name, members = fit.judgments, fit.assembled.names[t], alias_class(fit, t)
    if not members and (reason_fix := _single(judgments, spanned(judgments, name))):
        return Supported(COMPONENT.format(name), False, *reason_fix)
    if not members:
        return Supported(COMPONENT.format(name), False, "the fixed effects leave nothing to see of it")
    if len(members) > 1 and members != (CELL, REPLICATE):
        return _aliased_component(fit, name, members)
    flat = [row for row in fit.identified.null if row[t]]
    if flat:
        others = [fit.assembled.names[s] for row in flat for s in np.flatnonzero(row) if s != t]
        reason = f"cannot be told apart from {listed(dict.fromkeys(others))} in this design"
        return Supported(COMPONENT.format(name), False, reason, "judge combinations of levels that do not occur yet")
    return Supported(COMPONENT.format(name), True, _basis(fit, name))


def _basis(fit: Decomposition, name: str) -> str:
    """What a component that can be estimated rests on."""
    judgments = fit.judgments
    if name == REPLICATE:
        return f"{counted(judgments.n_answers, 'answer')} in {counted(judgments.n_cells, 'cell')}"
    if name == CELL:
        together = "" if fit.assembled.replicated else "; includes the replicate noise, as no cell was judged twice"
        return counted(judgments.n_cells, CELL) + together
    facets = name.split(":")
    levels = int(judgments.level_codes(facets).max()) + 1
    return counted(levels, name) if len(facets) == 1 else f"{levels:,} combinations of {listed(facets)}"


def _aliased_component(fit: Decomposition, name: str, members: tuple[str, ...]) -> Supported:
    """A component that only a sum with others tells, and what would tell it alone."""
    judgments = fit.judgments
    sets = [spanned(judgments, member) for member in members]
    core = min(sets, key=len)
    extra = [facet for facet in judgments.names if facet in frozenset.union(*sets) - core]
    only = f"only the sum {' + '.join(members)} can be estimated"
    if reason_fix := _single(judgments, frozenset(extra)):
        return Supported(COMPONENT.format(name), False, f"{only}: {reason_fix[0]}", reason_fix[1])
    whole = ":".join(leaves(judgments, core))
    met = listed(f"one {facet}" for facet in extra)
    fix = f"give each {whole} more than one {listed(extra, 'or')}"
    if len(core) == len(extra) == 1 and not judgments.facet(extra[0]).fixed:
        nested = argument("nested", {whole: extra[0]})
        fix += ", or declare " + nested + f" if the {extra[0]} is a property of the {whole}"
    return Supported(COMPONENT.format(name), False, f"{only}: each {whole} occurs with {met}", fix)


def _single(judgments: Judgments, facets: frozenset[str]) -> tuple[str, str] | None:
    """Reason and fix where some of the facets have one level."""
    single = [name for name in judgments.names if name in facets and judgments.n_levels(name) == 1]
    if not single:
        return None
    return listed(f"1 {name}" for name in single), f"use at least 2 {listed(map(plural, single))}"


# Support for every analysis of labels: what it rests on, what would make it possible, and what labels do not have.


SHARES = "share of each label"
SHARES_LIKE = "shares for judges like these"
AGREEMENT = "agreement beyond chance"
PAIRS, CONFUSION = "agreement of every two judges", "which labels are confused"
PEOPLE = "{} to send to people"
RARE = 10
"""Judgments below which the share of a label rests on few."""


def label_analyses(judgments: Judgments, facts: Description) -> tuple[Supported, ...]:
    """Every analysis of labels, possible or not, and those of scores that labels have only one at a time."""
    from quorate.estimate.labels import label_means, label_shares

    people, obstacle = PEOPLE.format(plural(judgments.object)), _obstacle_of(facts, "label")
    if obstacle is None:
        try:
            shares = label_shares(judgments)
            found = label_means(judgments, shares, targets={})
        except QuorateError as error:
            obstacle = Supported(SHARES, False, str(error))
        else:
            return (*_of_shares(found, facts), *_of_agreement(judgments, shares, people), *_of_scores(judgments))
    first = Supported(SHARES, False, obstacle.reason, obstacle.fix)
    names = (SHARES_LIKE, AGREEMENT, PAIRS, CONFUSION, people)
    return (first, *(Supported(name, False, f"needs the {SHARES}") for name in names), *_of_scores(judgments))


def _of_shares(found: tuple[Share, ...], facts: Description) -> Iterator[Supported]:
    """Shares, and their intervals for judges like these."""
    size = f"{counted(len(found), 'label')} in {facts.answers:,} judgments"
    if alone := [one.label for one in found if one.alone]:
        size += f"; nothing differs over some facets for {listed(alone, most=3)}, whose intervals leave them out"
    yield Supported(SHARES, True, size)
    like = sum(one.others is not None for one in found)
    if like:
        part = "" if like == len(found) else f" of {like} of {counted(len(found), 'label')}"
        yield Supported(SHARES_LIKE, True, f"two judges or more say how far others may differ{part}")
    else:
        yield Supported(SHARES_LIKE, False, "nothing tells how far other judges would differ", "ask more judges")


def _of_agreement(judgments: Judgments, shares: Floats, people: str) -> Iterator[Supported]:
    """What several judges of the same items say of each other."""
    from quorate.estimate.labels import coefficients, judge_of, ratings

    item = judgments.object
    answered = judgments.keep(judgments.n > 0)
    judges = judge_of(answered)[1]
    said = ratings(answered, shares[judgments.n > 0])
    both = int((tally(said).judges >= 2).sum())
    if len(judges) < 2 or not both:
        reason = "there is 1 judge" if len(judges) < 2 else f"no {item} was judged by two"
        fix = f"let another judge label some of the {plural(item)} too"
        yield from (Supported(name, False, reason, fix) for name in (AGREEMENT, PAIRS, CONFUSION, people))
        return
    size = f"{counted(both, item)} judged by two judges or more"
    known = [one for one in coefficients(said, 0.95) if not math.isnan(one.value)]
    if known:
        yield Supported(AGREEMENT, True, f"{size}; {_counts(known)}")
    else:
        yield Supported(AGREEMENT, False, "all labels that two judges gave are one")
    yield Supported(PAIRS, True, size)
    yield Supported(CONFUSION, True, size)
    yield Supported(people, True, size)


def _counts(known: list[Coefficient]) -> str:
    """Whom intervals of agreement speak for."""
    if all(math.isnan(one.low) for one in known):
        return "too little differs for intervals"
    if known[0].judges:
        return "intervals count items and judges as drawn"
    return "intervals count items as drawn and take the judges as these: from three on they count too"


def _of_scores(judgments: Judgments) -> Iterator[Supported]:
    """What means and variances of numbers are needed for, which labels are not."""
    fix = "read the share of one label as the score, with " + argument("label", judgments.labels[0])
    reason = "labels are no numbers, which have a mean and variances"
    for name in (COMPONENTS, MEAN, NAIVE, PROJECTION, DEPENDABILITY, ANOVA, "model of the fit (diagnose)"):
        yield Supported(name, False, reason, fix)


def label_findings(judgments: Judgments, facts: Description) -> Iterator[Finding]:
    """Labels that differ only in case, or that hardly occur, and items on which one judge alone speaks."""
    from quorate.estimate.labels import label_shares, ratings

    folded: dict[str, list[str]] = {}
    for label in judgments.labels:
        folded.setdefault(label.strip().casefold(), []).append(label)
    for names in folded.values():
        if len(names) > 1:
            shown = listed([f'"{name}"' for name in names])
            yield Finding("labels-alike", "warning", f"{shown} differ only in case, and count as labels")
    if not facts.answers:
        return
    try:
        shares = label_shares(judgments)
    except QuorateError:  # said as what stands in the way of every analysis
        return
    counts = np.nansum(shares * judgments.n[:, None], axis=0)
    rare = [label for label, count in zip(judgments.labels, counts, strict=True) if count < RARE]
    if rare:
        shown = listed([f'"{name}"' for name in rare], most=5)
        yield Finding("rare-labels", "note", f"{shown}: fewer than {RARE} judgments each, so the share rests on few")
    if JUDGE in judgments.names and judgments.n_levels(JUDGE) > 1:
        answered = judgments.keep(judgments.n > 0)
        single = int((tally(ratings(answered, shares[judgments.n > 0])).judges == 1).sum())
        if single:
            items = f"{counted(single, judgments.object)} with a label from one judge only"
            yield Finding("one-judge-only", "note", f"{items}: they say nothing of how judges agree")
