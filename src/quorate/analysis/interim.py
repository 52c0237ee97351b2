"""Interim analysis: what a study that is still being filled says so far, and as its answers came in."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from quorate.analysis.goals.path import GoalPath, goal_path
from quorate.analysis.judgments import Analysis, Contribution, analyze_judgments
from quorate.analysis.words import number
from quorate.caveats import Caveat
from quorate.collect.ledger.facts import planned_by
from quorate.collect.ledger.ledger import Ledger
from quorate.decide.anytime import anytime_difference, anytime_mean
from quorate.decide.outcome import Outcome
from quorate.decide.stop import Monitor, monitor, monitor_all
from quorate.decide.votes import verdict_of_votes
from quorate.errors import InvalidData, InvalidInput, NotEstimable
from quorate.estimate.agreement.coefficients import PairwiseAgreement, pairwise_agreement
from quorate.estimate.means.mean import Estimate
from quorate.estimate.means.targets import PANEL
from quorate.estimate.votes.clustered import FEWEST_JUDGES
from quorate.estimate.votes.margin import margin_of_votes
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.roles import JUDGE, PROMPT, SYSTEM
from quorate.study.file import Study, load
from quorate.study.questions import prompt_of
from quorate.study.status import Status, standing
from quorate.table.arrived import ArrivedScores, ArrivedVotes, arrived
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import Brief, at_level, counted, decimals, percent

# Votes so far: the share for one of two systems at each look, and what is decided of every two.


def of_votes(study: Study, status: Status, found: ArrivedVotes, known: dict[int, Look], level: float) -> Interim:
    """What the votes of a study say so far; looks that are known are taken over."""
    votes = found.votes
    counts = votes.pairs()
    if not counts.decisive.any():
        return Interim(status, "votes", level, unknown="No vote is for one of two systems yet.", caveats=found.caveats)
    *before, now = found.sizes
    pair, alike = counts.names[int(counts.decisive.argmax())], _alike(study, votes)
    looks = [known.get(size) or _look(size, found.first(size), pair, alike, level) for size in before]
    latest = _look(now, votes, pair, alike, level)
    planned = {name for side in ("system_a", "system_b") for name in _planned(study, side)}
    watched = monitor_all(votes, level=level, cluster=alike, systems=len(planned.union(votes.models)))
    return Interim(
        status,
        "votes",
        level,
        (*looks, latest),
        pair,
        tuple(map(Decision.of, watched.monitors)),
        advice=_advice(votes, pair, level),
        agreement=pairwise_agreement(votes, people=study.people, level=level),
        unknown="Votes of one judge, or on one item, give no interval yet." if math.isnan(latest.low) else "",
        caveats=found.caveats,
    )


def _alike(study: Study, votes: Votes) -> tuple[str, ...]:
    """Facets that clusters are by once all is answered, whatever is so far, so that a claim stays the same claim."""
    judges = len(study.judges)
    again = judges > 1 or len(study.prompts) > 1 or study.replicates > 1 or study.order == "both"
    drawn = ((PROMPT, again), (JUDGE, judges >= FEWEST_JUDGES))
    return tuple(name for name, so in drawn if so and name in votes.names)


def _look(size: int, votes: Votes, pair: tuple[str, str], alike: tuple[str, ...], level: float) -> Look:
    try:
        seen = margin_of_votes(votes, *pair, cluster=alike)
        watched = monitor(votes, *pair, level=level, cluster=alike)
    except (NotEstimable, InvalidInput):  # no vote on the two counts yet, or all are of one judge
        return Look(size, _share(votes, *pair), math.nan, math.nan)
    low, high = (0.5 + end for end in seen.at(level).ends)
    always_low, always_high = (0.5 + float(end[-1]) for end in (watched.low, watched.high))
    return Look(size, 0.5 + seen.value, low, high, always_low, always_high, int(watched.n[-1]))


def _share(votes: Votes, a: str, b: str) -> float:
    """Share of decisive votes for the first; nan without any."""
    if not {a, b} <= set(votes.models):
        return math.nan
    wins, losses = votes.wins(a, b), votes.wins(b, a)
    return wins / (wins + losses) if wins + losses else math.nan


def _advice(votes: Votes, pair: tuple[str, str], level: float) -> tuple[str, ...]:
    try:
        step = verdict_of_votes(votes, *pair, level=level).next_step
    except NotEstimable:
        return ()
    return () if step is None else (step.sentence,)


def interim(study: str | os.PathLike[str] | Study, *, level: float = 0.95, earlier: Interim | None = None) -> Interim:
    """What a study says so far: its estimate as answers came in, what is decided, and how alike judges answer.

    The study may be under way, whoever answers: every cell that is finished counts, and nothing is asked or changed.

    Parameters
    ----------
    study : path or Study
        The study file.
    level : float
        Coverage of every interval.
    earlier : Interim, optional
        Of the same study, whose looks are taken over: they do not change.

    Returns
    -------
    Interim

    Raises
    ------
    InvalidInput
        If the file breaks a rule, or the ledger cannot be read.

    Notes
    -----
    Two intervals are there for two purposes. The one of an analysis that is made once is narrower, and is for watching:
    who stops when it excludes something is wrong more often than it says. The other one holds at all looks at once, so
    that stopping by it is safe; it takes items (or votes) as a sample, for the judges and prompts that were asked, and
    an order of items that has nothing to do with their scores. An item counts for it once all its cells are finished.
    """
    checked_level(level)
    loaded = study if isinstance(study, Study) else load(study)
    status = standing(loaded)
    found = _so_far(loaded, status, earlier, level)
    if loaded.goal is None:
        return found
    looks = () if loaded.goal.stages else found.looks  # a share over both stages is of what the first chose
    return replace(found, path=goal_path(loaded, status), advice=(), decisions=(), looks=looks)


def _so_far(loaded: Study, status: Status, earlier: Interim | None, level: float) -> Interim:
    """What the answers say, whatever the goal."""
    if not status.finished:
        return Interim(status, "none", level)
    known = {look.n: look for look in earlier.looks[:-1]} if earlier is not None and earlier.level == level else {}
    try:
        found = arrived(loaded.database)
    except InvalidData:  # nothing that is finished has a score
        return Interim(status, "none", level)
    if isinstance(found, ArrivedScores):
        return of_scores(loaded, status, found, known, level)
    return of_votes(loaded, status, found, known, level)


MOST_PAIRS = 15
"""Pairs of systems whose scores are decided on: all of six systems."""


@dataclass(frozen=True)
class Look(Brief):
    """The estimate after so many answers.

    Parameters
    ----------
    n : int
        Answers, with those that have no score.
    value, low, high : float
        Mean score, or share of votes for the first system, with the interval of an analysis that is made once; nan
        where so few answers give none.
    always_low, always_high : float
        Interval that holds at all looks at once, whenever one stops; nan where there is none.
    units : int
        What that rests on: finished items, or votes.
    """

    n: int
    value: float
    low: float
    high: float
    always_low: float = math.nan
    always_high: float = math.nan
    units: int = 0


@dataclass(frozen=True)
class Decision(Brief):
    """What is decided of two systems, whenever one looks.

    Parameters
    ----------
    a, b : str
        The systems; the outcome is about ``a``.
    outcome : Outcome
        ``UNDECIDED`` as long as the interval includes no difference.
    value, low, high : float
        Difference of mean scores, or share of votes for ``a``, with an interval that holds at every look; of scores
        for all pairs at once, of votes for each by itself.
    units : int
        Finished items, or votes that count.
    """

    a: str
    b: str
    outcome: Outcome
    value: float
    low: float
    high: float
    units: int

    @classmethod
    def of(cls, watched: Monitor) -> Decision:
        """That of two systems whose votes are watched, at the look that decided, or the latest."""
        n, wins, low, high = (float(at[-1]) for at in (watched.n, watched.wins, watched.low, watched.high))
        return cls(watched.a, watched.b, watched.outcome, wins / n, 0.5 + low, 0.5 + high, int(n))


@dataclass(frozen=True, eq=False)
class Interim(Result):
    """What a study says so far.

    Parameters
    ----------
    status : Status
        How far it is.
    kind : {"scores", "votes", "none"}
        What its answers are; none before the first.
    level : float
        Coverage of every interval.
    looks : tuple of Look
        The estimate as answers came in, the latest one last; none before the first answer.
    pair : (str, str) or None
        Of votes, the two systems whose share is looked at.
    decisions : tuple of Decision
        Pairs of systems, where there are any.
    sources : tuple of Contribution
        Where the uncertainty of the mean comes from; empty for votes, and as long as answers do not tell.
    advice : tuple of str
        What to buy next, the best first.
    agreement : tuple of PairwiseAgreement
        How alike judges answer the same question.
    unknown : str
        Why there is no interval yet; empty where there is.
    caveats : tuple of Caveat
        What to know before relying on this.
    path : GoalPath, optional
        Of a study with a goal, its looks at it, which decide.
    """

    status: Status
    kind: Literal["scores", "votes", "none"]
    level: float
    looks: tuple[Look, ...] = ()
    pair: tuple[str, str] | None = None
    decisions: tuple[Decision, ...] = ()
    sources: tuple[Contribution, ...] = ()
    advice: tuple[str, ...] = ()
    agreement: tuple[PairwiseAgreement, ...] = ()
    unknown: str = ""
    caveats: tuple[Caveat, ...] = ()
    path: GoalPath | None = None

    @property
    def what(self) -> str:
        """What is estimated, in words."""
        return "mean score" if self.pair is None else f"share of votes for {self.pair[0]} against {self.pair[1]}"

    @property
    def sentence(self) -> str:
        """How far the study is and what it says, in a few sentences."""
        far = replace(self.status, looks=()).sentence  # the latest one is what it says
        return f"{far} {self.so_far}"

    @property
    def so_far(self) -> str:
        """What it says; of a study with a goal, what its looks say, and what stopped it."""
        if self.path is not None:
            return self.path.sentence
        if not self.looks or math.isnan(self.looks[-1].value):
            return "Nothing has a score yet."
        now, shown = self.looks[-1], self.shown(self.looks[-1])
        if math.isnan(now.low):
            return f"So far the {self.what} is {shown[0]}. {self.unknown}".rstrip()
        watch = f"{at_level(self.level)} interval to watch {shown[1]}"
        unit = "vote" if self.kind == "votes" else "finished item"
        decide = f"to decide by, whenever you stop, {shown[2]} (of {counted(now.units, unit)})"
        if math.isnan(now.always_low):
            decide = "the policy decides" if self.adaptive else "none to decide by: no item is finished by all yet"
        return f"So far the {self.what} is {shown[0]}; {watch}, {decide}."

    @property
    def adaptive(self) -> bool:
        """Whether a policy decides what is asked, so that what is reached is for it to say."""
        return bool(self.status.reached)

    def shown(self, look: Look) -> tuple[str, str, str]:
        """The value of a look and both its intervals, with the digits that they need; shares in percent."""
        half = (look.high - look.low) / 2 if look.high > look.low else 0.1
        ends = look.value, look.low, look.high, look.always_low, look.always_high
        if self.kind == "votes":
            value, *others = (percent(end) for end in ends)
        else:
            value, *others = (number(end, decimals(half / 2)) for end in ends)
        return value, " to ".join(others[:2]), " to ".join(others[2:])

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Every decision as a sentence."""
        unit = "vote" if self.kind == "votes" else "item"
        return tuple(
            f"{one.a} is {one.outcome.value} than {one.b}, after {counted(one.units, unit)}."
            if one.outcome is not Outcome.UNDECIDED
            else f"Undecided between {one.a} and {one.b}, after {counted(one.units, unit)}."
            for one in self.decisions
        )

    def rows(self) -> list[Row]:
        """One row per look."""
        return [vars(look).copy() for look in self.looks]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        sources = [{"component": one.component, "share": one.share} for one in self.sources]
        path = {} if self.path is None else {"path": self.path.to_dict()}
        own = {"status": self.status.to_dict(), "sources": sources, "sentence": self.sentence}
        return {**super().to_dict(), **own, **path}


def of_scores(study: Study, status: Status, found: ArrivedScores, known: dict[int, Look], level: float) -> Interim:
    """What the scores of a study say so far; looks that are known are taken over."""
    # A policy, or a goal, asks by the scores, which choose who is finished.
    scale = None if study.adaptive or study.goal else scale_of(study)
    planned = _planned(study, found.table.object)

    def look(size: int, table: Judgments, analysis: Analysis | None) -> Look:
        return _scores_look(size, table, analysis, _finished(table, planned), scale, level)

    def earlier(size: int) -> Look:
        table = found.first(size)
        return look(size, table, _analysed(table, level)[0])

    *before, now = found.sizes
    looks = [known.get(size) or earlier(size) for size in before]
    table = found.first(now)
    analysis, why = _analysed(table, level)
    own = () if analysis is None else analysis.caveats
    return Interim(
        status,
        "scores",
        level,
        (*looks, look(now, table, analysis)),
        decisions=() if scale is None else tuple(_decided(_finished(table, planned), scale, level)),
        sources=() if analysis is None else analysis.sources,
        advice=() if analysis is None else tuple(_bought(analysis)),
        agreement=pairwise_agreement(table, people=study.people, level=level),
        unknown=why,
        caveats=tuple(dict.fromkeys((*found.caveats, *own))),
    )


def scale_of(study: Study) -> tuple[float, float]:
    """Least and greatest score that there can be."""
    expects = prompt_of(study, *next(iter(study.prompts.items()))).expects
    return expects.low, expects.high


def _planned(study: Study, facet: str) -> dict[str, int]:
    """Cells planned for every level of a facet."""
    with Ledger.open(study.database) as ledger:
        place = ledger.facets.index(facet)
        return ledger.seen(lambda: planned_by(ledger.store.connection, place))


def _analysed(table: Judgments, level: float) -> tuple[Analysis | None, str]:
    """The analysis of what there is, or why there is none."""
    try:
        systems = {SYSTEM: PANEL} if SYSTEM in table.names else {}
        analysis = analyze_judgments(table, level=level, link="identity", targets=systems)
        _of_panel(analysis)
    except NotEstimable as error:
        return None, f"{str(error)[:1].upper()}{str(error)[1:]}."
    return analysis, ""


def _finished(table: Judgments, planned: dict[str, int]) -> Judgments:
    """The judgments of items all of whose cells are finished."""
    item = table.column(table.object)
    have = np.bincount(item, table.rows, len(table.facet(table.object).levels))
    want = np.array([planned[label] for label in table.facet(table.object).levels])
    return table.keep((have >= want)[item])


def _scores_look(
    size: int,
    table: Judgments,
    analysis: Analysis | None,
    finished: Judgments,
    scale: tuple[float, float] | None,
    level: float,
) -> Look:
    held: tuple[float, float, int] = (math.nan, math.nan, 0)
    if scale is not None and finished.n.any():
        always = anytime_mean(finished, scale, level=level)
        held = (always.low, always.high, always.items)
    if analysis is None:
        value = float(np.average(table.mean[table.n > 0], weights=table.n[table.n > 0])) if table.n.any() else math.nan
        return Look(size, value, math.nan, math.nan, *held)
    mean = _of_panel(analysis)
    low, high = mean.at(level).ends
    return Look(size, mean.value, low, high, *held)


def _of_panel(analysis: Analysis) -> Estimate:
    """The mean for the judges that were asked, which is what the interval for all looks is about too."""
    return analysis.setup


def _decided(finished: Judgments, scale: tuple[float, float], level: float) -> list[Decision]:
    """Every two systems on the items that both have finished."""
    if SYSTEM not in finished.names or len(finished.facet(SYSTEM).levels) < 2:
        return []
    pairs = list(combinations(finished.facet(SYSTEM).levels, 2))[:MOST_PAIRS]
    found = []
    for a, b in pairs:
        try:
            one = anytime_difference(finished, a, b, scale, level=1 - (1 - level) / len(pairs))
        except NotEstimable:
            continue
        found.append(Decision(a, b, one.outcome, one.value, one.low, one.high, one.items))
    return found


def _bought(analysis: Analysis) -> list[str]:
    """What to buy next, in words."""
    return [
        f"{one.label}: {-one.change:.0%} off the standard error for {counted(one.more_calls, 'more judgment')}"
        for one in analysis.purchases
    ]
