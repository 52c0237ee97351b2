"""Validation of plans on a table that exists: pilots and the plans they lead to, drawn from it again and again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate.errors import InvalidInput, NotEstimable, QuorateError
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.numerics.inference import checked_level
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.fitted import from_fit
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import is_count
from quorate.planning.designs.sources import Design
from quorate.planning.search.grid import ROLES, allowed
from quorate.planning.search.optimum import Searched, within
from quorate.planning.search.search import search
from quorate.roles import REPLICATE
from quorate.simulate.holdout import Crossed, Drawn
from quorate.streams import stream
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Result, Row
from quorate.waiting import each
from quorate.wording import Brief, counted, decimals, listed, whole_percent

PlanName = Literal["naive", "standard", "optimal"]
PLANS: Mapping[PlanName, str] = {
    "naive": "one configuration, every item asked up to three times",
    "standard": "one configuration, every item asked once",
    "optimal": "the best plan by the pilot's components",
}
"""Plans by name, with what each does with a budget."""
_FEWEST, _PILOT = 20, 30
UNKNOWN = Drawn(math.nan, math.nan, math.nan, math.nan, 0, "")


@dataclass(frozen=True)
class PlanRun(Brief):
    """One plan at one budget, over all runs.

    Parameters
    ----------
    plan : str
        Its name.
    budget : int
        Judgments that it may ask for.
    calls : float
        Judgments that it asked for, on average.
    rmse, rmse_error : float
        Root mean squared error against the mean of the holdout, with its Monte Carlo standard error.
    bias, bias_error : float
        Mean error, with its Monte Carlo standard error.
    coverage, coverage_error : float
        Share of intervals that hold the holdout's mean, with its Monte Carlo standard error.
    se, half_width : float
        Standard error that it claims, and half its interval, on average.
    design : str
        The design that was chosen most often.
    runs : int
        Studies drawn.
    failed : int
        Runs whose pilot could not be fitted, or decided on no plan.
    """

    plan: PlanName
    budget: int
    calls: float
    rmse: float
    rmse_error: float
    bias: float
    bias_error: float
    coverage: float
    coverage_error: float
    se: float
    half_width: float
    design: str
    runs: int
    failed: int


@dataclass(frozen=True)
class Validated(Result):
    """Plans at several budgets, drawn from one table again and again.

    Parameters
    ----------
    cells : tuple of PlanRun
        Plan after plan, budget after budget.
    pilot, holdout : int
        Items of every pilot, and those left for its plans.
    pilot_calls : float
        Judgments of a pilot, which come on top of every budget.
    level : float
        Coverage that intervals claim.
    runs : int
        Pilots drawn.
    """

    cells: tuple[PlanRun, ...]
    pilot: int
    holdout: int
    pilot_calls: float
    level: float
    runs: int

    derived = ("sentence",)

    @property
    def budgets(self) -> tuple[int, ...]:
        """Budgets, in the order given."""
        return tuple(dict.fromkeys(one.budget for one in self.cells))

    @property
    def plans(self) -> tuple[PlanName, ...]:
        """Plans, in the order given."""
        return tuple(dict.fromkeys(one.plan for one in self.cells))

    def at(self, plan: str, budget: int) -> PlanRun:
        """One plan at one budget.

        Raises
        ------
        InvalidInput
            If it was not drawn.
        """
        for one in self.cells:
            if (one.plan, one.budget) == (plan, budget):
                return one
        raise InvalidInput(f"at: no plan {plan!r} at {budget!r}; there are {listed(self.plans)} at {self.budgets}")

    @property
    def sentence(self) -> str:
        """The answer in one sentence: the largest budget, the best plan, and the others."""
        some = [one for one in self.cells if one.budget == max(self.budgets)]
        best = min(some, key=lambda one: one.rmse if one.runs else math.inf)
        places = decimals(best.rmse)

        def told(one: PlanRun, of: str = "") -> str:
            if not one.runs:
                return f"{one.plan} not known"
            return f"{one.plan}{of} by {one.rmse:.{places}f} ({whole_percent(one.coverage)})"

        others = [told(one) for one in some if one is not best]
        return (
            f"With {best.budget:,} judgments the plan "
            f"{listed([told(best, ' errs'), *others])}, root mean squared against the holdout (coverage of intervals): "
            f"{counted(self.runs, 'pilot')} of {counted(self.pilot, 'item')}, {self.holdout:,} items held out."
        )

    def rows(self) -> list[Row]:
        """One row for every plan and budget."""
        return [dict(vars(one)) for one in self.cells]


def validate(
    judgments: Judgments,
    budgets: Sequence[int],
    plans: Sequence[PlanName] = ("naive", "standard", "optimal"),
    *,
    pilot: int | None = None,
    runs: int = 200,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Validated:
    """Whether plans by a pilot would have done better on this table, and whether their intervals hold.

    Every run draws items for a pilot, with all of their judgments, fits it, and asks it for the best plan at every
    budget. The plan is then drawn from the items that are left, as are plans that need no pilot, and compared with the
    mean of all judgments of those items.

    Parameters
    ----------
    judgments : Judgments
        A crossed table: nearly every item judged by every combination of the other facets.
    budgets : sequence of int
        Judgments that a plan may ask for; those of the pilot come on top.
    plans : sequence of {"naive", "standard", "optimal"}
        One configuration drawn at random, such as one prompt and one judge, with every item asked up to three times, or
        once, and ``s / sqrt(N)`` for an error bar; or the best factorial, cyclic or latin design by the pilot's
        components, judged by them (`quorate.scores.mean_from`).
    pilot : int, optional
        Items of a pilot; a third of them, at most 30, by default.
    runs : int
        Pilots drawn.
    level : float
        Coverage that intervals claim, for these judges and prompts and the items that were held out.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Validated

    Raises
    ------
    InvalidInput
        If an argument breaks a rule.
    NotEstimable
        If the table is too small or not crossed.

    References
    ----------
    Messing (2026), sections 4.2 and 4.3, Figs. 4, 5 and 22.

    Examples
    --------
    >>> import quorate as q
    >>> from quorate.simulate import write_demo
    >>> found = validate(q.read(write_demo("scores.csv")), [60], runs=20)
    >>> found.at("optimal", 60).rmse < found.at("naive", 60).rmse
    True
    """
    pool, draws = Crossed(checked(judgments)), stream(0, "validate") if rng is None else np.random.default_rng(rng)
    held = _checked(pool, budgets, plans, pilot, runs, level)
    found: dict[tuple[PlanName, int], list[tuple[float, Drawn]]] = {(name, b): [] for name in plans for b in budgets}
    asked = []
    for _ in each("simulated studies", range(runs)):
        order = draws.permutation(pool.shape[0])
        rest, first = order[held:], pool.table.keep(np.isin(pool.item, order[:held]))
        truth = pool.mean(rest)
        asked.append(first.n_answers)
        chosen = _chosen(first, pool, len(rest), budgets) if "optimal" in plans else {}
        for (name, budget), studies in found.items():
            with suppress(QuorateError):  # a plan that cannot be analysed counts as failed
                if name != "optimal":
                    again = pool.again if name == "naive" else 1
                    studies.append((truth, pool.one_configuration(rest, budget, again, level, draws)))
                elif budget in chosen:
                    studies.append((truth, pool.planned(rest, *chosen[budget], level, draws)))
    cells = tuple(_summed(name, budget, drawn, runs) for (name, budget), drawn in found.items())
    return Validated(cells, held, pool.shape[0] - held, float(np.mean(asked)), level, runs)


def _checked(
    pool: Crossed, budgets: Sequence[int], plans: Sequence[PlanName], pilot: int | None, runs: int, level: float
) -> int:
    """Items of a pilot, where the table has enough of them and the arguments keep their rules."""
    checked_level(level)
    for plan in plans:
        if plan not in PLANS:
            raise InvalidInput(f"plans: one of {', '.join(PLANS)} is needed, got {plan!r}")
    if not is_count(runs) or runs < 2:
        raise InvalidInput(f"runs: a whole number of at least 2 is needed, got {runs!r}")
    least = 2 * (pool.again if "naive" in plans else 1)
    if not budgets or not plans or not all(is_count(budget) and budget >= least for budget in budgets):
        raise InvalidInput(f"budgets: whole numbers of at least {least} judgments are needed, got {list(budgets)!r}")
    items, name = pool.shape[0], pool.table.object
    if items < _FEWEST:
        raise NotEstimable(
            f"{counted(items, name)}: at least {_FEWEST} are needed to draw pilots and hold others out", {name}
        )
    held = min(_PILOT, items // 3) if pilot is None else pilot
    if not is_count(held) or not 5 <= held <= items // 2:
        raise InvalidInput(f"pilot: 5 to {items // 2} of {items} {name}s are needed, at most one half, got {pilot!r}")
    return int(held)


def _chosen(
    first: Judgments, pool: Crossed, items: int, budgets: Sequence[int]
) -> dict[int, tuple[Decomposition, Projection]]:
    """The pilot's fit, and its best plan for every budget that buys one; none where it cannot be fitted."""
    try:
        fit = decompose(first)
        source = from_fit(fit, Design(targets=pool.drawn))
    except QuorateError:
        return {}
    levels = {**pool.levels, REPLICATE: int(pool.table.n.max())}
    each = np.prod(np.indices(tuple(levels.values())) + 1, axis=0)  # judgments of an item
    sizes = {min(items, budget // calls) for budget in budgets for calls in (1, *np.unique(each).tolist())}
    plural_of = {role: name for name, role in ROLES.items()} | {REPLICATE: "replicates"}
    limits: dict[str, Iterable[int]] = {plural_of.get(role, role): range(1, n + 1) for role, n in levels.items()}
    limits["items"] = sorted(size for size in sizes if size > 1)
    every: tuple[LayoutName, ...] = ("factorial", "cyclic", "latin")
    layouts = [one for one in every if {*LAYOUTS[one].assigned} <= {*pool.levels}]
    grid = allowed(limits, layouts, source.item, {**source.counts, REPLICATE: 1})
    searched = Searched(source, {"call": 1.0}, search(source, grid, {"call": 1.0}), fit, grid)
    out = {}
    for budget in budgets:
        plan = searched.frontier(within(searched.found, budget)) if searched.found.candidates else None
        if plan is not None:
            out[budget] = fit, plan
    return out


def _summed(plan: PlanName, budget: int, drawn: list[tuple[float, Drawn]], runs: int) -> PlanRun:
    """A plan at a budget over all runs that drew it."""
    n = len(drawn)
    drawn = drawn or [(math.nan, UNKNOWN)]
    truth = np.array([true for true, _ in drawn])
    value, se, low, high, calls = (
        np.array([getattr(one, name) for _, one in drawn]) for name in ("value", "se", "low", "high", "calls")
    )
    error = value - truth
    rmse = float(np.sqrt(np.mean(error**2)))
    covers = float(np.mean((low <= truth) & (truth <= high))) if n else math.nan
    return PlanRun(
        plan=plan,
        budget=budget,
        calls=float(np.mean(calls)),
        rmse=rmse,
        rmse_error=float(np.std(error**2) / (2 * rmse * np.sqrt(len(drawn)))) if rmse > 0 else rmse,
        bias=float(np.mean(error)),
        bias_error=float(np.std(error) / np.sqrt(len(drawn))),
        coverage=covers,
        coverage_error=float(np.sqrt(covers * (1 - covers) / len(drawn))),
        se=float(np.mean(se)),
        half_width=float(np.mean(high - low) / 2),
        design=Counter(one.design for _, one in drawn).most_common(1)[0][0],
        runs=n,
        failed=runs - n,
    )
