"""The numbers of the report on a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import significant
from quorate.decide.scores.verdict import ScoreVerdict
from quorate.decide.votes.verdict import Verdict
from quorate.reporting import votes_pair_section
from quorate.wording import plural, shares

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict
    from quorate.decide.scores.step import ScoreStep
    from quorate.reporting.page import Row


def intervals(verdict: AnyVerdict) -> list[Row]:
    """The difference with the interval of the verdict, and that which equivalence rests on; shares for votes."""
    found, zero = verdict.difference, centre(verdict)
    value = zero + found.value
    low, high = found.interval(verdict.level)
    rows: list[Row] = [{"interval": _percent(verdict.level), "value": value, "low": zero + low, "high": zero + high}]
    if verdict.margin is not None:
        low, high = found.equivalence_interval(1 - verdict.level)
        name = f"{_percent(2 * verdict.level - 1)}, for equivalence"
        rows.append({"interval": name, "value": value, "low": zero + low, "high": zero + high})
    return rows


def sources(verdict: ScoreVerdict) -> list[Row]:
    """Where the uncertainty of a difference of scores comes from, the largest part first."""
    shares = verdict.difference.estimate.shares
    return [
        {"source": shown(name), "share_of_variance": share}
        for name, share in sorted(shares.items(), key=lambda one: -one[1])
    ]


def steps(verdict: AnyVerdict) -> list[Row]:
    """What would decide: of votes how many, of scores which study."""
    if isinstance(verdict, Verdict):
        return votes_pair_section.steps(verdict)
    step = verdict.next_step if isinstance(verdict, ScoreVerdict) else None
    if step is None:
        return []
    rows: dict[str, object] = {plural(shown(name)): count for name, count in step.design.items()}
    rows |= {"layout": step.layout, "judgments of both": step.calls}
    rows |= {} if step.cost is None else {"price": f"{step.cost:,.2f}"}
    rows |= {"standard error": significant(step.se), "if the difference is": significant(step.assumed)}
    rows |= {"chance": f"{step.power:g}"} | _within(step)
    return [{"what": name, "value": value} for name, value in rows.items()]


def _within(step: ScoreStep) -> dict[str, object]:
    """What the best study of the budget would show; nothing without one."""
    if step.budget is None or step.budget_power is None:
        return {}
    toward = step.toward == "difference"
    limit = step.seen_by_budget if toward else step.alike_by_budget
    shows = "detects a difference of" if toward else "shows equivalence at a difference of at most"
    return {
        "your budget": f"{step.budget:,.10g}",
        f"your budget {shows}": "none" if limit is None else significant(limit),
        "chance within your budget": f"{step.budget_power:.2f}",
    }


def facts(verdict: AnyVerdict) -> list[Row]:
    """What was compared."""
    rows: dict[str, object] = {"first system": shown(verdict.a), "second system": shown(verdict.b)}
    if isinstance(verdict, Verdict):
        rows |= {"votes that count": verdict.difference.n, "ties": verdict.difference.ties}
        rows |= {} if verdict.difference.cluster is None else {"clusters": verdict.difference.clusters}
    elif isinstance(verdict, ScoreVerdict):
        found = verdict.difference
        rows |= {"scores used": found.n, "items": found.items, "method": found.method}
    rows |= {
        _what(verdict): _span(verdict),
        "p of no difference": _p(verdict.p_difference),
        "nominal chance of a false verdict": f"{verdict.error_rate:.3g}",
    }
    rows |= {} if verdict.p_equivalence is None else {"p of a margin that large": _p(verdict.p_equivalence)}
    seen = "none" if verdict.detectable is None else significant(verdict.detectable)
    rows |= {f"smallest difference that is detected (power {verdict.power:g})": seen, "outcome": verdict.outcome.value}
    return [{"what": name, "value": value} for name, value in rows.items()]


def centre(verdict: AnyVerdict) -> float:
    """No difference, on the scale that is shown: a share of one half of votes, 0 of scores."""
    return 0.5 if isinstance(verdict, Verdict) else 0.0


def _what(verdict: AnyVerdict) -> str:
    name = "share of votes for the first" if isinstance(verdict, Verdict) else "difference of the means"
    return f"{name}, {_percent(verdict.level)}"


def _span(verdict: AnyVerdict) -> str:
    found, zero = verdict.difference, centre(verdict)
    value, low, high = (zero + one for one in (found.value, *found.interval(verdict.level)))
    words = shares(value, low, high) if isinstance(verdict, Verdict) else map(significant, (value, low, high))
    return "{}, {} to {}".format(*words)


def _percent(level: float) -> str:
    return f"{100 * level:.4g}% interval"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.3g}"
