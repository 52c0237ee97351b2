"""Path: the looks of a study with a goal, as intervals against what was spent, and the bounds that they met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import number
from quorate.decide.goals.look import UNDECIDED
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, MISSED
from quorate.reporting.draw.vega import Marks, channel
from quorate.reporting.page import Caption, Figure, Row, Section, Short
from quorate.wording import capitalised, counted, decimals

if TYPE_CHECKING:
    from quorate.analysis.goals.path import GoalPath
    from quorate.reporting.draw.vega import Channel, Spec

WIDEST = 4.0
"""Half-width of an early interval, in those of the last one, beyond which it leaves the chart."""


def section(path: GoalPath) -> Section:
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
        {
            "round": look.number,
            "judgments": look.judgments,
            "calls": look.spent.calls,
            "money": look.spent.money,
            "value": look.value,
            "low": look.low,
            "high": look.high,
            "shown": look.outcome,
            "more_calls": look.buys.calls,
            "more_money": look.buys.money,
        }
        for look in path.looks
    ]
    level = f"{100 * last.level:.4g}%"
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
    heads = {"value": value, "more_calls": "calls bought next", "more_money": "money for them"}
    if not any(row["money"] or row["more_money"] for row in rows):
        rows = [{name: cell for name, cell in row.items() if "money" not in name} for row in rows]
    apart = path.stages or bool(last.parts)  # whose values are of different categories or systems
    chart = None if apart else lambda: drawn(path)
    return Figure(
        "path",
        Caption(finding, tuple(lines)),
        rows,
        chart,
        heads,
        unfolded=chart is not None,
        short=Short(
            {"round": "round", "calls": "calls", "money": "money", "value": value, "low": "interval", "shown": ""},
            of="value",
        ),
    )


def parts(path: GoalPath) -> Figure:
    """What is known of every part of the goal."""
    last = path.looks[-1]
    rows: list[Row] = [
        {
            "part": look.question,
            "value": look.value,
            "low": look.low,
            "high": look.high,
            "shown": look.outcome,
            "judgments": look.judgments,
            "looks": look.number,
        }
        for look in last.parts
    ]
    done = sum(look.outcome != UNDECIDED for look in last.parts)
    level = f"{100 * last.parts[0].level:.4g}%"
    together = "they hold together at that of the goal" if last.parts[0].level > path.level else "each by itself"
    line = f"Intervals at {level}, {together}. A part whose question is answered, or cannot be, is asked no more."
    finding = f"{done} of {counted(len(last.parts), 'part')} of the goal reached"
    return Figure(
        "parts",
        Caption(finding, (line,)),
        rows,
        short=Short({"part": "part", "value": "value", "low": "interval", "shown": ""}, of="value"),
    )


def bounds(path: GoalPath) -> Figure:
    """What every look was held against."""
    rows: list[Row] = [
        {
            "round": look.number,
            "fraction": look.fraction,
            "spent": look.alpha,
            "bound": look.bound,
            "statistic": look.value / look.se if look.se else None,
            "df": look.df,
            "equal_bound": look.equal_bound,
        }
        for look in path.looks
    ]
    if all(row["equal_bound"] is None for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "equal_bound"} for row in rows]
    last = path.looks[-1]
    finding = f"{100 * last.alpha:.2g}% of the {100 * (1 - last.level):.2g}% for error were spent by the last look"
    line = "The level is spent as information comes in, little of it early, so that looking costs almost nothing."
    heads = {
        "fraction": "share of the information",
        "spent": "level spent",
        "bound": "bound, standard normal",
        "statistic": "estimate in standard errors",
        "equal_bound": "bound of equivalence",
    }
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
    heads = {
        "value": "margin of votes",
        "se": "standard error",
        "statistic": "margin in standard errors",
        "bound": "bound, standard normal",
    }
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
