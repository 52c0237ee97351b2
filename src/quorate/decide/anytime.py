"""Anytime-valid intervals of mean scores: items one after the other, looked at as often as one likes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quorate.arrays import Floats
from quorate.decide.outcome import Outcome
from quorate.errors import InvalidInput, NotEstimable
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.sequential.confidence_sequence import bounded_mean
from quorate.roles import SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.results import Result


@dataclass(frozen=True)
class AnytimeMean(Result):
    """A mean over items with an interval that holds at every look.

    Parameters
    ----------
    value : float
        Mean of the items' means; nan without items.
    low, high : float
        All such intervals, after each number of items, cover at once with a chance of at least the level.
    items : int
        Items that it rests on.
    """

    value: float
    low: float
    high: float
    items: int

    @property
    def outcome(self) -> Outcome:
        """Of a difference: on which side of 0 the interval lies."""
        if self.low > 0:
            return Outcome.BETTER
        return Outcome.WORSE if self.high < 0 else Outcome.UNDECIDED


def anytime_mean(judgments: Judgments, scale: tuple[float, float], *, level: float = 0.95) -> AnytimeMean:
    """The mean over items like these, for the judges and prompts that were asked, whenever one stops.

    An item counts with the mean of its scores, so that items should be finished before they are counted: then which
    are in does not depend on what they score. Items are taken as a sample in an order that has nothing to do with
    their scores.

    Parameters
    ----------
    judgments : Judgments
        Of finished items alone.
    scale : (float, float)
        Least and greatest score that there can be.
    level : float
        Chance that every interval of the sequence covers.

    Raises
    ------
    InvalidInput
        If a score is beyond the scale.

    References
    ----------
    ``docs/methods/adaptive-intervals.md``; see `quorate.numerics.sequential.confidence_sequence`.

    Examples
    --------
    >>> import polars, quorate as q
    >>> rows = {"item": range(40), "score": [6, 7, 8, 7] * 10}
    >>> found = anytime_mean(q.read(polars.DataFrame(rows), announce=False), (1, 10))
    >>> round(found.low, 1), found.value, round(found.high, 1)
    (6.1, 7.0, 7.6)
    """
    low, high = scale
    return _over_items(_item_means(judgments), low, high, level)


def anytime_difference(
    judgments: Judgments, a: str, b: str, scale: tuple[float, float], *, level: float = 0.95
) -> AnytimeMean:
    """The mean difference of two systems over items that both have finished, whenever one stops; see `anytime_mean`.

    Raises
    ------
    NotEstimable
        If no item has scores of both.
    UnknownTerm
        If there is no such system.
    """
    if judgments.facet(judgments.object).parent == SYSTEM:
        raise NotEstimable(f'"{a}" and "{b}" were judged on different items, which cannot be subtracted')
    one, other = (judgments.only(SYSTEM, name) for name in (a, b))
    _, first, second = np.intersect1d(_labels(one), _labels(other), assume_unique=True, return_indices=True)
    if not len(first):
        raise NotEstimable(f'no item has scores of both "{a}" and "{b}" yet')
    span = scale[1] - scale[0]
    return _over_items(_item_means(one)[first] - _item_means(other)[second], -span, span, level)


def _labels(judgments: Judgments) -> NDArray[np.str_]:
    """Every item that has a score, in the order of its levels."""
    levels = np.array(judgments.facet(judgments.object).levels, dtype=np.str_)
    return levels[np.unique(judgments.column(judgments.object)[judgments.n > 0])]


def _item_means(judgments: Judgments) -> Floats:
    """Mean score of every item that has one, in the order of its labels."""
    some = judgments.n > 0
    item, n = judgments.column(judgments.object)[some], judgments.n[some]
    total, count = np.bincount(item, n * judgments.mean[some]), np.bincount(item, n)
    return np.asarray(total[count > 0] / count[count > 0])


def _over_items(means: Floats, low: float, high: float, level: float) -> AnytimeMean:
    checked_level(level)
    if not len(means):
        return AnytimeMean(float("nan"), low, high, 0)
    if means.min() < low or means.max() > high:
        raise InvalidInput(
            f"scale: scores are from {low:g} to {high:g}, got a mean of {means.min():g} to {means.max():g}"
        )
    share = (means - low) / (high - low)
    ss = float(((share - share.mean()) ** 2).sum())
    least, most = (low + (high - low) * float(end) for end in bounded_mean(len(share), share.mean(), ss, 1 - level))
    return AnytimeMean(float(means.mean()), least, most, len(means))
