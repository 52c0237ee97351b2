"""Result of an interim analysis: the estimate at each look, what is decided, and what it all rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from quorate.analysis.goals.path import GoalPath
from quorate.analysis.judgments import Contribution
from quorate.analysis.words import number
from quorate.caveats import Caveat
from quorate.decide.outcome import Outcome
from quorate.estimate.agreement.coefficients import PairwiseAgreement
from quorate.study.status import Status
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, decimals, percent

MOST_PAIRS = 15
"""Pairs of systems that are decided on, those with the most answers: all of six systems."""


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
        Difference of mean scores, or share of votes for ``a``, with an interval that holds at every look and for all
        pairs at once.
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
        watch = f"{100 * self.level:.4g}% interval to watch {shown[1]}"
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
