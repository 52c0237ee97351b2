"""Replays of allocation policies: every policy on the same draws, errors by budget, and the budget saved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from quorate import rules
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.numerics import correlation
from quorate.numerics.sequential.bandit import Constants, Pools, Rule, curve, normal_saving, uniform
from quorate.numerics.sequential.replay import Paths, replay, start_length
from quorate.streams import stream
from quorate.table.results import Result, Row, plain, rows_of
from quorate.waiting import each
from quorate.wording import Brief, counted, whole_percent


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


# Saving at equal error: the part of a budget that one curve of errors saves for the final error of another.


LEAST_RUNS = 20
"""Runs below which a bootstrap interval holds far less often than it says."""
STEADY_RUNS = 50
"""Runs from which it holds as often as it says."""
_RESAMPLES = 2000


def saving(own: Floats, other: Floats, spent: Ints) -> Floats:
    """Part of the budget that one curve of errors saves for the final error of another, shape (curves,).

    A curve is there once it stays there up to the whole budget. Where it never does, the other gets to its final error
    with ``1 / (1 - saving)`` of the budget. So a saving above 0 has the smaller final error.

    Parameters
    ----------
    own, other : array, shape (curves, budgets)
        Errors.
    spent : array, shape (budgets,)
        Budgets, ascending; errors between them are on a straight line.
    """
    used = _reach(own, other[:, -1], spent) / spent[-1]
    reverse = _reach(other, own[:, -1], spent) / spent[-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(np.isnan(used), 1 - 1 / reverse, 1 - used))


def redrawn_runs(runs: int, seed: int) -> Floats:
    """How much every run counts in each bootstrap resample, shape (resamples, runs).

    Parameters
    ----------
    runs : int
        How many there are.
    seed : int
        Root of the random numbers.
    """
    drawn = stream(seed, "allocation/bootstrap").multinomial(runs, np.full(runs, 1 / runs), _RESAMPLES)
    return np.asarray(drawn / runs)


def saved_interval(own: Floats, other: Floats, spent: Ints, weights: Floats, level: float) -> tuple[float, float]:
    """Bootstrap interval of the saving of mean curves, over runs that the two share.

    Parameters
    ----------
    own, other : array, shape (runs, budgets)
        Errors.
    spent : array, shape (budgets,)
        Budgets, ascending.
    weights : array, shape (resamples, runs)
        From `redrawn_runs`.
    level : float
        Of the interval.
    """
    low, high = np.quantile(saving(weights @ own, weights @ other, spent), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def share_text(share: float) -> str:
    """A share in whole percent, with "<1%" for what is there but small, and without a sign of nothing.

    Examples
    --------
    >>> share_text(0.304), share_text(0.004), share_text(-0.004), share_text(-0.19), share_text(float("nan"))
    ('30%', '<1%', '0%', '-19%', 'not known')
    """
    text = whole_percent(share)
    return "0%" if text == "-0%" else text


def runs_note(runs: int) -> tuple[str, ...]:
    """What to know about intervals over so few runs; nothing from `STEADY_RUNS` on.

    Examples
    --------
    >>> runs_note(5)
    ('No interval of the budget saved: that needs 20 runs or more, got 5; ask for 50.',)
    """
    if runs < LEAST_RUNS:
        needs = f"needs {LEAST_RUNS} runs or more, got {runs}"
        return (f"No interval of the budget saved: that {needs}; ask for {STEADY_RUNS}.",)
    if runs < STEADY_RUNS:
        return (f"Intervals of the budget saved rest on {runs} runs and may be too narrow; ask for {STEADY_RUNS}.",)
    return ()


def _reach(curves: Floats, target: Floats, spent: Ints) -> Floats:
    """Budget from which on each curve is at its target or below; nan if it does not end there."""
    above = curves > target[:, None]
    count = curves.shape[1]
    at = np.where(above.any(axis=1), count - above[:, ::-1].argmax(axis=1), 0)
    ends_there = at < count
    at = np.minimum(at, count - 1)
    before = np.maximum(at - 1, 0)
    rows = np.arange(len(curves))
    drop = curves[rows, before] - curves[rows, at]
    part = np.divide(curves[rows, before] - target, drop, out=np.ones(len(rows)), where=drop > 0)
    reached = spent[before] + np.where(at > 0, part, 0.0) * (spent[at] - spent[before])
    return np.asarray(np.where(ends_there, reached, np.nan))


UNIFORM, ROBIN, ROBIN_HOOD = POLICIES = ("uniform", "robin", "robin-hood")
"""Equal numbers of pulls; by known variances; by variances estimated on the way."""
TITLES = {UNIFORM: "uniform allocation", ROBIN: "ROBIN (known variances)", ROBIN_HOOD: "ROBIN-HOOD"}
CORRELATIONS = ("pearson", "spearman", "kendall")
_HALF = 0.5
"""Part of the budget that the paper saves."""


@dataclass(frozen=True)
class Saved:
    """Part of the budget that a policy saves at equal error.

    Parameters
    ----------
    policy, against : str
        The policy, and the one whose final error it has to reach.
    value : float
        1 less the part of the budget from which on its error stays there; below 0 where it does not end there: then the
        other policy gets to its final error with ``1 / (1 - value)`` of the budget.
    low, high : float
        Bootstrap interval over runs; nan with fewer than 20 runs.
    """

    policy: str
    against: str
    value: float
    low: float
    high: float

    @property
    def interval(self) -> str:
        """The interval in percent; empty where there is none."""
        return "" if math.isnan(self.low) else f"{share_text(self.low)} to {share_text(self.high)}"

    def text(self, before: str = "") -> str:
        """The part saved and its interval, with words before that, or why there is none.

        Examples
        --------
        >>> Saved("robin", "uniform", 0.304, 0.24, 0.35).text("95% interval ")
        '30% saved (95% interval 24% to 35%)'
        >>> Saved("robin", "uniform", 0.304, math.nan, math.nan).text()
        '30% saved (fewer than 20 runs: no interval)'
        """
        interval = f"{before}{self.interval}" if self.interval else self.why
        return f"{share_text(self.value)} saved ({interval})"

    @property
    def why(self) -> str:
        """Why there is no interval; empty where there is one."""
        return "" if self.interval else f"fewer than {LEAST_RUNS} runs: no interval"


@dataclass(frozen=True, eq=False)
class PolicyRuns(Brief):
    """One policy in all runs.

    Parameters
    ----------
    errors : array, shape (runs, budgets)
        Largest error of any arm's mean.
    rmse : array, shape (budgets,)
        Root of the mean squared error over arms and runs.
    correlations : array, shape (3, budgets)
        Pearson, Spearman and Kendall correlation of the means with human scores, averaged over runs; nan without them.
    pulls : array, shape (arms,)
        Pulls at the end, on average.
    bias : array, shape (arms,)
        Mean error of the final mean of each arm: 0 but for chance, unless pulls depend on the scores.
    variance : array, shape (arms,)
        Variance of the final mean of each arm over runs; nan with a single run.
    """

    errors: Floats
    rmse: Floats
    correlations: Floats
    pulls: Floats
    bias: Floats
    variance: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Allocation(Result):
    """Policies for spending judge calls over arms, replayed on answers that exist.

    Parameters
    ----------
    outcomes : mapping of str to PolicyRuns
        By policy.
    spent : array of int, shape (budgets,)
        Calls spent at every point of the curves.
    means, variances : array, shape (arms,)
        Mean and variance of a pull: the truth of the replay.
    labels : tuple of str
        Name of every arm.
    calls_per_pull : int
        1, or the judges of a whole cycle.
    constants : Constants
        Those of ROBIN-HOOD.
    step : float or None
        Smallest gap between scores, for the floor of variances; None without a floor.
    human : bool
        Whether there are correlations with human scores.
    runs, seed : int
        Replays, and root of their random numbers.
    caveats : tuple of Caveat
        What to know before relying on it.
    notes : tuple of str
        What was taken for granted, and how many arms have a human score.
    """

    outcomes: Mapping[str, PolicyRuns]
    spent: Ints
    means: Floats
    variances: Floats
    labels: tuple[str, ...]
    calls_per_pull: int
    constants: Constants
    step: float | None
    human: bool
    runs: int
    seed: int
    caveats: tuple[Caveat, ...]
    notes: tuple[str, ...] = ()

    entries = (
        "sentence why notes budget runs seed calls_per_pull warmup=constants.warmup lam=constants.lam step "
        "variance_ratio ceiling warmup_share curve caveats"
    )

    def __repr__(self) -> str:
        size = ", ".join((counted(len(self.labels), "arm"), f"{self.budget:,} calls", counted(self.runs, "run")))
        return f"Allocation({size}: {self.sentence})"

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies that were replayed."""
        return tuple(self.outcomes)

    @property
    def budget(self) -> int:
        """Calls spent at the end."""
        return int(self.spent[-1])

    @property
    def curve(self) -> dict[str, Any]:
        """Columns of equal length, a row per policy and budget.

        ``policy``, ``spent`` (calls), ``wce_mean`` and ``wce_sd`` over runs of the largest error of any arm,
        ``rmse_mean``, and with human scores ``pearson``, ``spearman`` and ``kendall``.
        """
        outcomes = self.outcomes.values()
        columns: dict[str, Any] = {"policy": [name for name in self.outcomes for _ in self.spent]}
        columns["spent"] = np.tile(self.spent, len(self.outcomes))
        columns["wce_mean"] = np.concatenate([outcome.errors.mean(axis=0) for outcome in outcomes])
        columns["wce_sd"] = np.concatenate(
            [
                outcome.errors.std(axis=0, ddof=1) if self.runs > 1 else np.full(len(self.spent), np.nan)
                for outcome in outcomes
            ]
        )
        columns["rmse_mean"] = np.concatenate([outcome.rmse for outcome in outcomes])
        if self.human:
            both = np.concatenate([outcome.correlations for outcome in outcomes], axis=1)
            columns.update(zip(CORRELATIONS, both, strict=True))
        return columns

    @property
    def pulls(self) -> dict[str, Floats]:
        """By policy, pulls of every arm at the end, on average over runs."""
        return {name: outcome.pulls for name, outcome in self.outcomes.items()}

    @property
    def ideal(self) -> Floats:
        """Share of the budget that makes all standard errors equal: that of the variances, shape (arms,)."""
        return np.asarray(self.variances / self.variances.sum())

    @property
    def variance_ratio(self) -> float:
        """Mean variance of an arm over the largest: the part of the budget that allocation by variances needs."""
        return float(self.variances.mean() / self.variances.max())

    @property
    def ceiling(self) -> float:
        """Part of the budget that known variances would save for the largest error, were means normal."""
        return normal_saving(self.variances)

    @property
    def warmup_share(self) -> float:
        """Part of the budget that the warm-up of ROBIN-HOOD takes."""
        return self.constants.warmup * len(self.labels) * self.calls_per_pull / self.budget

    def saved(self, policy: str = ROBIN_HOOD, against: str = UNIFORM, *, level: float = 0.95) -> Saved:
        """Part of the budget that a policy saves for the final error of another.

        The error is the mean over runs of the largest error of any arm, between budgets on a straight line. A policy
        has an error from where it stays at it or below. There is no interval below 20 runs, where it would hold far
        less often than its level says.

        Parameters
        ----------
        policy, against : str
            Two of the policies.
        level : float
            Of the bootstrap interval over runs.

        Raises
        ------
        InvalidInput
            If a policy was not replayed, both are the same, or the level is out of range.
        """
        for argument, name in (("policy", policy), ("against", against)):
            rules.one_of(argument, name, self.outcomes)
        if policy == against:
            raise InvalidInput(f'against: another policy than "{policy}"')
        rules.number("level", level, above=0, below=1)
        errors, other = self.outcomes[policy].errors, self.outcomes[against].errors
        value = float(saving(errors.mean(axis=0)[None], other.mean(axis=0)[None], self.spent)[0])
        if self.runs < LEAST_RUNS:
            return Saved(policy, against, value, math.nan, math.nan)
        weights = redrawn_runs(self.runs, self.seed)
        return Saved(policy, against, value, *saved_interval(errors, other, self.spent, weights, level))

    @property
    def sentence(self) -> str:
        """What the replay found."""
        final = {name: outcome.errors[:, -1].mean() for name, outcome in self.outcomes.items()}
        if UNIFORM not in final or len(final) == 1:
            listed = ", ".join(f"{TITLES[name]} {error:.3g}" for name, error in final.items())
            return f"After {self.budget:,} calls the largest error of any arm is, on average: {listed}."
        policy = ROBIN_HOOD if ROBIN_HOOD in final else ROBIN
        saved = self.saved(policy)
        if saved.value <= 0:
            enough = round(self.budget / (1 - saved.value))
            ends = f"95% interval of what it saves {saved.interval}" if saved.interval else saved.why
            return (
                f"{TITLES[policy]} saves nothing: uniform allocation has its final largest error, {final[policy]:.3g}, "
                f"after {enough:,} of {self.budget:,} calls ({ends})."
            )
        needed = round(self.budget * (1 - saved.value))
        return (
            f"{TITLES[policy]} needs {needed:,} of {self.budget:,} calls for the largest error, {final[UNIFORM]:.3g}, "
            f"that uniform allocation ends with: {saved.text('95% interval ')}."
        )

    @property
    def why(self) -> tuple[str, ...]:
        """Why ROBIN-HOOD does not save half of the budget; empty if it does or was not compared."""
        if not {UNIFORM, ROBIN_HOOD} <= set(self.outcomes) or self.saved().value >= _HALF:
            return ()
        ratio = self.variance_ratio
        best = (
            f"The mean variance of an arm is {share_text(ratio)} of the largest, so known variances give the "
            f"largest standard error of uniform allocation with {share_text(1 - ratio)} fewer calls. But then any arm "
            f"can have the largest error, not the most variable ones alone: with normal means "
            f"{share_text(self.ceiling)} is saved."
        )
        reasons = [best]
        if ROBIN in self.outcomes:
            robin, hood = self.saved(ROBIN), self.saved()
            interval = f" (95% interval {robin.interval})" if robin.interval else ""
            chance = robin.value < hood.value and not robin.high < hood.value
            known = share_text(robin.value) if robin.value > 0 else "nothing"
            less = "; that this is less than ROBIN-HOOD may be chance, and more runs would tell" if chance else ""
            reasons.append(f"In this replay, knowing all variances (ROBIN) saves {known}{interval}{less}.")
        pulls = counted(self.constants.warmup, "pull")
        reasons.append(
            f"The warm-up of {pulls} of each arm takes {share_text(self.warmup_share)} of the budget. "
            "Variances are learned from the scores themselves: an arm that seems steady at first is pulled late."
        )
        return tuple(reasons)

    def rows(self) -> list[Row]:
        """The rows of `curve`."""
        return rows_of(self.curve)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        others = [name for name in self.outcomes if name != UNIFORM] if UNIFORM in self.outcomes else []
        pulls = {"label": self.labels, "mean": self.means, "variance": self.variances, "pulls": self.pulls}
        return super().to_dict() | {"saved": plain([self.saved(name) for name in others]), "arms": plain(pulls)}
