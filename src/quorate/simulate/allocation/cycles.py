"""Cycles of a panel, allocated adaptively, against single judges: sampling one judge more sharpens its own bias."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from quorate import rules
from quorate.arrays import Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.sequential.bandit import Constants, Pools, Rule, Variant, affordable, constants
from quorate.numerics.sequential.replay import forced
from quorate.simulate.allocation.allocation import MOST, MOST_RUNS, grid_of, guess, step_of
from quorate.simulate.allocation.arms import arms_of
from quorate.simulate.allocation.result import (
    ROBIN,
    ROBIN_HOOD,
    UNIFORM,
    Adaptive,
    PolicyRuns,
    Runs,
    saving,
    share_text,
)
from quorate.table.judgments import checked
from quorate.table.results import Result, Row, frame, rows_of
from quorate.wording import brief

CYCLE = "whole cycles"
"""Name of the design that asks every judge of the panel in each pull."""


@dataclass(frozen=True)
class Accuracy:
    """How far means are from those of the whole panel.

    Parameters
    ----------
    design : str
        "whole cycles", or the label of the judge that answers all calls.
    policy : {"uniform", "robin-hood"}
        How calls were spread over arms.
    calls : int
        Calls spent.
    shift : float
        Mean over arms of the bias: a leniency common to all.
    bias_squared : float
        Mean over arms of the squared bias, freed of the chance of a limited number of runs; may be just below 0.
    variance : float
        Mean over arms of the variance over runs.
    wce : float
        Largest error of any arm, averaged over runs.
    """

    design: str
    policy: str
    calls: int
    shift: float
    bias_squared: float
    variance: float
    wce: float

    @property
    def mse(self) -> float:
        """Mean squared error: squared bias and variance."""
        return self.bias_squared + self.variance


@dataclass(frozen=True, eq=False, repr=False)
class CycleComparison:
    """Whole cycles of a panel against single judges, at equal calls.

    Parameters
    ----------
    rows : tuple of Accuracy
        By design and policy; whole cycles first.
    facet : str
        What is cycled through.
    arms, runs : int
        Arms and replays.
    caveats : tuple of Caveat
        What to know before relying on it.
    notes : tuple of str
        What was taken for granted.
    """

    rows: tuple[Accuracy, ...]
    facet: str
    arms: int
    runs: int
    caveats: tuple[Caveat, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return brief("CycleComparison", self.sentence)

    def row(self, design: str = CYCLE, policy: str = ROBIN_HOOD) -> Accuracy:
        """The row of a design and policy.

        Raises
        ------
        InvalidInput
            If there is none.
        """
        for row in self.rows:
            if (row.design, row.policy) == (design, policy):
                return row
        known = ", ".join(dict.fromkeys(row.design for row in self.rows))
        raise InvalidInput(f'design, policy: one of {known} with {UNIFORM} or {ROBIN_HOOD}, got "{design}, {policy}"')

    @property
    def sentence(self) -> str:
        """What the comparison found."""
        cycle = self.row()
        single = min((row for row in self.rows if row.design != CYCLE), key=lambda row: row.mse)
        share = max(single.bias_squared, 0) / single.mse if single.mse > 0 else None
        part = "" if share is None else f", {share_text(share)} of it bias, which no budget mends"
        return (
            f"ROBIN-HOOD over whole cycles is off the mean of the panel by {max(cycle.mse, 0) ** 0.5:.3g} (root mean "
            f"square); the best single {self.facet}, {single.design}, by {max(single.mse, 0) ** 0.5:.3g} with as many "
            f"calls{part}."
        )

    @property
    def below_zero(self) -> tuple[str, ...]:
        """What a squared bias below 0 means; nothing where there is none."""
        if all(row.bias_squared >= 0 for row in self.rows):
            return ()
        return (
            "A squared bias is estimated without bias, so that chance may put one of 0 below it; it is shown as 0.",
        )

    def to_frame(self) -> Any:
        """A row per design and policy: design, policy, calls, shift, bias_squared, variance, mse, wce."""
        names = ("design", "policy", "calls", "shift", "bias_squared", "variance", "mse", "wce")
        return frame({name: [getattr(row, name) for row in self.rows] for name in names})


def compare_cycles(
    judgments: Any,
    budget: int,
    *,
    cycle: str = "judge",
    runs: int = 50,
    seed: int = 1,
    variant: Variant = "experiment",
    delta: float = 0.007,
    floor: bool = True,
    scale: Iterable[float] | None = None,
) -> CycleComparison:
    """ROBIN-HOOD over whole cycles of a panel, against ROBIN-HOOD with each single judge at the same number of calls.

    The truth is the mean of all judges' means. A single judge has a bias against it that more calls do not mend; in a
    cycle the biases cancel, and the number of cycles adapts to each arm.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, with replicates; arms for which a judge has fewer than 2 answers are left out.
    budget : int
        Judge calls in all; those that buy no whole cycle are not spent.
    cycle : str
        Facet of the judges.
    runs, seed, variant, delta, floor, scale
        As for `quorate.scores.simulate_allocation`.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or the budget does not hold the warm-up, by whole cycles.
    NotEstimable
        If there are fewer than 2 judges, or fewer than 2 arms that all of them answered twice.
    UnknownTerm
        If there is no such facet.

    Examples
    --------
    >>> import numpy as np, polars, quorate as q
    >>> from itertools import product
    >>> rng, bias = np.random.default_rng(1), {"strict": -0.5, "lenient": 0.5}
    >>> rows = [(i, j, k, i % 5 + bias[j] + rng.normal()) for i, j, k in product(range(20), bias, range(4))]
    >>> frame = polars.DataFrame(rows, schema=["item", "judge", "replicate", "score"], orient="row")
    >>> found = compare_cycles(q.read(frame, announce=False), 2000, runs=5)
    >>> found.sentence
    'ROBIN-HOOD over whole cycles is off ... by 0.0809 ...; the best single judge, strict, by 0.63 with ...'
    """
    arms = arms_of(checked(judgments), cycle)
    pools, names = arms.pools, judgments.facet(cycle).levels
    if pools.parts < 2:
        raise NotEstimable(f"{cycle}: a cycle needs 2 or more levels, got {pools.parts}")
    runs = rules.whole("runs", runs, 2, MOST_RUNS)
    budget = rules.whole("budget", budget, pools.arms * pools.parts, MOST)
    calls = budget - budget % pools.parts
    step = step_of(pools, scale, floor=floor)
    designs = [(CYCLE, pools)]
    designs += [
        (name, Pools(pools.values[:, part : part + 1], pools.sizes[:, part : part + 1]))
        for part, name in enumerate(names)
    ]
    rows = []
    for name, asked in designs:
        constants = affordable(variant, asked.arms, calls, delta, calls=asked.parts)
        gap = None if step is None else step * pools.parts / asked.parts
        rule = {ROBIN_HOOD: Adaptive(Rule(constants.lam, gap), forced(constants))}
        study = Runs(asked, np.array([calls // asked.parts]), runs, seed, truth=pools.mean)
        rows += [
            Accuracy(
                name,
                policy,
                calls,
                shift=float(outcome.bias.mean()),
                # Less what chance adds to it.
                bias_squared=float(np.mean(outcome.bias**2 - outcome.variance / runs)),
                variance=float(outcome.variance.mean()),
                wce=float(outcome.errors[:, -1].mean()),
            )
            for policy, outcome in study.outcomes((UNIFORM, ROBIN_HOOD), rule).items()
        ]
    return CycleComparison(tuple(rows), cycle, pools.arms, runs, arms.caveats, guess(pools, step, scale))


# Sweep of the constants of ROBIN-HOOD: its replay with several, on the same draws, to see how much they matter.


MIXED = "theory lam, warm-up of the experiments"
"""Constants that do not belong together: the bound is infinite until every arm has its equal share."""


@dataclass(frozen=True)
class Setting:
    """Constants of one replay of ROBIN-HOOD.

    Parameters
    ----------
    delta : float
        Chance of failure.
    constants : Constants
        What it was replayed with.
    floor : bool
        Whether variances had a floor.
    """

    delta: float
    constants: Constants
    floor: bool


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Result):
    """ROBIN-HOOD with several constants, beside uniform allocation and known variances.

    Parameters
    ----------
    settings : mapping of str to Setting
        By name, such as "delta 0.007".
    outcomes : mapping of str to PolicyRuns
        By the same names, "uniform" and "robin".
    spent : array of int, shape (budgets,)
        Calls spent at every point of the curves.
    runs : int
        Replays.
    step : float or None
        Smallest gap between scores, for the floor of variances where there is one.
    notes : tuple of str
        What was taken for granted.
    """

    settings: Mapping[str, Setting]
    outcomes: Mapping[str, PolicyRuns]
    spent: Ints
    runs: int
    step: float | None
    notes: tuple[str, ...] = ()

    @property
    def curve(self) -> dict[str, Any]:
        """Columns of equal length, a row per setting and budget: setting, spent, wce_mean."""
        names = [name for name in self.outcomes for _ in self.spent]
        means = np.concatenate([outcome.errors.mean(axis=0) for outcome in self.outcomes.values()])
        return {"setting": names, "spent": np.tile(self.spent, len(self.outcomes)), "wce_mean": means}

    @property
    def table(self) -> dict[str, Any]:
        """Columns of equal length, a row per setting: setting, delta, lam, warmup, floor, wce_mean, saved."""
        settings = self.settings.values()
        return {
            "setting": list(self.settings),
            "delta": [setting.delta for setting in settings],
            "lam": [setting.constants.lam for setting in settings],
            "warmup": [setting.constants.warmup for setting in settings],
            "floor": [setting.floor for setting in settings],
            "wce_mean": [self.final(name) for name in self.settings],
            "saved": [self.saved(name) for name in self.settings],
        }

    @property
    def sentence(self) -> str:
        """Which setting did best and worst."""
        ranked = sorted(self.settings, key=self.final)
        best, worst = ranked[0], ranked[-1]
        return (
            f"Largest error of any arm after {int(self.spent[-1]):,} calls: {self.final(best):.3g} at best ({best}), "
            f"{self.final(worst):.3g} at worst ({worst}), {self.final(UNIFORM):.3g} by uniform allocation."
        )

    def final(self, name: str) -> float:
        """Largest error of any arm at the end, averaged over runs."""
        return float(self.outcomes[name].errors[:, -1].mean())

    def saved(self, name: str) -> float:
        """Part of the budget saved for the final error of uniform allocation; below 0 if that is never reached."""
        errors, uniform = (self.outcomes[policy].errors.mean(axis=0)[None] for policy in (name, UNIFORM))
        return float(saving(errors, uniform, self.spent)[0])

    def rows(self) -> list[Row]:
        """One row per setting, as in `table`."""
        return rows_of(self.table)


def sweep_allocation(
    judgments_or_pool: Any,
    budget: int,
    *,
    deltas: Sequence[float] = (0.0007, 0.007, 0.07, 0.3),
    warmups: Sequence[int] = (),
    floors: Sequence[bool] = (True,),
    scale: Iterable[float] | None = None,
    mixed: bool = True,
    runs: int = 50,
    seed: int = 1,
    cycle: str | None = None,
    points: int | Sequence[int] = 50,
) -> Sweep:
    """Replay ROBIN-HOOD with the constants of several deltas, as in the paper's experiments, on the same draws.

    Parameters
    ----------
    judgments_or_pool, budget, scale, runs, seed, cycle, points
        As for `quorate.scores.simulate_allocation`.
    deltas : sequence of float
        Chances of failure; ``lam = log(1 / delta)`` and the warm-up is ``4 lam`` pulls.
    warmups : sequence of int
        Other warm-ups, each with the ``lam`` of the largest delta. One below ``4 lam`` changes nothing: the bound of a
        variance is infinite up to there, and all arms are pulled alike.
    floors : sequence of bool
        With the floor of variances, without, or both.
    mixed : bool
        Whether to add constants that do not belong together: ``lam`` of the theory, warm-up of the experiments.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or the budget does not hold a warm-up.
    NotEstimable
        As for `quorate.scores.simulate_allocation`.

    References
    ----------
    LLM-as-Judge on a Budget (2026), arXiv 2602.15481, Figure 5.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> pool = rng.normal(0, np.repeat([0.2, 2.0], [15, 5])[:, None], (20, 30))
    >>> found = sweep_allocation(pool, 2000, deltas=[0.007, 0.3], mixed=False, runs=5)
    >>> len(found.settings)
    2
    """
    if not len(deltas) or not len(floors):
        raise InvalidInput("deltas, floors: at least one of each is needed, got none")
    pools = arms_of(judgments_or_pool, cycle).pools
    runs = rules.whole("runs", runs, 1, MOST_RUNS)
    budget = rules.whole("budget", budget, pools.arms * pools.parts, MOST)
    step = step_of(pools, scale)
    if not isinstance(warmups, Iterable):
        raise InvalidInput(f"warmups: whole numbers such as (20, 40), got {warmups}")
    pulls = budget // pools.parts
    lengths = [rules.whole("warmups", warmup, 1, pulls // pools.arms) for warmup in warmups]
    tuned = [(delta, "", affordable("experiment", pools.arms, budget, delta, calls=pools.parts)) for delta in deltas]
    most, _, largest = max(tuned, key=lambda each: each[0])
    tuned += [(most, f", warm-up {length}", Constants(largest.lam, length)) for length in lengths]
    settings = {
        f"delta {delta:g}{name}{'' if floor else ', no floor'}": Setting(delta, values, floor)
        for (delta, name, values), floor in product(tuned, floors)
    }
    first = next(iter(settings.values()))
    if mixed:
        lam = constants("theory", pools.arms, pulls, first.delta).lam
        settings[MIXED] = Setting(first.delta, Constants(lam, first.constants.warmup), first.floor)
    adaptive = {
        name: Adaptive(Rule(setting.constants.lam, step if setting.floor else None), forced(setting.constants))
        for name, setting in settings.items()
    }
    grid = grid_of(points, pools.arms, pulls, pools.parts, first.constants)
    outcomes = Runs(pools, grid, runs, seed).outcomes((UNIFORM, ROBIN, *settings), adaptive)
    return Sweep(settings, outcomes, grid * pools.parts, runs, step, guess(pools, step if any(floors) else None, scale))
