"""Interim: the page of a study that is still being filled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quorate.analysis.words import called, cut, significant
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import colour
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, title_of
from quorate.reporting.pages.interim import looks, path
from quorate.wording import capitalised, counted, duration, whole_percent

if TYPE_CHECKING:
    from quorate.analysis.interim.result import Interim
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table
    from quorate.study.status import Status


def page(result: Interim, table: Table | None = None) -> Page:
    """The page of an interim analysis."""
    status = result.status
    facts: dict[str, object] = {"ledger": status.ledger, "cells": status.cells, "finished": status.finished}
    facts |= {"level": f"{result.level:g}", "looks": len(status.looks or result.looks)}
    return Page(
        title=title_of(table, "A study under way" if result.path is None else "A study with a goal"),
        sentence=result.sentence,
        sections=sections(result),
        facts=particulars("rests", "What it rests on", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        caveats=weightiest_first(result.caveats),
        tiles=tiles(status),
        options=f"level {result.level:g}",
    )


def sections(result: Interim) -> tuple[Section, ...]:
    """How far it is, the estimate, what is decided, why it is uncertain, and who agrees with whom."""
    found = []
    if result.status.judges:
        found.append(Section("progress", "How far it is", figures=(progress(result.status),)))
    if result.path is not None:
        found.append(path.section(result.path))
    if result.looks:
        found.append(Section("estimate", "The estimate so far", (), (looks.looks(result),)))
    reached = (f"Policy: {result.status.reached}.",) if result.status.reached else ()
    if result.decisions or reached:
        figures = (decisions(result),) if result.decisions else ()
        found.append(Section("decided", "What is decided", reached, figures))
    if result.sources:
        found.append(Section("sources", "Where the uncertainty comes from", figures=(sources(result),)))
    if result.advice:
        found.append(
            Section("next", "What to buy next", tuple(f"{capitalised(one).rstrip('.')}." for one in result.advice))
        )
    if result.agreement:
        found.append(Section("agreement", "Who agrees with whom", figures=(agreement(result),)))
    return tuple(found)


def tiles(status: Status) -> tuple[Tile, ...]:
    """The few numbers of how far a study is."""
    spend, budget = status.spend, status.budget
    share = status.finished / status.cells if status.cells else math.nan
    found = [Tile(f"{status.finished:,}", f"of {status.cells:,} cells finished ({whole_percent(share)})")]
    calls = "calls" if budget.calls is None else f"of {budget.calls:,} calls that the budget allows"
    found.append(Tile(f"{spend.calls:,}", calls))
    if spend.money or budget.money is not None:
        money = "in money" if budget.money is None else f"of {budget.money:,.2f} in money that the budget allows"
        least = "at least " if spend.unpriced else ""
        found.append(Tile(f"{least}{spend.money:,.2f}", money))
    if status.rate and status.finished < status.cells:
        wait = "" if status.seconds_left is None else f"; {duration(status.seconds_left)} to go at this speed"
        found.append(Tile(significant(60 * status.rate), f"cells a minute over the last minutes{wait}"))
    return tuple(found)


def progress(status: Status) -> Figure:
    """Every judge: cells by state, what came of its calls, what it cost, how fast it is."""
    rows: list[Row] = [
        {
            "judge": cut(one.judge),
            "cells": one.cells,
            "answered": one.done,
            "given_up": one.given_up,
            "under_way": one.leased,
            "left": one.planned,
            "calls": one.calls,
            "errors": one.statuses.get("error", 0),
            "unparsed": one.statuses.get("unparsed", 0),
            "money": one.money if one.unpriced < one.calls or not one.calls else None,
            "a_minute": 60 * one.rate,
            "to_go": "" if not one.seconds_left else duration(one.seconds_left),
        }
        for one in status.judges
    ]
    heads = {"given_up": "given up", "under_way": "under way", "a_minute": "cells a minute", "to_go": "to go"}
    line = "Left: cells that nobody works on. Speed: of the last minutes. Money: the worst case where there is no bill."
    return Figure(
        "progress",
        Caption(status.sentence, (line,)),
        rows,
        headers=heads,
        short=Short(
            {
                "judge": "judge",
                "cells": "cells",
                "answered": "answered",
                "left": "left",
                "errors": "errors",
                "to_go": "to go",
            }
        ),
    )


def decisions(result: Interim) -> Figure:
    """Every two systems: what is decided, by the interval that holds at all looks and for all pairs."""
    times = 100 if result.kind == "votes" else 1
    rows: list[Row] = [
        {"a": cut(one.a), "b": cut(one.b), "outcome": one.outcome.value, "units": one.units}
        | {"value": times * one.value, "low": times * one.low, "high": times * one.high}
        for one in result.decisions
    ]
    open_ = sum(row["outcome"] == "undecided" for row in rows)
    told = len(rows) - open_
    finding = f"{told} of {counted(len(rows), 'pair')} decided" if len(rows) > 1 else result.verdicts[0].rstrip(".")
    what = "share of votes for a, %" if result.kind == "votes" else "mean of a less mean of b"
    line = f"Intervals hold at all looks and for all pairs at once, with a chance of {100 * result.level:.4g}%."
    heads = {"value": what, "units": "votes" if result.kind == "votes" else "items finished by all"}
    return Figure(
        "decisions",
        Caption(finding, (line,)),
        rows,
        headers=heads,
        short=Short({"a": "a", "b": "b", "outcome": "outcome", "value": "difference", "low": "interval"}, of="value"),
    )


def sources(result: Interim) -> Figure:
    """Shares of the variance of the mean."""
    rows: list[Row] = [
        {"component": cut(one.component), "share": one.share, "advice": one.advice} for one in result.sources
    ]
    first = result.sources[0]
    finding = f"{whole_percent(first.share)} of the variance of the mean comes from {called(first.component)}"
    line = "Of the mean for judges like these, where there are several; else for the judges that were asked."

    def chart() -> Spec:
        shown = [{**row, "colour": colour(row["component"], ())} for row in rows[: marks.MOST_ROWS]]
        return marks.bars(shown, "component", "share")

    return Figure(
        "sources",
        Caption(finding, (line,)),
        rows,
        chart,
        {"advice": "what makes it smaller"},
        short=Short(
            {"component": "source", "share": "share", "advice": "what makes it smaller"}, percent=("share",), most=6
        ),
    )


def agreement(result: Interim) -> Figure:
    """How alike answers to the same question are, by who gave them."""
    same = result.kind == "votes"
    times = 100 if same else 1
    rows: list[Row] = [
        {"first": cut(one.first), "second": cut(one.second), "value": times * one.value, "low": times * one.low}
        | {"high": times * one.high, "items": one.items, "pairs": one.pairs}
        for one in result.agreement
    ]
    first = result.agreement[0]
    who = f"{first.first} and {first.second}" if first.first != first.second else f"two of the {first.first}"
    number = whole_percent(first.value) if same else f"{first.value:.2f} points"
    said = f"are the same on {number} of shared questions" if same else f"differ by {number} on a shared question"
    measure = "the same, %" if same else "root mean square difference, in points"
    line = f"Pairs of answers by two judges to one question; {100 * result.level:.4g}% intervals over items."
    heads = {"first": "answers of", "second": "and of", "value": measure, "pairs": "pairs of answers"}
    return Figure(
        "agreement",
        Caption(f"Answers of {cut(who)} {said}", (line,)),
        rows,
        headers=heads,
        short=Short({"first": "answers of", "second": "and of", "value": measure, "items": "items"}),
    )


_SPENDING = (
    "The study was analysed in rounds, by bounds that spend the level on the information so far (Lan and DeMets 1983; "
)
_ROUNDS = {
    "late": f"{_SPENDING}O'Brien and Fleming 1979).",
    "early": f"{_SPENDING}Pocock 1977).",
    None: "The study was analysed in rounds, and ended where the interval of one analysis was narrow enough.",
}
"""How the rounds were analysed, by how the level was spent."""


def methods(result: Interim) -> str:
    """The paragraph for a methods section."""
    level = f"{100 * result.level:.4g}%"
    if result.path is not None and result.path.stages:
        return (
            f"The goal was set beforehand: {result.path.goal}. As many votes were asked of every category, then the "
            "others of those kept (Lee 2026, Algorithm 1). Test and interval are exact for the pooled second stage "
            "and rest on its votes alone; they say nothing of the categories that were left."
        )
    if result.path is not None:
        return f"The goal was set beforehand: {result.path.goal}. {_ROUNDS[result.path.spending]}"
    once = (
        f"The study was looked at while answers came in. Intervals at each look are {level} intervals of one analysis."
    )
    if result.kind == "votes":
        return f"{once} Decisions rest on confidence sequences of the share of votes (Robbins 1970), shared over pairs."
    return (
        f"{once} Decisions rest on confidence sequences of the mean over finished items, whose scores are bounded by "
        "the scale: a mixture of likelihood ratios and of bets (Howard et al. 2021), shared over pairs of systems."
    )
