"""Strategies for judge calls, compared on a pilot's components: all judges, a random judge, or judges in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from quorate import rules
from quorate.errors import InvalidInput, UnknownTerm
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.latent import refuse_latent
from quorate.estimate.components.published import Components
from quorate.estimate.means.targets import POPULATION, Target, pool
from quorate.frozen import dataclass
from quorate.planning.designs.dstudy import Prices, Projection, project
from quorate.planning.designs.names import LayoutName
from quorate.planning.designs.schemes import MOST
from quorate.roles import GENERATION, JUDGE
from quorate.wording import Brief, counted, plural

ALL, RANDOM, CYCLIC, COVERAGE = "all judges", "random judge", "cyclic", "cyclic over more items"
LAYOUT: Mapping[str, LayoutName] = {ALL: "factorial", RANDOM: "random", CYCLIC: "cyclic", COVERAGE: "cyclic"}
"""Strategies by name, and the layout that each is."""
AS_DRAWN = "A random judge: the plain mean of the scores, in which a judge counts as often as it is drawn."
_ALIKE = 0.005  # relative: what a sentence does not tell apart


@dataclass(frozen=True)
class Strategy:
    """What one strategy gives for one budget.

    Parameters
    ----------
    name : str
        "all judges", "random judge", "cyclic" or "cyclic over more items".
    budget : int
        Judge calls per item, as asked for.
    rank : int
        Place among the strategies of this budget, the narrowest interval first; the cheaper of two alike.
    projection : Projection
        Its half-width, calls, cost and shares.
    """

    name: str
    budget: int
    rank: int
    projection: Projection


@dataclass(frozen=True)
class Strategies(Brief):
    """Strategies against each other, at the same numbers of judge calls.

    Parameters
    ----------
    rows : tuple of Strategy
        By budget, and within it by rank.
    judges : int
        Judges that the strategies choose from.
    item : str
        Role of the item.
    left_out : mapping of (str, int) to str
        Strategies that cannot spend a budget, with the reason.
    """

    rows: tuple[Strategy, ...]
    judges: int
    item: str
    left_out: Mapping[tuple[str, int], str]

    @property
    def budgets(self) -> tuple[int, ...]:
        """Judge calls per item that were asked about."""
        return tuple(dict.fromkeys(row.budget for row in self.rows))

    def at(self, budget: int) -> dict[str, Projection]:
        """The projections for one budget by strategy, the most precise first."""
        return {row.name: row.projection for row in self.rows if row.budget == budget}

    def best(self, budget: int | None = None) -> Strategy:
        """The most precise strategy of a budget, the smallest budget if none is named.

        Raises
        ------
        InvalidInput
            If the budget was not asked about.
        """
        chosen = self.budgets[0] if budget is None else budget
        if chosen not in self.budgets:
            raise InvalidInput(f"budget: one of {', '.join(map(str, self.budgets))} is needed, got {budget!r}")
        return next(row for row in self.rows if row.budget == chosen and row.rank == 1)

    def sentence(self, budget: int | None = None) -> str:
        """What the comparison says about one budget, the smallest if none is named."""
        plans = self.at(self.best(budget).budget)
        ours, other = plans[CYCLIC], ALL if ALL in plans else RANDOM
        theirs = plans[other]
        asking = "asking all of them" if other == ALL else "asking one at random"
        turns = GENERATION if ours.design[GENERATION] > 1 else self.item
        prices = ""
        if ours.cost is not None and theirs.cost is not None and not math.isclose(ours.cost, theirs.cost):
            prices = f" but for a price of {ours.cost:,.4g} instead of {theirs.cost:,.4g}"
        what = "a half-width" if by_interval(ours, self.item) else "a standard error"
        main = (
            f"Cycling the {counted(self.judges, JUDGE)} over {plural(turns)} has {what} "
            f"{_against(ours, theirs, self.item)} {asking}, at the same {counted(ours.calls, 'call')}{prices}."
        )
        if COVERAGE not in plans:
            return main
        wide = plans[COVERAGE]
        each, items = counted(wide.design[GENERATION], GENERATION), counted(wide.design[self.item], self.item)
        comparison = _against(wide, ours, self.item)
        return f"{main} Over {items} with {each} each it is {comparison} that over {ours.design[self.item]:,}."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        rows = [{"name": row.name, "budget": row.budget, "rank": row.rank} for row in self.rows]
        plans = [{"projection": row.projection.to_dict()} for row in self.rows]
        return {
            "judges": self.judges,
            "item": self.item,
            "rows": [{**named, **plan} for named, plan in zip(rows, plans, strict=True)],
            "left_out": [
                {"strategy": name, "budget": budget, "reason": reason}
                for (name, budget), reason in self.left_out.items()
            ],
            "sentences": [self.sentence(budget) for budget in self.budgets],
        }

    def to_frame(self) -> Any:
        """A row per strategy and budget: strategy, budget, rank, items, generations, calls, cost, half_width, se."""
        from quorate.table.results import frame

        plans = [row.projection for row in self.rows]
        return frame(
            {
                "strategy": [row.name for row in self.rows],
                "budget": [row.budget for row in self.rows],
                "rank": [row.rank for row in self.rows],
                plural(self.item): [plan.design[self.item] for plan in plans],
                "generations": [plan.design[GENERATION] for plan in plans],
                "calls": [plan.calls for plan in plans],
                "cost": [plan.cost for plan in plans],
                "half_width": [plan.half_width for plan in plans],
                "se": [plan.se for plan in plans],
            }
        )


def compare_strategies(
    source: Components | Decomposition,
    *,
    budgets: int | Sequence[int] | None = None,
    items: int | None = None,
    judges: int | None = None,
    most_items: int | None = None,
    targets: Mapping[str, Target] | None = None,
    prices: Prices | None = None,
) -> Strategies:
    """All judges, a random judge or judges in turn: which gives the most precise mean for the same judge calls.

    Parameters
    ----------
    source : Components or Decomposition
        Components of a pilot with a facet ``generation`` (responses to an item) and a facet ``judge``.
    budgets : int or sequence of int, optional
        Judge calls per item, and per level of any facet of a fit beyond these; 1, 2 and 4 times the judges if not
        given. All judges need a multiple of their number.
    items, judges : int, optional
        Items of the design, and judges to choose from. From a fit, those of the data unless given.
    most_items : int, optional
        Items there are, if more than ``items``: the same calls are then also cycled over as many of them as possible.
    targets : mapping of str to str or Pool, optional
        As for `Decomposition.mean_for`. Judges stand for the pool of ``judges`` unless given. With ``item="finite"``
        the comparison is the paper's: these items, whose own variance is in no strategy's error.
    prices : mapping, optional
        As for `quorate.project`. A price per ``generation`` makes all judges the cheapest for the same calls.

    Returns
    -------
    Strategies

    Raises
    ------
    InvalidInput
        If a count does not fit, or the number of judges is needed and not given.
    UnknownTerm
        If there is no facet ``generation`` or ``judge``: what another response would bring is not known then.

    References
    ----------
    Zhu et al. (2026), section 3.3 and appendix D.

    Examples
    --------
    >>> from quorate.estimate.components.published import components
    >>> qwen = components({"item": 1.53, "item:generation": 0.266, "cell": 1.486}, sensitivity={"judge": 0.947})
    >>> print(compare_strategies(qwen, items=80, judges=5, targets={"item": "finite"}).sentence())
    Cycling the 5 judges over generations has a standard error 21% below asking all of them, at the same 400 calls.
    """
    refuse_latent(source, "source")
    if isinstance(source, Decomposition):
        names, item = source.judgments.names, source.judgments.object
        judges = source.judgments.n_levels(JUDGE) if judges is None and JUDGE in names else judges
        items = source.judgments.n_levels(item) if items is None else items
    elif isinstance(source, Components):
        names, item = source.facets, "item"
    else:
        kind = type(source).__name__
        raise InvalidInput(f"source: expects what decompose or components returns, got {kind}; decompose it first")
    for name in (GENERATION, JUDGE):
        if name not in names:
            raise UnknownTerm(name, names)
    many = rules.whole("judges", judges, 2, MOST)
    pilot = _Pilot(
        source, item, rules.whole("items", items, 1, MOST), many, {JUDGE: pool(many), **(targets or {})}, prices
    )
    if most_items is not None:
        rules.whole("most_items", most_items, pilot.items, MOST)
    asked = budgets if isinstance(budgets, Iterable) else (many, 2 * many, 4 * many) if budgets is None else (budgets,)
    if not (calls := sorted({rules.whole("budgets", budget, 1, MOST) for budget in asked})):
        raise InvalidInput("budgets: at least one number of judge calls per item is needed, got none")
    rows: list[Strategy] = []
    left_out: dict[tuple[str, int], str] = {}
    for budget in calls:
        plans, reasons = _at_budget(pilot, budget, most_items)
        # what differs by rounding alone is alike
        order = sorted(plans, key=lambda name: (float(f"{reach(plans[name], item):.9g}"), plans[name].cost or 0.0))
        rows += [Strategy(name, budget, rank, plans[name]) for rank, name in enumerate(order, 1)]
        left_out |= {(name, budget): reason for name, reason in reasons.items()}
    return Strategies(tuple(rows), pilot.judges, pilot.item, left_out)


@dataclass(frozen=True)
class _Pilot:
    """Components, with what all strategies share."""

    source: Components | Decomposition
    item: str
    items: int
    judges: int
    targets: Mapping[str, Target]
    prices: Prices | None

    def project(self, strategy: str, generations: int, items: int | None = None) -> Projection:
        return project(
            self.source,
            items=items or self.items,
            judges=self.judges,
            layout=LAYOUT[strategy],
            levels={GENERATION: generations},
            replicates=1,
            targets=self.targets,
            prices=self.prices,
            balanced=0.0 if strategy == RANDOM else 1.0,  # its plain mean, as the paper has it
        )


def _at_budget(pilot: _Pilot, budget: int, most_items: int | None) -> tuple[dict[str, Projection], dict[str, str]]:
    """Projections by strategy, and why there are no more."""
    reasons = {}
    found = {CYCLIC: pilot.project(CYCLIC, budget), RANDOM: pilot.project(RANDOM, budget)}
    if budget % pilot.judges == 0:
        found[ALL] = pilot.project(ALL, budget // pilot.judges)
    else:
        reasons[ALL] = f"{counted(budget, 'call')} per {pilot.item} cannot be shared by {pilot.judges} judges"
    if most_items is not None:
        each = -(-pilot.items * budget // most_items)
        if pilot.targets.get(pilot.item, POPULATION) != POPULATION:
            reasons[COVERAGE] = f"the mean stands for these {plural(pilot.item)}"
        elif each == budget:
            reasons[COVERAGE] = f"there are not enough more {plural(pilot.item)}"
        else:
            found[COVERAGE] = pilot.project(COVERAGE, each, pilot.items * budget // each)
    return found, reasons


def by_interval(plan: Projection, item: str) -> bool:
    """Whether plans are compared by intervals: of these very items a study of one answer each shows no error."""
    return plan.targets.get(item) == POPULATION


def reach(plan: Projection, item: str) -> float:
    """What plans are compared by: half a 95% interval, or the standard error."""
    return plan.half_width if by_interval(plan, item) else plan.se


def _against(ours: Projection, theirs: Projection, item: str) -> str:
    """How far one plan reaches, in words that end before the other."""
    other = reach(theirs, item)
    change = reach(ours, item) / other - 1 if other > 0 else 0.0
    if abs(change) < _ALIKE:
        return "no different from"
    return f"{abs(change):.0%} {'below' if change < 0 else 'above'}"


# Closed forms for the ways to spend judge calls: all judges, a random judge, or judges in turn.
#
# They stand here under the names of Zhu et al. (2026), with the item:judge interaction that the paper leaves out as an
# option. All are special cases of `quorate.project`; ``docs/methods/strategies.md`` has the derivations.


Items = Literal["finite", "population"]


def all_judges(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_A: every judge of the pool scores every one of budget / pool generations.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool : int
        Scenarios, judge calls per scenario, judges.
    interaction : float
        Variance of scenario by judge; with 0 this is the paper's formula.
    items : {"finite", "population"}
        What the mean stands for: these scenarios, with the panel's own view of each; or scenarios like these. The
        scenarios' variance over n, the same for every strategy, is left out either way, as in the paper.

    Raises
    ------
    InvalidInput
        If a variance is negative, or the budget is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 3 and 30.

    Examples
    --------
    >>> round(all_judges(0.266, 1.486, n=80, budget=5, pool=5), 5)
    0.00704
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if budget % pool:
        raise InvalidInput(f"budget: must be a multiple of {pool}, got {budget}; use {budget - budget % pool + pool}")
    view = interaction / (n * pool) if items == "population" else 0.0
    return (pool * beta + eps) / (n * budget) + view


def random_judge(
    beta: float,
    gamma: float,
    eps: float,
    *,
    n: int,
    budget: int,
    pool: int,
    interaction: float = 0.0,
    items: Items = "finite",
) -> float:
    """V_B: one judge, drawn at random each time, for each of as many generations as there are calls.

    Parameters
    ----------
    beta, gamma, eps : float
        Variances of generations, of the judges' biases (divisor: the pool) and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative or a count is not a whole number from 1.

    References
    ----------
    Zhu et al. (2026), Eqs. 4 and 32.
    """
    variances = {"beta": beta, "gamma": gamma, "eps": eps, "interaction": interaction}
    _check(variances, {"n": n, "budget": budget, "pool": pool}, items)
    by_chance = interaction * (pool - 1) / pool
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + gamma + eps + by_chance) / (n * budget) + view


def cyclic(
    beta: float, eps: float, *, n: int, budget: int, pool: int, interaction: float = 0.0, items: Items = "finite"
) -> float:
    """V_C: the judges in turn, one for each of as many generations as there are calls.

    Where the pool does not divide the budget, the turns go on from scenario to scenario; a budget of 1 cycles over
    scenarios alone. The judges' biases cancel if the pool divides all calls.

    Parameters
    ----------
    beta, eps : float
        Variances of generations and of the residual.
    n, budget, pool, interaction, items
        As for `all_judges`.

    Raises
    ------
    InvalidInput
        If a variance is negative, or ``n * budget`` is no multiple of the pool.

    References
    ----------
    Zhu et al. (2026), Eqs. 5 and 34.
    """
    _check({"beta": beta, "eps": eps, "interaction": interaction}, {"n": n, "budget": budget, "pool": pool}, items)
    if calls_over := n * budget % pool:
        use = n * budget - calls_over + pool
        raise InvalidInput(f"n * budget: must be a multiple of {pool}, got {n * budget}; use {use}")
    over = budget % pool  # judges of a scenario that have one call more than the others
    uneven = over * (pool - over) / (pool * budget**2)
    view = interaction / (n * pool) if items == "population" else 0.0
    return (beta + eps) / (n * budget) + interaction * uneven / n + view


def _check(variances: dict[str, float], counts: dict[str, object], items: str) -> None:
    for name, variance in variances.items():
        if not 0 <= variance < math.inf:
            raise InvalidInput(f"{name}: must be a finite variance of at least 0, got {variance!r}")
    for name, count in counts.items():
        rules.whole(name, count, 1, MOST)
    rules.one_of("items", items, ("finite", "population"))
