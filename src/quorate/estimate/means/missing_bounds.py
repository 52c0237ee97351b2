"""Bounds of a mean when any answer that is missing could have been the worst or the best score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from quorate import rules
from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.effects import level_labels
from quorate.estimate.means.intervals import score_ends
from quorate.estimate.means.targets import PANEL, scope
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.roles import JUDGE, SYSTEM
from quorate.table.judgments import Judgments, checked
from quorate.table.results import Ends, Result, Row, StatedInterval
from quorate.wording import at_level, counted, decimals, percent

ALL = "all"


@dataclass(frozen=True)
class LevelBounds:
    """The mean of one level's scores, and how far its missing answers could move it.

    Parameters
    ----------
    facet, level : str
        Role and label; ``"all"`` for all scores together.
    rows, missing : int
        Rows, and those of them without a usable score.
    mean : float
        Of the answers; nan without any.
    low, high : float
        Mean of all rows, if every missing answer had been the worst score, or the best.
    """

    facet: str
    level: str
    rows: int
    missing: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class MissingBounds(Result):
    """How far answers that were refused, failed or not read could move the means.

    Parameters
    ----------
    levels : tuple of LevelBounds
        All scores together, then every judge and system, or the facets asked for.
    worst, best : float
        Scores that the missing answers could have had.
    of_scale : bool
        Whether these are the ends of a scale; if not, the least and greatest score that there is.
    """

    levels: tuple[LevelBounds, ...]
    worst: float
    best: float
    of_scale: bool

    @property
    def overall(self) -> LevelBounds:
        """All scores together."""
        return self.levels[0]

    @property
    def unsettled(self) -> tuple[tuple[str, str, str], ...]:
        """Facet and two levels of it whose means could be in the other order, without any noise."""
        found = []
        for i, one in enumerate(self.levels):
            for other in self.levels[i + 1 :]:
                first, second = (one, other) if one.mean >= other.mean else (other, one)
                if one.facet == other.facet and first.mean > second.mean and first.low < second.high:
                    found.append((one.facet, first.level, second.level))
        return tuple(found)

    @property
    def sentence(self) -> str:
        """How far the mean could be from that of the answers."""
        one = self.overall
        places = max(2, decimals(max(one.high - one.low, 1e-9)))
        low, mean, high = (f"{value:.{places}f}" for value in (one.low, one.mean, one.high))
        ends = "ends of the scale" if self.of_scale else "least and greatest score there are"
        first = (
            f"{percent(one.missing / one.rows)} of {counted(one.rows, 'score')} are missing. Had they all been "
            f"{self.worst:g} or all {self.best:g} (the {ends}), the plain mean of {mean} would be {low} or {high}"
        )
        orders = counted(len(self.unsettled), "order")
        return f"{first}. That could reverse {orders} of two levels." if self.unsettled else f"{first}."

    def rows(self) -> list[dict[str, object]]:
        """One row a level: facet, level, rows, missing, mean, low, high."""
        return [dict(vars(one)) for one in self.levels]


def missing_bounds(
    judgments: Judgments, facets: Sequence[str] | None = None, *, scale: tuple[float, float] | None = None
) -> MissingBounds:
    """How far the means could move if answers that are missing had been the worst or the best score.

    Nothing is assumed of why answers are missing. Every row weighs the same; combinations that have no row were not
    asked for, and do not count.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    facets : sequence of str, optional
        Facets of whose levels there are bounds; judges and systems by default, as far as there are several.
    scale : (float, float), optional
        Worst and best score. By default the ends of a scale of two values or a few whole marks, else the least and the
        greatest score that there is.

    Returns
    -------
    MissingBounds

    Raises
    ------
    InvalidInput
        If a score is beyond ``scale``.
    UnknownTerm
        If a facet is not there.
    NotEstimable
        If there is no score.

    References
    ----------
    Manski (1989), Anatomy of the selection problem, Journal of Human Resources 24, 343-360, Eq. 4.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 2, 3, 4], "judge": list("xxyy"), "score": [1.0, 0.0, 1.0, None]})
    >>> found = missing_bounds(q.read(frame, announce=False))
    >>> found.overall.low, found.overall.high
    (0.5, 0.75)
    """
    answered = checked(judgments).n > 0
    if not answered.any():
        raise NotEstimable("judgments: no usable score, so that nothing is known of the scale")
    least, most = float(judgments.low[answered].min()), float(judgments.high[answered].max())
    ends = score_ends(judgments.keep(answered)) if scale is None else scale
    worst, best = (least, most) if ends is None else ends
    if not worst <= least <= most <= best:
        raise InvalidInput(f"scale: from {worst:g} to {best:g}, and there are scores from {least:g} to {most:g}")
    several = (name for name in (JUDGE, SYSTEM) if name in judgments.names and judgments.n_levels(name) > 1)
    names = tuple(several) if facets is None else tuple(facets)
    code = [np.zeros(judgments.n_cells, dtype=np.int64), *(judgments.level_codes([name]) for name in names)]
    labels = [(ALL,), *(level_labels(judgments, name) for name in names)]
    found, sums = [], np.where(judgments.n > 0, judgments.n * judgments.mean, 0.0)
    for name, levels, at in zip((ALL, *names), labels, code, strict=True):
        rows, n, total = (np.bincount(at, of, len(levels)) for of in (judgments.rows, judgments.n, sums))
        with np.errstate(invalid="ignore"):
            columns = (total / n, *((total + (rows - n) * end) / rows for end in (worst, best)))
        for i, label in enumerate(levels):
            bounds = (float(column[i]) for column in columns)
            found.append(LevelBounds(name, label, int(rows[i]), int(rows[i] - n[i]), *bounds))
    return MissingBounds(tuple(found), worst, best, ends is not None)


# Scores that are all equal: what so many items without an exception say of others, exactly and of any law.


_AIMS = (0.99, 0.95)


@dataclass(frozen=True)
class AllEqual(Result):
    """A mean whose scores are all equal.

    Parameters
    ----------
    value : float
        The score.
    items, n : int
        Items, and scores.
    level : float
        Coverage of the one-sided bound.
    scale : (float, float) or None
        Its ends; None of scores without ends, whose mean nothing bounds.
    whom : str
        Whom it speaks for, but for items.
    caveats : tuple of Caveat
        What to know of the scores.
    drawn : (str, int)
        What was drawn by itself, and how many: items, or what groups them where groups are drawn.
    asked : float or None
        The half-width that was asked for.
    """

    value: float
    items: int
    n: int
    level: float
    scale: Ends | None
    whom: str
    caveats: tuple[Caveat, ...]
    drawn: tuple[str, int]
    asked: float | None = None

    derived: ClassVar[tuple[str, ...]] = ("estimate", "share", "sentence", "next_step")

    @property
    def exit_code(self) -> int:
        """2 where a half-width was asked for and is not met."""
        return 0 if self.asked is None or self.estimate.half_width <= self.asked else 2

    @property
    def share(self) -> float:
        """The least share of items like these with just this score: one-sided, the root of ``1 - level`` by `drawn`."""
        return self._share(self.level)

    @property
    def estimate(self) -> StatedInterval:
        """Bounds of the mean, of which only those away from the score are none of the ends; nan without ends."""

        def law(level: float) -> Ends:
            low, high = self.scale or (math.nan, math.nan)
            other = 1 - self._share(level)
            return self.value - other * (self.value - low), self.value + other * (high - self.value)

        return StatedInterval(self.value, math.nan, self.n, self.level, law, self.whom)

    def _share(self, level: float) -> float:
        return float((1 - level) ** (1 / self.drawn[1]))

    @property
    def _seen(self) -> str:
        """Items, and what groups them where that is drawn: "60 items of 12 documents"."""
        name, groups = self.drawn
        return counted(self.items, "item") + ("" if name == "item" else f" of {counted(groups, name)}")

    @property
    def sentence(self) -> str:
        """What is known of other items."""
        whom = f" {self.whom}" if self.whom else ""
        all_ = f"All {self.n:,} scores of {self._seen} are" if self.n > 1 else "The only score is"
        said = f"{all_} {self.value:g}{whom}."
        sure = f"At {at_level(self.level)}"
        if self.scale is not None and self.value in self.scale:
            bound, side = (self.estimate.low, "least") if self.value == self.scale[1] else (self.estimate.high, "most")
            ends = "" if self.scale == (0, 1) else " on a scale of {:g} to {:g}".format(*self.scale)
            return f"{said} {sure} the mean over items like these is at {side} {bound:.3g}{ends}."
        return f"{said} {sure} at least {100 * self.share:.3g}% of items like these score so."

    @property
    def next_step(self) -> str:
        """How many items without an exception would say more."""
        aim = next((aim for aim in sorted(_AIMS) if aim > self.share), 0.999)
        needed = counted(self.drawn_for(aim), self.drawn[0])
        return (
            f"{needed} without an exception would show that at least {100 * aim:g}% score so. "
            "More judges of the same items show no more: they may always err together."
        )

    def drawn_for(self, share: float) -> int:
        """Items, or groups of them, all with this score, that show it to be that of at least so large a share.

        Parameters
        ----------
        share : float
            In (0, 1).
        """
        rules.number("share", share, above=0, below=1)
        return math.ceil(math.log(1 - self.level) / math.log(share) - 1e-9)

    def rows(self) -> list[Row]:
        """One row: value, low, high, share, items, n."""
        bound = self.estimate
        own = {"value": bound.value, "low": bound.low, "high": bound.high}
        return [{**own, "share": self.share, "items": self.items, "n": self.n}]


def all_equal(judgments: Judgments, *, level: float = 0.95) -> AllEqual | None:
    """What scores that are all equal say of items like these; None where they are not.

    The score of an item is the mean of its scores for the judges and prompts that it had. Whatever the law, all of n
    items have the same one with a chance of at most ``s^n``, where ``s`` is its share: so it is at least ``(1 -
    level)^(1/n)``, which judges that always agree reach. Several judges tell no more of any law, nor do several items
    of a group where groups are drawn: n is of groups then, for ``E[p^m] <= E[p]`` of the share p within a group.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read`.
    level : float
        Coverage of the one-sided bound.

    Raises
    ------
    NotEstimable
        If there are no scores.

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413; Hanley and Lippman-Hand (1983), JAMA 249, 1743-1745.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": range(40), "score": [1] * 40}
    >>> found = all_equal(q.read(polars.DataFrame(rows), announce=False))
    >>> found.sentence
    'All 40 scores of 40 items are 1. At 95% the mean over items like these is at least 0.928.'
    >>> found.drawn_for(0.99)
    299
    """
    answered = judgments.keep(judgments.n > 0)
    if not answered.n_cells:
        raise NotEstimable("no judgment has a usable score; see quorate doctor for the statuses found")
    if answered.low.min() != answered.high.max():
        return None
    whom = scope(answered, dict.fromkeys(answered.names, PANEL), answered.object)
    ends, value, items = score_ends(answered), float(answered.low[0]), answered.n_levels(answered.object)
    caveats = judgments.source.caveats
    return AllEqual(value, items, answered.n_answers, checked_level(level), ends, whom, caveats, drawn(answered))


def drawn(judgments: Judgments) -> tuple[str, int]:
    """What is drawn by itself, and how many: items, or the fewest of what groups them and is drawn."""
    groups = [name for name in judgments.ancestors(judgments.object) if not judgments.facet(name).fixed]
    counts = [(judgments.n_levels(name), name) for name in groups]
    n, name = min([*counts, (judgments.n_levels(judgments.object), "item")])
    return name, n
