"""Pairs: the page of votes on two systems: the verdict, the same votes counted in other ways, and all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.reporting.draw import marks
from quorate.reporting.page import Caption, Figure, Page, Section
from quorate.reporting.pages import verdict
from quorate.reporting.pages.votes import page as votes
from quorate.reporting.pages.votes import words as votes_words
from quorate.reporting.pages.votes.page import health, read, used
from quorate.reporting.paper.reproduce import read_from, titled

if TYPE_CHECKING:
    from quorate.analysis.pair import PairAnalysis
    from quorate.reporting.draw.vega import Spec
    from quorate.reporting.page import Row, Table


def page(view: PairAnalysis, _table: Table | None = None) -> Page:
    """The page on votes on two systems."""
    first = verdict.sections(view.verdict, ways(view))
    if view.every is None:
        reason = f"All pairs are not compared: {view.every_reason}."
        others: tuple[Section, ...] = (Section("margins", "All pairs", (reason,)), health(view.support))
    else:
        others = votes.sections(view.every)
    every = "" if view.every is None else f" For comparison, all pairs: {votes_words.methods(view.every)}"
    of_all = [] if view.every is None else [f"all pairs: {votes_words.options(view.every)}"]
    return Page(
        title=titled(view.votes.source, "Votes from a"),
        sentence=cut(view.verdict.sentence, 2000),
        sections=(*first, *types(view), *others),
        facts=read(view.support) if view.every is None else used(view.every),
        methods=f"{verdict.methods(view.verdict)}{every}",
        content=view.to_dict,
        caveats=weightiest_first(view.caveats),
        tiles=verdict.tiles(view.verdict),
        source=read_from(view.votes),
        options="; ".join([verdict.options(view.verdict), *of_all]),
        seed=votes.SEED,
    )


def types(view: PairAnalysis) -> tuple[Section, ...]:
    """The margin on each type of prompts, and whether few of them hold most of the signal; nothing without types."""
    found, signal = view.verdict.types, view.concentration
    text = [signal.sentence] if signal else []
    why = view.concentration_reason
    text += [f"Not known whether few types hold the signal: {why}."] if why else []
    figures = () if found is None else (verdict.by_type(found, view.verdict),)
    return (Section("types", "Types of prompts", tuple(text), figures),) if text or figures else ()


def ways(view: PairAnalysis) -> Figure:
    """The verdict as asked for, and with the same votes counted in other ways."""
    rows: list[Row] = view.rows()
    asked = view.verdict
    outcomes = {row["outcome"] for row in rows}
    finding = (
        f"Counted in {len(rows)} ways, the votes say {asked.outcome.value} in each"
        if len(outcomes) == 1
        else "The verdict rests on how votes are counted"
    )
    lines = (
        f"{verdict.axis(asked).capitalize()}, with {asked.level * 100:g}% intervals.",
        "First row: as asked; grey: the same votes counted in other ways.",
        "Where outcomes differ, the verdict rests on how votes are counted.",
    )

    def chart() -> Spec:
        edges = [] if asked.margin is None else [0.5 - asked.margin, 0.5 + asked.margin]
        known = marks.known(rows, "wins", "low", "high")
        return verdict.intervals(known, "way", "wins", verdict.axis(asked), 0.5, edges, step=30)

    drawable = chart if marks.known(rows, "low", "high") else None
    heads = {"way": "votes counted as", "p": "p of no difference", "p_equal": "p of a margin that large"}
    heads["wins"] = f"share for {cut(asked.a, verdict.SHORT)}"
    return Figure("ways", Caption(finding, lines), rows, drawable, heads, unfolded=True)
