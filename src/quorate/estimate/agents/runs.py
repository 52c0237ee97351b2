"""Repeated runs: how often all or any of k runs of an item pass, which items flip, and whether runs or judges do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from quorate.arguments import argument
from quorate.arrays import Floats, Ints, occurring
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.shares import share_of
from quorate.frozen import dataclass
from quorate.numerics.distributions import t_quantile
from quorate.numerics.inference import checked_level
from quorate.roles import SYSTEM
from quorate.table.facets import Facet
from quorate.table.judgments import Judgments
from quorate.table.results import Ends, Interval, Result, Row, StatedInterval
from quorate.wording import Brief, at_level, counted, percent

RUNS = ("run", "trial", "attempt", "try", "seed", "epoch", "sample", "generation")
"""Facets that are runs by their names."""


@dataclass(frozen=True)
class Passing(Brief):
    """What k runs of an item come to.

    Parameters
    ----------
    k : int
        Runs.
    all : Interval
        Chance that all of them pass (pass^k).
    any : Interval
        Chance that one of them passes (pass@k).
    """

    k: int
    all: Interval
    any: Interval


class Flip(NamedTuple):
    """An item of which some runs pass and some do not: how many passed, and of how many."""

    item: str
    passed: int
    runs: int


@dataclass(frozen=True)
class SystemRuns(Brief):
    """Runs of one system.

    Parameters
    ----------
    system : str
        Its name; empty where there is one.
    items, runs, fewest : int
        Items, runs of all, and runs of the item that has fewest.
    passing : tuple of Passing
        By k.
    differ : Interval
        Chance that two runs of an item come out differently.
    flips : tuple of Flip
        Items of which some runs pass and some do not, the most divided first.
    own : Interval or None
        Part of the variance between the scores of an item's runs that is the runs' own; the rest is the judges'. None
        where a run has one judgment.
    """

    system: str
    items: int
    runs: int
    fewest: int
    passing: tuple[Passing, ...]
    differ: Interval
    flips: tuple[Flip, ...]
    own: Interval | None


@dataclass(frozen=True)
class RepeatedRuns(Result):
    """Repeated runs of items.

    Parameters
    ----------
    systems : tuple of SystemRuns
        One for every system.
    at : float
        Score from which on a run passes.
    level : float
        Coverage of the intervals.
    """

    systems: tuple[SystemRuns, ...]
    at: float
    level: float

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """What k runs come to, how many items flip, and whose fault it is."""
        return " ".join(self._said(one) for one in self.systems)

    def _said(self, one: SystemRuns) -> str:
        most, of = one.passing[-1], f"{at_level(self.level)} interval"
        subject = f"{one.system}: all" if one.system else "All"
        passing = (
            f"{subject} of {counted(most.k, 'run')} pass in {percent(most.all.value)} of items ({of} "
            f"{_span(most.all)}), one or more in {percent(most.any.value)} ({_span(most.any)})."
        )
        flipping = (
            f"{len(one.flips):,} of {one.items:,} items flip; two runs of an item differ with a chance of "
            f"{percent(one.differ.value)} ({_span(one.differ)})."
        )
        said = [passing, flipping]
        if one.own is not None:
            share = f"{percent(one.own.value)} of the variance between runs is their own"
            said.append(f"{share} ({_span(one.own)}), the rest is the judges'.")
        return " ".join(said)

    def rows(self) -> list[Row]:
        """One row for every system and k."""
        return [
            {"system": one.system, "k": passing.k}
            | passing.all.row("all")
            | passing.any.row("any")
            | {"differ": one.differ.value, "own": np.nan if one.own is None else one.own.value}
            for one in self.systems
            for passing in one.passing
        ]


def _span(one: Interval) -> str:
    return f"{percent(one.low)} to {percent(one.high)}"


def repeated_runs(
    judgments: Judgments,
    *,
    run: str | None = None,
    k: Sequence[int] = (),
    passes: float | None = None,
    level: float = 0.95,
) -> RepeatedRuns:
    """How often all and any of k runs of an item pass, which items flip, and whether runs or judges make them flip.

    pass^k and pass@k, and the chance that two runs differ. A run passes if the mean of its judgments reaches
    ``passes``. Items are the unit: intervals are for items like these.

    Parameters
    ----------
    judgments : Judgments
        With a facet of runs, or with repeats of single judgments.
    run : str, optional
        Facet of the runs; by default one named run, trial, attempt, try, seed, epoch, sample or generation, else the
        repeats of every cell, whose scores must be 0 and 1.
    k : sequence of int
        Numbers of runs; by default 1, and as many as every item has.
    passes : float, optional
        Score from which on a run passes; for scores of 0 and 1, more than half of its judgments by default.
    level : float
        Coverage of the intervals.

    Returns
    -------
    RepeatedRuns

    Raises
    ------
    UnknownTerm
        If there is no such facet.
    InvalidInput
        If scores have other values than 0 and 1 and ``passes`` is not given, or some item has fewer than k runs.
    NotEstimable
        If there are fewer than two items, or no item has two runs.

    Notes
    -----
    With c of n runs of an item passing, ``C(c, k) / C(n, k)`` and ``1 - C(n - c, k) / C(n, k)`` are unbiased for what k
    fresh runs do. Their intervals are Wilson's with as many items as would have the variance seen, and Student's
    quantile. Between the scores of an item's runs stand its own differences and the judges' noise on them, found by the
    mean squares of runs and of runs by judgments within items; the interval is of a jackknife over items.

    References
    ----------
    Chen et al. (2021), arXiv:2107.03374, for pass@k; Yao et al. (2024), arXiv:2406.12045, for pass^k.

    Examples
    --------
    >>> import polars as pl
    >>> import quorate as q
    >>> rows = {"item": list("aaabbbccc"), "run": [1, 2, 3] * 3, "score": [1, 1, 1, 1, 0, 1, 0, 0, 0]}
    >>> table = q.read(pl.DataFrame(rows), facets={"item": "item", "run": "run"}, announce=False)
    >>> found = q.agents.repeated_runs(table)
    >>> found.systems[0].flips, round(found.systems[0].passing[-1].all.value, 3)
    ((Flip(item='b', passed=2, runs=3),), 0.333)
    """
    checked_level(level)
    run = run or next((name for name in RUNS if name in judgments.names), None)
    judgments, run = _unfolded(judgments) if run is None else (judgments, run)
    runs = judgments.column(run)
    if judgments.object == run or len(judgments.facet(run).levels) < 2:
        raise NotEstimable(f"{run}: one run of every item says nothing of others; run the items again")
    if passes is None:
        if not (np.isin(judgments.low, (0, 1)).all() and np.isin(judgments.high, (0, 1)).all()):
            raise InvalidInput(
                "passes: scores are not 0 and 1; say from which score on a run passes, with " + argument("passes", 4)
            )
        passes = float(np.nextafter(0.5, 1))
    has = SYSTEM in judgments.names
    system = judgments.column(SYSTEM) if has else np.zeros(judgments.n_cells, dtype=np.int32)
    names = judgments.facet(SYSTEM).levels if has else ("",)
    inside = {judgments.object, run, SYSTEM}
    rest = judgments.level_codes([name for name in judgments.names if name not in inside])
    item, labels = judgments.column(judgments.object), judgments.facet(judgments.object).levels
    found = []
    for place in np.unique(system):
        here = (system == place) & (judgments.n > 0)
        given = Scored(item[here], runs[here], rest[here], judgments.mean[here], judgments.n[here])
        found.append(given.summary(names[place], labels, tuple(k), passes, level))
    return RepeatedRuns(tuple(found), passes, level)


def _unfolded(judgments: Judgments) -> tuple[Judgments, str]:
    """Repeats of cells, scores of 0 and 1, as a facet of runs: which of them passed does not matter, only how many."""
    table = judgments.keep(judgments.n > 0)
    if not (np.isin(table.low, (0, 1)).all() and np.isin(table.high, (0, 1)).all()):
        raise InvalidInput("run: name the facet of runs, with " + argument("run", "trial") + "; scores are not 0 and 1")
    size = int(table.n.max(initial=0))
    cell = np.repeat(np.arange(table.n_cells), table.n)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(table.n) - table.n, table.n)
    score = (place < np.rint(table.n * table.mean)[cell]).astype(float)
    one, none = np.ones(len(cell), dtype=np.int64), np.zeros(len(cell))
    facet = Facet("run", "run", tuple(map(str, range(1, size + 1))))
    out = replace(
        table, facets=(*table.facets, facet), codes=np.column_stack([table.codes[cell], place]).astype(np.int32), n=one,
        mean=score, ss=none, low=score, high=score, status={"ok": one}, distinct=None, origin=None,
    )  # fmt: skip
    return out, facet.name


@dataclass(frozen=True, eq=False)
class Scored(Brief):
    """Scores of one system by item, run and what else tells judgments apart: codes, means and numbers of answers."""

    item: Ints
    run: Ints
    judgment: Ints
    mean: Floats
    n: Floats

    def summary(self, system: str, labels: Sequence[str], k: tuple[int, ...], at: float, level: float) -> SystemRuns:
        """What the runs of this system come to."""
        pairs, place = np.unique(np.stack([self.item, self.run]), axis=1, return_inverse=True)
        place = place.ravel()
        score = np.bincount(place, self.n * self.mean) / np.bincount(place, self.n)
        items, of = np.unique(pairs[0], return_inverse=True)
        n, c = np.bincount(of), np.bincount(of, score >= at - 1e-12 * max(abs(at), 1.0))
        fewest = int(n.min())
        if len(items) < 2 or fewest < 2:
            raise NotEstimable(
                f"runs: two items with two runs each are the least, got {counted(len(items), 'item')} and an item with "
                f"{counted(fewest, 'run')}; run again what has one"
            )
        k = k or tuple(dict.fromkeys((1, fewest)))
        if not all(float(one).is_integer() and 1 <= one <= fewest for one in k):
            raise InvalidInput(f"k: whole numbers from 1 to {fewest}, the runs that every item has; got {list(k)}")
        passing, runs = [], int(n.sum())

        def share(values: Floats) -> Interval:
            return replace(share_of(values, items, level), n=runs)

        for one in k:
            every, none = chosen(c, one) / chosen(n, one), chosen(n - c, one) / chosen(n, one)
            passing.append(Passing(one, share(every), share(1 - none)))
        differ = 2 * c * (n - c) / (n * (n - 1))
        order = np.argsort(-differ, kind="stable")
        return SystemRuns(
            system, len(items), runs, fewest, tuple(passing), share(differ),
            tuple(Flip(labels[items[at]], int(c[at]), int(n[at])) for at in order if differ[at] > 0), self.own(level),
        )  # fmt: skip

    def _several(self) -> list[Ints]:
        """Rows of every item that has several runs, and several judgments."""
        kept = np.ones(len(self.item), dtype=np.bool_)
        for code in (self.run, self.judgment):
            span = int(code.max()) + 1
            kept &= (
                np.bincount(occurring(self.item * span + code) // span, minlength=int(self.item.max()) + 1)[self.item]
                > 1
            )
        order = np.flatnonzero(kept)[np.argsort(self.item[kept], kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(self.item[order])) + 1) if len(order) else []

    def own(self, level: float) -> Interval | None:
        """Part of the variance between runs of an item that is their own; None where it is unknown."""
        squares = []
        for here in self._several():
            run, judgment = (np.unique(code[here], return_inverse=True)[1] for code in (self.run, self.judgment))
            shape = run.max() + 1, judgment.max() + 1
            if len(here) != shape[0] * shape[1]:
                continue  # a run without all of the judgments of the others
            y: Any = np.zeros(shape)
            y[run, judgment] = self.mean[here]
            between = y.mean(axis=1) - y.mean()
            left = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
            df = shape[0] - 1
            squares.append([shape[1] * between @ between, df, (left**2).sum(), df * (shape[1] - 1)])
        if len(squares) < 3:
            return None
        each = np.array(squares)
        whole = each.sum(axis=0)
        without = whole - each

        def ratio(sums: Floats) -> Floats:
            a, df, b, dg = np.moveaxis(sums, -1, 0)
            return np.asarray(np.log(np.maximum(b / dg, 1e-12)) - np.log(np.maximum(a / df, 1e-12)))

        if whole[0] <= 0:
            return None
        count, value = len(each), float(ratio(whole))
        pseudo = count * value - (count - 1) * ratio(without)
        se = float(pseudo.std(ddof=1) / np.sqrt(count))

        def law(level: float) -> Ends:
            reach = t_quantile(count - 1, (1 + level) / 2) * se
            low, high = (float(np.clip(1 - np.exp(value + sign * reach), 0, 1)) for sign in (1, -1))
            return low, high

        part = float(np.clip(1 - np.exp(value), 0, 1))
        return StatedInterval(part, (1 - part) * se, len(self.item), level, law)


def chosen(n: Ints, k: int) -> Floats:
    """Ways to choose k of n; 0 where n is less."""
    n = np.asarray(n, dtype=float)
    some = np.maximum(n, k)
    return np.where(n >= k, np.exp(gammaln(some + 1) - gammaln(k + 1) - gammaln(some - k + 1)), 0.0)
