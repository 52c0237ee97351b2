"""Ranked systems, by scores or by votes: who is first, in which group, with which ranks, and how far from the next.

A mean of judges can hang on one of them. Of every system and judge the mean score is taken about the judge's average,
as if of the same items, so that a judge who saw harder items of one favours nobody. Of systems that are equal the first
by all judges counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Bools, Floats, Ints
from quorate.estimate.ratings.counts import Unrated
from quorate.frozen import dataclass
from quorate.numerics.ratings.rank_intervals import rank_groups
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, frame, rows_of
from quorate.wording import Brief, at_level, counted, listed, plural

if TYPE_CHECKING:
    from quorate.caveats import Caveat
    from quorate.numerics.ratings.rank_intervals import RankIntervals


FEWEST_TRIMMED = 5
"""Judges from which on the lowest and the highest of each system are left out."""
_SHOWN = 4


@dataclass(frozen=True)
class ByJudges(Result):
    """Who is first without each judge, and by summaries of judges that no single one can move far.

    Parameters
    ----------
    first : str
        The first by the mean of judges.
    without : tuple of (str, str)
        Each judge, and who is first without it.
    median : str
        The first by the median of judges, of each of whom means count about their average.
    trimmed : str or None
        The first by the mean of judges without the lowest and the highest of each system; None for fewer than 5.
    own : bool
        Whether means are those of systems' own scores, and not on the same items, as where not all have all.
    less_is_better : bool
        Whether the first has the lowest mean.
    """

    first: str
    without: tuple[tuple[str, str], ...]
    median: str
    trimmed: str | None
    own: bool = True
    less_is_better: bool = False

    derived = ("sentence",)

    @property
    def mean(self) -> str:
        """What the first has, in words."""
        end = "lowest" if self.less_is_better else "highest"
        return f"{end} mean" if self.own else f"{end} mean on the same items"

    @property
    def sentence(self) -> str:
        """Whether the first place hangs on one judge, in a sentence."""
        moved: dict[str, list[str]] = {}
        for judge, first in self.without:
            if first != self.first:
                moved.setdefault(first, []).append(judge)
        kept = f"{self.first} has the {self.mean} without any one of {counted(len(self.without), 'judge')}"
        parts = [f"without {listed(judges, 'or', most=_SHOWN)} that of {first}" for first, judges in moved.items()]
        left = f"The {self.mean} is that of {self.first}, but {listed(parts)}" if moved else kept
        robust = f"{self.median} by the median of judges"
        if self.trimmed is not None:
            same = self.trimmed == self.median
            robust += " and by their trimmed mean" if same else f" and {self.trimmed} by their trimmed mean"
        return f"{left}; the first is {robust}."

    def rows(self) -> list[Row]:
        """One row for every judge left out, then for the median and the trimmed mean: way, first, same."""
        ways = [(f"without {judge}", first) for judge, first in self.without]
        ways += [("median of judges", self.median), *([("trimmed mean", self.trimmed)] if self.trimmed else [])]
        return [{"way": way, "first": first, "same": first == self.first} for way, first in ways]


def by_judges(judgments: Judgments, facet: str = "system") -> ByJudges | None:
    """Who is first without each judge; None with fewer than three judges, or if one never met some system.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facet : str
        Role of the systems.
    """
    if JUDGE not in judgments.names or facet == JUDGE or judgments.n_levels(JUDGE) < 3:
        return None
    table, own = _means(judgments, facet)
    table = 0.0 - table if judgments.less_is_better else table
    if not np.isfinite(table).all():
        return None
    systems, judges = (judgments.facet(name).levels for name in (facet, JUDGE))
    rounding = _ROUNDING * float(np.abs(judgments.mean[judgments.n > 0]).max())

    def equal_to_highest(means: Floats) -> Bools:
        return np.asarray(means >= means.max() - rounding)

    first = int(equal_to_highest(table.mean(axis=1)).argmax())

    def highest(means: Floats) -> str:
        equal = equal_to_highest(means)
        return systems[first if equal[first] else int(equal.argmax())]

    inner = np.sort(table, axis=1)[:, 1:-1].mean(axis=1)
    return ByJudges(
        systems[first],
        tuple((judge, highest(np.delete(table, j, axis=1).mean(axis=1))) for j, judge in enumerate(judges)),
        highest(np.median(table, axis=1)),
        highest(inner) if len(judges) >= FEWEST_TRIMMED else None,
        own,
        judgments.less_is_better,
    )


_ROUNDING = 1e-12
"""Part of the largest score by which equal means differ through rounding."""


def _means(judgments: Judgments, facet: str) -> tuple[Floats, bool]:
    """Mean score of every system by every judge about the judge's average, and whether it is that of its own scores.

    Where a judge scored other items of one system than of another, what items make of it is taken off, by least
    squares; where it scored each item of one system alone, nothing is. Nan where a judge's items do not link all.
    """
    there = judgments.n > 0
    system, judge = (judgments.column(name)[there] for name in (facet, JUDGE))
    item, score = judgments.level_codes([judgments.object])[there], judgments.mean[there]
    order = np.argsort(judge, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(judge, minlength=judgments.n_levels(JUDGE)))[:-1])
    k = judgments.n_levels(facet)
    seen = [_Scored.of(item[part], system[part], score[part], k) for part in parts]
    if not any(one.linked for one in seen):
        return np.stack([one.own_means() for one in seen], axis=1), True
    return np.stack([one.means() for one in seen], axis=1), all(one.complete for one in seen)


@dataclass(frozen=True)
class _Scored:
    """Scores by one judge.

    Parameters
    ----------
    counts, sums : array, shape (items, systems)
        How many scores there are of each, and their sum.
    """

    counts: Floats
    sums: Floats

    @classmethod
    def of(cls, item: Ints, system: NDArray[np.int32], score: Floats, systems: int) -> _Scored:
        """Scores by items and systems, of the items that there are."""
        items, code = np.unique(item, return_inverse=True)
        counts, sums = np.zeros((2, len(items), systems))
        np.add.at(counts, (code, system), 1.0)
        np.add.at(sums, (code, system), score)
        return cls(counts, sums)

    @property
    def linked(self) -> bool:
        """Whether any item is of several systems."""
        return bool(((self.counts > 0).sum(axis=1) > 1).any())

    @property
    def complete(self) -> bool:
        """Whether every item has as many scores of every system."""
        return bool((self.counts == self.counts[:, :1]).all())

    def own_means(self) -> Floats:
        """Mean of each system's scores, about their average: judges are lenient each in their own way."""
        n = self.counts.sum(axis=0)
        means = np.divide(self.sums.sum(axis=0), n, out=np.full(len(n), np.nan), where=n > 0)
        return np.asarray(means - means.mean())

    def means(self) -> Floats:
        """The same, as if all had been of the same items."""
        if self.complete:
            return self.own_means()
        each = self.counts.sum(axis=1, keepdims=True)
        left = np.diag(self.counts.sum(axis=0)) - self.counts.T @ (self.counts / each)
        brought = self.sums.sum(axis=0) - self.counts.T @ (self.sums.sum(axis=1) / each[:, 0])
        if np.linalg.matrix_rank(left, hermitian=True) < len(left) - 1:
            return np.full(len(left), np.nan)
        return np.asarray(np.linalg.pinv(left, hermitian=True) @ brought)


POWER = 0.9
"""Chance with which further votes are to tell neighbours apart."""


@dataclass(frozen=True)
class Neighbours(Brief):
    """Two systems that follow each other on a board.

    Parameters
    ----------
    first, second : str
        The two, the one with the higher rating first.
    gap, low, high : float
        Difference of their ratings, and its interval: those of all neighbours of the board hold at once (Bonferroni).
    told_apart : bool
        Whether the first is surely better. Ranks are of all pairs, which are more, and may leave open what this tells.
    votes : int or None
        Votes, or rankings, of a board as large as tells them apart with a chance of 0.9, were the gap as estimated and
        the votes dealt out as now; None where a thousand million are not enough, as of a gap of 0.
    more : int or None
        How many of these are still to be had: 0 where they are told apart.
    """

    first: str
    second: str
    gap: float
    low: float
    high: float
    told_apart: bool
    votes: int | None
    more: int | None

    def to_row(self) -> Row:
        """The same as plain values."""
        return dict(vars(self))


def neighbours_words(pairs: tuple[Neighbours, ...], of_what: str) -> str:
    """How many more votes would tell the widest and the narrowest open gap apart; empty where none is open."""
    left = [one for one in pairs if not one.told_apart]
    if not left:
        return ""
    ends = dict.fromkeys((max(left, key=_ease), min(left, key=_ease)))
    needs = listed(
        f"{'no number of' if one.more is None else f'{one.more:,} more'} {plural(of_what)} would tell "
        f"{one.first} from {one.second}"
        for one in ends
    )
    return (
        f"{len(left):,} of {counted(len(pairs), 'pair')} of neighbours {'is' if len(left) == 1 else 'are'} not told "
        f"apart. Were gaps as estimated, {needs}, with a chance of {POWER:g}."
    )


def _ease(pair: Neighbours) -> float:
    return 0.0 if pair.votes is None else 1 / pair.votes


_MOST_NAMED = 6
_MOST_SHOWN = 3


class Board(Result):
    """Systems, best first, with what is known of their order: by their scores, or by votes."""

    systems: tuple[str, ...]
    level: float

    if TYPE_CHECKING:  # what each finds in its own way

        @property
        def caveats(self) -> tuple[Caveat, ...]:
            """What to know before relying on this."""

        @property
        def rating(self) -> Floats:
            """What is said of each, shape (systems,)."""

        @property
        def se(self) -> Floats:
            """Standard error of each, shape (systems,)."""

        @property
        def intervals(self) -> Floats:
            """Interval of each, shape (systems, 2)."""

        @property
        def ranks(self) -> RankIntervals:
            """Intervals of the ranks."""

        @property
        def best(self) -> dict[str, float]:
            """Probability of being the best."""

        @property
        def gaps(self) -> tuple[Floats, Floats, Floats, Floats]:
            """Differences, row less column, their errors, and limits that hold at once; all (systems, systems)."""

        @property
        def n(self) -> int:
            """Votes, rankings or scores."""

        @property
        def seed(self) -> int:
            """Of the draws."""

        @property
        def measure(self) -> str:
            """What that is, in words."""

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def unbeaten(self) -> tuple[Unrated, ...]:
        """Systems without a finite rating that stand above all that have one."""
        return ()

    @property
    def surely_above(self) -> tuple[Unrated, ...]:
        """Of these, those of which chance is no explanation."""
        return ()

    @property
    def apart(self) -> tuple[Unrated, ...]:
        """Systems that may stand anywhere among those that are rated."""
        return ()

    @property
    def counted_by(self) -> str:
        """What the board is by: a score, a vote or a ranking."""
        return "score"

    @property
    def less_is_better(self) -> bool:
        """Whether the first has the least of what systems are ordered by."""
        return False

    @property
    def rankable(self) -> bool:
        """Whether systems differ by more than the noise of their means, as far as scores tell."""
        return True

    @property
    def fragile_words(self) -> str:
        """How few votes decide who is first, or why none do; empty where that was not asked for."""
        return ""

    @property
    def neighbours_words(self) -> str:
        """How many more votes would tell neighbours apart; empty where all are, and for scores."""
        return ""

    @cached_property
    def told_apart(self) -> int:
        """Pairs of systems of which one is surely better."""
        return int(self.ranks.above.sum()) + len(self.surely_above) * len(self)

    @property
    def exit_code(self) -> int:
        """2 where no system is surely better than another, else 0."""
        return 0 if self.told_apart else 2

    @property
    def n_pairs(self) -> int:
        """Pairs of systems, with those that have no rating and may be first."""
        systems = len(self) + len(self.unbeaten) + len(self.apart)
        return systems * (systems - 1) // 2

    @property
    def told_words(self) -> str:
        """How many pairs of systems are told apart."""
        told = self.told_apart
        return f"{told:,} of {counted(self.n_pairs, 'pair')} of systems {'is' if told == 1 else 'are'} told apart"

    @property
    def low(self) -> Floats:
        """Lower limit of each interval, shape (systems,)."""
        return self.intervals[:, 0]

    @property
    def high(self) -> Floats:
        """Upper limit of each interval, shape (systems,)."""
        return self.intervals[:, 1]

    @property
    def standing(self) -> Floats:
        """What systems are ordered by, shape (systems,)."""
        return self.rating

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """Rank group of each system, from 1, after that of those surely above all; shape (systems,)."""
        return rank_groups(self.standing, self.ranks.above) + bool(self.surely_above)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Systems between cuts of the order: those of an earlier group are surely better than all of a later one.

        All these claims hold at once with coverage ``level``. Systems of one group are not said to be equal, nor is
        their order open: some of them may be surely better than others, as ``ranks`` says.
        """
        above = tuple(one.system for one in self.surely_above)
        rated = (np.flatnonzero(self.group == place).tolist() for place in np.unique(self.group))
        return (*([above] if above else []), *(tuple(self.systems[i] for i in own) for own in rated))

    def pairs_of_rated(self) -> list[Row]:
        """Every two systems, the better first: a, b, difference, se, low, high, differ; all intervals hold at once."""
        i, j = np.triu_indices(len(self), 1)
        differ = self.ranks.above[i, j] | self.ranks.above[j, i]
        names = (self.systems[at] for at in i.tolist()), (self.systems[at] for at in j.tolist())
        numbers = (one[i, j] for one in self.gaps)
        columns = dict(zip(("difference", "se", "low", "high"), numbers, strict=True))
        return rows_of({"a": [*names[0]], "b": [*names[1]], **columns, "differ": differ})

    def differences(self, backend: str | None = None) -> Any:
        """The same as a frame, of the library that the data came in, or of ``backend``."""
        rows = self.pairs_of_rated()
        return frame({name: [row[name] for row in rows] for name in rows[0]}, backend or self._backend())

    def rows(self) -> list[Row]:
        """One row for every system, best first: system, rating, se, low, high, rank_low, rank_high, group.

        Intervals hold for each system alone; ranks and groups hold for all systems at once.
        """
        low, high = self.intervals.T
        ratings = {"rating": self.rating, "se": self.se, "low": low, "high": high}
        ranks = {"rank_low": self.ranks.low, "rank_high": self.ranks.high, "group": self.group}
        return rows_of({"system": self.systems, **ratings, **ranks})


def top(board: Board) -> str:
    """The first systems with their ratings, for a short form."""
    shown = zip(board.systems[:_MOST_SHOWN], board.rating.tolist(), strict=False)
    more = ", ..." if len(board.systems) > _MOST_SHOWN else ""
    return ", ".join(f"{system} {rating:.4g}" for system, rating in shown) + more


def may_be_first(board: Board) -> tuple[str, ...]:
    """Systems that none is surely better than, best first."""
    above, apart = (tuple(one.system for one in some) for some in (board.unbeaten, board.apart))
    rated = tuple(board.systems[i] for i in np.flatnonzero(board.ranks.low == 1).tolist())
    return above + rated + (() if board.surely_above else apart)


def standing(board: Board, scope: str = "") -> str:
    """Who is first, or may be, and how many pairs are told apart: one claim, for all ranks at once."""
    return f"{claim(board, 'No')}, at {at_level(board.level)} {at_once(board)}{f', {scope}' * bool(scope)}."


def at_once(board: Board, what: str = "ranks") -> str:
    """Of what the confidence of ranks is: nothing is said to hold of votes that are wrongly taken as independent."""
    unless = ", were votes independent, which they need not be"
    return f"for all {what} at once{unless if taken_as_independent(board) else ''}"


def taken_as_independent(board: Board) -> bool:
    """Whether votes that share what may make them alike are taken as independent."""
    return any(one.code == "taken-as-independent" for one in board.caveats)


def claim(board: Board, no: str = "no") -> str:
    """The same without its certainty, inside a sentence or with ``no`` as it opens one."""
    apart = () if board.surely_above else tuple(one.system for one in board.apart)
    first = tuple(name for name in may_be_first(board) if name not in apart)
    systems, told = len(board) + len(board.unbeaten) + len(board.apart), board.told_apart
    if not told and systems == len(board.systems) == 2:
        return f"{' and '.join(board.systems)} are not told apart"
    if not told:
        return f"{no} two of {counted(systems, 'system')} are told apart"
    of = f"the {systems - len(apart):,} systems that wins link" if apart else f"{systems:,} systems"
    of += " (less is better)" * board.less_is_better
    if len(first) == 1:
        lead = f"{first[0]} is first of {of}"
    elif len(first) <= _MOST_NAMED:
        lead = f"{first[0]} leads {of}, not surely ahead of {listed(first[1:])}"
    else:
        lead = f"{first[0]} leads {of}, not surely ahead of {len(first) - 1:,} of them"
    return f"{lead}; {board.told_words}"
