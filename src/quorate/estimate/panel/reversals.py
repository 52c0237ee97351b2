"""Reversals: the systems that one judge alone would put in another order than the panel."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from quorate import rules
from quorate.arrays import Floats
from quorate.errors import NotEstimable
from quorate.estimate.differences.spread import Contrasts
from quorate.estimate.panel.judge_means import JudgeMeans, MeansResult, means_of
from quorate.frozen import dataclass
from quorate.numerics.correlation import kendall
from quorate.numerics.inference import holm
from quorate.table.judgments import Judgments
from quorate.table.results import Row
from quorate.wording import counted, listed, plural

Against = Literal["panel", "others"]
_NUMBERS = ("mean", "se", "df", "low", "high")
_TOLD = 2
"""Judges of whom it is said one by one what each would turn round."""
_NO_SPREAD = "no spread to judge by"


@dataclass(frozen=True)
class OrderDifference:
    """Mean of one system less that of another, with its own interval and two-sided p-value."""

    value: float
    se: float
    df: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Reversal:
    """Two systems that a judge puts in the opposite order.

    Parameters
    ----------
    judge : str
        Who.
    first, second : str
        Systems in the order of the panel.
    panel : OrderDifference
        First less second for the panel, or for the other judges; above zero.
    alone : OrderDifference
        The same for this judge; below zero.
    p_holm : float
        The larger of the two p-values, adjusted for all judges and pairs of systems; nan where there is no spread.
    sure : bool
        Whether that is below 1 - level; else the reversal is possible, no more.
    """

    judge: str
    first: str
    second: str
    panel: OrderDifference
    alone: OrderDifference
    p_holm: float
    sure: bool

    @property
    def has_spread(self) -> bool:
        """Whether there is a spread over items to judge by; not where all give one side the same difference."""
        return not np.isnan(self.p_holm)

    @property
    def verdict(self) -> str:
        """``sure``, ``possible`` or ``no spread to judge by``."""
        return ("sure" if self.sure else "possible") if self.has_spread else _NO_SPREAD


@dataclass(frozen=True)
class Order:
    """How one judge alone would rank.

    Parameters
    ----------
    judge : str
        Who.
    order : tuple of str
        Systems, best first; equal ones as the panel has them.
    tied : tuple of str
        Those that are equal to the one before them.
    tau : float
        Kendall's tau-b with the panel.
    top_differs : bool
        Whether the panel has another system first, beyond ties.
    tau_others, top_differs_from_others : float, bool
        The same with the panel without this judge.
    """

    judge: str
    order: tuple[str, ...]
    tied: tuple[str, ...]
    tau: float
    top_differs: bool
    tau_others: float
    top_differs_from_others: bool


@dataclass(frozen=True)
class MeanScore:
    """Mean score of a system by one judge, or by the panel where ``judge`` is None."""

    judge: str | None
    system: str
    mean: float
    se: float
    df: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Reversals(MeansResult):
    """Every judge's ranking against the panel's. Made by `reversals`.

    Parameters
    ----------
    means : JudgeMeans
        What the differences are contrasts of.
    order : tuple of str
        Systems in the order of the whole panel, best first.
    tied : tuple of str
        Those that are equal to the one before them.
    judges : tuple of Order
        Ranking of every judge alone.
    found : tuple of Reversal
        Every pair of systems that a judge puts in the opposite order; sure ones first, then by p-value, those without
        a spread last.
    table : tuple of MeanScore
        Means by judge and system, then those of the panel.
    against : {"panel", "others"}
        What each judge is compared with.
    level : float
        Coverage of each interval.
    """

    means: JudgeMeans
    order: tuple[str, ...]
    tied: tuple[str, ...]
    judges: tuple[Order, ...]
    found: tuple[Reversal, ...]
    table: tuple[MeanScore, ...]
    against: Against
    level: float

    entries = "order tied judges found table against level method=means.method sentence"

    @property
    def sure(self) -> tuple[Reversal, ...]:
        """Reversals that chance does not explain."""
        return tuple(pair for pair in self.found if pair.sure)

    @property
    def possible(self) -> tuple[Reversal, ...]:
        """Reversals that chance may explain."""
        return tuple(pair for pair in self.found if pair.has_spread and not pair.sure)

    @property
    def without_spread(self) -> tuple[Reversal, ...]:
        """Reversals of which nothing can be said: all items give one side the same difference."""
        return tuple(pair for pair in self.found if not pair.has_spread)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What every judge alone would turn round; none for a judge that would turn nothing."""
        judges = {pair.judge for pair in self.found}
        return tuple(self._sentence(order) for order in self.judges if order.judge in judges)

    @property
    def sentence(self) -> str:
        """The same in one line; of more than two judges how many they are, and who they surely are."""
        systems, told = plural(self.means.system or "system"), self.sentences
        if not told:
            return f"No {self.means.judge} alone would reverse the order of any two {systems}."
        if len(told) <= _TOLD:
            return " ".join(told)
        surely = {pair.judge for pair in self.sure}
        of = "none of them for sure"
        if surely:
            who = [order.judge for order in self.judges if order.judge in surely]
            of = f"{len(surely)} of them for sure: {listed(who, most=6)}"
        every = counted(len(self.judges), self.means.judge)
        return f"{len(told)} of {every} alone would reverse the order of some {systems}, {of}."

    def rows(self) -> list[Row]:
        """One row for every reversal."""
        sides, numbers = ("panel", "alone"), ("value", "se", "low", "high")
        return [
            {"judge": pair.judge, "first": pair.first, "second": pair.second}
            | {f"{side}_{name}": getattr(getattr(pair, side), name) for side in sides for name in numbers}
            | {"p_holm": pair.p_holm, "sure": pair.sure}
            for pair in self.found
        ]

    def _sentence(self, order: Order) -> str:
        pairs = [pair for pair in self.found if pair.judge == order.judge]
        if order.top_differs if self.against == "panel" else order.top_differs_from_others:
            compared = _reference(self.means, self.against)[self.means.judges.index(order.judge)]
            leader, top = self.means.systems[int(np.argmax(self.means.sign * compared))], order.order[0]
            turned = next(pair for pair in pairs if (pair.first, pair.second) == (leader, top))
            panel = "the panel puts" if self.against == "panel" else "the others put"
            return f"{order.judge} alone would put {top} first; {panel} {leader} first ({turned.verdict})."
        if len(pairs) < 4:
            swaps = listed(f"{pair.second} above {pair.first} ({pair.verdict})" for pair in pairs)
            return f"{order.judge} alone would put {swaps}."
        every = len(self.order) * (len(self.order) - 1) // 2
        sure, bare = sum(pair.sure for pair in pairs), sum(not pair.has_spread for pair in pairs)
        count = f"reverse {len(pairs)} of {counted(every, 'pair')}, {sure} of them for sure"
        return f"{order.judge} alone would {count}{f', {bare} with {_NO_SPREAD}' if bare else ''}."


def reversals(
    source: Judgments | JudgeMeans, *, against: Against = "panel", level: float = 0.95, **options: Any
) -> Reversals:
    """Which judge, had it been the only one, would have ranked the systems differently.

    A panel's score is the plain mean over its judges.

    Parameters
    ----------
    source : Judgments or JudgeMeans
        From `quorate.read`, or the means of these judgments.
    against : {"panel", "others"}
        The whole panel, whose ranking is the one reported, or the panel without the judge. A judge pulls the panel its
        way, so that whatever it reverses in the panel it reverses among the others too, and more.
    level : float
        Coverage of each interval, in (0, 1); the chance of any false sure reversal is below 1 - level.
    **options
        As for `judge_means`: ``judge``, ``system``, ``generation``, ``method``.

    Returns
    -------
    Reversals

    Raises
    ------
    InvalidInput
        If an option breaks a rule.
    NotEstimable
        If there are fewer than 2 systems or judges.

    Notes
    -----
    A reversal is sure if the panel's difference and the judge's are both not zero, on opposite sides: the larger of the
    two p-values is that of the pair, and Holm's adjustment runs over all judges and pairs of systems.

    References
    ----------
    Zhu et al. (2026), CyclicJudge, Table 1; Gail and Simon (1985), Biometrics 41, 361-372, on reversed effects.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> score = {("x", "a"): 4, ("x", "b"): 6, ("y", "a"): 9, ("y", "b"): 5}
    >>> rows = [(i, *key, value + (i * 7 + value) % 3) for i in range(9) for key, value in score.items()]
    >>> turned = reversals(q.read(polars.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row")))
    >>> turned.sentence
    'x alone would put b first; the panel puts a first (sure).'
    """
    rules.one_of("against", against, ("panel", "others"))
    means = means_of(source, level, options)
    if len(means.systems) < 2:
        raise NotEstimable("1 system: at least 2 are needed for an order to be reversed; name their column as system")
    panel = _reference(means, "panel")[0]
    judges = []
    for judge, single, others in zip(means.judges, _rounded(means.mean), _reference(means, "others"), strict=True):
        best = single == _most(means, single)
        differs = [not (best & (other == _most(means, other))).any() for other in (panel, others)]
        taus = [float(kendall(single[None], other)[0]) for other in (panel, others)]
        order = _best_first(means, single, panel)
        judges.append(Order(judge, *order, taus[0], differs[0], taus[1], differs[1]))
    order, found = _best_first(means, panel, panel), _reversed_pairs(means, against, level)
    return Reversals(means, *order, tuple(judges), found, _mean_scores(means, level), against, level)


def _reference(means: JudgeMeans, against: Against) -> Floats:
    """Mean of every system in what each judge is compared with, shape (judges, systems)."""
    panel = np.broadcast_to(means.mean.mean(axis=0), means.mean.shape)
    judges = len(means.judges)
    return _rounded(panel if against == "panel" else (judges * panel - means.mean) / (judges - 1))


def _most(means: JudgeMeans, score: Floats) -> float:
    """The best of these scores."""
    return float(score.min() if means.less_is_better else score.max())


def _rounded(score: Floats) -> Floats:
    """The same to ten digits, so that ties are ties whatever the order of summation."""
    return np.round(score, 10 - int(np.ceil(np.log10(max(float(np.abs(score).max()), 1e-200)))))


def _best_first(means: JudgeMeans, score: Floats, among_equal: Floats) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Systems by score, equal ones by another; and those that are equal to the one before them."""
    order = np.lexsort((-means.sign * among_equal, -means.sign * score))
    tied = order[1:][np.diff(score[order]) == 0]
    return tuple(means.systems[s] for s in order), tuple(means.systems[s] for s in tied)


def _reversed_pairs(means: JudgeMeans, against: Against, level: float) -> tuple[Reversal, ...]:
    """Every pair of systems that a judge puts in the opposite order, sure ones first."""
    judges, systems = means.mean.shape
    pairs = np.array(np.triu_indices(systems, 1)).T
    signs = np.eye(systems)[pairs[:, 0]] - np.eye(systems)[pairs[:, 1]]
    single = np.eye(judges)
    reference = np.full((judges, judges), 1 / judges) if against == "panel" else (1 - single) / (judges - 1)
    panel, alone = (_contrast(means, np.multiply.outer(rows, signs).swapaxes(1, 2)) for rows in (reference, single))
    least = 1e-10 * float(np.abs(means.mean).max())  # rounding errors have no sign
    opposite = (np.minimum(panel.value, alone.value) < -least) & (np.maximum(panel.value, alone.value) > least)
    adjusted = holm(np.where(opposite, np.maximum(panel.p, alone.p), 1.0))
    out = []
    for at in map(int, np.flatnonzero(opposite)):
        judge, pair = divmod(at, len(pairs))
        turn = means.sign if panel.value[at] > 0 else -means.sign  # the better of the two comes first
        first, second = (means.systems[s] for s in pairs[pair][::turn])
        sides = []
        for side in (panel, alone):
            gap = Contrasts(turn * side.value[[at]], side.se[[at]], side.df[[at]])
            sides.append(OrderDifference(*(float(column[0]) for column in (*gap, *gap.interval(level), gap.p))))
        p = float(adjusted[at])
        out.append(Reversal(means.judges[judge], first, second, sides[0], sides[1], p, sure=bool(p < 1 - level)))

    def certainty(pair: Reversal) -> tuple[bool, bool, float]:
        return not pair.sure, not pair.has_spread, max(pair.panel.p, pair.alone.p) if pair.has_spread else 1.0

    return tuple(sorted(out, key=certainty))


def _contrast(means: JudgeMeans, weights: Floats) -> Contrasts:
    return means.contrast(weights.reshape(-1, *means.mean.shape))


def _mean_scores(means: JudgeMeans, level: float) -> tuple[MeanScore, ...]:
    """Means by judge and system, then those of the panel."""
    judges, systems = means.mean.shape
    rows = np.vstack([np.eye(judges), np.full((1, judges), 1 / judges)])
    scores = _contrast(means, np.multiply.outer(rows, np.eye(systems)).swapaxes(1, 2))
    columns = dict(zip(_NUMBERS, (*scores, *scores.interval(level)), strict=True))
    n = [*means.n.ravel().tolist(), *means.n.sum(axis=0).tolist()]
    labels = [(judge, system) for judge in (*means.judges, None) for system in means.systems]
    return tuple(
        MeanScore(judge, system, **{name: float(column[i]) for name, column in columns.items()}, n=n[i])
        for i, (judge, system) in enumerate(labels)
    )
