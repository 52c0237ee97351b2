"""Verdicts on scores: which of two systems scored better, or whether that is undecided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from quorate import caveats, rules
from quorate.caveats import Caveat
from quorate.decide.next_step import goal_of, of_budget
from quorate.decide.outcome import AnyVerdict, Claim, Outcome, check_question, outcome_by, types_of_scores
from quorate.decide.same import SameDifference, same_difference
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import facets_of
from quorate.estimate.components.published import Components
from quorate.estimate.differences.difference import Method, SystemDifference, difference
from quorate.estimate.differences.methods import NoSpread
from quorate.estimate.means.effects import of_families
from quorate.estimate.means.targets import FINITE, PANEL, POPULATION, Target, scope
from quorate.frozen import dataclass
from quorate.numerics.study_power import Studies, one_square, studies
from quorate.planning.designs.dstudy import Prices, Projection, cheapest, of_difference
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.sources import observed_counts
from quorate.planning.search.grid import ROLES
from quorate.planning.search.optimize import Chance, Limits, best_study, cheapest_study, designs, studies_of_plan
from quorate.planning.search.optimum import Searched
from quorate.roles import JUDGE, REPLICATE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, plain
from quorate.wording import at_level, capitalised, counted, decimals, listed, plural

_STEPS = 150
_ROUNDING = 1e-12
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

    entries = (
        "toward assumed power calls cost paired sentence budget affordable budget_power seen_by_budget "
        "alike_by_budget df plan caveats"
    )

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
        size = f"{listed(levels)}{each} ({self.layout}, {self.calls:,} judgments{cost})"
        found = "" if self.stated else " as found"
        step = (
            f"A new study of {size} would {goal_of(self)} with a chance of {self.power:.4g} if the difference is "
            f"{self.assumed:.3g}{found}."
        )
        if self.budget is None:
            return step
        seen, alike = self.seen_by_budget, self.alike_by_budget
        least = "no difference" if seen is None else f"a difference of {seen:.3g} or more"
        found = f"would see {least} (power {self.power:.4g}), and that found with a chance of {self.budget_power:.2f}"
        limit = "" if alike is None else f"a difference of {alike:.3g}"
        return f"{step} The budget of {self.budget:,.10g} {of_budget(self, found, limit, 'difference')}."


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
    if isinstance(source, Components) and not _drawn(found) - {found.fit.judgments.object} <= set(source.facets):
        return None
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
        out = {name: [n] for name, n in _counted(source, found).items() if name not in named}
    for name, values in limits.items():
        role = roles.get(name, name)
        given = list(values) if isinstance(values, Iterable) else [values]
        out[name] = [n for n in given if n != 1] if role in drawn else given
        if given and not out[name]:
            ask = "" if role == item else f', or ask about this one with targets={{"{role}": "panel"}}'
            raise InvalidInput(f"limits: one {role} shows nothing of how others differ; allow 2 or more{ask}")
    return out


def _counted(source: Components, found: SystemDifference) -> dict[str, int]:
    """Levels of facets with several that components are of: not of judges who cannot be told from single judgments."""
    seen = observed_counts(found.fit)
    return {name: n for name, n in seen.items() if n > 1 and name != found.facet and name in source.facets}


def _drawn(found: SystemDifference) -> set[str]:
    """Facets with several levels that stand for more than these."""
    seen, target = observed_counts(found.fit), found.estimate.target
    return {name for name, n in seen.items() if n > 1 and name != found.facet and target[name] not in (PANEL, FINITE)}


def _around(source: Components | Decomposition, found: SystemDifference, prices: Prices) -> Limits:
    """Up to a hundred times the items, four times the levels of facets that are drawn, and a few replicates."""
    judgments = found.fit.judgments
    seen = {name: n for name, n in observed_counts(found.fit).items() if name != found.facet}
    counted = _counted(source, found) if isinstance(source, Components) else {}
    levels: dict[str, Any] = {name: [n] for name, n in counted.items()}
    levels |= {name: _spaced(max(4 * seen[name], _FEWEST_LEVELS)) for name in _drawn(found)}
    if priced := len(cheapest(prices)):
        levels |= {name: [n for n in levels[name] if n <= priced] for name in levels if name == JUDGE}
    each = levels.pop(judgments.object, None) and seen[judgments.object]
    return {**levels, "items": _spaced(100 * (each or 2), _STEPS), "replicates": range(1, 4)}


def _spaced(high: int, steps: int = 25) -> list[int]:
    """Whole numbers from 2 at steps of one, later of about four in a hundred."""
    return [int(n) for n in np.unique(np.geomspace(2, high, steps).round())]


_MUCH = 1.1
"""Times as wide as which an interval without pairs must be for what pairing gained to be said."""
_SAME = 1e-6
_NO_STEP = (
    "No study within the limits would decide it (by default a hundred times the items, and four times the levels of "
    "what is drawn with them)."
)


@dataclass(frozen=True)
class ScoreVerdict(AnyVerdict):
    """What the scores of ``a`` and ``b`` show, how sure that is, and what more would decide it.

    Parameters
    ----------
    a, b, outcome, margin, level, p_difference, p_equivalence, power, error_rate, claim, types
        As for `quorate.decide.outcome.AnyVerdict`; differences are in score units.
    difference : SystemDifference
        Mean of ``a`` less mean of ``b``, with its standard error, degrees of freedom and intervals.
    next_step : ScoreStep or None
        The cheapest study that would decide.
    """

    difference: SystemDifference
    next_step: ScoreStep | None

    _prefers = "scores better"

    @property
    def less_is_better(self) -> bool:
        """Whether the system with the lower mean is the better."""
        return self.difference.less_is_better

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this, and on the next step."""
        others = self.difference.others
        found = [
            *self.difference.caveats,
            *(() if others is None else (*others.caveats, *of_families(others.estimate))),
        ]
        return tuple(dict.fromkeys([*found, *(self.next_step.caveats if self.next_step else ())]))

    @cached_property
    def detectable(self) -> float:
        """Smallest difference that such a study detects with a chance of ``power``."""
        return studies_like(self.difference).detectable(1 - self.level, self.power)

    @property
    def widest(self) -> SystemDifference:
        """The difference for others like this study's setup where there is one, else for the setup."""
        return self.others or self.difference

    @property
    def common_se(self) -> float:
        """Standard error of `widest` with any number of items: that of judges, prompts and the like."""
        return self.widest.se * math.sqrt(self.widest.common_share)

    @property
    def spread(self) -> float:
        """By how much the two truly differ, as estimated: the root of the squared difference less its noise."""
        return math.sqrt(max(0.0, self.widest.value**2 - self.widest.se**2))

    @property
    def rankable(self) -> bool:
        """Whether judges and prompts like these disagree about the two by less than they are estimated to differ."""
        return self.spread > self.common_se

    @property
    def others(self) -> SystemDifference | None:
        """The same difference for others like this study's setup; None where nothing tells."""
        return self.difference.others

    @property
    def for_others(self) -> Outcome | None:
        """What the scores show for others like this study's setup; None where nothing tells."""
        return None if self.others is None else _outcome(self.others, self.margin, 1 - self.level)

    @property
    def sentence(self) -> str:
        """The verdict with its numbers, and what it is for others like this study's setup."""
        beyond = self.difference.unsaid and f" {capitalised(self.difference.unsaid)}."
        if self.others is None or self.for_others is None:
            return super().sentence + beyond
        low, high = self.others.at(self.level).ends
        places = self.places
        ends = f"{at_level(self.level)} interval {low:.{places}f} to {high:.{places}f}"
        return f"{super().sentence} {capitalised(self.whom_else)}: {self.for_others.value} ({ends}).{beyond}"

    @property
    def whom(self) -> str:
        """For whom the difference speaks; empty where there is nothing to add."""
        return scope(self.difference.fit.judgments, self.difference.estimate.target, self.difference.facet)

    @property
    def whom_else(self) -> str:
        """For whom the difference for others speaks; empty without one."""
        if self.others is None:
            return ""
        return scope(self.difference.fit.judgments, self.others.estimate.target, self.difference.facet)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        own: dict[str, Any] = {"common_se": self.common_se, "spread": self.spread, "rankable": self.rankable}
        own["others"] = self.others and {
            **self.others.to_dict(),
            "outcome": self.for_others and self.for_others.value,
            "interval": list(self.others.at(self.level).ends),
        }
        own["others_reason"] = self.difference.unsaid
        own["less_is_better"] = self.less_is_better
        own["caveats"] = plain(self.caveats)
        return {**super().to_dict(), **own}

    @property
    def places(self) -> int:
        """Decimals of the difference and all that is held against it."""
        low, high = self.difference.at(self.level).ends
        return decimals((high - low) / 4)

    def _numbers(self) -> str:
        study, (low, high) = self.difference, self.difference.at(self.level).ends
        rounding, places = abs(study.value) <= _ROUNDING * (high - low), self.places
        more = "the same" if rounding else f"{abs(study.value):.{places}f} {'more' if study.value >= 0 else 'less'}"
        ends = f"{at_level(self.level)} interval {low:.{places}f} to {high:.{places}f}"
        judgments, item = study.fit.judgments, study.fit.judgments.object
        aside, target = (item, study.facet, *judgments.ancestors(item)), study.estimate.target
        names = [n for n in judgments.names if n not in aside and target.get(n, POPULATION) == POPULATION]
        paired = study.method == "paired"
        items = counted(study.items, f"paired {item}" if paired else item)
        whole = [n for n in judgments.ancestors(item) if target.get(n) == POPULATION and n != study.facet]
        items += "".join(f" in {counted(judgments.n_levels(n), n)}" for n in whole)
        seen = listed([items, *(counted(judgments.n_levels(n), n) for n in names)])
        shared = study.shared_items
        design = seen if paired else f"{seen}, {f'both judged on {shared:,} of them' if shared else 'not paired'}"
        whom = f", {self.whom}" if self.whom else ""
        less = ", where less is better" * self.less_is_better
        return f"{self.a} scores {more} on average{less} ({ends}; {design}{whom})"

    def _each_item(self) -> str:
        """Items won, lost and tied, and what pairing gained."""
        found = self.difference
        if found.items_won is None:
            return ""
        won, lost, tied = found.items_won
        gain = found.pairing_gain
        apart = f"; without pairs the interval would be {gain:.2g} times as wide" if gain >= _MUCH else ""
        first, second = found.on_items.mean(axis=0).tolist()
        whole = abs(first - second - found.value) < _SAME * max(abs(first), abs(second), 1e-9)
        places = self.places
        means = f"Their means are {first:.{places}f} and {second:.{places}f}; on" if whole else "On"
        return f"{means} items {found.a} won {won:,}, lost {lost:,} and tied {tied:,}{apart}."

    def _rest(self) -> str:
        if self.outcome is Outcome.EQUIVALENT:
            low, high = self.difference.equivalence_interval(1 - self.level).ends
            return self._rests_on(f"{low:.{self.places}f}", f"{high:.{self.places}f}", "advantage of")
        if self.outcome is not Outcome.UNDECIDED or (self.claim is not None and self.supported):
            return ""
        seen = f"a difference of {self.detectable:.3g} or more (power {self.power:.4g})"
        limit = f"This is no sign that they are alike: such a study sees {seen}."
        if not self.rankable and self.common_se != 0:
            # facets whose levels leave an error that more items do not reduce, the largest part first
            left = self.widest.estimate.beyond_items
            named = [name for name in sorted(left, key=lambda one: -left[one]) if left[name] > 0]
            facets = [facet for name in named for facet in self.widest.fit.judgments.names if facet in facets_of(name)]
            levels = listed([plural(facet) for facet in dict.fromkeys(facets)]) or "levels"
            limit += (
                f" Not rankable with more items alone: {levels} differ about the two, with a standard "
                f"error of {self.common_se:.3g}; of the {abs(self.difference.value):.3g} seen, "
                f"{f'{self.spread:.3g} is not noise' if self.spread else 'all may be noise'}."
            )
        return f"{limit} {self.next_step.sentence if self.next_step else _NO_STEP}"


def verdict_of_scores(
    judgments: Judgments,
    a: str,
    b: str,
    *,
    system: str = "system",
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    method: Method | None = None,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
    limits: Limits | None = None,
    layouts: Sequence[LayoutName] = ("factorial", "cyclic", "latin"),
    budget: float | None = None,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    residual_by: str | None = None,
) -> ScoreVerdict | SameDifference:
    """Whether one system scores better than another, worse, the same within a margin, or whether that is undecided.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    a, b : str
        The two systems; the outcome is about ``a``.
    system : str
        Role of the systems.
    margin : float, optional
        Difference, in score units, below which the two count as equal, stated before looking. Equivalence is claimed
        only with it.
    level : float
        Nominal coverage of the interval; tests are at ``1 - level``, and ``error_rate`` is that nominal level.
    claim : {"better", "equivalent", "not worse"}, optional
        What is to be shown, for the exit code; ``"not worse"`` than by the margin.
    power : float
        Chance of detection that ``detectable`` and the next step are for.
    method, targets, random, covariates, residual_by
        As for `quorate.estimate.differences.difference.difference`.
    prices, limits, layouts
        For the next step, as for `quorate.plan`; by default designs around the one at hand, and a call is a call.
    budget : float, optional
        What a next step may cost, in the unit of prices, or judgments of both systems without prices: it is said what
        the best study of it would see.

    Raises
    ------
    UnknownTerm
        If there is no such facet or system.
    InvalidInput
        If both systems are the same, or an argument is out of range.
    NotEstimable
        If fewer than two items are shared.

    Notes
    -----
    Tests are those of the interval: two-sided for a difference, two one-sided for equivalence; in a complete table, and
    for this study's setup, the paired t test over items; scores of 0 and 1 are equivalent, or not worse, by Tango's
    score test (1998). Their measured size is in ``docs/methods/compare.md``.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> scores = {"x": [7, 8, 7, 9, 8, 7], "y": [5, 6, 5, 6, 6, 4]}
    >>> rows = [(system, item, score) for system, own in scores.items() for item, score in enumerate(own)]
    >>> frame = polars.DataFrame(rows, schema=["system", "item", "score"], orient="row")
    >>> found = verdict_of_scores(q.read(frame, announce=False), "x", "y")
    >>> found.outcome.value, round(found.difference.value, 3), round(found.detectable, 2)
    ('better', 2.333, 0.86)
    """
    check_question(margin, level, claim, power)
    if budget is not None:
        rules.number("budget", budget, above=0)
    model: dict[str, Any] = {"random": random, "covariates": covariates, "residual_by": residual_by}
    try:
        found = difference(judgments, a, b, facet=system, method=method, targets=targets, **model)
    except NoSpread as same:
        return same_difference(same, judgments, level=level, margin=margin, claim=claim)
    options: dict[str, Any] = {"prices": prices, "limits": limits, "layouts": layouts, "budget": budget}
    verdict = verdict_of_difference(found, margin=margin, level=level, claim=claim, power=power, **options)
    return replace(verdict, types=types_of_scores(found, judgments, level))


def verdict_of_difference(
    found: SystemDifference,
    *,
    margin: float | None = None,
    level: float = 0.95,
    claim: Claim | None = None,
    power: float = 0.9,
    **planning: Any,
) -> ScoreVerdict:
    """The verdict that a difference leads to; ``planning`` is for the next step."""
    alpha = 1 - level
    outcome = _outcome(found, margin, alpha)
    step = None
    if outcome is Outcome.UNDECIDED:
        step = score_step(found, margin=margin, alpha=alpha, power=power, **planning)
    more = {"power": power, "error_rate": alpha, "next_step": step, "claim": claim}
    return ScoreVerdict.of(found, outcome, margin=margin, level=level, **more)


def _outcome(found: SystemDifference, margin: float | None, alpha: float) -> Outcome:
    equal = None if margin is None else found.p_equivalence(margin)
    return outcome_by(-found.value if found.less_is_better else found.value, found.p_difference(), equal, alpha)


def studies_like(found: SystemDifference) -> Studies:
    """What studies of the same design would find, if components are as estimated."""
    reach = found.estimate.reach
    if reach is None:
        return one_square(found.se, found.df)
    beyond = sum(max(one.square - one.noise, 0.0) for one in reach.effects)
    return studies(reach.variance, reach.df, reach.effects, beyond)
