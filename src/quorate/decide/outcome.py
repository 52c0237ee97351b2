"""Outcomes: what a comparison of two systems ends in, whatever says how good they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from quorate.caveats import Caveat
from quorate.numerics.votes import binomial
from quorate.table.results import Interval, Result

if TYPE_CHECKING:
    from quorate.decide.by_type import Types

Claim = Literal["better", "equivalent", "not worse"]
"""What a comparison was made to show."""

SUPPORTED, OPEN = 0, 2
"""Exit codes: what was asked is shown; it is not."""


class Outcome(StrEnum):
    """What a comparison shows; the values are the words that a reader sees."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Difference(Protocol):
    """By how much two systems differ: a margin of votes, or a difference of scores."""

    @property
    def value(self) -> float:
        """The difference; above 0 where the first system is better."""

    @property
    def n(self) -> int:
        """Votes or answers used."""

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on it."""

    def at(self, level: float) -> Interval:
        """The difference with its interval."""

    def equivalence_interval(self, alpha: float = 0.05) -> Interval:
        """The difference with the interval that the test of equivalence rests on."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""


class Step(Protocol):
    """What would decide a comparison."""

    @property
    def sentence(self) -> str:
        """The step in words."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""


@dataclass(frozen=True)
class AnyVerdict(Result, ABC):
    """What a comparison of ``a`` with ``b`` shows, how sure that is, and what more would decide it.

    Parameters
    ----------
    a, b : str
        The two systems; the outcome is about ``a``.
    outcome : Outcome
        ``EQUIVALENT`` only with a margin, and whenever that is shown, even if a small difference is shown too.
    difference : Difference
        By how much they differ, with its intervals.
    margin : float or None
        Half-width of the range about 0 that counts as equal, as stated.
    level : float
        Coverage of the interval; tests are at ``1 - level``.
    p_difference : float
        Two-sided p-value that there is no difference.
    p_equivalence : float or None
        P-value that the difference is the margin or more; None without a margin.
    power : float
        Chance of detection that `detectable` and the next step are for.
    error_rate : float
        Largest chance of a false verdict, whatever the truth, where tests are exact; else the nominal level of t tests.
    next_step : Step or None
        What would decide; None where it is decided, or nothing would do.
    claim : str or None
        What was to be shown, for the exit code.
    types : Types or None
        The difference by type of prompt or category of items; None without two types to compare.
    """

    a: str
    b: str
    outcome: Outcome
    difference: Difference
    margin: float | None
    level: float
    p_difference: float
    p_equivalence: float | None
    power: float
    error_rate: float
    next_step: Step | None
    claim: Claim | None = None
    types: Types | None = None

    derived = ("detectable",)

    @property
    @abstractmethod
    def detectable(self) -> float | None:
        """Smallest difference that such a study detects with a chance of ``power``; None if it detects none."""

    @property
    def estimate(self) -> Interval:
        """The difference with its interval."""
        return self.difference.at(self.level)

    @property
    def p_types(self) -> float | None:
        """P-value that the difference is the same on every type; None without types."""
        return None if self.types is None else self.types.p

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What to know before relying on this."""
        return self.difference.caveats

    @property
    def supported(self) -> bool:
        """Whether what was asked is shown; without a claim, whether ``a`` is better or equivalent."""
        if self.claim == "not worse" and self.margin is not None:
            shown = self.outcome in (Outcome.BETTER, Outcome.EQUIVALENT)
            return shown or self.estimate.low > -self.margin
        if self.claim == "better":
            return self.p_difference <= (1 - self.level) * binomial.SLACK and self.difference.value > 0
        wanted = (self.claim,) if self.claim else (Outcome.BETTER, Outcome.EQUIVALENT)
        return self.outcome in wanted

    @property
    def exit_code(self) -> int:
        """0: what was asked is shown; 2: it is not, be it that ``a`` is worse or that nothing is decided."""
        return SUPPORTED if self.supported else OPEN

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        verdict = f"{self.a} is {self.outcome.value} than {self.b}"
        if self.outcome is Outcome.UNDECIDED:
            verdict = f"Undecided whether {self.a} or {self.b} {self._prefers()}"
        elif self.outcome is Outcome.EQUIVALENT:
            verdict = f"{self.a} and {self.b} are equivalent within {self.margin:.4g}"
        by_type = "" if self.types is None else self.types.words(self.a, 1 - self.level)
        parts = (self._claimed(), f"{verdict}: {self._numbers()}.", self._each_item(), by_type, self._rest())
        return " ".join(part for part in parts if part)

    def _claimed(self) -> str:
        """Whether what was claimed is shown; empty where nothing was."""
        if self.claim is None:
            return ""
        what = {"better": "better than", "equivalent": "equivalent to", "not worse": "not worse than"}[self.claim]
        by = f" by {self.margin:.4g} or more" if self.claim == "not worse" else ""
        shown = "PASS: {} is shown to be" if self.supported else "FAIL: {} is not shown to be"
        return f"{shown.format(self.a)} {what} {self.b}{by}."

    def _each_item(self) -> str:
        """On how many items either is ahead; empty of votes."""
        return ""

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values.

        ``low`` and ``high`` are the ends of the interval at ``level``. ``equivalence_low`` and ``equivalence_high`` are
        those of the one that the test of equivalence rests on, at ``equivalence_level``, which is ``2 level - 1``: 90%
        where ``level`` is 95%. They are None without a margin.
        """
        low, high = self.estimate.ends
        within = (None, None) if self.margin is None else self.difference.equivalence_interval(1 - self.level).ends
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "outcome": self.outcome.value,
            "difference": self.difference.to_dict(),
            "next_step": self.next_step and self.next_step.to_dict(),
            "detectable": self.detectable,
            "types": self.types and self.types.to_dict(),
            "p_types": self.p_types,
            "low": low,
            "high": high,
            "equivalence_level": None if self.margin is None else self._equivalence_level,
            "equivalence_low": within[0],
            "equivalence_high": within[1],
            "supported": self.supported,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
        }

    @property
    def _equivalence_level(self) -> float:
        return 2 * self.level - 1

    @abstractmethod
    def _prefers(self) -> str:
        """What is undecided of two systems."""

    @abstractmethod
    def _numbers(self) -> str:
        """The difference with its interval."""

    @abstractmethod
    def _rest(self) -> str:
        """What else there is to say: what is undecided, and what would decide it."""


def outcome_by(value: float, p_difference: float, p_equivalence: float | None, alpha: float) -> Outcome:
    """What two tests at one level show of a difference; equivalence comes first.

    Parameters
    ----------
    value : float
        The difference.
    p_difference, p_equivalence : float
        P-values of no difference, and of one that is the margin or more; None without a margin.
    alpha : float
        Level of every test.
    """
    if p_equivalence is not None and p_equivalence <= alpha * binomial.SLACK:
        return Outcome.EQUIVALENT
    if p_difference > alpha * binomial.SLACK:
        return Outcome.UNDECIDED
    return Outcome.BETTER if value > 0 else Outcome.WORSE
