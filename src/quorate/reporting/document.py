"""The report as data: sections with text, figures and tables, which HTML and Markdown both print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from quorate.analysis.judgments import MOST_PARTS, Analysis
from quorate.analysis.labels import shown
from quorate.analysis.words import number
from quorate.caveats import Caveat
from quorate.reporting import captions, figures, tables
from quorate.reporting.draw.marks import known
from quorate.reporting.filters import MOST as LONGEST
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Tile
from quorate.reporting.panel_section import panel_caveats, panel_section
from quorate.reporting.paper.checklist import MISSING, ChecklistItem, checklist
from quorate.reporting.paper.record import Record
from quorate.reporting.paper.reproduce import options_of, recorded, source_of_analysis, titled
from quorate.reporting.paper.writeup import methods_paragraph
from quorate.roles import JUDGE, PROMPT
from quorate.wording import counted, decimals, listed, plural, whole_percent

MOST_PAIRS = 45
"""Pairs of facets that the diagram of crossings has room for."""


def page(analysis: Analysis, record: Record) -> Page:
    """The page on judgments.

    Parameters
    ----------
    analysis : Analysis
    record : Record
        The study record that fills the checklist.
    """
    items, methods = checklist(analysis, record), methods_paragraph(analysis)
    said = {"checklist": items, "rows_of_flagged": [row["rows"] for row in tables.flagged(analysis)]}
    return Page(
        title=title(analysis),
        sentence=analysis.sentence,
        sections=sections(analysis),
        facts=reporting(items),
        methods=methods,
        content={**analysis.to_dict(), **said},
        caveats=tuple(one.sentence for one in caveats(analysis)),
        tiles=tuple(_tiles(analysis)),
        source=source_of_analysis(analysis),
        options=options_of(analysis),
        record=recorded(record),
        prompts=tuple(_texts(record)),
    )


def sections(analysis: Analysis) -> tuple[Section, ...]:
    """All sections but the last, which is the methods' own."""
    made = (_verdict, _sources, _purchases, _panel, panel_section, _single, _health, _people)
    found = (section(analysis) for section in made)
    return tuple(section for section in found if section is not None)


def caveats(analysis: Analysis) -> tuple[Caveat, ...]:
    """What the reader of the whole report must know, each once."""
    return tuple(dict.fromkeys((*analysis.caveats, *panel_caveats(analysis))))


def reporting(items: Sequence[ChecklistItem]) -> Figure:
    """The reporting checklist as a table."""
    absent = [one for one in items if one.status == MISSING]
    finding = f"{len(absent)} of {counted(len(items), 'item')} of the reporting checklist are missing"
    lines = ("Minimum: any evaluation; standard: a good one; comprehensive: where scores are used further.",)
    where_ = "Write what is missing into a study record and report again with --study."
    names = ("tier", "name", "status", "text")
    rows = [{name: getattr(one, name) for name in names} for one in items]
    heads = {"name": "what to state", "text": "what the data or the record say"}
    return Figure("checklist", Caption(finding, (*lines, *([where_] if absent else []))), rows, None, heads)


def title(analysis: Analysis) -> str:
    """What was analysed: the file's name, or the kind of table."""
    return titled(analysis.judgments.source, "Judgments from a")


def _verdict(analysis: Analysis) -> Section:
    answer = (analysis.answer.sentence,) if analysis.answer is not None else ()
    why = [f"No interval for judges like these: {analysis.population_reason}."] if analysis.population_reason else []
    why += [f"No interval for this panel: {analysis.panel_reason}."] if analysis.panel_reason else []
    text = (*answer, *(shown(line, 500) for line in why))
    chart = Figure(
        "intervals", captions.intervals(analysis), tables.intervals(analysis), partial(figures.intervals, analysis)
    )
    return Section("verdict", "How far the mean can be trusted", text, (chart,))


def _sources(analysis: Analysis) -> Section:
    headers = {"share_of_variance": "share of Var(mean)", "se": "standard error it brings", "low": "low, 95%"}
    headers |= {"high": "high, 95%"}
    found = tables.components(analysis)
    figs = [
        Figure("components", captions.components(analysis), found, partial(figures.components, analysis), headers),
        Figure(
            "per-judgment",
            captions.per_judgment(analysis),
            tables.per_judgment(analysis),
            partial(figures.per_judgment, analysis),
            {"share_of_variance": "share of Var(one judgment)"},
            folded=True,
        ),
    ]
    return Section("sources", "Where the uncertainty comes from", (), tuple(figs if found else figs[1:]))


def _purchases(analysis: Analysis) -> Section:
    figs = [*_frontier(analysis), *_changes(analysis)]
    text = tuple(_buys(analysis)) if figs else ("These data do not say what a change to the design would give.",)
    return Section("next", "What to buy next", text, tuple(figs))


def _frontier(analysis: Analysis) -> Iterator[Figure]:
    best = analysis.optimum
    if best is None or best.own is None or len(best.along(3)) < 2:
        return
    headers = {"place": "which", "se": "standard error", "calls": "judgments", "cost": "price, USD"}
    hidden = () if analysis.priced else ("cost",)
    rows = [{name: value for name, value in row.items() if name not in hidden} for row in tables.frontier(analysis)]
    yield Figure("frontier", captions.frontier(analysis), rows, partial(figures.frontier, analysis), headers)


def _changes(analysis: Analysis) -> Iterator[Figure]:
    rows = tables.what_if(analysis)
    if len(known(rows, "se", "calls")) < 2:
        return
    headers = {"number": "no.", "se": "standard error", "change_of_se": "change of standard error"}
    headers |= {"calls": "judgments", "more_calls": "more judgments", "more_cost": "more to pay, USD"}
    shown_rows = [{name: value for name, value in row.items() if name not in ("facet", "why_not")} for row in rows]
    yield Figure(
        "what-if", captions.what_if(analysis), shown_rows, partial(figures.what_if, analysis), headers, unfolded=True
    )


def _buys(analysis: Analysis) -> Iterator[str]:
    if not analysis.priced:
        yield "No price per call was given, so designs are compared by the number of judgments."
    if not analysis.purchases:
        yield "No change listed here lowers the standard error by more than half a percent."
    if analysis.optimum_reason:
        yield f"Designs within reach were not compared: {shown(analysis.optimum_reason, 500)}."
    reasons: dict[str, list[str]] = {}
    for one in analysis.what_if:
        reasons.setdefault(one.reason, []).append(one.label)
    for reason, changes in reasons.items():
        if reason:
            yield f"Not known: {shown(listed(changes), 300)}. {_capital(reason)}."


def _panel(analysis: Analysis) -> Section:
    figs = []
    for facet in analysis.effects:
        rows = tables.effects(analysis, facet)
        chart = partial(figures.effects, analysis, facet) if known(rows, "effect") else None
        headers = {"level": shown(facet), "effect": "difference from the mean", "se": "standard error"}
        figs.append(Figure(f"effects-{facet}", captions.effects(analysis, facet), rows, chart, headers))
    if analysis.means is not None:
        headers = {"row": captions.facet_of(analysis, "row"), "column": captions.facet_of(analysis, "column")}
        figs.append(
            Figure("means", captions.means(analysis), tables.means(analysis), partial(figures.means, analysis), headers)
        )
    figs += list(_parts(analysis))
    reasons = [f"No {facet} effects: {shown(reason, 500)}." for facet, reason in analysis.effects_reasons.items()]
    text = [*reasons, *_unfitted(analysis)]
    text += [] if figs or text else ["One judge and one prompt at most: there is nothing to compare."]
    return Section("judges", "Judges and prompts", tuple(text), tuple(figs))


def _parts(analysis: Analysis) -> Iterator[Figure]:
    """Leave-one-out and categories, where something can be said."""
    left, within = tables.leave_one_out(analysis), tables.by_category(analysis)
    if known(left, "mean"):
        chart, caption = partial(figures.leave_one_out, analysis), captions.leave_one_out(analysis)
        yield Figure("leave-one-out", caption, left, chart, {"level": "left out", "se": "standard error"})
    if known(within, "mean"):
        chart, caption = partial(figures.by_category, analysis), captions.by_category(analysis)
        headers = {"level": shown(str(analysis.grouping)), "se": "standard error"}
        yield Figure("categories", caption, within, chart, headers)


def _unfitted(analysis: Analysis) -> Iterator[str]:
    for facet, what in ((JUDGE, "without each judge"), (analysis.grouping, f"within each {analysis.grouping}")):
        if facet in analysis.judgments.names and analysis.judgments.n_levels(str(facet)) > MOST_PARTS:
            yield f"The mean {what} is left out: more than {MOST_PARTS} levels would be refitted."


def _single(analysis: Analysis) -> Section:
    heading = "What a single configuration would have told"
    found = analysis.naive
    if len(found.single) < 2:
        return Section("single", heading, ("There is one configuration, or too few items to compare any.",), ())
    text = [f"No corrected interval for single configurations: {shown(found.reason, 500)}."] if found.reason else []
    if not found.reason:
        text.append(
            f"On average the naive standard error of one configuration is {whole_percent(found.width_ratio)} of what "
            f"it should be; the naive intervals hold the mean over all configurations in {found.naive_coverage:.0%} of "
            f"cases, the corrected ones in {found.corrected_coverage:.0%}."
        )
    chart = Figure("single", captions.single(analysis), tables.single(analysis), partial(figures.single, analysis))
    return Section("single", heading, tuple(text), (chart,))


def _health(analysis: Analysis) -> Section:
    facts = tables.facts(analysis)
    figs = [
        _missing(analysis, facet) for facet in (JUDGE, PROMPT) if facts.answers < facts.rows and analysis.several(facet)
    ]
    statuses = Caption("Rows by status", (f"{counted(facts.rows, 'row')} in all.",))
    figs.append(Figure("statuses", statuses, tables.statuses(analysis)))
    if facts.crossings:
        crossed = partial(figures.crossings, analysis) if len(facts.crossings) <= MOST_PAIRS else None
        figs.append(Figure("crossings", captions.crossings(analysis), tables.crossings(analysis), crossed))
    figs.append(Figure("support", captions.support(analysis), tables.support(analysis), folded=True))
    return Section("health", "Data health", tuple(_found(analysis)), tuple(figs))


def _people(analysis: Analysis) -> Section:
    what = plural(shown(analysis.judgments.object))
    heading, found = f"{what.capitalize()} to send to people", analysis.flags
    if found is None:
        return Section("people", heading, (f"{_capital(analysis.flags_reason)}.",), ())
    text = [f"{_capital(one.sentence)}." for one in found.caveats]
    text.append(
        f"Judges, prompts and settings differ most on these {what}, so a single configuration is least to be trusted "
        "there; people should decide them first. Where judges agree they can agree on a mistake: send some others too."
    )
    heads = {"item": shown(analysis.judgments.object), "spread": "spread of one judgment", "low": "low, 95%"}
    heads |= {"high": "high, 95%", "rows": "rows, as SQL condition"}
    differ = found.between > 0
    chart = partial(figures.flagged, analysis) if differ else None
    main = Figure("flagged", captions.flagged(analysis), _findable(analysis), chart, heads, not differ, differ)
    scores = Figure(
        "flagged-scores", captions.flagged_scores(analysis), tables.flagged_scores(analysis), None, heads, folded=True
    )
    return Section("people", heading, tuple(text), (main, scores))


def _findable(analysis: Analysis) -> list[Row]:
    """Flagged items; a condition that is too long to read is in the JSON only."""
    rows = tables.flagged(analysis)
    kept = [{name: value for name, value in row.items() if name not in ("configurations", "expected")} for row in rows]
    return [row if len(row["rows"]) <= LONGEST else {**row, "rows": "too long; see the JSON"} for row in kept]


def _missing(analysis: Analysis, facet: str) -> Figure:
    heads = {"level": facet, "share": "share without score"}
    rows, chart = tables.missing(analysis, facet), partial(figures.missing, analysis, facet)
    return Figure(f"missing-{facet}", captions.missing(analysis, facet), rows, chart, heads)


def _found(analysis: Analysis) -> Iterator[str]:
    """What is worth knowing about the judgments: layout, findings, and what a pilot would need more of."""
    facts, support = tables.facts(analysis), analysis.support
    balance = facts.balance
    if facts.answers == facts.rows:
        yield f"Every one of {counted(facts.rows, 'row')} has a usable score."
    least, most = balance.least, counted(balance.most, "answer")
    each = most if least == balance.most else f"{least:,} to {most}"
    yield f"{counted(facts.cells, 'cell')} with {each} each; {'balanced' if balance.balanced else 'unbalanced'}."
    yield from (f"{_capital(one.sentence)}." for one in support.findings)
    yield from (f"{_capital(one.sentence)}." for one in support.floors if not one.met)


def _capital(sentence: str) -> str:
    line = shown(sentence, 500)
    return line[:1].upper() + line[1:]


def _tiles(analysis: Analysis) -> Iterator[Tile]:
    """The few numbers at the top: each with what it is."""
    p = captions.places(analysis)
    yield Tile(number(analysis.headline.value, p), f"mean of {shown(analysis.judgments.score, 30)}")
    yield from (Tile(f"±{number(one.half_width, p)}", one.scope or "corrected") for one in analysis.readings)
    naive = analysis.naive_reading.half_width
    yield Tile(f"±{number(naive, max(p, decimals(naive / 2)))}", "naive: every judgment independent")


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    """Prompt texts of the record, each with its label."""
    for key, name in (("system_prompt", "system prompt"), ("prompts", "prompt")):
        texts = record.says(key)
        if isinstance(texts, Mapping):
            yield from ((str(label), str(text)) for label, text in texts.items())
        elif isinstance(texts, str):
            yield name, texts
        elif texts is not None:
            yield from ((f"{name} {number_}", str(text)) for number_, text in enumerate(texts, 1))
