"""What every figure on a verdict says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import p_value, significant
from quorate.decide.outcome import Outcome
from quorate.decide.scores.verdict import ScoreVerdict
from quorate.decide.votes.verdict import Verdict
from quorate.reporting.page import Caption
from quorate.reporting.verdict_tables import centre, sources
from quorate.wording import whole_percent

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict

SHORT = 40
MUCH = 2.5
"""Times half the interval that a detectable difference is explained at; 1.7 where all is known but the mean."""


def headline(verdict: AnyVerdict) -> str:
    """The outcome alone."""
    a, b = shown(verdict.a, SHORT), shown(verdict.b, SHORT)
    if verdict.outcome is Outcome.UNDECIDED:
        better = "is preferred" if isinstance(verdict, Verdict) else "scores better"
        return f"Undecided whether {a} or {b} {better}, which is no sign that they are alike"
    if verdict.outcome is Outcome.EQUIVALENT:
        return f"{a} and {b} are equivalent within a margin of {verdict.margin:.4g}"
    return f"{a} is {verdict.outcome.value} than {b}"


def axis(verdict: AnyVerdict) -> str:
    """What the numbers are."""
    name, other = shown(verdict.a, 30), shown(verdict.b, 30)
    if isinstance(verdict, Verdict):
        return f"share of votes for {name}"
    return f"mean score of {name} less that of {other}"


def intervals(verdict: AnyVerdict) -> Caption:
    """Where the interval lies."""
    lines = [f"{axis(verdict)[:1].upper()}{axis(verdict)[1:]}.", f"Dashed: no difference ({_p(verdict)})."]
    if verdict.margin is not None and verdict.p_equivalence is not None:
        low, high = (centre(verdict) + side * verdict.margin for side in (-1, 1))
        lines.append(f"Dotted: what counts as equal, {low:.4g} to {high:.4g} ({p_value(verdict.p_equivalence)}).")
    low, high = verdict.difference.interval(verdict.level)
    side = "includes" if low <= 0 <= high else "excludes"
    none = "one half" if isinstance(verdict, Verdict) else "zero"
    return Caption(f"The {100 * verdict.level:.4g}% interval {side} {none}: {verdict.outcome.value}", tuple(lines))


def shares(verdict: ScoreVerdict) -> Caption:
    """What the uncertainty of the difference comes from."""
    first = sources(verdict)[0]
    common = verdict.difference.common_share
    finding = (
        f"{whole_percent(first['share_of_variance'])} of the uncertainty of the difference comes from {first['source']}"
    )
    line = f"Shares of the variance of the difference; {whole_percent(common)} of it stays with any number of items."
    return Caption(finding, (line,))


def steps(verdict: AnyVerdict) -> Caption:
    """What would decide."""
    step = verdict.next_step if isinstance(verdict, (Verdict, ScoreVerdict)) else None
    if step is None:
        return Caption("Nothing within reach would decide it", ())
    goal = "find a difference" if step.toward == "difference" else "show equivalence"
    finding = f"A new study would {goal}, with a chance of {step.power:g}"
    return Caption(finding, (shown(step.sentence, 1000),))


def facts(verdict: AnyVerdict) -> Caption:
    """What was compared."""
    note = why_detectable(verdict)
    names = f"{shown(verdict.a, SHORT)} and {shown(verdict.b, SHORT)}"
    return Caption(f"What was compared: {names}", (note,) if note else ())


def why_detectable(verdict: AnyVerdict) -> str:
    """Why the smallest difference that is detected is far beyond the interval; empty where it is not."""
    if not isinstance(verdict, ScoreVerdict) or verdict.detectable is None:
        return ""
    low, high = verdict.difference.interval(verdict.level)
    if verdict.detectable < MUCH * (high - low) / 2:
        return ""
    return (
        "The smallest difference is that of new studies of this design, whose standard errors and degrees of freedom "
        f"are drawn anew: many get wider intervals than this one's {significant((high - low) / 2)} either way."
    )


def _p(verdict: AnyVerdict) -> str:
    return p_value(verdict.p_difference)
