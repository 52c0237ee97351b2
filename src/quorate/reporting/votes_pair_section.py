"""The section on two systems: the verdict, how it rests on the way votes are counted, and what would decide it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import p_value
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import known
from quorate.reporting.draw.theme import CORRECTED, NAIVE
from quorate.reporting.page import Caption, Figure, Section, Tile
from quorate.reporting.votes_section import votes_health, votes_sections
from quorate.wording import counted, margin, shares

if TYPE_CHECKING:
    from quorate.analysis.pair import PairView
    from quorate.decide.votes.next_step import NextStep
    from quorate.decide.votes.verdict import Verdict
    from quorate.reporting.draw.marks import Chart
    from quorate.reporting.page import Row

SHORT = 40
_WAYS = {
    "way": "votes counted as",
    "p": "p of no difference",
    "p_equal": "p of a margin that large",
}
STEPS = {"study": "a new study", "assumed": "if the margin is"}
"""Headings of what would decide."""
TIES = {"drop": "ties were left out", "half": "ties count as half a vote", "pessimistic": "ties count against it"}
"""How ties count, for the paragraph on methods."""


def pair_sections(view: PairView) -> tuple[Section, ...]:
    """The verdict first, then all pairs."""
    if view.every is not None:
        return _verdict(view), *votes_sections(view.every)
    reason = f"All pairs are not compared: {shown(view.every_reason, 500)}."
    return _verdict(view), Section("margins", "All pairs", (reason,), ()), votes_health(view.support)


def ways(view: PairView) -> list[Row]:
    """The verdict as asked for, and with the same votes counted in other ways."""
    return [{**row, "way": shown(row["way"])} for row in view.rows()]


def steps(verdict: Verdict) -> list[Row]:
    """The studies that would decide, with what each assumes."""
    step = verdict.next_step
    if step is None:
        return []
    shows = "a difference" if step.toward == "difference" else "equivalence"
    end = margin(max(map(abs, verdict.difference.interval(verdict.level)))) if step.toward == "difference" else "0"
    likely: Row = {"study": f"shows {shows} if all is as found", "assumed": margin(step.assumed), "votes": step.votes}
    least: Row = {"study": f"shows {shows} at best", "assumed": end, "votes": step.at_least}
    own: list[Row] = [] if step.budget is None else [_own(step, shows)]
    rows = [likely, least, *own]
    if step.cost is None:
        return rows
    return [{**row, "price": step.cost / step.votes * row["votes"]} for row in rows]


def _own(step: NextStep, shows: str) -> Row:
    """The study that the budget pays for."""
    limit, side = (step.seen_by_budget, "more") if step.toward == "difference" else (step.alike_by_budget, "less")
    reach = "no margin" if limit is None else f"{margin(limit)} or {side}"
    return {"study": f"of your budget shows {shows}", "assumed": reach, "votes": step.budget}


def summary(verdict: Verdict) -> list[Tile]:
    """The few numbers at the top of the report."""
    found = verdict.difference
    share, low, high = shares(*(0.5 + one for one in (found.value, *found.interval(verdict.level))))
    seen = "none" if verdict.detectable is None else margin(verdict.detectable)
    interval = f"{verdict.level * 100:g}% interval {low} to {high}"
    name = shown(verdict.a, SHORT)
    return [
        Tile(str(verdict.outcome.value), f"{name}, against {shown(verdict.b, SHORT)}"),
        Tile(share, f"of {counted(found.n, 'vote')} for {name} ({interval})"),
        Tile(seen, f"smallest margin that so many votes detect (power {verdict.power:g})"),
    ]


def _verdict(view: PairView) -> Section:
    rows = ways(view)
    chart = partial(_chart, view, rows) if known(rows, "low", "high") else None
    heads = _WAYS | {"wins": f"share for {shown(view.verdict.a, SHORT)}"}
    figures = [Figure("verdict", _caption(view), rows, chart, heads, unfolded=True), *_next(view.verdict)]
    return Section("verdict", "The verdict", (shown(view.verdict.sentence, 2000),), tuple(figures))


def _next(verdict: Verdict) -> Iterator[Figure]:
    step = verdict.next_step
    if step is None:
        return
    goal = "find a difference" if step.toward == "difference" else "show equivalence"
    finding = f"A new study of {shown(step.size, 500)} would {goal}, if the margin is {margin(step.assumed)} as found"
    lines = (
        f"Each with a chance of {step.power:g}, tested on its own votes alone; with ties at the rate seen so far.",
        "There is no most: the interval includes margins that no number of votes would decide.",
    )
    yield Figure("next-step", Caption(finding, lines), steps(verdict), None, STEPS)


def _caption(view: PairView) -> Caption:
    verdict = view.verdict
    name = shown(verdict.a, SHORT)
    lines = [
        f"Share of votes for {name}, with {verdict.level * 100:g}% intervals.",
        "First row: as asked; grey: the same votes counted in other ways.",
        "Where outcomes differ, the verdict rests on how votes are counted.",
        f"Dashed: one half ({p_value(verdict.p_difference)} of no difference).",
    ]
    if verdict.margin is not None and verdict.p_equivalence is not None:
        edges = f"{0.5 - verdict.margin:.4g} to {0.5 + verdict.margin:.4g}"
        outside = f"{p_value(verdict.p_equivalence)} of a share outside"
        lines.append(f"Dotted: shares that count as equal, {edges} ({outside}).")
    return Caption(_finding(verdict), tuple(lines))


def _finding(verdict: Verdict) -> str:
    """Where the interval lies, and what that shows."""
    name, said = shown(verdict.a, SHORT), verdict.to_dict()
    if said["equivalence_low"] is not None and verdict.outcome == "equivalent":
        _, low, high = shares(*(0.5 + said[name] for name in ("low", "equivalence_low", "equivalence_high")))
        level = f"{100 * said['equivalence_level']:.4g}%"
        return f"The {level} interval for {name}, {low} to {high}, lies within what counts as equal"
    side = "includes" if said["low"] <= 0 <= said["high"] else "excludes"
    return f"The interval for {name} {side} one half: {verdict.outcome.value}"


def _chart(view: PairView, rows: list[Row]) -> Chart:
    margin_ = view.verdict.margin
    edges = [] if margin_ is None else [0.5 - margin_, 0.5 + margin_]
    rows = known(rows, "wins", "low", "high")
    window = marks.around(rows, "wins", 0.5, *edges)
    drawn = [marks.drawn(row, window, CORRECTED if i == 0 else NAIVE) for i, row in enumerate(rows)]
    x = marks.axis("wins", f"share of votes for {shown(view.verdict.a, SHORT)}", window)
    base = marks.chart(drawn, marks.labels("way"), step=30)
    lines = [marks.line_at(0.5, x), *(marks.line_at(edge, x).mark_rule(strokeDash=[1, 3]) for edge in edges)]
    return marks.finish([*lines, *marks.intervals(drawn, base, x)], _caption(view))
