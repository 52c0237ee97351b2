"""Scores that are all equal: what so many items without an exception say of others, exactly and of any law."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quorate.caveats import Caveat
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.means.intervals import score_ends
from quorate.estimate.means.targets import PANEL, scope
from quorate.numerics.inference import checked_level
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import counted

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
    ends : (float, float) or None
        Of the scale; None of scores without ends, whose mean nothing bounds.
    whom : str
        Whom it speaks for, but for items.
    caveats : tuple of Caveat
        What to know of the scores.
    """

    value: float
    items: int
    n: int
    level: float
    ends: tuple[float, float] | None
    whom: str
    caveats: tuple[Caveat, ...] = ()

    derived = ("share", "low", "high", "sentence", "next_step")

    @property
    def share(self) -> float:
        """The least share of items like these with just this score: one-sided, the root of ``1 - level`` by items."""
        return float((1 - self.level) ** (1 / self.items))

    @property
    def low(self) -> float:
        """Lower bound of the mean; nan where scores have no ends."""
        return math.nan if self.ends is None else self.value - (1 - self.share) * (self.value - self.ends[0])

    @property
    def high(self) -> float:
        """Upper bound of the mean; nan where scores have no ends."""
        return math.nan if self.ends is None else self.value + (1 - self.share) * (self.ends[1] - self.value)

    def interval(self, level: float | None = None) -> tuple[float, float]:
        """Bounds of the mean, of which only those away from the score are none of the ends."""
        found = self if level is None else AllEqual(**{**vars(self), "level": checked_level(level)})
        return found.low, found.high

    @property
    def sentence(self) -> str:
        """What is known of other items."""
        whom = f" {self.whom}" if self.whom else ""
        said = f"All {counted(self.n, 'score')} of {counted(self.items, 'item')} are {self.value:g}{whom}."
        sure = f"At {100 * self.level:g}%"
        if self.ends is not None and self.value in self.ends:
            bound, side = (self.low, "least") if self.value == self.ends[1] else (self.high, "most")
            return f"{said} {sure} the mean over items like these is at {side} {bound:.3g}."
        return f"{said} {sure} at least {100 * self.share:.3g}% of items like these score so."

    @property
    def next_step(self) -> str:
        """How many items without an exception would say more."""
        aim = next((aim for aim in sorted(_AIMS) if aim > self.share), 0.999)
        return (
            f"{self.items_for(aim):,} items without an exception would show that at least {100 * aim:g}% score so. "
            "More judges of the same items show no more: they may always err together."
        )

    def items_for(self, share: float) -> int:
        """Items, all with this score, that show it to be that of at least so large a share.

        Parameters
        ----------
        share : float
            In (0, 1).
        """
        if not 0 < share < 1:
            raise InvalidInput(f"share: must lie between 0 and 1, got {share}")
        return math.ceil(math.log(1 - self.level) / math.log(share) - 1e-9)

    def rows(self) -> list[Row]:
        """One row: value, low, high, share, items, n."""
        names = ("value", "low", "high", "share", "items", "n")
        return [{name: getattr(self, name) for name in names}]


def all_equal(judgments: Judgments, *, level: float = 0.95) -> AllEqual | None:
    """What scores that are all equal say of items like these; None where they are not.

    The score of an item is the mean of its scores for the judges and prompts that it had. Whatever the law, all of n
    items have the same one with a chance of at most ``s^n``, where ``s`` is its share: so it is at least ``(1 -
    level)^(1/n)``, which judges that always agree reach. Several judges tell no more of any law.

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
    >>> found.items_for(0.99)
    299
    """
    answered = judgments.keep(judgments.n > 0)
    if not answered.n_cells:
        raise NotEstimable("no judgment has a usable score; see quorate doctor for the statuses found")
    if answered.low.min() != answered.high.max():
        return None
    items = answered.n_levels(answered.object)
    whom = scope(answered, dict.fromkeys(answered.names, PANEL), answered.object)
    ends, value = score_ends(answered), float(answered.low[0])
    return AllEqual(value, items, answered.n_answers, checked_level(level), ends, whom, judgments.source.caveats)
