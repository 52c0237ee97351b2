"""Interim: the page of a study that is still being filled, and the path of one with a goal."""

from __future__ import annotations

import math

from quorate.analysis.goals.path import GoalPath
from quorate.analysis.interim import Interim
from quorate.analysis.words import called, cut, number, significant
from quorate.decide.goals.look import UNDECIDED
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED, Channel, Marks, Spec, channel
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.study.status import Status
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, decimals, duration, whole_percent

WIDEST = 4.0
"""Half-width of an early interval, in those of the last one, beyond which it leaves the chart."""


def path_section(path: GoalPath) -> Section:
    """The path to the goal: what was asked, what stopped it, and every look."""
    text = (f"Goal: {path.goal}.", path.stopped, path.shortfall, path.hindsight)
    figures: tuple[Figure, ...] = ()
    if path.looks:
        figures = (looks(path), *((parts(path),) if path.looks[-1].parts else () if path.stages else (bounds(path),)))
    figures += (contests(path),) if any(look.contests for look in path.looks) else ()
    return Section("path", "The path to the goal", tuple(filter(None, text)), figures)


def looks(path: GoalPath) -> Figure:
    """What every look saw, and what it bought."""
    last = path.looks[-1]
    digits = decimals((last.high - last.low) / 4)
    ends = f"{number(last.low, digits)} to {number(last.high, digits)}"
    finding = f"{capitalised(last.question)} {number(last.value, digits)}, {ends}, after {path.shown(path.spent)}"
    rows: list[Row] = [
        picked(look, "round=number judgments calls=spent.calls money=spent.money value low high shown=outcome")
        | picked(look, "more_calls=buys.calls more_money=buys.money")
        for look in path.looks
    ]
    level = at_level(last.level)
    lines = [f"Each interval is as wide as it must be for all {counted(last.looks, 'look')} together to hold {level}."]
    if path.stages:
        lines = ["The second interval is of the second stage alone, so that it holds whatever the first one chose."]
        lines += [capitalised(look.note) + "." for look in path.looks if look.note]
    if last.equal_low is not None:
        lines.append("Thick: the interval that must lie between the dashed lines for the two to be equivalent.")
    if last.parts:
        lines = ["At each look that part of the goal which was known least then."]
    several = len({look.question for look in path.looks}) > 1  # the leader, or who is nearest to it, has changed
    if several and not path.stages:
        rows = [{"round": row["round"], "of": look.question} | row for row, look in zip(rows, path.looks, strict=True)]
    value = "margin of votes" if path.stages else "estimate" if several else last.question
    if not any(row["money"] or row["more_money"] for row in rows):
        rows = [{name: cell for name, cell in row.items() if "money" not in name} for row in rows]
    apart = path.stages or bool(last.parts)  # whose values are of different categories or systems
    chart = None if apart else lambda: drawn(path)
    caption = Caption(finding, tuple(lines))
    heads = Short.titles("round", "calls", "money", value=value, low="interval", shown="")
    titles = {"more_calls": "calls bought next", "more_money": "money for them"}
    return Figure.of("path", caption, rows, heads, chart, titles=titles, unfolded=chart is not None, of="value")


def parts(path: GoalPath) -> Figure:
    """What is known of every part of the goal."""
    last = path.looks[-1]
    rows: list[Row] = [
        picked(look, "part=question value low high shown=outcome judgments looks=number") for look in last.parts
    ]
    done = sum(look.outcome != UNDECIDED for look in last.parts)
    level = at_level(last.parts[0].level)
    together = "they hold together at that of the goal" if last.parts[0].level > path.level else "each by itself"
    line = f"Intervals at {level}, {together}. A part whose question is answered, or cannot be, is asked no more."
    finding = f"{done} of {counted(len(last.parts), 'part')} of the goal reached"
    heads = Short.titles("part", "value", low="interval", shown="")
    return Figure.of("parts", Caption(finding, (line,)), rows, heads, of="value")


def bounds(path: GoalPath) -> Figure:
    """What every look was held against."""
    rows: list[Row] = [
        picked(look, "round=number fraction spent=alpha bound")
        | {"statistic": look.value / look.se if look.se else None, "df": look.df, "equal_bound": look.equal_bound}
        for look in path.looks
    ]
    if all(row["equal_bound"] is None for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "equal_bound"} for row in rows]
    last = path.looks[-1]
    finding = f"{100 * last.alpha:.2g}% of the {100 * (1 - last.level):.2g}% for error were spent by the last look"
    line = "The level is spent as information comes in, little of it early, so that looking costs almost nothing."
    heads = {"fraction": "share of the information", "spent": "level spent", "bound": "bound, standard normal"}
    heads |= {"statistic": "estimate in standard errors", "equal_bound": "bound of equivalence"}
    return Figure("bounds", Caption(finding, (line,)), rows, headers=heads, folded=True)


def contests(path: GoalPath) -> Figure:
    """What the votes on every pair of systems came to, at the last look at which both were in the running."""
    latest = {(one.a, one.b): (look.number, one) for look in path.looks for one in look.contests}
    rows: list[Row] = []
    for at, one in latest.values():
        lead = one if one.value >= 0 else one.of(one.b)
        own = {"system": lead.a, "against": lead.b, "round": at, "value": lead.value, "se": lead.se}
        rows.append({**own, "statistic": lead.value / lead.se, "bound": lead.bound})
    rows.sort(key=lambda row: (str(row["system"]), str(row["against"])))
    finding = f"{counted(len(rows), 'pair')} of systems were voted on, most of all those of the leader"
    line = "A system is out when the leader's margin over it is beyond the bound."
    heads = {"value": "margin of votes", "se": "standard error", "statistic": "margin in standard errors"}
    heads |= {"bound": "bound, standard normal"}
    return Figure("contests", Caption(finding, (line,)), rows, headers=heads, folded=True)


def drawn(path: GoalPath) -> Spec:
    """Intervals against what was spent, with the range that counts as equal."""
    last = path.looks[-1]
    half = max((last.high - last.low) / 2, 1e-9)
    window = [last.value - WIDEST * half, last.value + WIDEST * half]
    ends = ("value", "low", "high", "equal_low", "equal_high")
    rows: list[Row] = [
        {"spent": path.price(look), "round": look.number}
        | {name: min(max(at, window[0]), window[1]) for name in ends if (at := getattr(look, name)) is not None}
        for look in path.looks
    ]
    lines = _lines(path)
    edges = [row[name] for row in rows for name in ("low", "high")]
    edges += [at for at in lines if window[0] <= at <= window[1]]
    title = "spent, in money" if path.unit == "money" else "calls"
    x = channel("spent:Q", title=title, scale={"domainMin": 0, "nice": True})
    scale = {"domain": [min(edges), max(edges)], "nice": True, "zero": False}

    def y(field: str) -> Channel:
        return channel(f"{field}:Q", title=last.question, scale=scale)

    base = Marks(rows)
    bars = base.mark("rule", color=CORRECTED, strokeWidth=3).encode(x=x, y=y("low"), y2="high")
    thick = base.mark("rule", color=CORRECTED, strokeWidth=8, opacity=0.45)
    equal = [thick.encode(x=x, y=y("equal_low"), y2="equal_high")] if last.equal_low is not None else []
    curve = base.mark("line", color=CORRECTED, strokeWidth=1.5, point={"size": 70, "filled": True})
    numbers = base.mark("text", dx=9, align="left", color=INK).encode(x=x, y=y("value"), text="round:Q")
    rules = [
        Marks([{"at": at}])
        .mark("rule", color=MISSED if at else INK, strokeDash=[6, 4] if at else [1, 0], opacity=0.7)
        .encode(y=channel("at:Q", scale=scale))
        for at in lines
        if min(edges) <= at <= max(edges)
    ]
    return marks.finish([*rules, *equal, bars, curve.encode(x=x, y=y("value")), numbers], height=300)


def _lines(path: GoalPath) -> list[float]:
    """No difference, and the range that counts as equal."""
    margin = path.margin
    return [] if path.looks[-1].question == "mean" else [0.0, *([] if margin is None else [-margin, margin])]


WATCH, DECIDE = "to watch", "to decide by"
"""Names of the two intervals: of an analysis that is made once, and of one who stops when it says enough."""


def estimates(result: Interim) -> Figure:
    """The estimate as answers came in: a band for one look, dashed lines for all looks."""
    now = result.looks[-1]
    value, once, always = result.shown(now)
    finding = f"{cut(capitalised(result.what))} after {counted(now.n, 'answer')}: {value}"
    finding += "" if math.isnan(now.low) else f"; {once} to watch"
    finding += "" if math.isnan(now.always_low) else f", {always} to decide by"
    level = at_level(result.level)
    units = "votes on the two" if result.kind == "votes" else "items that everybody has finished"
    lines = [f"Band, to watch: the {level} interval of one analysis; who stops by it is wrong more often than that."]
    rows = result.rows()
    if marks.known(rows, "always_low"):
        lines.append(f"Dashed, to decide by: the {level} interval that holds at all looks at once, from {units}.")
    titles = {"value": "value", "low": f"low, {WATCH}", "high": f"high, {WATCH}", "units": units}
    titles |= {"always_low": f"low, {DECIDE}", "always_high": f"high, {DECIDE}"}
    chart = (lambda: curve(result)) if len(marks.known(rows, "value")) > 1 else None
    heads, percent = Short.titles(n="answers", value="so far", low=WATCH), "value" if result.kind == "votes" else ""
    caption = Caption(finding, tuple(lines))
    return Figure.of("looks", caption, rows, heads, chart, titles=titles, of="value", percent=percent)


def curve(result: Interim) -> Spec:
    """The curve that narrows."""
    rows = marks.known(result.rows(), "value")
    banded, held = marks.known(rows, "low", "high"), marks.known(rows, "always_low", "always_high")
    edges = [end for row in banded for end in (row["low"], row["high"])] or [row["value"] for row in rows]
    edges += [end for row in held[-1:] for end in (row["always_low"], row["always_high"])]
    window = [min(edges), max(edges)] if max(edges) > min(edges) else [min(edges) - 1, max(edges) + 1]
    x = channel("n:Q", title="answers (log scale)", scale={"type": "log", "nice": False}, axis={"tickCount": 6})
    shares = {"format": "~%"} if result.kind == "votes" else {}
    scale = {"domain": window, "nice": False, "zero": False, "clamp": True}

    def y(field: str) -> Channel:
        return channel(f"{field}:Q", title=None, scale=scale, axis=shares)

    def base(of: list[Row]) -> Marks:
        finite = [{key: one if math.isfinite(one) else None for key, one in row.items()} for row in of]
        return Marks(finite)

    band = base(banded).mark("area", opacity=0.2, color=CORRECTED).encode(x=x, y=y("low"), y2="high")
    line = base(rows).mark("line", color=CORRECTED, strokeWidth=2.5, point=True).encode(x=x, y=y("value"))
    dashed = base(held).mark("line", color=MISSED, strokeWidth=2, strokeDash=[6, 4], clip=True)
    ends = [dashed.encode(x=x, y=y(f"always_{end}")) for end in ("low", "high")] if held else []
    zero = base([{"at": 0.5}]).mark("rule", color=INK, opacity=0.5).encode(y=y("at"))
    equal = [zero] if result.kind == "votes" and window[0] <= 0.5 <= window[1] else []
    return marks.finish([*equal, band, *ends, line], height=300)


def page(result: Interim, table: Table | None = None) -> Page:
    """The page of an interim analysis."""
    status = result.status
    facts: dict[str, object] = {"ledger": status.ledger, "cells": status.cells, "finished": status.finished}
    facts |= {"level": f"{result.level:g}", "looks": len(status.looks or result.looks)}
    return Page.of(
        result,
        table,
        "A study under way" if result.path is None else "A study with a goal",
        sections=sections(result),
        facts=particulars("rests", "What it rests on", facts),
        methods=methods(result),
        tiles=tiles(status),
    )


def sections(result: Interim) -> tuple[Section, ...]:
    """How far it is, the estimate, what is decided, why it is uncertain, and who agrees with whom."""
    found = []
    if result.status.judges:
        found.append(Section("progress", "How far it is", figures=(progress(result.status),)))
    if result.path is not None:
        found.append(path_section(result.path))
    if result.looks:
        found.append(Section("estimate", "The estimate so far", (), (estimates(result),)))
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
        found.append(Tile(f"{float(significant(60 * status.rate)):,g}", f"cells a minute over the last minutes{wait}"))
    return tuple(found)


def progress(status: Status) -> Figure:
    """Every judge: cells by state, what came of its calls, what it cost, how fast it is."""
    rows: list[Row] = [
        {"judge": cut(one.judge)}
        | picked(one, "cells answered=done given_up under_way=leased left=planned calls")
        | {
            "errors": one.statuses.get("error", 0),
            "unparsed": one.statuses.get("unparsed", 0),
            "money": one.money if one.unpriced < one.calls or not one.calls else None,
            "a_minute": 60 * one.rate,
            "to_go": "" if not one.seconds_left else duration(one.seconds_left),
        }
        for one in status.judges
    ]
    line = "Left: cells that nobody works on. Speed: of the last minutes. Money: the worst case where there is no bill."
    heads = Short.titles("judge", "cells", "answered", "left", "errors", "to_go")
    titles = {"given_up": "given up", "under_way": "under way", "a_minute": "cells a minute"}
    return Figure.of("progress", Caption(status.sentence, (line,)), rows, heads, titles=titles)


def decisions(result: Interim) -> Figure:
    """Every two systems: what is decided at all looks and for all pairs at once."""
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
    holds, sure = "hold at all looks and for all pairs at once", f"with a chance of {at_level(result.level)}"
    line = f"Intervals {holds}, {sure}."
    if result.kind == "votes":
        line = f"Outcomes {holds}, {sure} (Holm); the interval of a pair for it alone."
    heads = Short.titles("a", "b", "outcome", value="difference", low="interval")
    titles = {"value": what, "units": "votes" if result.kind == "votes" else "items finished by all"}
    return Figure.of("decisions", Caption(finding, (line,)), rows, heads, titles=titles, of="value")


def sources(result: Interim) -> Figure:
    """Shares of the variance of the mean."""
    rows: list[Row] = [
        {"component": cut(one.component), "share": one.share, "advice": one.advice} for one in result.sources
    ]
    first = result.sources[0]
    finding = f"{whole_percent(first.share)} of the variance of the mean comes from {called(first.component)}"
    line = "Of the mean for judges like these, where there are several; else for the judges that were asked."
    chart = marks.bars(rows, "component", "share")
    heads = Short.titles(component="source", share="share", advice="what makes it smaller")
    return Figure.of("sources", Caption(finding, (line,)), rows, heads, chart, percent="share", most=6)


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
    line = f"Pairs of answers by two judges to one question; {at_level(result.level)} intervals over items."
    heads = Short.titles(first="answers of", second="and of", value=measure, items="items")
    titles = {"pairs": "pairs of answers"}
    return Figure.of("agreement", Caption(f"Answers of {cut(who)} {said}", (line,)), rows, heads, titles=titles)


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
    level = at_level(result.level)
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
