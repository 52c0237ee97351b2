"""Yardsticks: what labels of people say of configurations, of their majority, of rewordings and of a panel."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate import shares
from quorate.estimate.agreement.rightness import Rightness, row_means
from quorate.frozen import dataclass
from quorate.numerics.correlation import ranks
from quorate.numerics.distributions import t_cdf, t_quantile
from quorate.numerics.inference import benjamini_yekutieli, checked_level, equal_tails, student_limits
from quorate.numerics.panel.judges import Worth, independent_judges
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import Brief, percent

Alignment = Literal["same", "distance"]
FEWEST = 30
"""Items of a person below which the mean of differences is not taken for normal."""


@dataclass(frozen=True)
class Stood(Brief):
    """A model in the place of one person.

    Parameters
    ----------
    person : str
        Whom it replaces.
    items : int
        Items that the person, the model and another person judged.
    model, people : float
        Share of items on which the model, and the person, agrees with the others as well as the other does or better.
    low, high : float
        Interval of ``people - model`` over items.
    p : float
        P-value of "the model is worse by ``epsilon`` or more", one-sided.
    beaten : bool
        Whether that is rejected, with a false discovery rate of ``rate`` over people.
    """

    person: str
    items: int
    model: float
    people: float
    low: float
    high: float
    p: float
    beaten: bool


@dataclass(frozen=True)
class AltTest(Result):
    """Whether a model may stand in for people.

    Parameters
    ----------
    model : str
        Which model.
    each : tuple of Stood
        By person.
    epsilon : float
        By how much it may be worse: what a person costs more, as a share of items.
    rate : float
        False discovery rate over people.
    level : float
        Coverage of the intervals.
    """

    model: str
    each: tuple[Stood, ...]
    epsilon: float
    rate: float
    level: float

    derived = ("sentence", "winning_rate", "advantage", "passes")

    @property
    def winning_rate(self) -> float:
        """Share of people whom it may replace (omega)."""
        return float(np.mean([one.beaten for one in self.each]))

    @property
    def advantage(self) -> float:
        """Share of items on which it does as well as a person, averaged over people (rho): compares models."""
        return float(np.mean([one.model for one in self.each]))

    @property
    def passes(self) -> bool:
        """Whether it may replace half of the people or more."""
        return self.winning_rate >= 1 / 2

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        won = sum(one.beaten for one in self.each)
        return (
            f"{self.model} {'may' if self.passes else 'is not shown to'} stand in for people: it does as well as "
            f"{won} of {len(self.each)} of them, worse by less than {percent(self.epsilon)} of items (half are "
            f"needed); on {percent(self.advantage)} of items it agrees with the others as well as the one it replaces."
        )

    def rows(self) -> list[Row]:
        """One row a person."""
        return [dict(vars(one)) for one in self.each]


def alt_test(
    judgments: Judgments,
    model: str,
    *,
    people: Collection[str] = (),
    epsilon: float = 0.2,
    alignment: Alignment = "same",
    rate: float = 0.05,
    level: float = 0.95,
) -> AltTest:
    """Whether a model agrees with people at least as well as each of them does with the others.

    Each person in turn is left out, and the model takes the place. On every item it is seen which of the two agrees
    with the other people at least as well; a tie counts for both.

    Parameters
    ----------
    judgments : Judgments
        Marks or labels as numbers, by people and the model on the same items.
    model : str
        The judge that is to stand in.
    people : collection of str
        Judges that are people: three or more. All others by default.
    epsilon : float
        By how much the model may be worse, as a share of items: .2 where people are experts, .15 where skilled, .1
        where many can do it, as the authors advise.
    alignment : {"same", "distance"}
        Whether agreement is the share of others who say the same, or minus the root mean square distance to them.
    rate : float
        False discovery rate over people, by Benjamini and Yekutieli's procedure.
    level : float
        Coverage of intervals.

    Raises
    ------
    InvalidInput
        If the model is not a judge, or is one of the people, or an argument is out of range.
    NotEstimable
        If there are fewer than three people, or fewer than 30 items of one of them.

    References
    ----------
    Calderon, Reichart and Dror (2025), ACL, arXiv:2501.10970, sections 3.1 to 3.4.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> import quorate as q
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 200)
    >>> said = {name: np.where(rng.random(200) < share, truth, 1 - truth) for name, share in
    ...         {"ana": 0.8, "ben": 0.8, "eva": 0.8, "m": 0.9}.items()}
    >>> frame = pl.DataFrame({"item": range(200), **said})
    >>> long = frame.unpivot(index="item", variable_name="judge", value_name="score")
    >>> found = q.agreement.alt_test(q.read(long, announce=False), "m", epsilon=0.1)
    >>> found.winning_rate, found.passes
    (1.0, True)
    """
    checked_level(level)
    if not 0 <= epsilon < 1 or not 0 < rate < 1:
        raise InvalidInput(f"epsilon, rate: from 0 and below 1, and between 0 and 1; got {epsilon} and {rate}")
    judges = judgments.facet(JUDGE).levels
    chosen = [name for name in judges if name != model and (name in people or not people)]
    if model not in judges or model in people:
        raise InvalidInput(
            f'model: one of the judges that is not among people, got "{model}"; there are {list(judges)}'
        )
    if len(chosen) < 3:
        raise NotEstimable(
            f"people: three are the least, so that there are others to agree with; got {len(chosen)}; name them with "
            + argument("people", ["ana", "ben", "eva"])
        )
    table = marks(judgments)
    place = {name: at for at, name in enumerate(judges)}
    stood = [
        differences(table, place[model], place[one], [place[o] for o in chosen if o != one], alignment)
        for one in chosen
    ]
    for name, (does, _) in zip(chosen, stood, strict=True):
        if len(does) < FEWEST:
            raise NotEstimable(
                f"{name}: {FEWEST} items that this person, another and the model judged are the least for the test, "
                f"got {len(does)}; have more judged, or leave this person out"
            )
    tested = []
    for does, person in stood:
        d, n = person - does, len(does)
        gap = float(d.mean())
        error = max(float(d.std(ddof=1)), 0.5 / n) / math.sqrt(n)  # all alike: half an item apart
        tested.append((d.mean(), t_quantile(n - 1, (1 + level) / 2) * error, t_cdf(n - 1, (gap - epsilon) / error)))
    rejected = benjamini_yekutieli(np.array([p for *_, p in tested])) <= rate
    return AltTest(
        model,
        tuple(
            Stood(name, len(does), float(does.mean()), float(person.mean()), gap - reach, gap + reach, p, bool(out))
            for name, (does, person), (gap, reach, p), out in zip(chosen, stood, tested, rejected, strict=True)
        ),
        epsilon,
        rate,
        level,
    )  # fmt: skip


def marks(judgments: Judgments) -> Floats:
    """Mean score of every question by every judge, shape (questions, judges); nan where there is none."""
    used = judgments.keep(judgments.n > 0)
    question = used.level_codes([name for name in used.names if name != JUDGE])
    shape = int(question.max(initial=-1)) + 1, len(judgments.facet(JUDGE).levels)
    at = np.ravel_multi_index((question, used.column(JUDGE)), shape)
    size = shape[0] * shape[1]
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, used.n * used.mean, size) / np.bincount(at, used.n, size)
    return mean.reshape(shape)


def differences(
    table: Floats, model: int, person: int, others: list[int], alignment: Alignment
) -> tuple[Floats, Floats]:
    """Whether the model, and whether the person, agrees with the others at least as well; by item that all judged."""
    rest = table[:, others]
    whole = np.isfinite(table[:, model]) & np.isfinite(table[:, person]) & np.isfinite(rest).any(axis=1)
    rest = rest[whole]

    def agreement(judge: int) -> Floats:
        off = rest - table[whole, judge][:, None]
        if alignment == "same":
            return np.asarray(np.nanmean(np.where(np.isfinite(off), np.abs(off) < 1e-9, np.nan), axis=1))
        return np.asarray(-np.sqrt(np.nanmean(off**2, axis=1)))

    gap = np.round(agreement(model) - agreement(person), 12)
    return (gap >= 0).astype(float), (gap <= 0).astype(float)


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


def share_of(values: Floats, level: float, cluster: Ints, weights: Floats | None = None) -> Measured:
    """Mean of shares between 0 and 1, by weights where there are any; nan without a value."""
    weights = np.ones(len(values)) if weights is None else weights
    known = ~np.isnan(values) & (weights > _ROUNDING)
    found = shares.share_of(values[known], cluster[known], level, weights[known])
    return Measured(found.value, *found.ends)


def mean_of(values: Floats, level: float, cluster: Ints) -> Measured:
    """Mean with Student's interval over items, or over clusters of them."""
    known = ~np.isnan(values)
    values = values[known]
    if not len(values):
        return Measured(math.nan)
    value, (se, drawn) = float(values.mean()), standard_error(values, cluster[known])
    if drawn < 2:
        return Measured(value)
    return Measured(value, *student_limits(value, se, drawn - 1, level))


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
    return Measured(float(beaten(np.ones(len(right)))), *equal_tails(drawn, level))


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
        """Of what is won on every tested item, shape (splits, items); not known where what was chosen met none."""
        if not tested.any():
            return Measured(math.nan, math.nan, math.nan)
        with np.errstate(invalid="ignore"):
            of_split = (tested * gain).sum(axis=1) / tested.sum(axis=1)
            of_item = (tested * gain).sum(axis=0) / tested.sum(axis=0)
        one, each = float(np.nanmean(of_split)), ~np.isnan(of_item)
        over_items = standard_error(of_item[each], cluster[each])[0] ** 2
        variance = max((1 / splits + 1) * float(np.nanvar(of_split, ddof=1)), over_items)
        return Measured(one, *student_limits(one, float(np.sqrt(variance)), max(n // 2 - 1, 1), level))

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
