"""Judges behind a board of scores: who is first without each of them, and by their median and trimmed mean.

A mean of judges can hang on one of them. Of every system and judge the mean score is taken, each less the judge's mean
over the systems of the same items, so that a judge who saw harder items favours nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quorate.arrays import Floats
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.wording import counted, listed

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
        The first by the median of judges.
    trimmed : str or None
        The first by the mean of judges without the lowest and the highest of each system; None for fewer than 5.
    """

    first: str
    without: tuple[tuple[str, str], ...]
    median: str
    trimmed: str | None

    derived = ("sentence",)

    @property
    def sentence(self) -> str:
        """Whether the first place hangs on one judge, in a sentence."""
        moved: dict[str, list[str]] = {}
        for judge, first in self.without:
            if first != self.first:
                moved.setdefault(first, []).append(judge)
        kept = f"{self.first} has the highest mean without any one of {counted(len(self.without), 'judge')}"
        parts = [f"without {listed(judges, 'or', most=_SHOWN)} that of {first}" for first, judges in moved.items()]
        left = f"The highest mean is that of {self.first}, but {listed(parts)}" if moved else kept
        ways = [("the median of judges", self.median), ("their trimmed mean", self.trimmed)]
        robust = listed(f"{name} by {way}" for way, name in ways if name is not None)
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
    table = _means(judgments, facet)
    if not np.isfinite(table).all():
        return None
    systems, judges = (judgments.facet(name).levels for name in (facet, JUDGE))
    whole = table.mean(axis=1)
    without = (table.sum(axis=1, keepdims=True) - table).argmax(axis=0)
    inner = np.sort(table, axis=1)[:, 1:-1].mean(axis=1)
    return ByJudges(
        systems[int(whole.argmax())],
        tuple((judge, systems[int(i)]) for judge, i in zip(judges, without, strict=True)),
        systems[int(np.median(table, axis=1).argmax())],
        systems[int(inner.argmax())] if len(judges) >= FEWEST_TRIMMED else None,
    )


def _means(judgments: Judgments, facet: str) -> Floats:
    """Mean score of every system by every judge, about the judge's mean of each item; nan where one never met."""
    there = judgments.n > 0
    system, judge = (judgments.column(name)[there] for name in (facet, JUDGE))
    item = judgments.level_codes([judgments.object, JUDGE])[there]
    score = judgments.mean[there]
    about = score - (np.bincount(item, score) / np.maximum(np.bincount(item), 1))[item]
    shape = judgments.n_levels(facet), judgments.n_levels(JUDGE)
    place = system * shape[1] + judge
    with np.errstate(invalid="ignore"):
        out = np.bincount(place, about, shape[0] * shape[1]) / np.bincount(place, minlength=shape[0] * shape[1])
    return np.asarray(out.reshape(shape))
