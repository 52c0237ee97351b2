"""Next steps of a comparison of scores: the cheapest study that would decide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate import caveats
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.published import Components
from quorate.estimate.differences.difference import SystemDifference
from quorate.estimate.means.targets import FINITE, PANEL
from quorate.planning.designs.differences import of_difference
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.fitted import observed_counts
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.prices import Prices, cheapest
from quorate.planning.search.grid import ROLES
from quorate.planning.search.optimize import Limits, designs
from quorate.planning.search.optimum import Searched
from quorate.planning.search.power import Chance, best_study, cheapest_study, studies_of_plan
from quorate.roles import JUDGE, REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Result
from quorate.wording import counted, listed

_STEPS = 150
_FEWEST_LEVELS = 10
_LAYOUTS: tuple[LayoutName, ...] = ("factorial", "cyclic", "latin")


@dataclass(frozen=True)
class ScoreStep(Result):
    """A new study that would decide, if the difference is as found so far; it is tested on its own scores.

    Parameters
    ----------
    toward : {"difference", "equivalence"}
        What it would show: the cheaper of the two.
    assumed : float
        Difference taken for true, without its sign: as found, or as stated.
    power : float
        Chance that the study shows it, if the difference is that and the components are as estimated.
    df : float
        Degrees of freedom that its standard error would have, about.
    plan : Projection
        The study, with the judgments of both systems.
    cost : float or None
        Price of the study; None without prices.
    paired : bool
        Whether both systems are judged on the same items.
    caveats : tuple of Caveat
        What is taken for granted of levels that were never seen.
    budget : float or None
        What can be spent, in the unit of prices; judgments of both systems without prices.
    budget_power : float or None
        Chance that the best study of the budget shows what the step is toward, if the difference is as found; None
        without a budget.
    seen_by_budget : float or None
        Smallest difference that this study finds with a chance of ``power``; None without a budget, or if it buys none.
    alike_by_budget : float or None
        Toward equivalence, the largest difference that this study shows to be within the margin with a chance of
        ``power``; None if there is none.
    stated : bool
        Whether the difference taken for true was stated, not found.
    """

    toward: str
    assumed: float
    power: float
    df: float
    plan: Projection
    cost: float | None
    paired: bool
    caveats: tuple[Caveat, ...] = ()
    budget: float | None = None
    budget_power: float | None = None
    seen_by_budget: float | None = None
    alike_by_budget: float | None = None
    stated: bool = False

    @property
    def affordable(self) -> bool | None:
        """Whether the budget reaches; None without one."""
        return None if self.budget is None else self.budget >= (self.plan.cost or 0.0) * (1 - 1e-9)

    @property
    def calls(self) -> int:
        """Judgments of both systems."""
        return self.plan.calls

    @property
    def se(self) -> float:
        """Standard error of the difference."""
        return self.plan.se

    @property
    def design(self) -> Mapping[str, int]:
        """Levels of every facet, and replicates."""
        return self.plan.design

    @property
    def layout(self) -> str:
        """How prompts and judges are assigned to items."""
        return self.plan.layout

    @property
    def sentence(self) -> str:
        """The step in one sentence, and what the budget does in another."""
        levels = [counted(n, name) for name, n in self.design.items() if n > 1 or name != REPLICATE]
        each = "" if self.paired else " for each system"
        cost = "" if self.cost is None else f", for {self.cost:,.2f}"
        goal = "find a difference" if self.toward == "difference" else "show equivalence"
        step = (
            f"A new study of {listed(levels)}{each} ({self.layout}, {self.calls:,} judgments{cost}) would {goal} with "
            f"a chance of {self.power:.4g} if the difference is {self.assumed:.3g}{'' if self.stated else ' as found'}."
        )
        if self.budget is None:
            return step
        if self.toward == "difference":
            seen = self.seen_by_budget
            least = "no difference" if seen is None else f"a difference of {seen:.3g} or more"
            shows = f"see {least} (power {self.power:.4g}), and that found with a chance of {self.budget_power:.2f}"
        else:
            alike = self.alike_by_budget
            limit = "at no difference" if alike is None else f"at a difference of {alike:.3g} or less"
            shows = (
                f"show equivalence with a chance of {self.budget_power:.2f} at that difference, and of "
                f"{self.power:.4g} {limit}"
            )
        reach = "is enough for that" if self.affordable else "is not enough"
        return f"{step} The budget of {self.budget:,.10g} {reach}: it would {shows}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        own = ("toward", "assumed", "power", "calls", "cost", "paired", "sentence")
        names = (*own, "budget", "affordable", "budget_power", "seen_by_budget", "alike_by_budget")
        df = self.df if np.isfinite(self.df) else None
        return {
            **{name: getattr(self, name) for name in names},
            "df": df,
            "plan": self.plan.to_dict(),
            "caveats": [one.sentence for one in self.caveats],
        }


def score_step(
    found: SystemDifference,
    *,
    margin: float | None,
    alpha: float,
    power: float,
    prices: Prices | None = None,
    limits: Limits | None = None,
    layouts: Sequence[LayoutName] = _LAYOUTS,
    budget: float | None = None,
    effect: float | None = None,
) -> ScoreStep | None:
    """The cheapest study within limits that would decide; None where none would.

    Parameters
    ----------
    found : SystemDifference
        The difference so far.
    margin : float or None
        Margin of equivalence.
    alpha, power : float
        Level of the tests, and the chance wanted that the study decides.
    prices, limits, layouts
        As for `quorate.plan`; a price per call, judge or generation is paid for either system.
    budget : float, optional
        What can be spent, at these prices; judgments of both systems without prices.
    effect : float, optional
        Difference taken for true, in place of that found.

    Raises
    ------
    InvalidInput
        If prices or limits break a rule, or limits allow a single level of what is drawn.
    """
    searched = searched_studies(found, prices, limits, layouts)
    if searched is None:
        return None
    d = abs(found.value) if effect is None else effect
    ways: dict[str, Chance] = {"difference": lambda law: law.finds(d, alpha)}
    if margin is not None and d < margin:
        ways["equivalence"] = lambda law: law.shows_equal(d, margin, alpha)
    plans = {
        toward: plan for toward, chance in ways.items() if (plan := cheapest_study(searched, chance, power)) is not None
    }
    if not plans:
        return None
    toward, plan = min(plans.items(), key=lambda one: one[1].cost or 0.0)
    seen = {name: (plan.design[name], n) for name, n in observed_counts(found.fit).items() if name in plan.design}
    far = {name: pair for name, pair in seen.items() if pair[0] >= 2 * pair[1] and name != found.fit.judgments.object}
    within: dict[str, Any] = {}
    if budget is not None:
        best = best_study(searched, ways[toward], power, budget)
        within = {"budget": budget, "budget_power": 0.0}
        if best is not None:
            law, equal = studies_of_plan(best), margin if toward == "equivalence" else None
            within["budget_power"] = ways[toward](law)
            within["seen_by_budget"] = law.detectable(alpha, power)
            within["alike_by_budget"] = None if equal is None else law.alike(equal, alpha, power)
    return ScoreStep(
        toward=toward,
        assumed=d,
        power=power,
        df=studies_of_plan(plan).df,
        plan=plan,
        cost=None if prices is None else plan.cost,
        paired=of_difference(found).shares_items,
        caveats=(caveats.beyond_the_study(far),) if far else (),
        stated=effect is not None,
        **within,
    )


def searched_studies(
    found: SystemDifference,
    prices: Prices | None,
    limits: Limits | None,
    layouts: Sequence[LayoutName],
    have: Judgments | None = None,
) -> Searched | None:
    """Every design that is allowed, with its price; None where there is none, or the data determine none.

    With the paired judgments that are paid for, the price is that of the rest.
    """
    pair = of_difference(found)
    source, both = pair.source, pair.prices(prices)
    within = _around(source, found, both) if limits is None else _several(limits, source, found)
    if any(isinstance(values, Sequence) and not len(values) for values in within.values()):
        return None
    try:
        return designs(source, prices=both, limits=within, layouts=layouts, targets=pair.targets, have=have, both=True)
    except NotEstimable:
        return None


def _several(limits: Limits, source: Components | Decomposition, found: SystemDifference) -> Limits:
    """Limits without designs of one level of what is drawn, which show no variance of it."""
    item = found.fit.judgments.object
    roles, drawn = {**ROLES, "items": item}, _drawn(found)
    out: dict[str, Any] = {}
    if isinstance(source, Components):  # which have one level of what limits do not name
        named = {roles.get(name, name) for name in limits} | {item, found.facet}
        out = {name: [n] for name, n in observed_counts(found.fit).items() if n > 1 and name not in named}
    for name, values in limits.items():
        role = roles.get(name, name)
        given = list(values) if isinstance(values, Iterable) else [values]
        out[name] = [n for n in given if n != 1] if role in drawn else given
        if given and not out[name]:
            ask = "" if role == item else f', or ask about this one with targets={{"{role}": "panel"}}'
            raise InvalidInput(f"limits: one {role} shows nothing of how others differ; allow 2 or more{ask}")
    return out


def _drawn(found: SystemDifference) -> set[str]:
    """Facets with several levels that stand for more than these."""
    seen, target = observed_counts(found.fit), found.estimate.target
    return {name for name, n in seen.items() if n > 1 and name != found.facet and target[name] not in (PANEL, FINITE)}


def _around(source: Components | Decomposition, found: SystemDifference, prices: Prices) -> Limits:
    """Up to a hundred times the items, four times the levels of facets that are drawn, and a few replicates."""
    judgments = found.fit.judgments
    seen = {name: n for name, n in observed_counts(found.fit).items() if name != found.facet}
    levels: dict[str, Any] = {name: [n] for name, n in seen.items() if n > 1 and isinstance(source, Components)}
    levels |= {name: _spaced(2, max(4 * seen[name], _FEWEST_LEVELS)) for name in _drawn(found)}
    if priced := len(cheapest(prices)):
        levels |= {name: [n for n in levels[name] if n <= priced] for name in levels if name == JUDGE}
    each = levels.pop(judgments.object, None) and seen[judgments.object]
    return {**levels, "items": _spaced(2, 100 * (each or 2), _STEPS), "replicates": range(1, 4)}


def _spaced(low: int, high: int, steps: int = 25) -> list[int]:
    """Whole numbers at steps of one, later of about four in a hundred."""
    return [int(n) for n in np.unique(np.geomspace(low, high, steps).round())]
