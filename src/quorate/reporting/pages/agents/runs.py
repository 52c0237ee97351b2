"""Repeated runs: the page of what k runs come to, and of the items that flip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Tile, particulars, source_of, title_of
from quorate.wording import counted, percent

if TYPE_CHECKING:
    from quorate.estimate.agents.runs import RepeatedRuns
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Table
    from quorate.table.results import Interval


def page(result: RepeatedRuns, table: Table | None = None) -> Page:
    """The page of repeated runs."""
    first = result.systems[0]
    most = first.passing[-1]
    facts: dict[str, object] = {"a run passes from": f"{result.at:.4g}"}
    for one in result.systems:
        whose = f", {one.system}" if one.system else ""
        facts |= {f"items{whose}": one.items, f"runs{whose}": one.runs, f"fewest runs of an item{whose}": one.fewest}
    return Page(
        title=title_of(table, "Repeated runs"),
        sentence=result.sentence,
        sections=(
            Section("passing", "How often runs pass", figures=(passing(result),)),
            Section("flips", "Items that flip", figures=(flips(result),)),
        ),
        facts=particulars("rests", f"What it rests on: {counted(first.items, 'item')}", facts.items()),
        methods=methods(result),
        content=result.to_dict,
        tiles=(
            Tile(percent(most.all.value), f"of items pass all of {counted(most.k, 'run')} (pass^{most.k})"),
            Tile(percent(most.any.value), f"pass one or more (pass@{most.k})"),
            Tile(f"{len(first.flips):,} of {first.items:,}", "items flip"),
        ),
        source=source_of(table),
        options=f"level {result.level:g}",
    )


def passing(result: RepeatedRuns) -> Figure:
    """The chances that one, all and any of k runs pass, that two differ, and whose doing that is."""
    several = len(result.systems) > 1
    rows: list[Row] = []
    for one in result.systems:
        whose = f"{cut(one.system, 30)}: " if several else ""
        for k in one.passing:
            if k.k == 1:
                rows.append(_row(f"{whose}a run passes", k.all))
                continue
            rows.append(_row(f"{whose}all of {k.k} pass (pass^{k.k})", k.all))
            rows.append(_row(f"{whose}one of {k.k} or more (pass@{k.k})", k.any))
        rows.append(_row(f"{whose}two runs differ", one.differ))
        if one.own is not None:
            rows.append(_row(f"{whose}of that, the runs' own", one.own))
    level = f"{100 * result.level:.4g}% interval"
    most = result.systems[0].passing[-1]
    finding = f"All of {counted(most.k, 'run')} pass in {percent(most.all.value)} of items"

    def chart() -> Spec:
        return marks.dots(rows, "what", "value", "share of items", CORRECTED, at=None, tall=30)

    return Figure(
        "passing",
        Caption(finding, (f"For items like these, with {level}s over items.",)),
        rows,
        chart,
        {"what": " ", "value": "share"},
        unfolded=True,
        short=Short({"what": "", "value": "share", "low": level}, of="value", percent=("value",)),
    )


def _row(what: str, found: Interval) -> Row:
    return {"what": what, "value": found.value, "low": found.low, "high": found.high}


def flips(result: RepeatedRuns) -> Figure:
    """Items of which some runs pass and some do not, the most divided first."""
    rows: list[Row] = [
        {"system": one.system, "item": cut(flip.item), "passed": flip.passed, "runs": flip.runs}
        for one in result.systems
        for flip in one.flips
    ]
    heads = {"item": "item", "passed": "passed", "runs": "of runs"}
    heads = {"system": "system", **heads} if len(result.systems) > 1 else heads
    all_items = sum(one.items for one in result.systems)
    line = "The most divided first: read these runs side by side."
    return Figure(
        "flips",
        Caption(f"{len(rows):,} of {all_items:,} items pass in some runs and fail in others", (line,)),
        rows,
        headers={"runs": "of runs"},
        short=Short(heads, most=6),
    )


def methods(result: RepeatedRuns) -> str:
    """The paragraph for a methods section."""
    return (
        "Of n runs of an item c pass; C(c, k) / C(n, k) and 1 - C(n - c, k) / C(n, k) are unbiased for the chances "
        "that all and any of k fresh runs pass (Yao et al., 2024; Chen et al., 2021). Means over items have Wilson's "
        "interval with as many trials as their standard error over items is worth, at a level of "
        f"{100 * result.level:.4g}%. Whose doing the variance between runs is follows from the mean squares of runs "
        "and of runs by judgments within items."
    )
