"""Marks of judges beside those of people: how much more each judge gives, and how far it orders items as they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quorate.arrays import Floats, Ints, dense
from quorate.caveats import Caveat, few_labelled
from quorate.errors import NotEstimable
from quorate.estimate.agreement.rates import ALONE
from quorate.estimate.agreement.rightness import FEW_LABELLED, MOST_VERDICTS, judged_units, marks_given, row_means
from quorate.estimate.agreement.within import Within, correlation_within, systems_of
from quorate.estimate.agreement.yardsticks import Measured, mean_of
from quorate.frozen import dataclass
from quorate.numerics.panel.judges import correlated
from quorate.roles import JUDGE
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, picked
from quorate.table.votes import Votes
from quorate.wording import Brief, capitalised, counted

_FEWEST_VALUES = 3
"""Values from which on scores are marks, and no verdicts to pass or fail."""
_FEWEST = 4
"""Items that a correlation with an interval needs."""
_ALIKE = 0.5
"""Share of people's marks that judges must give too, for them to say the same."""
TOGETHER = "the mean of all judges"


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


@dataclass(frozen=True)
class AgainstMarks(Result):
    """Judges against marks of people that are too fine for any judge to give just the same.

    Parameters
    ----------
    unit : str
        What is marked: ``item``, or ``response`` where people marked that of each system.
    items, unlabelled : int
        Items that judges and people marked, and those that judges alone did.
    clusters : int
        Clusters of items that are drawn together; as many as items where each is drawn by itself.
    marks : tuple of MarkGap
        How the marks of each judge differ from those of people, that which orders items most as people do first.
    together : MarkGap, optional
        The same of the mean of all judges; None of a single one.
    level : float
        Coverage of intervals.
    within : Within, optional
        The correlation of each inside systems; None where responses are not those of several.
    """

    unit: str
    items: int
    unlabelled: int
    clusters: int
    marks: tuple[MarkGap, ...]
    together: MarkGap | None
    level: float
    within: Within | None = None

    derived = ("sentence",)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What must be known to read it."""
        few = (few_labelled(self.clusters),) if self.clusters < FEW_LABELLED else ()
        over_all = {one.judge: one.correlation.value for one in self.marks}
        return (*few, *(() if self.within is None else self.within.caveats(over_all)))

    @property
    def sentence(self) -> str:
        """The answer: how much more the best judge gives than people, how far it orders items alike, and their mean."""
        if self.together is None:
            return best_words(self.marks)
        r = self.together.correlation
        return f"{best_words(self.marks)} The mean of all correlates by {r.value:.2f} ({r.low:.2f} to {r.high:.2f})."

    def rows(self) -> list[Row]:
        """One row for every judge, and for their mean."""
        each = [*self.marks, *([self.together] if self.together else [])]
        shown = "judge items given said gap=gap.value low=gap.low high=gap.high correlation=correlation.value"
        return [picked(one, f"{shown} r_low=correlation.low r_high=correlation.high") for one in each]


@dataclass(frozen=True, eq=False, repr=False)
class Marked(Brief):
    """Mean marks of every judge and of people.

    Parameters
    ----------
    unit : str
        What is marked.
    names : tuple of str
        Names of these.
    cluster : array of int, shape (items,)
        Which of them resemble each other.
    given : mapping of str to array, shape (items,)
        Marks of each judge, whose prompts and repeats weigh alike; nan where there is none.
    said : array, shape (items,)
        Those of people, who weigh alike.
    fine : bool
        Whether marks have more values than verdicts, or people's lie between those that judges give, as means do.
    system : array of int, shape (items,), optional
        Whose response each is; None where they are not those of several systems.
    """

    unit: str
    names: tuple[str, ...]
    cluster: Ints
    given: Mapping[str, Floats]
    said: Floats
    fine: bool
    system: Ints | None = None

    def gap(self, judge: str, given: Floats, level: float, resamples: int, rng: np.random.Generator) -> MarkGap:
        """How some marks differ from those of people: by Student's interval, and the bootstrap of the correlation."""
        both = ~np.isnan(given - self.said)
        ours, theirs, cluster = given[both], self.said[both], dense(self.cluster[both])
        means = [float(one.mean()) if both.any() else np.nan for one in (ours, theirs)]
        gap = mean_of(given - self.said, level, self.cluster)
        order = Measured(*correlated(ours, theirs, level, resamples, rng, cluster))
        return MarkGap(judge, len(ours), means[0], means[1], gap, order)

    @property
    def within(self) -> Within | None:
        """The correlation of every judge with people inside systems."""
        if self.system is None:
            return None
        each = {judge: correlation_within(given, self.said, self.system) for judge, given in self.given.items()}
        return Within(int(self.system.max()) + 1, "correlation", each)

    def gaps(self, level: float, resamples: int, rng: np.random.Generator) -> tuple[MarkGap, ...]:
        """How the marks of every judge differ from those of people, who marked some of the same."""
        known = {judge: given for judge, given in self.given.items() if not np.isnan(given - self.said).all()}
        return tuple(self.gap(judge, given, level, resamples, rng) for judge, given in known.items())


def marked(judged: Judgments | Votes, people: Judgments | Votes) -> Marked | None:
    """The marks of both; None if either has fewer than three values, or gave labels or votes."""
    if isinstance(judged, Votes) or isinstance(people, Votes) or judged.labels or people.labels:
        return None
    ours, theirs = (table.keep(table.n > 0) for table in (judged, people))
    values = [np.unique(marks_given(table)[0]) for table in (ours, theirs)]
    if min(map(len, values)) < _FEWEST_VALUES:
        return None
    unit, names, of, near = judged_units(ours)
    _, labelled, of_people, _ = judged_units(theirs)
    said = dict(zip(labelled, _by_item(theirs.mean, of_people, len(labelled)).tolist(), strict=True))
    names_of = ours.facet(JUDGE).levels if JUDGE in ours.names else (ALONE,)
    judge = ours.column(JUDGE) if JUDGE in ours.names else np.zeros(len(of), dtype=np.int32)
    return Marked(
        unit,
        names,
        np.unique(near, return_inverse=True)[1].astype(np.int64),
        {
            name: _by_item(ours.mean[judge == place], of[judge == place], len(names))
            for place, name in enumerate(names_of)
        },
        np.array([said.get(name, np.nan) for name in names]),
        max(map(len, values)) > MOST_VERDICTS or bool(np.mean(np.isin(values[1], values[0])) < _ALIKE),
        systems_of(ours, names),
    )


def against_marks(both: Marked, level: float, resamples: int, rng: np.random.Generator) -> AgainstMarks:
    """Judges against marks of people by how much more each gives and how far it orders items as they do.

    Raises
    ------
    NotEstimable
        If fewer than 4 items have marks of both.
    """
    known = ~np.isnan(both.said)
    if known.sum() < _FEWEST:
        raise NotEstimable(
            f"labels: {_FEWEST} marked {both.unit}s are the least, got {known.sum()}; {both.unit}s are matched by "
            f"their names, such as {both.names[0]!r} here"
        )
    marks = both.gaps(level, resamples, rng)
    mean = row_means(np.column_stack([*both.given.values()]))
    return AgainstMarks(
        unit=both.unit,
        items=int(known.sum()),
        unlabelled=int((~known).sum()),
        clusters=len(np.unique(both.cluster[known])),
        marks=tuple(sorted(marks, key=_order, reverse=True)),
        together=both.gap(TOGETHER, mean, level, resamples, rng) if len(marks) > 1 else None,
        level=level,
        within=both.within,
    )


def _by_item(marks: Floats, of: Ints, items: int) -> Floats:
    """Mean mark of every item over its cells, which weigh alike; nan where there is none."""
    total, count = (np.bincount(of, weights, items) for weights in (marks, None))
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def best_words(marks: Sequence[MarkGap]) -> str:
    """How the judge that orders items most as people do differs from them."""
    best = max(marks, key=_order)
    first = (
        f"Of {counted(len(marks), 'judge')}, {best.judge} orders items most as people do. " if len(marks) > 1 else ""
    )
    return first + mark_words(best)


def _order(one: MarkGap) -> float:
    return float(np.nan_to_num(one.correlation.value, nan=-2.0))


def mark_words(one: MarkGap) -> str:
    """How much more or less a judge gives than people, and how far both order items alike."""
    who = capitalised(one.judge) if one.judge == ALONE else one.judge
    more = "more" if one.gap.value >= 0 else "less"
    ends = f"{one.gap.low:+.2f} to {one.gap.high:+.2f}"
    beyond = f"{one.correlation.value:.2f} ({one.correlation.low:.2f} to {one.correlation.high:.2f})"
    gap = f"gives {abs(one.gap.value):.2f} {more} than people ({ends}) on {counted(one.items, 'item')}"
    return f"{who} {gap}, and correlates with them by {beyond}."
