"""Whether one judge alone would reverse the order in which the panel puts the systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.differences.spread import Contrasts, holm
from quorate.estimate.panel.judge_means import JudgeMeans, means_of
from quorate.table.frames import frame
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

Against = Literal["panel", "others"]
_NUMBERS = ("mean", "se", "df", "low", "high")
_NO_SPREAD = "no spread to judge by"


@dataclass(frozen=True)
class Difference:
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
    panel : Difference
        First less second for the panel, or for the other judges; above zero.
    alone : Difference
        The same for this judge; below zero.
    p_holm : float
        The larger of the two p-values, adjusted for all judges and pairs of systems; nan where there is no spread.
    sure : bool
        Whether that is below 1 - level; else the reversal is possible, no more.
    """

    judge: str
    first: str
    second: str
    panel: Difference
    alone: Difference
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
        Systems, best first.
    tau : float
        Kendall's tau-b with the panel.
    top_differs : bool
        Whether the panel has another system first, beyond ties.
    tau_others, top_differs_from_others : float, bool
        The same with the panel without this judge.
    """

    judge: str
    order: tuple[str, ...]
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
class Reversals:
    """Every judge's ranking against the panel's. Made by `reversals`.

    Parameters
    ----------
    means : JudgeMeans
        What the differences are contrasts of.
    order : tuple of str
        Systems in the order of the whole panel, best first.
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
    judges: tuple[Order, ...]
    found: tuple[Reversal, ...]
    table: tuple[MeanScore, ...]
    against: Against
    level: float

    @property
    def sure(self) -> tuple[Reversal, ...]:
        """Reversals that chance does not explain."""
        return tuple(one for one in self.found if one.sure)

    @property
    def possible(self) -> tuple[Reversal, ...]:
        """Reversals that chance may explain."""
        return tuple(one for one in self.found if one.has_spread and not one.sure)

    @property
    def without_spread(self) -> tuple[Reversal, ...]:
        """Reversals of which nothing can be said: all items give one side the same difference."""
        return tuple(one for one in self.found if not one.has_spread)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What every judge alone would turn round; none for a judge that would turn nothing."""
        return tuple(self._said(one) for one in self.judges if any(r.judge == one.judge for r in self.found))

    @property
    def sentence(self) -> str:
        """The same in one line."""
        systems = plural(self.means.system or "system")
        none = f"No {self.means.judge} alone would reverse the order of any two {systems}."
        return " ".join(self.sentences) or none

    def to_frame(self) -> Any:
        """One row for every reversal, as a frame in the caller's library."""
        columns: dict[str, list[Any]] = {
            name: [getattr(one, name) for one in self.found] for name in ("judge", "first", "second")
        }
        for side in ("panel", "alone"):
            for name in ("value", "se", "low", "high"):
                columns[f"{side}_{name}"] = [getattr(getattr(one, side), name) for one in self.found]
        columns |= {name: [getattr(one, name) for one in self.found] for name in ("p_holm", "sure")}
        return frame(columns, self.means.backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        rows = {name: [asdict(one) for one in getattr(self, name)] for name in ("judges", "found", "table")}
        said = {"against": self.against, "level": self.level, "method": self.means.method, "sentence": self.sentence}
        return {"order": self.order, **rows, **said}

    def _said(self, one: Order) -> str:
        own = [r for r in self.found if r.judge == one.judge]
        differs = one.top_differs if self.against == "panel" else one.top_differs_from_others
        if differs:
            first = next(r for r in own if r.second == one.order[0] and self._leads(r, one))
            panel = "the panel puts" if self.against == "panel" else "the others put"
            return f"{one.judge} alone would put {one.order[0]} first; {panel} {first.first} first ({first.verdict})."
        sure = sum(r.sure for r in own)
        pairs = len(self.order) * (len(self.order) - 1) // 2
        swaps = listed(f"{r.second} above {r.first} ({r.verdict})" for r in own) if len(own) < 4 else ""
        bare = sum(not r.has_spread for r in own)
        count = f"reverse {len(own)} of {counted(pairs, 'pair')}, {sure} of them for sure"
        count += f", {bare} with {_NO_SPREAD}" if bare else ""
        return f"{one.judge} alone would {f'put {swaps}' if swaps else count}."

    def _leads(self, reversal: Reversal, one: Order) -> bool:
        """Whether the first of the two leads what this judge is compared with."""
        at = self.means.judges.index(one.judge)
        return self.means.systems[int(np.argmax(_reference(self.means, self.against)[at]))] == reversal.first


def reversals(
    source: Judgments | JudgeMeans, *, against: Against = "panel", level: float = 0.95, **options: Any
) -> Reversals:
    """Which judge, had it been the only one, would have ranked the systems differently.

    Higher scores are better; a panel's score is the plain mean over its judges.

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
    >>> found = reversals(q.read(polars.DataFrame(rows, schema=["item", "judge", "system", "score"], orient="row")))
    >>> found.sentence
    'x alone would put b first; the panel puts a first (sure).'
    """
    if against not in ("panel", "others"):
        raise InvalidInput(f"against: one of 'panel', 'others' is needed, got {against!r}")
    means = means_of(source, level, options)
    if len(means.systems) < 2:
        raise NotEstimable("1 system: at least 2 are needed for an order to be reversed; name their column as system")
    panel = _reference(means, "panel")[0]
    judges = tuple(_order(means, judge, panel) for judge in range(len(means.judges)))
    found = _found(means, against, level)
    return Reversals(means, _best_first(means, panel), judges, found, _table(means, level), against, level)


def _reference(means: JudgeMeans, against: Against) -> Floats:
    """Mean of every system in what each judge is compared with, shape (judges, systems)."""
    panel = np.broadcast_to(means.mean.mean(axis=0), means.mean.shape)
    judges = len(means.judges)
    return _rounded(panel if against == "panel" else (judges * panel - means.mean) / (judges - 1))


def _rounded(score: Floats) -> Floats:
    """The same to ten digits, so that ties are ties whatever the order of summation."""
    return np.round(score, 10 - int(np.ceil(np.log10(max(float(np.abs(score).max()), 1e-200)))))


def _best_first(means: JudgeMeans, score: Floats) -> tuple[str, ...]:
    return tuple(means.systems[s] for s in np.argsort(-score, kind="stable"))


def _order(means: JudgeMeans, judge: int, panel: Floats) -> Order:
    own, others = _rounded(means.mean)[judge], _reference(means, "others")[judge]
    differs = [_top_differs(own, other) for other in (panel, others)]
    taus = _tau(own, panel), _tau(own, others)
    return Order(means.judges[judge], _best_first(means, own), taus[0], differs[0], taus[1], differs[1])


def _top_differs(a: Floats, b: Floats) -> bool:
    """Whether the best of each is not also a best of the other."""
    return bool(a[np.argmax(b)] < a.max() and b[np.argmax(a)] < b.max())


def _tau(a: Floats, b: Floats) -> float:
    """Kendall's tau-b; nan where all are tied."""
    i, j = np.triu_indices(len(a), 1)
    signs = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
    ties = float(np.sqrt(np.sum(signs[0] ** 2) * np.sum(signs[1] ** 2)))
    return float(signs[0] @ signs[1]) / ties if ties else float("nan")


def _found(means: JudgeMeans, against: Against, level: float) -> tuple[Reversal, ...]:
    judges, systems = means.mean.shape
    pairs = np.array(np.triu_indices(systems, 1)).T
    signs = np.eye(systems)[pairs[:, 0]] - np.eye(systems)[pairs[:, 1]]
    own = np.eye(judges)
    reference = np.full((judges, judges), 1 / judges) if against == "panel" else (1 - own) / (judges - 1)
    panel, alone = (_contrast(means, np.multiply.outer(rows, signs).swapaxes(1, 2)) for rows in (reference, own))
    opposite = _opposite(panel.value, alone.value, float(np.abs(means.mean).max()))
    adjusted = holm(np.where(opposite, np.maximum(panel.p, alone.p), 1.0))
    out = []
    for at in np.flatnonzero(opposite):
        judge, pair = divmod(int(at), len(pairs))
        turn = 1 if panel.value[at] > 0 else -1
        first, second = (means.systems[s] for s in pairs[pair][::turn])
        whole, single = (_difference(side, int(at), turn, level) for side in (panel, alone))
        sure = bool(adjusted[at] < 1 - level)
        out.append(Reversal(means.judges[judge], first, second, whole, single, float(adjusted[at]), sure))
    return tuple(sorted(out, key=_certainty))


def _certainty(one: Reversal) -> tuple[bool, bool, float]:
    return not one.sure, not one.has_spread, max(one.panel.p, one.alone.p) if one.has_spread else 1.0


def _opposite(a: Floats, b: Floats, size: float) -> NDArray[np.bool_]:
    """Whether differences of scores of this size have opposite signs; rounding errors have none."""
    least = 1e-10 * size
    return (np.minimum(a, b) < -least) & (np.maximum(a, b) > least)


def _contrast(means: JudgeMeans, weights: Floats) -> Contrasts:
    return means.contrast(weights.reshape(-1, *means.mean.shape))


def _difference(found: Contrasts, at: int, turn: int, level: float) -> Difference:
    one = Contrasts(turn * found.value[[at]], found.se[[at]], found.df[[at]])
    columns = (*one, *one.interval(level), one.p)
    return Difference(*(float(column[0]) for column in columns))


def _table(means: JudgeMeans, level: float) -> tuple[MeanScore, ...]:
    judges, systems = means.mean.shape
    rows = np.vstack([np.eye(judges), np.full((1, judges), 1 / judges)])
    found = _contrast(means, np.multiply.outer(rows, np.eye(systems)).swapaxes(1, 2))
    columns = dict(zip(_NUMBERS, (*found, *found.interval(level)), strict=True))
    n = [*means.n.ravel().tolist(), *means.n.sum(axis=0).tolist()]
    labels = [(judge, system) for judge in (*means.judges, None) for system in means.systems]
    return tuple(
        MeanScore(judge, system, **{name: float(column[i]) for name, column in columns.items()}, n=n[i])
        for i, (judge, system) in enumerate(labels)
    )
