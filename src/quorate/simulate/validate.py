"""Validation of plans on a table that exists: pilots and the plans they lead to, drawn from it again and again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Literal, cast

import numpy as np

from quorate import rules
from quorate.arrays import Ints
from quorate.errors import InvalidInput, NotEstimable, QuorateError
from quorate.estimate.components.decompose import decompose
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.mean import Estimate, estimate
from quorate.estimate.means.mean_from import at_components, weighed_by
from quorate.estimate.means.targets import PANEL, POPULATION, Pool, Target
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import LAYOUTS, LayoutName
from quorate.planning.designs.schemes import Scheme, is_count
from quorate.planning.designs.sources import Design, from_fit
from quorate.planning.search.grid import ROLES, allowed
from quorate.planning.search.optimum import Searched, within
from quorate.planning.search.search import search
from quorate.roles import JUDGE, PROMPT, REPLICATE, TEMPERATURE
from quorate.streams import stream
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments, checked
from quorate.table.reread import Answers, answers
from quorate.table.results import Result, Row
from quorate.waiting import each
from quorate.wording import Brief, counted, decimals, listed, whole_percent

# Crossed tables as arrays of cells, from which pilots and studies are drawn.


_AGAIN, _FILLED, _MOST = 3, 0.8, 20_000_000


@dataclass(frozen=True)
class Found:
    """What one study found.

    Parameters
    ----------
    value, se, low, high : float
        Mean, the standard error that it claims, and its interval.
    calls : int
        Judgments.
    design : str
        Its levels in words.
    """

    value: float
    se: float
    low: float
    high: float
    calls: int
    design: str


class CrossedTable:
    """A crossed table as an array of cells, from which studies are drawn.

    Parameters
    ----------
    judgments : Judgments
        The table. What groups its items, judges or prompts is left out: they are drawn whatever their group.

    Raises
    ------
    NotEstimable
        If it is not crossed, or there is nothing to choose between.
    """

    def __init__(self, judgments: Judgments) -> None:
        self.table = _without_groups(judgments.keep(judgments.n > 0))
        item = self.table.object
        self.levels = {name: self.table.n_levels(name) for name in self.table.names if name != item}
        self.again = min(_AGAIN, int(self.table.n.max(initial=1)))
        if math.prod(self.levels.values()) < 2:
            raise NotEstimable(f"1 configuration: there is nothing to plan but {item}s; use several prompts or judges")
        self.shape = (self.table.n_levels(item), *self.levels.values())
        if math.prod(self.shape) > _MOST:
            raise InvalidInput(f"judgments: {math.prod(self.shape):,} combinations are too many to draw from")
        filled = self.table.n_cells / math.prod(self.shape)
        if filled < _FILLED:
            raise NotEstimable(
                f"{whole_percent(filled)} of all combinations of {listed(self.table.names)} were judged, and "
                f"{whole_percent(_FILLED)} are needed to draw plans from them; take a crossed part with only="
            )
        self.item = self.table.column(item)
        codes = [self.table.column(name) for name in (item, *self.levels)]
        self.place = np.full(self.shape, -1)
        self.place[tuple(codes)] = np.arange(self.table.n_cells)
        self._origin = judgments

    @cached_property
    def answers(self) -> Answers:
        """Single answers, read again where a cell has several."""
        if self.table.n.max() == 1:
            return Answers(self.table.mean, np.arange(self.table.n_cells + 1))
        return answers(self._origin.keep(self._origin.n > 0))

    def targets(self, items: int) -> dict[str, Target]:
        """What a plan speaks for: the items that are left, and all levels of the table."""
        sizes = {self.table.object: items, **self.levels}
        return {name: PANEL if count == 1 else Pool(count) for name, count in sizes.items()}

    @property
    def drawn(self) -> dict[str, Target]:
        """Targets under which plans have the same order: those of pools take off what is the same for all plans."""
        sizes = {self.table.object: 2, **self.levels}
        return {name: PANEL if count == 1 else POPULATION for name, count in sizes.items()}

    def mean(self, items: Ints) -> float:
        """Mean of all judgments of these items, every configuration weighing the same."""
        at = self.place[items].reshape(len(items), -1)
        value = np.where(at >= 0, self.table.mean[at], np.nan)
        return float(np.nanmean(np.nanmean(value, axis=0)))

    def one_configuration(self, items: Ints, budget: int, again: int, level: float, rng: np.random.Generator) -> Found:
        """One configuration drawn at random, and the interval that takes its items for all that varies."""
        levels = tuple(int(rng.integers(count)) for count in self.levels.values())
        at = self.place[(items, *levels)]
        at = at[at >= 0][: budget // again]
        part = self.asked(np.sort(at), again, rng)
        value, se = float(part.mean.mean()), float(np.std(part.mean, ddof=1) / np.sqrt(len(at)))
        half = t_quantile(np.inf, (1 + level) / 2) * se
        design = in_words({self.table.object: len(at), REPLICATE: again})
        return Found(value, se, value - half, value + half, part.n_answers, design)

    def planned(
        self, items: Ints, fit: Decomposition, plan: Projection, level: float, rng: np.random.Generator
    ) -> Found:
        """A plan carried out on items and levels drawn at random, and its interval by the pilot's components."""
        counts = {name: plan.design[name] for name in self.levels}
        chosen = {name: rng.permutation(count)[: counts[name]] for name, count in self.levels.items()}
        some = rng.permutation(items)[: plan.design[self.table.object]]
        layout = cast("LayoutName", plan.layout)
        turns = Scheme(layout).order(counts) if layout != "factorial" else {}
        open_ = np.ix_(some, *chosen.values())
        kept = np.ones([len(one) for one in (some, *chosen.values())], dtype=bool)
        for name, turn in turns.items():
            axis = 1 + list(self.levels).index(name)
            own = turn[np.arange(len(some)) % len(turn), 0]
            own = own.reshape([-1 if i == 0 else 1 for i in range(kept.ndim)])
            kept &= own == np.arange(counts[name]).reshape([-1 if i == axis else 1 for i in range(kept.ndim)])
        at = self.place[open_][kept]
        part = self.asked(np.sort(at[at >= 0]), plan.design[REPLICATE], rng)
        found = self.by_pilot(part, fit, self.targets(len(items)))
        low, high = found.at(level, "satterthwaite").ends
        return Found(found.value, found.se, low, high, part.n_answers, in_words(plan.design, layout))

    def by_pilot(self, part: Judgments, fit: Decomposition, targets: Mapping[str, Target]) -> Estimate:
        """The mean of scores drawn from the table, as an estimate of its mean, by the components of a pilot.

        The table's answers are all there is. Of R answers to a cell r were drawn, so that ``1 / r - 1 / R`` of their
        variance is left within the cells, and ``1 / R`` of it is the cells'.
        """
        seen, to_own = at_components(part, fit)
        made = weighed_by(seen, fit, to_own, part.n_answers)
        gradient, names = made.gradient(targets), fit.assembled.names
        most, again = float(np.mean(self.table.n)), float(np.mean(part.n))
        for t, name in enumerate(names):
            if name.startswith(REPLICATE):
                cell = names.index(name.replace(REPLICATE, CELL, 1))
                gradient[t] = made.concentrated[t] * max(1 - again / most, 0.0) + gradient[cell] / most
        return estimate(fit, replace(made, concentrated=gradient), targets, gradient)

    def asked(self, cells: Ints, again: int, rng: np.random.Generator) -> Judgments:
        """These cells with so many of their answers, drawn at random."""
        values, offsets = self.answers
        count = offsets[cells + 1] - offsets[cells]
        cell = np.repeat(np.arange(len(cells)), count)
        start = np.cumsum(count) - count
        value = values[np.arange(len(cell)) - np.repeat(start - offsets[cells], count)]
        order = np.lexsort((rng.random(len(cell)), cell))
        kept = order[np.arange(len(cell)) - start[cell] < again]
        n = np.bincount(cell[kept], minlength=len(cells))
        mean = np.bincount(cell[kept], value[kept], len(cells)) / n
        ss = np.asarray(np.bincount(cell[kept], (value[kept] - mean[cell[kept]]) ** 2, len(cells)), dtype=float)
        mask = np.zeros(self.table.n_cells, dtype=bool)
        mask[cells] = True
        part = self.table.keep(mask)
        return replace(part, n=n, mean=mean, ss=ss, low=mean, high=mean, status={"ok": n}, distinct=None, origin=None)


def _without_groups(judgments: Judgments) -> Judgments:
    """The table without what groups its items, judges or prompts, which keep labels of their own.

    Levels are drawn from those of the table, one as likely as the other whatever their group, so that the group is a
    part of what they differ by.

    Raises
    ------
    NotEstimable
        If a facet is nested in one that plans choose levels of, or in the items.
    """
    chosen = {judgments.object, JUDGE, PROMPT, TEMPERATURE}
    nested = {facet.name: facet.parent for facet in judgments.facets if facet.parent is not None}
    for name, parent in nested.items():
        if parent in chosen:
            raise NotEstimable(
                f"{name} is nested in {parent}: a plan that has fewer of one would have others of the other, which "
                f"this table does not tell apart; read it with {parent} and {name} crossed, or one level of {parent}"
            )
    groups = set(nested.values())
    kept = [facet for facet in judgments.facets if facet.name not in groups]
    facets, columns = [], []
    for facet in kept:
        if facet.name in nested:
            labels = tuple(map(str, level_labels(judgments, facet.name)))
            facets.append(Facet(facet.name, facet.column, labels, fixed=facet.fixed))
            columns.append(judgments.level_codes([facet.name]))
        else:
            facets.append(facet)
            columns.append(judgments.column(facet.name).astype(np.int64))
    return replace(judgments, facets=tuple(facets), codes=np.column_stack(columns).astype(np.int32))


def in_words(design: Mapping[str, int], layout: str = "") -> str:
    """Levels of every facet of a design."""
    said = " × ".join(counted(int(count), name) for name, count in design.items() if count > 1)
    return f"{said}, {layout}" if layout not in ("", "factorial") else said


PlanName = Literal["naive", "standard", "optimal"]
PLANS: Mapping[PlanName, str] = {
    "naive": "one configuration, every item asked up to three times",
    "standard": "one configuration, every item asked once",
    "optimal": "the best plan by the pilot's components",
}
"""Plans by name, with what each does with a budget."""
_FEWEST, _PILOT = 20, 30
UNKNOWN = Found(math.nan, math.nan, math.nan, math.nan, 0, "")


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
            f"{listed([told(best, ' errs'), *others])}, root mean squared against the holdout (coverage of intervals). "
            f"{counted(self.runs, 'pilot')} of {counted(self.pilot, 'item')} drawn, {self.holdout:,} items held out."
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
        Judgments that a plan may ask for, the pilot's on top.
    plans : sequence of {"naive", "standard", "optimal"}
        Plans: ``"naive"``, one configuration with each item up to three times; ``"standard"``, each once;
        ``"optimal"``, the best by the pilot. The first two draw a configuration at random, such as one prompt and one
        judge, and have ``s / sqrt(N)`` for an error bar; the last is the best factorial, cyclic or latin design by the
        pilot's components, judged by them (`quorate.scores.mean_from`).
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
    pool, draws = CrossedTable(checked(judgments)), stream(0, "validate") if rng is None else np.random.default_rng(rng)
    held = _checked(pool, budgets, plans, pilot, runs, level)
    found: dict[tuple[PlanName, int], list[tuple[float, Found]]] = {(name, b): [] for name in plans for b in budgets}
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
    pool: CrossedTable, budgets: Sequence[int], plans: Sequence[PlanName], pilot: int | None, runs: int, level: float
) -> int:
    """Items of a pilot, where the table has enough of them and the arguments keep their rules."""
    checked_level(level)
    for plan in plans or ("none",):
        rules.one_of("plans", plan, PLANS)
    rules.whole("runs", runs, 2)
    least = 2 * (pool.again if "naive" in plans else 1)
    if not budgets or not all(is_count(budget) and budget >= least for budget in budgets):
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
    first: Judgments, pool: CrossedTable, items: int, budgets: Sequence[int]
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


def _summed(plan: PlanName, budget: int, drawn: list[tuple[float, Found]], runs: int) -> PlanRun:
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
