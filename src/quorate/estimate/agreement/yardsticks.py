"""Yardsticks: what labels of people say of configurations, of their majority, of rewordings and of a panel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate.arrays import Floats, Ints
from quorate.estimate.agreement.rightness import Rightness, row_means
from quorate.numerics.correlation import ranks
from quorate.numerics.distributions import t_quantile
from quorate.numerics.panel.independence import Worth, independent_judges
from quorate.numerics.votes.binomial import wilson
from quorate.wording import Brief

_POWER, _ROUNDING = 0.9, 1e-9


@dataclass(frozen=True)
class Measured(Brief):
    """A number with its interval over items; nan where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class ConfigurationAccuracy(Brief):
    """How often one configuration is right.

    Parameters
    ----------
    levels : tuple of str
        Its judge, prompt ..., in the order of the roles.
    n : int
        Labelled items that it judged.
    value, low, high : float
        Share of right verdicts, with its interval.
    """

    levels: tuple[str, ...]
    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Tertile(Brief):
    """A third of the items by how far configurations disagree on them.

    Parameters
    ----------
    name : str
        ``least``, ``middle`` or ``most`` disputed.
    n : int
        Items.
    disagreement : float
        Chance that two configurations give different verdicts, on average.
    average, majority : Measured
        Share of right verdicts of configurations, and of their majority.
    """

    name: str
    n: int
    disagreement: float
    average: Measured
    majority: Measured


@dataclass(frozen=True)
class Flips(Brief):
    """How often a verdict changes with the wording of the prompt.

    Parameters
    ----------
    reworded : Measured
        Chance that one judge's verdicts on one item under two prompts differ.
    rerun : Measured
        Chance that two answers to one prompt do; nan where nothing was asked twice.
    excess : Measured
        The first less the second, on items where both are known.
    """

    reworded: Measured
    rerun: Measured
    excess: Measured


@dataclass(frozen=True)
class Drop(Brief):
    """What the majority gains without one judge.

    Parameters
    ----------
    judge : str
        Who is left out.
    gain : Measured
        Share of right verdicts of the majority without, less with; intervals hold for all judges at once (Bonferroni).
    more : float
        More labels that would tell the gain from none with a chance of 90%, if it is as found; 0 where it is told,
        infinite where it is none at all.
    """

    judge: str
    gain: Measured
    more: float


def standard_error(values: Floats, cluster: Ints) -> tuple[float, int]:
    """Standard error of the mean of values whose clusters are drawn, and how many clusters there are; 0 with one."""
    _, place = np.unique(cluster, return_inverse=True)
    total = np.bincount(place, values - values.mean())
    drawn = len(total)
    if drawn < 2:
        return 0.0, drawn
    return float(np.sqrt(drawn / (drawn - 1) * np.sum(total**2)) / len(values)), drawn


def share_of(values: Floats, level: float, cluster: Ints) -> Measured:
    """Mean of shares between 0 and 1, with Wilson's interval for as many trials as its standard error is worth."""
    known = ~np.isnan(values)
    values = values[known]
    if not len(values):
        return Measured(math.nan)
    share = float(values.mean())
    se, drawn = standard_error(values, cluster[known])
    trials = float(drawn)
    counts = drawn == len(values) and bool(np.isin(values, (0, 1)).all())  # Wilson's own interval
    if se > _ROUNDING and 0 < share < 1 and not counts:
        wider = t_quantile(np.inf, (1 + level) / 2) / t_quantile(drawn - 1, (1 + level) / 2)
        trials = share * (1 - share) / se**2 * wider**2
    low, high = wilson(share * trials, trials, level)
    return Measured(share, float(low), float(high))


def mean_of(values: Floats, level: float, cluster: Ints) -> Measured:
    """Mean with Student's interval over items, or over clusters of them."""
    known = ~np.isnan(values)
    values = values[known]
    if not len(values):
        return Measured(math.nan)
    value, (se, drawn) = float(values.mean()), standard_error(values, cluster[known])
    if drawn < 2:
        return Measured(value)
    half = t_quantile(drawn - 1, (1 + level) / 2) * se
    return Measured(value, value - half, value + half)


def accuracies(seen: Rightness, level: float) -> Iterator[ConfigurationAccuracy]:
    """How often every configuration is right."""
    for own, column in zip(seen.levels, seen.right.T, strict=True):
        found = share_of(column, level, seen.cluster)
        yield ConfigurationAccuracy(own, int((~np.isnan(column)).sum()), found.value, found.low, found.high)


def beaten(
    right: Floats, majority: Floats, cluster: Ints, resamples: int, level: float, rng: np.random.Generator
) -> Measured:
    """Share of configurations that the majority beats on the same items, with a bootstrap interval over clusters."""
    known, ahead = ~np.isnan(right), np.nan_to_num(majority[:, None] - right)

    def beaten(weight: Floats) -> Floats:
        gap = weight @ ahead / np.maximum(weight @ known, _ROUNDING)
        return np.asarray(np.mean((gap > _ROUNDING) + 0.5 * (np.abs(gap) <= _ROUNDING), axis=-1))

    n = int(cluster.max()) + 1
    drawn = beaten(rng.multinomial(n, np.full(n, 1 / n), resamples).astype(float)[:, cluster])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Measured(float(beaten(np.ones(len(right)))), float(low), float(high))


def tertiles(disputed: Floats, average: Floats, majority: Floats, cluster: Ints, level: float) -> Iterator[Tertile]:
    """Thirds of the items by how far configurations disagree; items that do so alike stay together."""
    third = np.minimum((3 * (ranks(disputed) - 0.5) / len(disputed)).astype(int), 2)
    for place, name in enumerate(("least", "middle", "most")):
        own = third == place
        if own.any():
            rates = (share_of(values[own], level, cluster[own]) for values in (average, majority))
            yield Tertile(name, int(own.sum()), float(disputed[own].mean()), *rates)


@dataclass(frozen=True)
class SplitHalf(Brief):
    """The best configuration of random halves of the labels, tested on the other halves.

    Parameters
    ----------
    apparent : float
        How often it is right on the half that chose it.
    chosen, lift, left : Measured
        How often it is on the other; less the average of all there; and how much more often the majority is.
    """

    apparent: float
    chosen: Measured
    lift: Measured
    left: Measured


def split_half(
    right: Floats, majority: Floats, cluster: Ints, splits: int, level: float, rng: np.random.Generator
) -> SplitHalf:
    """Choose on random halves of the items, clusters of them as a whole, and test on the others.

    Results of halves are far from independent: their mean has the variance ``(1 / splits + 1)`` times theirs, which
    counts what choosing adds, or that over items, whichever is larger.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, 239-281, with as many items to test on as to choose on.
    """
    n = int(cluster.max()) + 1
    dev = (np.argsort(rng.random((splits, n)), axis=1) < n // 2)[:, cluster]
    known, value = ~np.isnan(right), np.nan_to_num(right)
    with np.errstate(invalid="ignore"):
        score = np.nan_to_num(dev.astype(float) @ value / (dev.astype(float) @ known), nan=-1.0)
    tied = score >= score.max(axis=1, keepdims=True) - _ROUNDING
    best = np.argmax(tied * rng.random(score.shape), axis=1)
    tested, average = ~dev & known[:, best].T, row_means(right)

    def found(gain: Floats) -> Measured:
        """Of what is won on every tested item, shape (splits, items)."""
        with np.errstate(invalid="ignore"):
            of_split = (tested * gain).sum(axis=1) / tested.sum(axis=1)
            of_item = (tested * gain).sum(axis=0) / tested.sum(axis=0)
        one, each = float(np.nanmean(of_split)), ~np.isnan(of_item)
        over_items = standard_error(of_item[each], cluster[each])[0] ** 2
        variance = max((1 / splits + 1) * float(np.nanvar(of_split, ddof=1)), over_items)
        half = t_quantile(max(n // 2 - 1, 1), (1 + level) / 2) * float(np.sqrt(variance))
        return Measured(one, one - half, one + half)

    own = value[:, best].T
    chosen = found(own)
    return SplitHalf(
        apparent=float(score[np.arange(splits), best].mean()),
        chosen=Measured(chosen.value, max(chosen.low, 0.0), min(chosen.high, 1.0)),
        lift=found(own - average),
        left=found(np.nan_to_num(majority) - own),
    )


def flips(seen: Rightness, level: float) -> Flips | None:
    """Verdicts of one judge on one item under two prompts, and to one prompt asked twice; averages by item."""
    if seen.wording not in seen.roles or len({own[seen.roles.index(seen.wording)] for own in seen.levels}) < 2:
        return None
    at = seen.roles.index(seen.wording)
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, own in enumerate(seen.levels):
        groups.setdefault(own[:at] + own[at + 1 :], []).append(place)
    pairs = np.array([pair for group in groups.values() for pair in combinations(group, 2)])
    same = np.zeros((len(seen.shares), len(pairs)))
    for verdict in range(seen.shares.shape[2]):
        same += seen.shares[:, pairs[:, 0], verdict] * seen.shares[:, pairs[:, 1], verdict]
    n = seen.answers.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        again = np.where(n > 1, n / (n - 1) * (1 - np.sum(seen.shares**2, axis=2)), np.nan)
    reworded, rerun = row_means(1 - same), row_means(again)
    return Flips(*(mean_of(one, level, seen.cluster) for one in (reworded, rerun, reworded - rerun)))


def worth(seen: Rightness, level: float) -> Worth:
    """How many independent judges the panel is worth, on items that all of them judged."""
    errors = 1 - seen.by_judge()
    known = ~np.isnan(errors).any(axis=1)
    return independent_judges(errors[known], level, seen.cluster[known])


def drops(seen: Rightness, majority: Floats, level: float) -> tuple[Drop, ...]:
    """The majority without each judge, the one without whom it is right most often first."""
    if len(seen.judges) < 3:
        return ()
    out, level = [], 1 - (1 - level) / len(seen.judges)
    for place, judge in enumerate(seen.judges):
        gains = seen.majority(np.flatnonzero(seen.judge != place)) - majority
        found = mean_of(gains, level, seen.cluster)
        told = found.low > 0 or found.high < 0
        out.append(Drop(judge, found, 0.0 if told else more_labels(gains, level, seen.cluster)))
    return tuple(sorted(out, key=lambda one: -one.gain.value))


def more_labels(gains: Floats, level: float, cluster: Ints) -> float:
    """Labels beyond those at hand at which a mean of this size and spread is told from zero with a chance of 90%."""
    known = ~np.isnan(gains)
    gains = gains[known]
    if not abs(gains.mean()) > _ROUNDING:
        return math.inf
    reach = t_quantile(np.inf, (1 + level) / 2) + t_quantile(np.inf, _POWER)
    needed = len(gains) * (reach * standard_error(gains, cluster[known])[0] / float(gains.mean())) ** 2
    return max(0.0, float(np.ceil(needed)) - len(gains))
