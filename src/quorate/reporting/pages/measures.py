"""Several measures of one file: the page of all answers, each as its own page begins."""

from __future__ import annotations

from dataclasses import replace

from quorate.analysis.words import cut
from quorate.arguments import argument, joined
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Step, Table
from quorate.reporting.report import page_of
from quorate.table.measured import Measure, Measures
from quorate.wording import at_level, counted

_LONG, _WIDE = 60, 30
"""Characters of the name of a measure, and of two systems at the head of a column, at most."""


def page(result: Measures, table: Table | None = None) -> Page:
    """The page of several measures."""
    pages = {one.name: page_of(one.answer) for one in result.measures}
    first = result.measures[0]
    read = joined(" ", [argument(name, value) for name, value in first.options.items()])
    every = Section("measures", f"{counted(len(pages), 'measure')}, each by itself", figures=(answers(result),))
    return Page.of(
        result,
        table,
        "Measures",
        (every, *(_section(at, name, one) for at, (name, one) in enumerate(pages.items(), 1))),
        replace(pages[first.name].facts, short=None),
        "Each measure is a question of its own and is answered by itself; there is no mean of them. "
        + pages[first.name].methods,
        next_step=Step(joined("", [f"All that is said of {first.name} alone: ", read])),
    )


def answers(result: Measures) -> Figure:
    """Every measure with its mean, with the difference of two systems, or with what came out."""
    level = at_level(result.level)
    alone = f"Each with its own {level} interval: of many measures one may stand out by chance."
    caption = Caption("What each says", (alone,))
    if not result.estimated:
        said: list[Row] = [{"measure": cut(one.name, _LONG), "answer": one.answer.sentence} for one in result.measures]
        return Figure.of("measures", caption, said, Short.titles("measure", "answer"), whole=True, first=True)
    rows: list[Row] = list(map(_row, result.measures))
    drawn = marks.spread(marks.known(rows, "value", "low", "high"))
    own: dict[str, str] = {"value": "mean"}
    if result.verdicts:
        pairs = {row["systems"] for row in rows}
        (pair, *others) = pairs
        own = (
            {"outcome": "outcome"}
            | ({"systems": "systems"} if others else {})
            | {"value": "difference" if others or len(pair) > _WIDE else pair}  # which the answer says too
        )
    heads = Short.titles("measure", **own, low=f"{level} interval", n="judgments")
    zero = 0.0 if result.verdicts else None
    return marks.dotted("measures", caption, rows, heads, heads["value"], drawn=drawn, unfolded=True, at=zero)


def _row(one: Measure) -> Row:
    found = one.answer.estimate
    own: Row = {"measure": cut(one.name, _LONG)}
    if hasattr(one.answer, "outcome"):
        own |= {"outcome": one.answer.outcome.value, "systems": f"{one.answer.a} less {one.answer.b}"}
    return own | {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def _section(at: int, name: str, page: Page) -> Section:
    """How the page of one measure begins."""
    figures = (replace(one, name=f"{at}-{one.name}", short=None, part=True) for one in page.sections[0].figures)
    return Section(f"measure-{at}", cut(name, _LONG), (page.sentence,), tuple(figures))
