"""Marks of judges beside those of people: how much more each judge gives, and how far it orders items as they do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quorate.arrays import Bools, Floats, dense
from quorate.estimate.agreement.rates import ALONE
from quorate.estimate.agreement.rightness import Verdicts, verdicts
from quorate.estimate.agreement.yardsticks import Measured, mean_of
from quorate.frozen import dataclass
from quorate.numerics.panel.judges import correlated
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.votes import Votes
from quorate.wording import Brief, capitalised, counted

_FEWEST = 3
"""Values from which on scores are marks, and no verdicts to pass or fail."""


@dataclass(frozen=True)
class MarkGap(Brief):
    """How the marks of one judge differ from those of people.

    Parameters
    ----------
    judge : str
        The judge.
    items : int
        Items that both marked.
    given, said : float
        Mean mark of the judge, and of people, over these.
    gap : Measured
        The first less the second, with Student's interval over items.
    correlation : Measured
        Of both over items, with a studentised bootstrap interval of Fisher's z.
    """

    judge: str
    items: int
    given: float
    said: float
    gap: Measured
    correlation: Measured


def mark_gaps(
    judged: Judgments | Votes, people: Judgments | Votes, level: float, resamples: int, rng: np.random.Generator
) -> Iterator[MarkGap]:
    """Every judge whose marks, and those of people, have three values or more; none of labels, verdicts and votes.

    Prompts and repeats of a judge weigh alike, and so do people. Items are drawn, those of one cluster together.

    Parameters
    ----------
    judged, people : Judgments or Votes
        What judges said, and what people said of the same.
    level : float
        Coverage of the intervals.
    resamples : int
        Bootstrap samples of the correlation.
    rng : numpy.random.Generator
        Source of its draws.
    """
    if isinstance(judged, Votes) or isinstance(people, Votes) or judged.labels or people.labels:
        return
    ours, theirs = verdicts(judged), verdicts(people)
    if min(len(ours.names), len(theirs.names)) < _FEWEST:
        return
    said = dict(zip(theirs.units, _by_unit(theirs, np.full(len(theirs.of), True)).tolist(), strict=True))
    wanted = np.array([said.get(name, np.nan) for name in ours.units])
    cluster = np.unique(ours.cluster, return_inverse=True)[1].astype(np.int64)
    place = ours.roles.index(JUDGE) if JUDGE in ours.roles else None
    names = np.array([ALONE if place is None else own[place] for own in ours.levels])
    for judge in dict.fromkeys(names.tolist()):
        given = _by_unit(ours, names[ours.code] == judge)
        both = ~np.isnan(given - wanted)
        if both.any():
            yield MarkGap(
                judge,
                int(both.sum()),
                float(given[both].mean()),
                float(wanted[both].mean()),
                mean_of(given - wanted, level, cluster),
                Measured(*correlated(given[both], wanted[both], level, resamples, rng, dense(cluster[both]))),
            )


def _by_unit(said: Verdicts, kept: Bools) -> Floats:
    """Mean mark of every item over some of its cells, which weigh alike, shape (items,); nan where there is none."""
    marks = said.shares[kept] @ np.array([float(name) for name in said.names])
    total, count = (np.bincount(said.of[kept], weights, len(said.units)) for weights in (marks, None))
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def mark_words(one: MarkGap) -> str:
    """How much more or less a judge gives than people, and how far both order items alike."""
    who = capitalised(one.judge) if one.judge == ALONE else one.judge
    more = "more" if one.gap.value >= 0 else "less"
    ends = f"{one.gap.low:+.2f} to {one.gap.high:+.2f}"
    beyond = f"{one.correlation.value:.2f} ({one.correlation.low:.2f} to {one.correlation.high:.2f})"
    gap = f"gives {abs(one.gap.value):.2f} {more} than people ({ends}) on {counted(one.items, 'item')}"
    return f"{who} {gap}, and correlates with them by {beyond}."
