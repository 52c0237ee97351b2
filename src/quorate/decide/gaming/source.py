"""The standard error of one attempt under a design, from what differs between attempts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate.arrays import Floats
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.means.targets import (
    FINITE,
    FIXED,
    PANEL,
    POPULATION,
    SENSITIVITY,
    Target,
    default_targets,
    is_grouping,
)
from quorate.plan.designs.dstudy import Projection, project, scheme_of
from quorate.plan.designs.layouts import lay_out
from quorate.plan.designs.prices import Prices
from quorate.plan.designs.sources import Design, from_fit, observed_counts
from quorate.plan.search.ranking import plausible
from quorate.roles import SYSTEM
from quorate.streams import stream

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
    """Targets that leave the variance between attempts alone, what is redrawn, and what would be but has one level.

    Parameters
    ----------
    fit : Decomposition or Components
        Components.
    redrawn : collection of str, optional
        Facets that differ between attempts; None for all that measure.
    """
    if isinstance(redrawn, str):
        raise InvalidInput(f'redrawn: a collection of facets is needed, got "{redrawn}"; write ("{redrawn}",)')
    if isinstance(fit, Components):
        chosen = _named(redrawn, [name for name in fit.facets if name not in ("category", SYSTEM)])
        shared: dict[str, Target] = {name: PANEL for name in fit.facets if name not in (*chosen, "category")}
        return shared | {name: SENSITIVITY for name in fit.sensitivity if name in chosen}, chosen, ()
    judgments, usual = fit.judgments, default_targets(fit)
    measured = [name for name in judgments.names if not is_grouping(judgments, name)]
    single = tuple(name for name in measured if judgments.n_levels(name) == 1)
    free = [name for name in measured if name != SYSTEM and name not in single and not _covariate(fit, name)]
    for name in redrawn or ():
        if name == SYSTEM or (name in judgments.names and name not in measured):
            what = "attempts are taken as equally good" if name == SYSTEM else f"it groups the {judgments.object}s"
            raise InvalidInput(f'redrawn: "{name}" cannot be, {what}; leave it out')
    chosen = _named(free if redrawn is None else redrawn, judgments.names)
    targets: dict[str, Target] = {name: FINITE if usual[name] == POPULATION else PANEL for name in measured}
    grouped = FIXED if judgments.object in chosen else FINITE
    targets |= {name: grouped for name in judgments.names if is_grouping(judgments, name)}
    targets |= dict.fromkeys(chosen, POPULATION)
    return targets, chosen, single if redrawn is None else ()


def _named(redrawn: Collection[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    for name in redrawn or ():
        if name not in known:
            raise UnknownTerm(name, known)
    return tuple(known if redrawn is None else [name for name in known if name in redrawn])


def _covariate(fit: Decomposition, name: str) -> bool:
    model = fit.assembled.model
    return name not in model.fixed and name in {part for term in model.covariates for part in term.split(":")}


def projected(played: Played, options: Mapping[str, Any]) -> Projection:
    """One attempt under a design.

    Parameters
    ----------
    played : Played
        What attempts are made with.
    options : mapping
        The design, as options of `quorate.project`.
    """
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
    """Plausible standard errors of one attempt, shape (designs, draws); nan where components come without draws.

    Parameters
    ----------
    played : Played
        What attempts are made with.
    designs : sequence of mapping
        Designs, as options of `quorate.project`.
    resamples : int
        Draws.
    rng : numpy.random.Generator or int, optional
        Their source.
    """
    fit = played.fit
    if isinstance(fit, Components) or fit.method == "anova":
        return np.full((len(designs), 1), np.nan)
    draws = np.random.default_rng(stream(0, "gaming") if rng is None else rng)
    boot = fit.bootstrap(resamples, rng=draws)
    out = []
    for options in designs:
        filled = _filled(played, options)
        source = from_fit(fit, _design(filled, played.targets))
        names = _names(filled.get("judges"))
        balanced = filled.get("balanced", 1.0)
        scheme = scheme_of(
            filled.get("layout", "factorial"), filled.get("per_item"), filled.get("places"), balanced, names
        )
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


def _design(options: Mapping[str, Any], targets: Mapping[str, Target]) -> Design:
    names = _names(options.get("judges"))
    given = {facet: options[name] for name, facet in _FACETS.items() if options.get(name) is not None}
    given |= {"judge": len(names)} if names else {}
    given |= options.get("levels", {})
    unequal = options.get("layout") == "random" or options.get("balanced", 1.0) < 1
    return Design(
        options.get("items"), given, options.get("replicates"), options.get("categories"), targets, names, unequal
    )


def _names(judges: object) -> tuple[str, ...]:
    return tuple(judges) if isinstance(judges, (list, tuple)) else ()
