"""Published figures beside ours: whether they agree, and if they do not, why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, get_args

import numpy as np

from quorate.frozen import dataclass
from quorate.numerics.distributions import normal_cdf, t_cdf
from quorate.numerics.inference import holm
from quorate.numerics.votes.binomial import lower_tail
from quorate.reproduction.study import AnyStudy, Drawing, Published, Results, Value, publication
from quorate.table.results import Result, Row
from quorate.wording import Brief, counted, listed

Verdict = Literal[
    "agrees",
    "erratum",
    "returned",
    "too noisy to tell",
    "within chance",
    "disagrees",
    "cannot be recomputed",
    "as written down",
    "not in the paper",
]
WORDS: Mapping[Verdict, tuple[str, str]] = {
    "agrees": ("agrees", "agree"),
    "erratum": ("disagrees by a known error of the paper", "disagree by a known error of the paper"),
    "returned": ("is an input that comes back", "are inputs that come back"),
    "too noisy to tell": ("is too noisy to tell", "are too noisy to tell"),
    "within chance": (
        "is off by no more than chance leaves among so many",
        "are off by no more than chance leaves among so many",
    ),
    "disagrees": ("disagrees without an explanation", "disagree without an explanation"),
    "cannot be recomputed": ("cannot be recomputed here", "cannot be recomputed here"),
}
"""What a sentence says of one published figure, and of several, by verdict."""
ERRORS = 3.0
"""Monte Carlo standard errors that a figure may be off: one in 370 is further off by chance."""
FAMILY = 0.01
"""Chance that anything is called a miss where nothing is wrong, for all simulated figures of a run together."""


@dataclass(frozen=True)
class Compared(Brief):
    """One figure of a paper beside ours.

    Parameters
    ----------
    study : str
        Name of the study.
    what, place : str
        What the figure is of, and where the paper has it.
    published, ours : float
        The paper's figure, and what was computed; nan where there is none.
    error : float
        Monte Carlo standard error of ours.
    tolerance : float
        How far apart they may be: the rounding of the paper or what it leaves open, and three Monte Carlo errors of
        ours and of the paper's, as the root of the sum of their squares.
    rule : {"equal", "at least", "at most"}
        Whether the paper states a number or a bound.
    verdict : str
        "agrees", "erratum", "disagrees", "cannot be recomputed" or "not in the paper"; "returned" where the figure is
        an input of ours and cannot differ; "too noisy to tell" where Monte Carlo error is as large as the figure, or
        alone brings ours within a bound; "within chance" where ours is further off than the tolerance, as among so
        many simulated figures one may be; "as written down" where the paper has no such figure and ours is what it was.
    why : str
        The erratum, what is missing, or how rare it is to be so far off; empty where nothing has to be said.
    p : float
        Chance of being so far off where nothing is wrong; nan where nothing is drawn.
    """

    study: str
    what: str
    place: str
    published: float
    ours: float
    error: float
    tolerance: float
    rule: str
    verdict: Verdict
    why: str = ""
    p: float = math.nan

    @property
    def verdict_words(self) -> str:
        """The verdict with its reason, short: the name of an erratum, or what is missing."""
        if self.verdict == "erratum":
            return f"disagrees: erratum {self.why.partition(':')[0]}"
        return self.verdict + ": " + self.why if self.verdict == "cannot be recomputed" else self.verdict


@dataclass(frozen=True)
class Ran(Brief):
    """A study that was run.

    Parameters
    ----------
    study, title : str
        Its name, and what it is.
    replicates : int
        Tables drawn for each law; 0 where nothing is drawn.
    failed : int
        Replicates that could not be estimated.
    missing : str
        The files that it needs and that are not here; empty where none is.
    """

    study: str
    title: str
    replicates: int
    failed: int
    missing: str = ""


@dataclass(frozen=True)
class Reproduction(Result):
    """Figures of papers, computed again.

    Parameters
    ----------
    figures : tuple of Compared
        Study after study.
    runs : tuple of Ran
        The studies.
    seed : int
        Root of the random numbers.
    drawings : tuple of Drawing
        Figures of the papers, redrawn from our numbers.
    """

    figures: tuple[Compared, ...]
    runs: tuple[Ran, ...]
    seed: int
    drawings: tuple[Drawing, ...] = field(default=(), repr=False)

    derived = ("sentence", "counts")

    @property
    def unexplained(self) -> tuple[Compared, ...]:
        """Figures that disagree without a known erratum."""
        return tuple(one for one in self.figures if one.verdict == "disagrees")

    @property
    def errata(self) -> dict[str, str]:
        """Errata of the papers that these figures show, by name."""
        names = {one.why.partition(":")[0] for one in self.figures if one.verdict == "erratum"}
        return {name: words for name, words in publication().errata.items() if name in names}

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many figures have each verdict; every verdict is there."""
        found = Counter(one.verdict for one in self.figures)
        return {verdict: found[verdict] for verdict in get_args(Verdict)}

    @property
    def sentence(self) -> str:
        """How many figures agree, and what became of the others."""
        counts = self.counts
        of = sum(counts[verdict] for verdict in WORDS)
        parts = [
            f"{counts[verdict]} {words[counts[verdict] != 1]}"
            for verdict, words in WORDS.items()
            if counts[verdict] or verdict == "agrees"
        ]
        kept = counts["as written down"]
        besides = f" {counted(kept, 'figure')} of ours on other data {'is' if kept == 1 else 'are'} as written down."
        return f"Of {counted(of, 'published figure')} {listed(parts)}." + (besides if kept else "")

    def rows(self) -> list[Row]:
        """One row for every figure: study, what, place, published, ours, error, tolerance, rule, verdict, why, p."""
        return [dict(vars(one)) for one in self.figures]


def compared(study: AnyStudy, outcome: Results, missing: str = "", replicates: int = 0) -> tuple[Compared, ...]:
    """The figures of a study: those that are published, and those that are ours alone.

    Parameters
    ----------
    study : AnyStudy
        The study.
    outcome : Results
        What it found; nothing where files are missing.
    missing : str
        What it needs to be computed; empty where it was.
    replicates : int
        Tables drawn for each law, on which Monte Carlo errors rest; 0 where they are known otherwise.
    """
    published = publication().figures.get(study.id, ())
    if missing:
        published = tuple(replace(one, needs=missing) for one in published if not one.own)
    named = {one.what for one in published}
    own = [
        Compared(study.id, what, "", math.nan, value.value, value.error, math.nan, "equal", "not in the paper")
        for what, value in ((what, _value(value)) for what, value in outcome.values.items() if what not in named)
    ]
    return (*(_beside(study.id, one, outcome.values, replicates) for one in published), *own)


def _beside(study: str, figure: Published, values: Mapping[str, Value | float], replicates: int) -> Compared:
    at = (study, figure.what, figure.place, figure.value)
    if figure.needs:
        return Compared(*at, math.nan, 0.0, figure.tolerance, figure.rule, "cannot be recomputed", figure.needs)
    ours, error = _value(values[figure.what])
    noise = math.hypot(error, figure.error) if error > 0 else 0.0
    reach = math.hypot(figure.tolerance, ERRORS * noise)
    p = chance(off(figure, ours), figure.tolerance, noise, replicates)
    found = (*at, ours, error, reach, figure.rule)
    if off(figure, ours) <= reach * (1 + 1e-9):
        return Compared(*found, _within(figure, ours, reach if noise > 0 else 0.0), p=p)
    if figure.erratum:
        return Compared(*found, "erratum", f"{figure.erratum}: {publication().errata[figure.erratum]}", p)
    return Compared(*found, "disagrees", p=p)


def _within(figure: Published, ours: float, simulated: float) -> Verdict:
    """Verdict of a figure within its reach, which is ``simulated`` where Monte Carlo error is part of it, else 0."""
    if figure.own:
        return "as written down"
    if figure.returned:
        return "returned"
    blurred = simulated >= abs(figure.value) if figure.rule == "equal" else off(figure, ours) > figure.tolerance
    return "too noisy to tell" if simulated and blurred else "agrees"


def off(figure: Published, ours: float) -> float:
    """How far a figure is from the published one, or on the wrong side of a published bound."""
    if figure.rule == "at least":
        return figure.value - ours
    if figure.rule == "at most":
        return ours - figure.value
    return abs(ours - figure.value)


def chance(distance: float, tolerance: float, noise: float, replicates: int) -> float:
    """Two-sided p-value of a figure that is so far off: beyond its tolerance by Monte Carlo error alone.

    Parameters
    ----------
    distance, tolerance, noise : float
        How far off it is, how far it may be whatever is drawn, and the Monte Carlo standard error.
    replicates : int
        What the error was estimated from; 0 if it is known.
    """
    if not noise > 0 or not math.isfinite(distance):
        return math.nan
    errors = math.sqrt(max(distance * abs(distance) - tolerance**2, 0.0)) / noise
    return min(1.0, 2 * (t_cdf(replicates - 1, -errors) if replicates > 1 else normal_cdf(-errors)))


def held_together(figures: Sequence[Compared]) -> tuple[Compared, ...]:
    """Figures of a run with those that are off by no more than chance leaves among so many.

    A simulated figure beyond its tolerance stays a miss if it is too far off for any of them (Holm's procedure), or if
    more of them are beyond theirs than independent ones would be (a binomial tail). Each has half of `FAMILY`.

    Parameters
    ----------
    figures : sequence of Compared
        Of all studies of the run.
    """
    family = [one for one in figures if math.isfinite(one.p) and one.verdict in _HELD]
    beyond = [one for one in family if one.verdict == "disagrees"]
    if not beyond or len(beyond) > by_chance(len(family)):
        return tuple(figures)
    adjusted = dict(zip(map(id, family), holm(np.array([one.p for one in family])), strict=True))
    why = f"one of {len(family):,} simulated figures may be so far off (p = {{:.2g}})"
    return tuple(
        replace(one, verdict="within chance", why=why.format(one.p))
        if one.verdict == "disagrees" and adjusted.get(id(one), 0.0) > FAMILY / 2
        else one
        for one in figures
    )


def by_chance(figures: int) -> int:
    """The most of so many independent figures that are beyond three errors, but for a chance of half of `FAMILY`."""
    counts = np.arange(figures + 1)
    return int(np.argmax(1 - lower_tail(counts, figures, 2 * normal_cdf(-ERRORS)) <= FAMILY / 2))


_HELD = ("agrees", "too noisy to tell", "as written down", "disagrees")
"""Verdicts of figures that could have been a miss."""


def _value(value: Value | float) -> Value:
    return value if isinstance(value, Value) else Value(float(value))
