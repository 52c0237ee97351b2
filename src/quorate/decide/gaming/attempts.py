"""Attempts at a benchmark: the standard error of one under a design, and changes that leave less to gain by many."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.means.targets import (
    FINITE,
    FIXED,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Target,
    all_drawn,
    is_grouping,
)
from quorate.planning.designs.dstudy import Projection, project, scheme_of
from quorate.planning.designs.fitted import from_fit, observed_counts
from quorate.planning.designs.layouts import lay_out
from quorate.planning.designs.prices import Prices
from quorate.planning.designs.sources import Design
from quorate.planning.search.ranking import plausible
from quorate.roles import SYSTEM
from quorate.streams import stream
from quorate.wording import Brief

_ALLOWED = (
    "items",
    "prompts",
    "judges",
    "temperatures",
    "replicates",
    "layout",
    "per_item",
    "places",
    "balanced",
    "levels",
    "categories",
)
Options = Mapping[str, Any]
"""A design, as options of `quorate.project`."""
_FACETS = {"prompts": "prompt", "judges": "judge", "temperatures": "temperature"}


@dataclass(frozen=True)
class Played:
    """What attempts are made with.

    Parameters
    ----------
    fit : Decomposition or Components
        Components.
    items : int or None
        Items of designs that do not say.
    targets : mapping of str to str
        "population" for what is redrawn, and the levels at hand for what all attempts share.
    prices : mapping or None
        As for `quorate.project`.
    """

    fit: Decomposition | Components
    items: int | None
    targets: Mapping[str, Target]
    prices: Prices | None

    @property
    def item(self) -> str:
        """Role of the object of measurement."""
        return self.fit.judgments.object if isinstance(self.fit, Decomposition) else "item"

    @property
    def judges(self) -> int:
        """Judges that are known; from published components, as many as the usual panel."""
        if isinstance(self.fit, Components):
            return 3 if "judge" in self.fit.facets else 1
        return observed_counts(self.fit).get("judge", 1)


def attempts_targets(
    fit: Decomposition | Components, redrawn: Collection[str] | None
) -> tuple[dict[str, Target], tuple[str, ...], tuple[str, ...]]:
    """Targets that leave the variance between attempts alone, what is redrawn, and what would be but has one level."""
    if isinstance(redrawn, str):
        raise InvalidInput(f'redrawn: a collection of facets is needed, got "{redrawn}"; write ("{redrawn}",)')

    def named(names: Collection[str] | None, known: Sequence[str]) -> tuple[str, ...]:
        for name in names or ():
            if name not in known:
                raise UnknownTerm(name, known, "facet")
        return tuple(known if names is None else [name for name in known if name in names])

    if isinstance(fit, Components):
        chosen = named(redrawn, [name for name in fit.facets if name not in ("category", SYSTEM)])
        shared: dict[str, Target] = {name: PANEL for name in fit.facets if name not in (*chosen, "category")}
        return shared | {name: SENSITIVITY for name in fit.sensitivity if name in chosen}, chosen, ()
    judgments, usual = fit.judgments, all_drawn(fit)
    measured = [name for name in judgments.names if not is_grouping(judgments, name)]
    single = tuple(name for name in measured if judgments.n_levels(name) == 1)
    model = fit.assembled.model
    covariates = {part for term in model.covariates for part in term.split(":")} - set(model.fixed)
    free = [name for name in measured if name != SYSTEM and name not in single and name not in covariates]
    for name in redrawn or ():
        if name == SYSTEM or (name in judgments.names and name not in measured):
            what = "attempts are taken as equally good" if name == SYSTEM else f"it groups the {judgments.object}s"
            raise InvalidInput(f'redrawn: "{name}" cannot be, {what}; leave it out')
    chosen = named(free if redrawn is None else redrawn, judgments.names)
    targets: dict[str, Target] = {name: FINITE if usual[name] == POPULATION else PANEL for name in measured}
    grouped = FIXED if judgments.object in chosen else FINITE
    targets |= {name: grouped for name in judgments.names if is_grouping(judgments, name)}
    targets |= dict.fromkeys(chosen, POPULATION)
    return targets, chosen, single if redrawn is None else ()


def projected(played: Played, options: Mapping[str, Any]) -> Projection:
    """One attempt under a design."""
    return project(played.fit, **_filled(played, options), targets=played.targets, prices=played.prices)


def _filled(played: Played, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a design with what it leaves out: the items, and one system, as a submission is."""
    for name in options:
        if name not in _ALLOWED:
            raise InvalidInput(f'designs: no option "{name}"; a design has {", ".join(_ALLOWED)}')
    out = {"items": played.items, **options}
    fit = played.fit
    if not isinstance(fit, Decomposition) or SYSTEM not in fit.judgments.names:
        return out
    if SYSTEM in observed_counts(fit):
        out["levels"] = {SYSTEM: 1, **out.get("levels", {})}
    elif out["items"] is None and is_grouping(fit.judgments, SYSTEM):
        items = fit.judgments.n_levels(fit.judgments.object)
        out["items"] = max(1, round(items / fit.judgments.n_levels(SYSTEM)))
    return out


def standard_errors(
    played: Played, designs: Sequence[Mapping[str, Any]], resamples: int, rng: np.random.Generator | int | None
) -> Floats:
    """Plausible standard errors of one attempt, shape (designs, draws); nan where components come without draws."""
    fit = played.fit
    if isinstance(fit, Components) or fit.method == "anova":
        return np.full((len(designs), 1), np.nan)
    draws = np.random.default_rng(stream(0, "gaming") if rng is None else rng)
    boot = fit.bootstrap(resamples, rng=draws)
    out = []
    for options in designs:
        filled = _filled(played, options)
        layout, balanced = filled.get("layout", "factorial"), filled.get("balanced", 1.0)
        judges = filled.get("judges")
        names = tuple(judges) if isinstance(judges, (list, tuple)) else ()
        given = {facet: filled[name] for name, facet in _FACETS.items() if filled.get(name) is not None}
        given |= {"judge": len(names)} if names else {}
        given |= filled.get("levels", {})
        design = Design(
            filled.get("items"),
            given,
            filled.get("replicates"),
            filled.get("categories"),
            played.targets,
            names,
            unequal=layout == "random" or balanced < 1,
        )
        source = from_fit(fit, design)
        scheme = scheme_of(layout, filled.get("per_item"), filled.get("places"), balanced, names)
        laid = lay_out(
            scheme,
            source.counts,
            source.item,
            replicates=source.replicates,
            balance=source.balance,
            groups=source.groups,
        )
        weights = np.array([float(weight) for weight in source.weigh(laid).values()])
        out.append(np.sqrt(weights @ plausible(source, fit, boot, draws)))
    return np.array(out)


@dataclass(frozen=True)
class Mitigation(Brief):
    """What one change to the first design does to the prize.

    Parameters
    ----------
    label : str
        The change, in words.
    projection : Projection
        The changed design.
    value : float
        Prize that is left.
    reduction : float
        Prize taken away.
    more_calls : int
        Judgments that it takes on top.
    more_cost : float or None
        Their price; None where a price is unknown.
    """

    label: str
    projection: Projection
    value: float
    reduction: float
    more_calls: int
    more_cost: float | None

    @property
    def rate(self) -> float:
        """Reduction per unit of money, or per judgment where there are no prices; infinite where it costs nothing."""
        spent = self.more_calls if self.more_cost is None else self.more_cost
        if spent > 0:
            return self.reduction / spent
        return math.copysign(math.inf, self.reduction) if self.reduction else 0.0


def mitigations(
    played: Played, base: Options, at: Projection, redrawn: Collection[str], unit: float
) -> tuple[Mitigation, ...]:
    """Changes to a design that can be made, those that buy most for what they cost first.

    Parameters
    ----------
    played : Played
        What attempts are made with.
    base : mapping
        The design, as options of `quorate.project`.
    at : Projection
        What it gives.
    redrawn : collection of str
        Facets that differ from one attempt to the next.
    unit : float
        Prize per standard error of an attempt in score units.
    """
    changes = []
    for label, options in _changes(played, base, at, redrawn):
        try:
            plan = projected(played, options)
        except NotEstimable:  # the data leave this change open; the caveats name what they do not tell apart
            continue
        more_cost = None if plan.cost is None or at.cost is None else plan.cost - at.cost
        se, calls = plan.se, plan.calls - at.calls
        changes.append(Mitigation(label, plan, se * unit, (at.se - se) * unit, calls, more_cost))
    return tuple(sorted(changes, key=lambda change: -change.rate))


def _changes(
    played: Played, base: Options, at: Projection, redrawn: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    item, arguments = played.item, {facet: name for name, facet in _FACETS.items()}
    for name, count in at.design.items():
        if name in (item, "replicate") or name not in redrawn or "places" in base:
            continue
        levels = {"levels": {**base.get("levels", {}), name: count + 1}}
        yield f"one more {name}", {**base, **({arguments[name]: count + 1} if name in arguments else levels)}
    if item in redrawn:
        tenth = math.ceil(at.design[item] / 10)
        yield f"{tenth:,} more {item}{'s' * (tenth != 1)}", {**base, "items": at.design[item] + tenth}
    yield "one more replicate", {**base, "replicates": at.design["replicate"] + 1}
    judges = played.judges
    turns = at.layout == "factorial" and at.design.get("judge") == 1 and "judge" in redrawn and judges > 1
    if turns and at.design[item] >= judges:
        yield f"{judges} judges in turn, one per {item}", {**base, "judges": judges, "layout": "cyclic"}
