"""How much the constants of ROBIN-HOOD matter: its replay with several, on the same draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from quorate.arrays import Ints
from quorate.errors import InvalidInput
from quorate.numerics.sequential.bandit import Constants, Rule, affordable, constants
from quorate.numerics.sequential.pools import Pools
from quorate.numerics.sequential.replay import forced
from quorate.simulate.allocation.allocation import MOST, MOST_RUNS, grid_of, guess, step_of
from quorate.simulate.allocation.arms import arms_of
from quorate.simulate.allocation.result import ROBIN, UNIFORM, Outcome
from quorate.simulate.allocation.runs import Adaptive, Runs
from quorate.simulate.allocation.saving import saving
from quorate.table.cells import whole

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
class Sweep:
    """ROBIN-HOOD with several constants, beside uniform allocation and known variances.

    Parameters
    ----------
    settings : mapping of str to Setting
        By name, such as "delta 0.007".
    outcomes : mapping of str to Outcome
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
    outcomes: Mapping[str, Outcome]
    spent: Ints
    runs: int
    step: float | None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Sweep({self.sentence})"

    @property
    def curve(self) -> dict[str, Any]:
        """Columns of equal length, a row per setting and budget: setting, spent, wce_mean."""
        names = [name for name in self.outcomes for _ in self.spent]
        means = np.concatenate([one.errors.mean(axis=0) for one in self.outcomes.values()])
        return {"setting": names, "spent": np.tile(self.spent, len(self.outcomes)), "wce_mean": means}

    @property
    def table(self) -> dict[str, Any]:
        """Columns of equal length, a row per setting: setting, delta, lam, warmup, floor, wce_mean, saved."""
        every = self.settings.items()
        return {
            "setting": [name for name, _ in every],
            "delta": [one.delta for _, one in every],
            "lam": [one.constants.lam for _, one in every],
            "warmup": [one.constants.warmup for _, one in every],
            "floor": [one.floor for _, one in every],
            "wce_mean": [self.final(name) for name, _ in every],
            "saved": [self.saved(name) for name, _ in every],
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
        own, other = (self.outcomes[one].errors.mean(axis=0)[None] for one in (name, UNIFORM))
        return float(saving(own, other, self.spent)[0])

    def to_frame(self) -> Any:
        """`table` as a data frame."""
        from quorate.table.frames import frame

        return frame(self.table)


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
        As for `quorate.simulate_allocation`.
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
        As for `quorate.simulate_allocation`.

    References
    ----------
    LLM-as-Judge on a Budget (2026), arXiv 2602.15481, Figure 5.
    """
    if not len(deltas) or not len(floors):
        raise InvalidInput("deltas, floors: at least one of each is needed, got none")
    pools = arms_of(judgments_or_pool, cycle).pools
    runs = whole(runs, "runs", 1, MOST_RUNS)
    budget = whole(budget, "budget", pools.arms * pools.parts, MOST)
    step = step_of(pools, scale)
    settings = _settings(pools, budget, deltas, _warmups(warmups, pools, budget), floors, mixed)
    rules = {
        name: Adaptive(Rule(one.constants.lam, step if one.floor else None), forced(one.constants))
        for name, one in settings.items()
    }
    first = next(iter(settings.values())).constants
    grid = grid_of(points, pools.arms, budget // pools.parts, pools.parts, first)
    outcomes = Runs(pools, grid, runs, seed).outcomes((UNIFORM, ROBIN, *settings), rules)
    return Sweep(settings, outcomes, grid * pools.parts, runs, step, guess(pools, step if any(floors) else None, scale))


def _warmups(warmups: Sequence[int], pools: Pools, budget: int) -> tuple[int, ...]:
    if not isinstance(warmups, Iterable):
        raise InvalidInput(f"warmups: whole numbers such as (20, 40), got {warmups}")
    most = budget // (pools.arms * pools.parts)
    return tuple(whole(one, "warmups", 1, most) for one in warmups)


def _settings(
    pools: Pools, budget: int, deltas: Sequence[float], warmups: Sequence[int], floors: Sequence[bool], mixed: bool
) -> dict[str, Setting]:
    every = [(delta, "", affordable("experiment", pools.arms, budget, delta, calls=pools.parts)) for delta in deltas]
    most, _, own = max(every, key=lambda one: one[0])
    every += [(most, f", warm-up {one}", Constants(own.lam, one)) for one in warmups]
    out = {
        f"delta {delta:g}{name}{'' if floor else ', no floor'}": Setting(delta, each, floor)
        for (delta, name, each), floor in product(every, floors)
    }
    if mixed:
        first = next(iter(out.values()))
        lam = constants("theory", pools.arms, budget // pools.parts, first.delta).lam
        out[MIXED] = Setting(first.delta, Constants(lam, first.constants.warmup), first.floor)
    return out
