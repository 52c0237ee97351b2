"""A stream of scores against a baseline: whether the mean has left it, at any look, and since when."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Literal

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.diagnostics.diagnose import order_column, ordered
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.intervals import score_ends
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.sequential.confidence_sequence import bounded_mean, log_evidence_of_fall
from quorate.table.judgments import Judgments, checked
from quorate.table.reread import cells_of, reopened
from quorate.table.results import Result, Row
from quorate.wording import at_level, counted, percent

State = Literal["kept", "fell", "rose"]


@dataclass(frozen=True)
class Beginning(Result):
    """Where a change began.

    Parameters
    ----------
    item : str
        The most likely first item after it.
    place, low, high : int
        Its place in the stream, from 1, and those among which it is with the level's chance, were all alike before.
    before, after : float
        Mean before, nan where it is the first, and from there on.
    """

    item: str
    place: int
    low: int
    high: int
    before: float
    after: float


@dataclass(frozen=True)
class AgainstBaseline(Result):
    """A stream of scores against a baseline.

    Parameters
    ----------
    baseline : float
        The mean that was stated beforehand.
    state : {"kept", "fell", "rose"}
        Whether the mean is shown to have left it.
    n : int
        Items, each with the mean of its scores.
    value, low, high : float
        Mean of all, with an interval that holds at every look as long as nothing changes.
    alarm : int or None
        Place of the item after which it was first shown, from 1.
    began : Beginning, optional
        Where the change began; None where none is shown.
    level : float
        One less the chance that an alarm is ever false.
    unit : str
        What items are called.
    order : str
        Column that orders them; empty where rows do.
    path : array, shape (n, 2)
        Log evidence of a fall, and of a rise, after each item.
    means : array, shape (n,)
        Mean of each item's scores, in their order.
    """

    baseline: float
    state: State
    n: int
    value: float
    low: float
    high: float
    alarm: int | None
    began: Beginning | None
    level: float
    unit: str
    order: str
    path: Floats = field(repr=False, compare=False)
    means: Floats = field(repr=False, compare=False)

    derived = ("sentence", "exit_code")

    @property
    def limit(self) -> float:
        """Log evidence that is an alarm, of a fall or of a rise."""
        return math.log(2 / (1 - self.level))

    @property
    def exit_code(self) -> int:
        """0 where the baseline is kept, 2 where the mean has left it."""
        return 0 if self.state == "kept" else 2

    @property
    def sentence(self) -> str:
        """Whether the mean has left the baseline, and since when."""
        of = f"{at_level(self.level)} interval"
        mean = (
            f"the mean of {counted(self.n, self.unit)} is {self.value:.3g} ({of} at any look "
            f"{self.low:.3g} to {self.high:.3g})"
        )
        least = f"An alarm, evidence of {math.exp(self.limit):.3g} or more,"
        chance = f"{least} is false in at most {percent(1 - self.level)} of streams, however often one looks."
        if self.began is None:
            return f"No change from {self.baseline:g} is shown: {mean}. {chance}"
        since = (
            f"since {self.unit} {self.began.item}, number {self.began.place:,} (between {self.began.low:,} and "
            f"{self.began.high:,}), the mean is {self.began.after:.3g}"
        )
        return (
            f"The mean {self.state} from {self.baseline:g}: {since}. This was shown after "
            f"{counted(self.alarm or 0, self.unit)}. {chance}"
        )

    def rows(self) -> list[Row]:
        """One row for each item: place, score, evidence of a fall and of a rise, as logarithms."""
        columns = zip(self.means.tolist(), self.path.tolist(), strict=True)
        return [
            {"place": place, "score": score, "fall": fall, "rise": rise}
            for place, (score, (fall, rise)) in enumerate(columns, 1)
        ]


def against_baseline(
    judgments: Judgments, baseline: float, *, order: str | None = None, level: float = 0.95
) -> AgainstBaseline:
    """Whether scores that come in one after the other still keep to a baseline, looked at as often as one likes.

    An alarm is false in at most 5% of streams, however long they are; with one the exit code is 2. Every item counts
    once, with the mean of its scores, in the order of a column of times or of the rows. Items must be new ones: a set
    that is asked again and again is compared run by run.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`, with a scale whose ends are known.
    baseline : float
        The mean, or pass rate, to keep to, stated beforehand. One that was estimated is itself unsure: state the end of
        its interval that would matter.
    order : str, optional
        Column that orders the rows; by default one that was not used and is named like a time, else the rows do.
    level : float
        One less the chance that an alarm is ever false.

    Returns
    -------
    AgainstBaseline

    Raises
    ------
    InvalidInput
        If the ends of the scale are not known, or the baseline is not between them.
    NotEstimable
        If nothing was scored, or rows cannot be read again.
    UnknownColumn
        If there is no such column.

    References
    ----------
    ``docs/methods/adaptive-intervals.md``; `quorate.numerics.sequential.confidence_sequence`.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": range(150), "score": ([1] * 9 + [0]) * 10 + [0, 1] * 25}
    >>> found = q.scores.against_baseline(q.read(polars.DataFrame(rows), announce=False), 0.9)
    >>> found.state, found.began.place
    ('fell', 100)
    """
    checked_level(level)
    table = checked(judgments)
    ends = score_ends(table)
    if ends is None:
        raise InvalidInput(
            "scale: the least and the greatest score that there can be are needed, for a single score may be as far "
            "off; read the file with " + argument("scale", (1, 5))
        )
    low, high = ends
    if not low < baseline < high:
        raise InvalidInput(f"baseline: between the ends of the scale, {low:g} and {high:g}, got {baseline:g}")
    column = order or order_column(table) or ""
    items, means = _in_order(table, column)
    share, unit = (means - low) / (high - low), (baseline - low) / (high - low)
    fall, started_low = log_evidence_of_fall(share, unit)
    rise, started_high = log_evidence_of_fall(1 - share, 1 - unit)
    limit = math.log(2 / (1 - level))
    over = np.maximum(fall, rise) >= limit
    state: State = "kept"
    alarm, began = None, None
    if over.any():
        alarm = int(over.argmax()) + 1
        fell = fall[alarm - 1] >= limit
        state = "fell" if fell else "rose"
        # The fewest places that hold the beginning with the level's chance, all being as likely.
        started = started_low if fell else started_high
        chance = np.exp(started - started.max())
        chance /= chance.sum()
        likely = np.argsort(-chance, kind="stable")
        kept = likely[: int(np.searchsorted(np.cumsum(chance[likely]), level)) + 1]
        place = int(likely[0])
        before = float(means[:place].mean()) if place else math.nan
        began = Beginning(
            items[place], place + 1, int(kept.min()) + 1, int(kept.max()) + 1, before, float(means[place:].mean())
        )
    spread = float(((share - share.mean()) ** 2).sum())
    ends_of_mean = bounded_mean(len(share), share.mean(), spread, 1 - level)
    least, most = (low + (high - low) * float(end) for end in ends_of_mean)
    return AgainstBaseline(
        float(baseline), state, len(means), float(means.mean()), least, most, alarm, began, level, table.object, column,
        np.column_stack([fall, rise]), means,
    )  # fmt: skip


def _in_order(table: Judgments, column: str) -> tuple[tuple[str, ...], Floats]:
    """Names and means of items by their first row, or by the least value of the column."""
    if column:
        cell, _, when = ordered(table, column)
    else:
        with reopened(table) as source:
            cell = cells_of(table, source.rows().facets)
        when = np.arange(len(cell), dtype=float)
        cell, when = cell[cell >= 0], when[cell >= 0]
    code = table.level_codes([table.object])
    some = table.n > 0
    size = int(code.max(initial=-1)) + 1
    n, total = np.bincount(code[some], table.n[some], size), np.bincount(code[some], (table.n * table.mean)[some], size)
    first = np.full(size, np.inf)
    np.minimum.at(first, code[cell], when)
    kept = np.flatnonzero((n > 0) & np.isfinite(first))
    if not len(kept):
        raise NotEstimable(f"judgments: no {table.object} has a score")
    kept = kept[np.argsort(first[kept], kind="stable")]
    names = level_labels(table, table.object)
    return tuple(names[i] for i in kept.tolist()), total[kept] / n[kept]
