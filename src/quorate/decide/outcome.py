"""Outcomes: what a comparison of two systems ends in, whatever says how good they are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from quorate import rules
from quorate.arguments import argument
from quorate.arrays import Floats, Ints
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.difference import SystemDifference, difference
from quorate.estimate.differences.methods import two_systems
from quorate.estimate.votes.clustered import Cluster
from quorate.estimate.votes.margin import margin_of_votes
from quorate.frozen import dataclass
from quorate.numerics.distributions import chi_square_tail, f_tail
from quorate.numerics.inference import holm
from quorate.numerics.votes import binomial
from quorate.numerics.votes.binomial import clopper_pearson, p_value
from quorate.planning.power.sample_size import check_power
from quorate.table.judgments import Judgments
from quorate.table.results import Interval, Result
from quorate.table.votes import Encoding, Votes
from quorate.wording import at_level, listed

TYPES = "prompt_type"
FEWEST = 10
"""Votes, clusters or items of a type."""
_SHOWN, _ROUNDING = 5, 1e-9


@dataclass(frozen=True)
class TypeDifference(Result):
    """By how much two systems differ on one type of prompts, or on the items of one category.

    Parameters
    ----------
    type : str
        Label.
    value, low, high : float
        Margin of votes or difference of scores, with the interval of this type alone.
    n : int
        Votes, or items.
    p, p_adjusted : float
        P-value of no difference on this type, and the same by Holm over all types.
    """

    type: str
    value: float
    low: float
    high: float
    n: int
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class Types(Result):
    """Whether two systems differ by the same on all types, and their difference on each.

    Parameters
    ----------
    by : str
        Facet whose levels are the types.
    p : float
        P-value that the difference is the same on every type.
    each : tuple of TypeDifference
        Types with 10 votes (clusters, where there are any) or items.
    """

    by: str
    p: float
    each: tuple[TypeDifference, ...]

    def words(self, a: str, alpha: float, *, less: bool = False) -> str:
        """That types differ, and on which the first is better, where ``less`` is, or worse; empty if not shown."""
        if not self.p <= alpha:
            return ""
        clear = [one for one in self.each if one.p_adjusted <= alpha]
        sides = {
            "better": [one.type for one in clear if (one.value < 0 if less else one.value > 0)],
            "worse": [one.type for one in clear if (one.value > 0 if less else one.value < 0)],
        }
        parts = [f"{word} on {listed(names, most=_SHOWN)}" for word, names in sides.items() if names]
        said = f"{a} is {' and '.join(parts)}" if parts else "on none of them by itself is it clear"
        p = "p < .0001" if self.p < 1e-4 else f"p = {self.p:.2g}"
        return f"That is not the same on every {self.by.replace('_', ' ')} ({p}): {said} (Holm over {len(self.each)})."


def types_of_votes(
    votes: Votes, a: str, b: str, *, ties: Encoding = "drop", cluster: Cluster | None = None, level: float = 0.95
) -> Types | None:
    """Margins by type of prompt, and whether they are the same; None without two types of 10 votes or clusters.

    Parameters
    ----------
    votes, a, b, ties, cluster
        As for `quorate.estimate.votes.margin.margin_of_votes`, which gives the margin of each type and its error.
    level : float
        Coverage of the interval of each type.

    Notes
    -----
    Pearson's test where votes are independent; `brown_forsythe` where they are clustered.
    """
    if TYPES not in votes.names:
        return None
    pair = votes.pair(a, b)
    types, found = pair.column(TYPES), []
    for code in np.unique(types[types >= 0]).tolist():
        try:
            one = margin_of_votes(pair.keep(types == code), a, b, ties=ties, cluster=cluster)
        except NotEstimable:
            continue
        units = min(one.exact.n if one.exact else one.n, one.effective)  # clusters that are unanimous count once
        if units > FEWEST - _ROUNDING:
            found.append((pair.facet(TYPES).levels[code], one))
    if len(found) < 2:
        return None
    value = np.array([one.value for _, one in found])
    n = np.array([one.exact.n if one.exact else min(one.n, one.effective) for _, one in found])
    if np.isfinite([one.df for _, one in found]).any():
        error = np.array([one.se for _, one in found])
        df = np.array([one.df if np.isfinite(one.df) else one.n - 1 for _, one in found])
        p = brown_forsythe(value, np.where(error > 0, error, 0.0) ** 2 * n, n, df)
    else:
        p = pearson(0.5 + value, n)
    tests = [one.p_difference() for _, one in found]
    rows = [(label, one.value, *one.at(level).ends, one.n) for label, one in found]
    return Types(TYPES, p, _adjusted(rows, tests))


def types_of_scores(found: SystemDifference, judgments: Judgments, level: float = 0.95) -> Types | None:
    """Differences by category of the items, and whether they are the same; None without two of 10 shared items.

    Parameters
    ----------
    found : SystemDifference
        The difference over all items.
    judgments : Judgments
        What it was found from.
    level : float
        Coverage of the interval of each category.

    Notes
    -----
    `brown_forsythe` on the mean differences of items in the cells that both systems have: it is about these judges and
    prompts. The difference of each category is that of `quorate.compare` on its items alone.
    """
    grouping = next(iter(judgments.ancestors(judgments.object)), None)
    if grouping is None or grouping == found.facet:
        return None
    values = dict(_by_category(found, judgments, grouping))
    if len(values) < 2:
        return None
    groups = list(values.values())
    n = np.array([len(one) for one in groups], dtype=float)
    means, variances = (np.array([f(one) for one in groups]) for f in (np.mean, lambda one: np.var(one, ddof=1)))
    p = brown_forsythe(means, variances, n, n - 1)
    rows, tests = [], []
    for label in values:
        own = judgments.only(grouping, label)
        try:
            one = difference(
                own, found.a, found.b, facet=found.facet, method=found.method, targets=found.asked, **found.model
            )
        except NotEstimable:
            continue
        rows.append((label, one.value, *one.at(level).ends, one.items))
        tests.append(one.p_difference())
    return Types(grouping, p, _adjusted(rows, tests))


def _by_category(found: SystemDifference, judgments: Judgments, grouping: str) -> Iterator[tuple[str, Floats]]:
    """Mean differences of the items of every category that has enough of them, over the cells that both have."""
    apart = two_systems(judgments, found.a, found.b, facet=found.facet)
    first, second = apart.shared
    gap, side = apart.first.mean[first] - apart.second.mean[second], apart.first
    item, category = side.column(side.object)[first], side.column(grouping)[first]
    for code in np.unique(category).tolist():
        own = category == code
        items = np.unique(item[own], return_inverse=True)[1]
        if own.any() and items.max() + 1 >= FEWEST:
            yield side.facet(grouping).levels[code], np.bincount(items, gap[own]) / np.bincount(items)


def types_of_counts(labels: Sequence[str], wins: Ints, n: Ints, level: float) -> Types | None:
    """The same of independent votes that are counted already; None without two types of 10."""
    rows, tests = [], []
    for label, k, m in zip(labels, wins.tolist(), n.tolist(), strict=True):
        if m >= FEWEST:
            low, high = clopper_pearson(k, m, level)
            rows.append((label, k / m - 0.5, float(low) - 0.5, float(high) - 0.5, m))
            tests.append(float(p_value(k, m)))
    if len(rows) < 2:
        return None
    share, counts = (np.array([row[at] for row in rows], dtype=float) for at in (1, 4))
    return Types(TYPES, pearson(0.5 + share, counts), _adjusted(rows, tests))


def _adjusted(
    rows: Sequence[tuple[str, float, float, float, int]], tests: Sequence[float]
) -> tuple[TypeDifference, ...]:
    """Types with their p-values, also held together by Holm's procedure."""
    adjusted = holm(np.array(tests)).tolist() if tests else []
    return tuple(TypeDifference(*row, p, both) for row, p, both in zip(rows, tests, adjusted, strict=True))


def pearson(share: Floats, n: Floats) -> float:
    """P-value that shares of independent votes are the same, by Pearson's chi-squared.

    Parameters
    ----------
    share, n : array, shape (groups,)
        Shares, and votes of each.
    """
    of_all = float(share @ n / n.sum())
    if not 0 < of_all < 1:
        return 1.0
    return chi_square_tail(len(n) - 1, float(n @ (share - of_all) ** 2) / (of_all * (1 - of_all)))


def brown_forsythe(mean: Floats, variance: Floats, n: Floats, df: Floats) -> float:
    """P-value that means of unequal variances are the same; with two groups that of Welch's t test.

    Parameters
    ----------
    mean, variance, n, df : array, shape (groups,)
        Means, variances of what they are the means of, how many of these, and degrees of freedom of the variances.

    Notes
    -----
    Welch's test (1951) weighs groups by their estimated variances, and rejects up to four times too often where many
    groups are small and skewed; here variances are only added up. ``docs/methods/verdicts.md`` has the sizes of both.

    References
    ----------
    Brown and Forsythe (1974), Technometrics 16, 129-132, with the degrees of freedom of Mehrotra (1997),
    Communications in Statistics - Simulation 26, 1139-1145.

    Examples
    --------
    >>> n = np.array([10.0, 10.0])
    >>> round(brown_forsythe(np.array([0.0, 1.0]), np.ones(2), n, n - 1), 4)
    0.0382
    """
    part = n / n.sum()
    spread = (1 - part) * variance
    if not spread.any():
        return 1.0 if np.ptp(mean) == 0 else 0.0
    ratio = float(n @ (mean - part @ mean) ** 2) / spread.sum()
    first = spread.sum() ** 2 / ((variance**2).sum() + (part @ variance) ** 2 - 2 * part @ variance**2)
    return f_tail(first, spread.sum() ** 2 / (spread**2 / df).sum(), ratio)


Claim = Literal["better", "equivalent", "not worse"]
"""What a comparison was made to show."""

SUPPORTED, OPEN = 0, 2
"""Exit codes: what was asked is shown; it is not."""


class Outcome(StrEnum):
    """What a comparison shows; the values are the words that a reader sees."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


def stated(a: str, b: str, outcome: Outcome, margin: float | None, prefers: str) -> str:
    """A verdict in words, without its numbers; ``prefers`` is what is undecided of two systems."""
    if outcome is Outcome.UNDECIDED:
        return f"Undecided whether {a} or {b} {prefers}"
    if outcome is Outcome.EQUIVALENT:
        return f"{a} and {b} are equivalent within {margin:.4g}"
    return f"{a} is {outcome.value} than {b}"


def claimed(a: str, b: str, claim: Claim | None, margin: float | None, *, supported: bool) -> str:
    """Whether what was claimed is shown; empty where nothing was."""
    if claim is None:
        return ""
    least = "" if margin is None else f"less than {margin:.4g} worse than"
    what = {"better": "better than", "equivalent": "equivalent to", "not worse": least}[claim]
    shown = "PASS: {} is shown to be" if supported else "FAIL: {} is not shown to be"
    return f"{shown.format(a)} {what} {b}."


def supports(outcome: Outcome, claim: Claim | None, *, better: bool, not_worse: bool) -> bool:
    """Whether what was claimed is shown; without a claim, whether the first system is better or equivalent.

    An equivalent system may be better too, whence ``better`` beside the outcome.
    """
    if claim == "equivalent":
        return outcome is Outcome.EQUIVALENT
    if claim == "better":
        return better
    return outcome in (Outcome.BETTER, Outcome.EQUIVALENT) or (claim == "not worse" and not_worse)


class Difference(Protocol):
    """By how much two systems differ: a margin of votes, or a difference of scores."""

    @property
    def value(self) -> float:
        """The difference; above 0 where the first system has more."""

    @property
    def n(self) -> int:
        """Votes or answers used."""

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on it."""

    def at(self, level: float) -> Interval:
        """The difference with its interval."""

    def equivalence_interval(self, alpha: float = 0.05) -> Interval:
        """The difference with the interval that the test of equivalence rests on."""


@dataclass(frozen=True)
class AnyVerdict(Result, ABC):
    """What a comparison of ``a`` with ``b`` shows, how sure that is, and what more would decide it.

    Parameters
    ----------
    a, b : str
        The two systems; the outcome is about ``a``.
    outcome : Outcome
        ``EQUIVALENT`` only with a margin, and whenever that is shown, even if a small difference is shown too.
    difference : Difference
        By how much they differ, with its intervals.
    margin : float or None
        Half-width of the range about 0 that counts as equal, as stated.
    level : float
        Coverage of the interval; tests are at ``1 - level``.
    p_difference : float
        Two-sided p-value that there is no difference.
    p_equivalence : float or None
        P-value that the difference is the margin or more; None without a margin.
    power : float
        Chance of detection that `detectable` and the next step are for.
    error_rate : float
        Largest chance of a false verdict, whatever the truth, where tests are exact; else the nominal level of t tests.
    next_step : Result or None
        What would decide; None where it is decided, or nothing would do.
    claim : str or None
        What was to be shown, for the exit code.
    types : Types or None
        The difference by type of prompt or category of items; None without two types to compare.
    """

    a: str
    b: str
    outcome: Outcome
    difference: Difference
    margin: float | None
    level: float
    p_difference: float
    p_equivalence: float | None
    power: float
    error_rate: float
    next_step: Result | None
    claim: Claim | None = None
    types: Types | None = None

    derived = ("detectable",)
    _prefers: ClassVar[str]
    """What is undecided of two systems."""

    @classmethod
    def of(cls, found: Any, outcome: Outcome, *, margin: float | None, **more: Any) -> Self:
        """The verdict that a difference leads to, with its tests; ``more`` is what else it says."""
        p_equivalence = None if margin is None else found.p_equivalence(margin)
        tests: dict[str, Any] = {"p_difference": found.p_difference(), "p_equivalence": p_equivalence}
        return cls(a=found.a, b=found.b, outcome=outcome, difference=found, margin=margin, **tests, **more)

    @property
    @abstractmethod
    def detectable(self) -> float | None:
        """Smallest difference that such a study detects with a chance of ``power``; None if it detects none."""

    @property
    @abstractmethod
    def whom(self) -> str:
        """For whom the verdict speaks; empty where there is nothing to add."""

    @property
    def estimate(self) -> Interval:
        """The difference with its interval."""
        return self.difference.at(self.level)

    @property
    def p_types(self) -> float | None:
        """P-value that the difference is the same on every type; None without types."""
        return None if self.types is None else self.types.p

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.difference.caveats

    @property
    def supported(self) -> bool:
        """Whether what was asked is shown; without a claim, whether ``a`` is better or equivalent."""
        better = self.p_difference <= (1 - self.level) * binomial.SLACK and self.ahead > 0
        not_worse = self.claim == "not worse" and self.margin is not None and self._worst < self.margin
        return supports(self.outcome, self.claim, better=better, not_worse=not_worse)

    @property
    def less_is_better(self) -> bool:
        """Whether the system that has less is the better."""
        return False

    @property
    def ahead(self) -> float:
        """By how much the first system is better: the difference, or what it is below 0 where less is better."""
        return -self.difference.value if self.less_is_better else self.difference.value

    @property
    def _worst(self) -> float:
        """By how much the first may be worse, one-sided."""
        low, high = self.difference.equivalence_interval((1 - self.level) / 2).ends
        return high if self.less_is_better else -low

    @property
    def exit_code(self) -> int:
        """0: what was asked is shown; 2: it is not, be it that ``a`` is worse or that nothing is decided."""
        return SUPPORTED if self.supported else OPEN

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        gate = claimed(self.a, self.b, self.claim, self.margin, supported=self.supported)
        verdict = stated(self.a, self.b, self.outcome, self.margin, self._prefers)
        by_type = "" if self.types is None else self.types.words(self.a, 1 - self.level, less=self.less_is_better)
        if self.supported and self.claim == self.outcome.value:
            gate, verdict = "", f"PASS: {verdict}"
        parts = (gate, f"{verdict}: {self._numbers()}.", self._each_item(), by_type, self._rest())
        return " ".join(part for part in parts if part)

    def _each_item(self) -> str:
        """On how many items either is ahead; empty of votes."""
        return ""

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values.

        ``low`` and ``high`` are the ends of the interval at ``level``. ``equivalence_low`` and ``equivalence_high`` are
        those of the one that the test of equivalence rests on, at ``equivalence_level``, which is ``2 level - 1``: 90%
        where ``level`` is 95%. They are None without a margin.
        """
        low, high = self.estimate.ends
        within = (None, None) if self.margin is None else self.difference.equivalence_interval(1 - self.level).ends
        return {
            **super().to_dict(),
            "outcome": self.outcome.value,
            "p_types": self.p_types,
            "low": low,
            "high": high,
            "equivalence_level": None if self.margin is None else self._equivalence_level,
            "equivalence_low": within[0],
            "equivalence_high": within[1],
            "supported": self.supported,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
        }

    @property
    def _equivalence_level(self) -> float:
        return 2 * self.level - 1

    def _rests_on(self, low: str, high: str, what: str) -> str:
        """The interval that equivalence rests on, and that ``what`` there is of one of the two is real, if it is."""
        rests = f"This rests on the {at_level(self._equivalence_level)} interval {low} to {high}."
        real = f" The {what} {self.a if self.ahead > 0 else self.b} is real but that small."
        return rests + (real if self.p_difference <= 1 - self.level else "")

    @abstractmethod
    def _numbers(self) -> str:
        """The difference with its interval."""

    @abstractmethod
    def _rest(self) -> str:
        """What else there is to say: what is undecided, and what would decide it."""


def outcome_by(value: float, p_difference: float, p_equivalence: float | None, alpha: float) -> Outcome:
    """What two tests at one level show of a difference; equivalence comes first.

    Parameters
    ----------
    value : float
        The difference.
    p_difference, p_equivalence : float
        P-values of no difference, and of one that is the margin or more; None without a margin.
    alpha : float
        Level of every test.
    """
    if p_equivalence is not None and p_equivalence <= alpha * binomial.SLACK:
        return Outcome.EQUIVALENT
    if p_difference > alpha * binomial.SLACK:
        return Outcome.UNDECIDED
    return Outcome.BETTER if value > 0 else Outcome.WORSE


def check_question(margin: float | None, level: float, claim: str | None, power: float, most: float = math.inf) -> None:
    """Refuse what cannot be asked of a comparison; its margin is above 0 and below the most."""
    rules.number("level", level, above=0.5, below=1)
    if margin is not None:
        rules.number("margin", margin, above=0, below=most)
    check_power(power, 1 - level)
    if claim is not None:
        rules.one_of("claim", claim, Claim)
    if claim in ("equivalent", "not worse") and margin is None:
        example = argument("margin", 0.05)
        raise InvalidInput(f'claim: "{claim}" is within a margin; state it, for example ' + example)
