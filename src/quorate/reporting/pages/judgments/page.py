"""Page of an analysis of judgments: its sections, and what stands around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import about, cut, number
from quorate.caveats import weightiest_first
from quorate.reporting.page import UNMADE, Caption, Figure, Page, Section, Tile
from quorate.reporting.pages.judgments import purchases, sources, verdict
from quorate.reporting.pages.judgments.phrases import places
from quorate.reporting.pages.panel import page as panel
from quorate.reporting.paper.reproduce import options_of, recorded, source_of_analysis, titled
from quorate.reporting.paper.writeup import methods_paragraph
from quorate.wording import counted, decimals

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.reporting.paper.checklist import ChecklistItem
    from quorate.reporting.paper.record import Record


def page(analysis: Analysis, record: Record) -> Page:
    """The page on judgments."""
    p, naive = places(analysis), analysis.naive.overall.half_width
    tiles = (
        Tile(number(analysis.setup.value, p), f"mean of {cut(analysis.judgments.score, 30)}"),
        *(Tile(about(one, p), one.scope or "corrected") for one in analysis.readings),
        Tile(f"±{number(naive, max(p, decimals(naive / 2)))}", "naive: every judgment independent"),
    )
    prompts: list[tuple[str, str]] = []
    for key, name in (("system_prompt", "system prompt"), ("prompts", "prompt")):
        texts = record.says(key)
        if isinstance(texts, Mapping):
            prompts += [(str(label), str(text)) for label, text in texts.items()]
        elif isinstance(texts, str):
            prompts.append((name, texts))
        elif texts is not None:
            prompts += [(f"{name} {i}", str(text)) for i, text in enumerate(texts, 1)]
    caveats = dict.fromkeys((*analysis.caveats, *panel.caveats(analysis)))
    return Page(
        title=titled(analysis.judgments.source, "Judgments from a"),
        sentence=" ".join([*([analysis.answer.sentence] if analysis.answer else []), analysis.sentence]),
        sections=_made(analysis, verdict, sources, purchases),
        facts=UNMADE,
        rest=lambda: _rest(analysis, record),
        methods=methods_paragraph(analysis),
        content=lambda: _content(analysis, record),
        caveats=weightiest_first(caveats),
        next_step=purchases.next_step(analysis),
        tiles=tiles,
        source=source_of_analysis(analysis),
        options=options_of(analysis),
        record=recorded(record),
        prompts=tuple(prompts),
    )


def _made(analysis: Analysis, *some: Any) -> tuple[Section, ...]:
    """Sections of some modules in their order; one that has nothing to say is left out."""
    return tuple(made for one in some if (made := one.section(analysis)) is not None)


def _rest(analysis: Analysis, record: Record) -> tuple[tuple[Section, ...], Figure]:
    """What no screen shows, and loads when it is written: the other sections, and the checklist."""
    from quorate.reporting.pages.judgments import checks, health, judges, latent, people, single
    from quorate.reporting.paper.checklist import checklist

    sections = _made(analysis, judges, panel, single, checks, health, latent, people)
    return sections, stated(checklist(analysis, record))


def _content(analysis: Analysis, record: Record) -> dict[str, Any]:
    from quorate.reporting.pages.judgments import people
    from quorate.reporting.paper.checklist import checklist

    items = checklist(analysis, record)
    return {**analysis.to_dict(), "checklist": items, "rows_of_flagged": people.conditions(analysis)}


def stated(items: Sequence[ChecklistItem]) -> Figure:
    """The reporting checklist: what to state, and what the data or the record say."""
    from quorate.reporting.paper.checklist import missing

    names = ("tier", "name", "status", "text")
    rows = [{name: getattr(item, name) for name in names} for item in items]
    absent = missing(items)
    finding = f"{len(absent)} of {counted(len(items), 'item')} of the reporting checklist are missing"
    lines = ["Minimum: any evaluation; standard: a good one; comprehensive: where scores are used further."]
    if absent:
        lines.append("Write what is missing into a study record and report again with --study.")
    heads = {"name": "what to state", "text": "what the data or the record say"}
    return Figure("checklist", Caption(finding, tuple(lines)), rows, None, heads)
