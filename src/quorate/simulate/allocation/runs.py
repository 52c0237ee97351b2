"""Runs of a replay: every policy on the same draws, and sums over runs of what came of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.frozen import dataclass
from quorate.numerics import correlation
from quorate.numerics.sequential.bandit import Pools, Rule, curve, uniform
from quorate.numerics.sequential.replay import Paths, replay, start_length
from quorate.simulate.allocation.result import ROBIN, PolicyRuns
from quorate.streams import stream
from quorate.waiting import each


class Adaptive(NamedTuple):
    """A policy that looks at scores.

    Parameters
    ----------
    rule : Rule
        Order of pulls.
    warmup : int
        Pulls of every arm before it counts.
    """

    rule: Rule
    warmup: int


class Totals:
    """Sums over runs of what one policy did."""

    def __init__(self, arms: int, budgets: int) -> None:
        self.errors: list[Floats] = []
        self.squares: Floats = np.zeros(budgets)
        self.correlations: Floats = np.zeros((3, budgets))
        self.pulls: Floats = np.zeros(arms)
        self.off: Floats = np.zeros(arms)
        self.off_squares: Floats = np.zeros(arms)

    def add(self, pulls: Ints, off: Floats, seen: Floats) -> None:
        """One run: pulls and errors, shape (budgets, arms), and correlations, shape (3, budgets)."""
        self.errors.append(np.abs(off).max(axis=1))
        self.squares += (off**2).mean(axis=1)
        self.correlations += seen
        self.pulls += pulls[-1]
        self.off += off[-1]
        self.off_squares += off[-1] ** 2

    def outcome(self, place: Ints) -> PolicyRuns:
        """Means over runs, with the arms in the order of the source."""
        runs = len(self.errors)
        bias = self.off / runs
        free = runs - 1
        variance = np.maximum(self.off_squares - runs * bias**2, 0) / free if free else np.full(len(bias), math.nan)
        return PolicyRuns(
            np.array(self.errors),
            np.sqrt(self.squares / runs),
            self.correlations / runs,
            self.pulls[place] / runs,
            bias[place],
            variance[place],
        )


@dataclass(frozen=True, eq=False)
class Runs:
    """Replays of pools with the same draws for every policy.

    Parameters
    ----------
    pools : Pools
        What is drawn from.
    budgets : array of int, shape (budgets,)
        Pulls at the points of the curves, ascending.
    runs, seed : int
        Replays, and root of their random numbers.
    human : array, shape (arms,), optional
        Scores to correlate the means with; nan where an arm has none.
    truth : array, shape (arms,), optional
        What the means are compared with; the means of the pools by default.
    """

    pools: Pools
    budgets: Ints
    runs: int
    seed: int
    human: Floats | None = None
    truth: Floats | None = None

    def outcomes(self, policies: Sequence[str], rules: Mapping[str, Adaptive]) -> dict[str, PolicyRuns]:
        """What policies do, by name: those with a rule adapt; of the others, "robin" knows variances."""
        order, place = self.order()
        pools = self.pools.at(order)
        truth = (self.pools.mean if self.truth is None else self.truth)[order]
        human = None if self.human is None else self.human[order]
        scored = slice(0) if human is None else np.isfinite(human)
        fixed = {  # pulls that do not depend on draws, shape (budgets, arms)
            name: curve(pools.variance, self.budgets)
            if name == ROBIN
            else np.array([uniform(pools.arms, budget) for budget in self.budgets.tolist()])
            for name in policies
            if name not in rules
        }
        measures = (correlation.pearson, correlation.spearman, correlation.kendall)
        totals = {name: Totals(pools.arms, len(self.budgets)) for name in policies}
        for paths in self.paths():
            for name, total in totals.items():
                pulls = fixed[name] if name in fixed else replay(paths, *rules[name], self.budgets)
                means = paths.means(pulls)
                correlations: Floats = np.full((3, len(means)), math.nan)
                if human is not None:
                    # Sums of equal scores in another order differ in their last digits and are ties all the same.
                    size = max(float(np.abs(means).max()), 1e-300)
                    rounded = np.round(means / size, 12)[:, scored]
                    correlations = np.array([measure(rounded, human[scored]) for measure in measures])
                total.add(pulls, means - truth, correlations)
        return {name: total.outcome(place) for name, total in totals.items()}

    def order(self) -> tuple[Ints, Ints]:
        """Arms in the order in which ties are broken, and the place of every arm in it."""
        order = stream(self.seed, "allocation/ties").permutation(self.pools.arms)
        return order, np.argsort(order)

    def paths(self) -> Iterator[Paths]:
        """Draws of every run, arms in the order in which ties are broken."""
        pools = self.pools.at(self.order()[0])
        length = start_length(pools.arms, int(self.budgets[-1]))
        for run in each("simulated runs", range(self.runs)):
            further = stream(self.seed, f"allocation/{run}/further")
            yield Paths(pools, length, stream(self.seed, f"allocation/{run}"), further)
