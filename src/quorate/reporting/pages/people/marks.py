"""Marks of judges beside those of people: how much more each gives, and how far it orders items as they do."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.analysis.words import cut
from quorate.estimate.agreement.mark_gaps import TOGETHER, AgainstMarks, MarkGap
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import picked
from quorate.wording import at_level, counted, plural


def page(result: AgainstMarks, table: Table | None = None) -> Page:
    """The page of judges against marks that are too fine to be just the same."""
    each = (*result.marks, *([result.together] if result.together else []))
    units = plural(result.unit)
    facts: dict[str, object] = {f"{units} that people marked": result.items}
    facts |= {f"judged {units} without a mark of people": result.unlabelled}
    facts |= {} if result.clusters == result.items else {"clusters of them that are drawn together": result.clusters}
    return Page.of(
        result,
        table,
        "Judges against marks of people",
        sections=(
            Section("marks", "How judges' marks differ from people's", figures=(mark_gaps(each, result.level),)),
        ),
        facts=particulars(
            "labels", f"What it rests on: {counted(result.items, f'marked {result.unit}')}", facts.items()
        ),
        methods=f"A gap is the mean mark of a judge less that of people on the same {units}, of which people weigh "
        f"alike, and so do a judge's prompts and repeats, with Student's {at_level(result.level)} interval. "
        "The correlation over items has the studentised bootstrap interval of Fisher's z. It is lower than that with "
        "what all people would say, as far as few people marked.",
        tiles=tuple(mark_tiles(result.marks[0])) if len(result.marks) == 1 else (),
    )


def mark_tiles(one: MarkGap) -> list[Tile]:
    """How much more one judge gives, and how far it correlates with people."""
    gap, r = one.gap, one.correlation
    return [
        Tile(_more(one), f"than people ({gap.low:+.2f} to {gap.high:+.2f})"),
        Tile(f"{r.value:.2f}", f"correlation with people ({r.low:.2f} to {r.high:.2f})"),
    ]


def mark_gaps(each: Sequence[MarkGap], level: float) -> Figure:
    """Every judge: how much more it gives than people, and how far it orders items as they do."""
    rows: list[Row] = [
        {"judge": cut(one.judge)}
        | picked(one, "items given said value=gap.value low=gap.low high=gap.high")
        | {"r": _two(one.correlation.value), "r_low": _two(one.correlation.low), "r_high": _two(one.correlation.high)}
        for one in each
    ]
    alone = [one.gap for one in each if one.judge != TOGETHER]
    off = sum(gap.low > 0 or gap.high < 0 for gap in alone)
    shown = "is" if off == 1 else "are"
    finding = f"{off:,} of {counted(len(alone), 'judge')} {shown} shown to give more or less than people"
    if len(rows) == 1:
        finding = f"{cut(each[0].judge, 30)} gives {_more(each[0])} than people"
    lines = (
        f"Mean mark of the judge less people's on the same items; {100 * level:.4g}% intervals over items.",
        "r: correlation of both over items, with the studentised bootstrap of Fisher's z.",
    )
    return marks.dotted(
        "marks",
        Caption(finding, lines),
        rows,
        Short.titles("judge", given="judge's mean", said="people's", value="more", low="interval", r="r"),
        "judge's mark less people's",
        at=0.0,
        titles={"r": "correlation", "r_low": "from", "r_high": "to"},
        unfolded=True,
        first=True,
    )


def _two(value: float) -> float:
    """A correlation as it is shown, with two decimals."""
    return round(value, 2)


def _more(one: MarkGap) -> str:
    return f"{abs(one.gap.value):.2f} {'more' if one.gap.value >= 0 else 'less'}"
