"""Page of an analysis of judgments: how far the mean can be trusted, why, and what to buy next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from quorate.analysis.judgments import NAIVE as NAIVE_INTERVAL
from quorate.analysis.judgments import Analysis
from quorate.analysis.words import about, against_naive, called, cut, number, only_facet, significant, span, times
from quorate.caveats import weightiest_first
from quorate.planning.designs.dstudy import Projection
from quorate.planning.designs.names import PARTIAL
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, INK, NAIVE, SHAPES, Spec, channel, colour, kind, palette
from quorate.reporting.page import UNMADE, Caption, Figure, Page, Row, Section, Short, Step, Tile
from quorate.reporting.pages.judgments.phrases import axis, capital, origin, places, scope, size
from quorate.reporting.pages.panel.page import panel_caveats, panel_section
from quorate.reporting.paper.reproduce import options_of, recorded, source_of_analysis, titled
from quorate.reporting.paper.writeup import methods_paragraph
from quorate.roles import JUDGE
from quorate.table.results import picked
from quorate.wording import at_level, capitalised, counted, decimals, listed, whole_percent

if TYPE_CHECKING:
    from quorate.reporting.paper.record import ChecklistItem, Record


def page(analysis: Analysis, record: Record) -> Page:
    """The page on judgments."""
    p, naive = places(analysis), analysis.independent.half_width
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
    caveats = dict.fromkeys((*analysis.caveats, *panel_caveats(analysis)))
    of_mean = [components(analysis)] if analysis.contributions else []
    return Page(
        title=titled(analysis.judgments.source, "Judgments from a"),
        sentence=" ".join([*([analysis.answer.sentence] if analysis.answer else []), analysis.sentence]),
        sections=(
            Section("verdict", "How far the mean can be trusted", figures=(intervals(analysis),)),
            Section("sources", "Where the uncertainty comes from", (), (*of_mean, per_judgment(analysis))),
            purchases_section(analysis),
        ),
        facts=UNMADE,
        rest=lambda: _rest(analysis, record),
        methods=methods_paragraph(analysis),
        content=lambda: _content(analysis, record),
        caveats=weightiest_first(caveats),
        next_step=next_step(analysis),
        tiles=tiles,
        source=partial(source_of_analysis, analysis),
        options=options_of(analysis),
        record=recorded(record),
        prompts=tuple(prompts),
    )


def _rest(analysis: Analysis, record: Record) -> tuple[tuple[Section, ...], Figure]:
    """What no screen shows, and loads when it is written: the other sections, and the checklist."""
    from quorate.reporting.pages.judgments.diagnosis import checks_section, health_section, latent_section
    from quorate.reporting.pages.judgments.people import judges_section, people_section, single_section
    from quorate.reporting.paper.record import checklist

    sections = (
        judges_section(analysis),
        panel_section(analysis),
        single_section(analysis),
        checks_section(analysis),
        health_section(analysis),
        latent_section(analysis),
        people_section(analysis),
    )
    said = tuple(section for section in sections if section is not None)  # one may have nothing to say
    return said, stated(checklist(analysis, record))


def _content(analysis: Analysis, record: Record) -> dict[str, Any]:
    from quorate.reporting.pages.judgments.people import conditions
    from quorate.reporting.paper.record import checklist

    items = checklist(analysis, record)
    return {**analysis.to_dict(), "checklist": items, "rows_of_flagged": conditions(analysis)}


def stated(items: Sequence[ChecklistItem]) -> Figure:
    """The reporting checklist: what to state, and what the data or the record say."""
    from quorate.reporting.paper.record import missing

    rows = [picked(item, "tier name status text") for item in items]
    absent = missing(items)
    finding = f"{len(absent)} of {counted(len(items), 'item')} of the reporting checklist are missing"
    lines = ["Minimum: any evaluation; standard: a good one; comprehensive: where scores are used further."]
    if absent:
        lines.append("Write what is missing into a study record and report again with --study.")
    heads = {"name": "what to state", "text": "what the data or the record say"}
    return Figure("checklist", Caption(finding, tuple(lines)), rows, None, heads)


def intervals(analysis: Analysis) -> Figure:
    """The naive interval, the one for this study's setup and the one for others like it, on one axis."""
    rows, headline = analysis.rows(), analysis.readings[0]
    ratio = headline.half_width / analysis.independent.half_width
    if ratio >= 1.05:
        finding = f"The naive interval is {times(ratio)} times too narrow {headline.scope}".rstrip()
    else:
        finding = against_naive(headline, analysis.independent, places(analysis)).rstrip(".")
    scores = analysis.support.facts.scores
    clipped = any(row["low"] < scores.low or row["high"] > scores.high for row in rows)
    whom = [f"this setup speaks for items like these{', ' * bool(headline.scope)}{headline.scope}"]
    whom += [f"others like it {analysis.readings[1].scope}"] if analysis.others is not None else []
    lines = (
        f"Mean of {cut(analysis.judgments.score)} with {at_level(analysis.level)} intervals; {size(analysis)}.",
        f"{capitalised('; '.join(whom))}.",
        *(["An arrow: the interval goes on beyond the scores that occur."] if clipped else []),
    )

    def chart() -> Spec:
        low, high = marks.span([row[end] for row in rows for end in ("low", "high")])
        window = max(low, scores.low), min(high, scores.high)  # a mean cannot be beyond the scores
        drawn = [
            {**row, "text": span(one, places(analysis))}
            | marks.drawn(row, window, NAIVE if row["interval"] == NAIVE_INTERVAL else CORRECTED)
            for row, one in zip(rows, (analysis.independent, *analysis.readings), strict=True)
        ]
        base = marks.chart(drawn, marks.labels("interval"), step=60)
        x = marks.axis("mean", axis(analysis, "mean of"), window)
        text = base.mark("text", dy=-17, color=INK).encode(x=x, text="text:N")
        return marks.finish([*marks.intervals(drawn, base, x, thickness=7), text])

    heads = {"interval": "", "mean": "mean", "low": f"{at_level(analysis.level)} interval"}
    return Figure.of("intervals", Caption(finding, lines), rows, heads, chart, of="mean")


AT_ZERO = "estimated at zero, the boundary"


def components(analysis: Analysis) -> Figure:
    """What each component brings to the standard error of the mean, with its interval, the largest share first."""
    only = only_facet(analysis.judgments)
    rows: list[Row] = [
        {"source": cut(called(one.component, only)), "component": cut(one.component)}
        | picked(one, "share_of_variance=share se low high variance=fitted.variance levels=fitted.levels")
        | {"estimated_at_zero": one.se == 0, "what_shrinks_it": cut(one.advice, 200)}
        for one in analysis.contributions
    ]
    finding = "No component was found to differ from zero"
    if analysis.sources:
        first = analysis.sources[0]
        comes = f"{whole_percent(first.share)} of the uncertainty comes from {origin(analysis, first.component)}"
        finding = f"{comes}: {cut(first.advice, 200)}"
    alone = f"Standard error that each component alone would leave in the mean {analysis.readings[-1].scope}".rstrip()
    lines = (
        f"{alone}, and its share of the variance of the mean. 95% intervals; {size(analysis)}.",
        _law(analysis),
        "Circles: main effects; diamonds: interactions; squares: noise. An arrow: the interval goes on.",
    )

    def chart() -> Spec:
        facets, shown = analysis.judgments.names, rows[: marks.MOST_ROWS]
        window = marks.from_zero([row["se"] for row in shown], [row["high"] for row in shown])
        above = [
            AT_ZERO if row["se"] == 0 else f"{whole_percent(row['share_of_variance'])} · {row['what_shrinks_it']}"
            for row in shown
        ]
        drawn = [
            {**row, "text": text}
            | marks.drawn(row, window, colour(row["component"], facets), SHAPES[kind(row["component"])])
            for row, text in zip(shown, above, strict=True)
        ]
        base = marks.chart(drawn, marks.labels("component"), step=46)
        x = marks.axis("se", axis(analysis, "standard error of the mean of"), window)
        text = base.mark("text", dy=-14, align="left", limit={"expr": "width - 4"}, color=INK)
        return marks.finish([*marks.intervals(drawn, base, x), text.encode(x={"value": 3}, text="text:N")])

    heads = Short.titles("source", share_of_variance="share", what_shrinks_it="what makes it smaller")
    caption = Caption(finding, lines)
    titles = {"share_of_variance": "share of Var(mean)", "se": "standard error it brings", "low": "low, 95%"}
    titles |= {"high": "high, 95%"}
    return Figure.of("components", caption, rows, heads, chart, titles=titles, percent="share_of_variance", most=6)


def _law(analysis: Analysis) -> str:
    """What the intervals take the effects of levels to be."""
    robust = [one.component for one in analysis.contributions if one.fitted.interval == "robust"]
    if not robust:
        return "The intervals take the effects of levels to be normal."
    rest = "; the others take them to be normal" if len(robust) < len(analysis.contributions) else ""
    return f"Intervals of {listed([cut(name) for name in robust])} are robust, for effects of any law{rest}."


def per_judgment(analysis: Analysis) -> Figure:
    """Share of the variance of one judgment that each component has."""
    rows: list[Row] = [
        {"component": cut(one.name)} | picked(one, "share_of_variance=share variance se low high levels kind")
        for one in sorted(analysis.fit.components, key=lambda one: -one.share)
    ]
    comes = f"of the variance of one judgment comes from {origin(analysis, rows[0]['component'])}"
    finding = f"{whole_percent(rows[0]['share_of_variance'])} {comes}"
    fixed = "For a fixed facet it is the spread of its levels' means, which is no sampling variance."
    line = f"Share of the variance of a single score; {size(analysis)}. {fixed}"
    chart = marks.bars(rows, "component", "share_of_variance", analysis.judgments.names)
    heads = {"share_of_variance": "share of Var(one judgment)"}
    return Figure("per-judgment", Caption(finding, (line,)), rows, chart, heads, folded=True)


def purchases_section(analysis: Analysis) -> Section:
    """Changes to the design at hand, and what is not known of them."""
    figure = what_if(analysis)
    if figure is None:
        unknown = "These data do not say what a change to the design would give."
        return Section("next", "What to buy next", (unknown,))
    text = []
    if not analysis.priced:
        text.append("No price per call was given, so designs are compared by the number of judgments.")
    if not analysis.purchases:
        text.append("No change listed here narrows the interval by more than half a percent.")
    reasons: dict[str, list[str]] = {}
    for one in analysis.what_if:
        reasons.setdefault(one.reason, []).append(one.label)
    named = {reason: cut(listed(changes), 300) for reason, changes in reasons.items() if reason}
    text += [f"Not known: {changes}. {capital(reason)}." for reason, changes in named.items()]
    return Section("next", "What to buy next", tuple(text), (figure,))


def next_step(analysis: Analysis) -> Step | None:
    """The change that buys most per call, with what it gives."""
    if not analysis.purchases:
        return None
    best = analysis.purchases[0]
    less = f"{whole_percent(-best.change)} off the interval for {counted(best.more_calls or 0, 'more call')}"
    return Step(f"Next: {cut(best.label)}, {less}.", "quorate plan FILE --budget CALLS")


def what_if(analysis: Analysis) -> Figure | None:
    """Half the interval that each change to the design would give, from what it is now; the narrowest first."""
    base = analysis.what_if[0].projection if analysis.what_if else None
    rows: list[Row] = []
    for place, one in enumerate(analysis.what_if):
        row: Row = {"number": place, "change": cut(one.label), "half": None, "gain": None, "calls": None}
        row |= {"more_calls": None, "more_cost": None, "facet": ""}
        if one.projection is not None and base is not None:
            row |= {"half": one.projection.half_width, "gain": one.change, "calls": one.projection.calls}
            row |= {"more_calls": one.more_calls, "more_cost": one.more_cost, "facet": changed(base, one.projection)}
        rows.append(row)
    known = marks.known(rows, "half", "calls")
    if len(known) < 2:
        return None
    half, best = known[0]["half"], analysis.purchases
    now = f"Studies of {counted(analysis.widest.n, 'judgment')} like this find ±{significant(half, 2)}"
    finding = f"{now}; no change shown here narrows it by more than half a percent"
    if best:
        less = f"{cut(best[0].label)} takes off {whole_percent(-best[0].change)} for {best[0].more_calls:,} more"
        finding = f"{now}; {less}"
    line = "Half a 95% interval: of studies like this one, and of changes that keep its share of gaps, as projected"
    key = (
        "Dashed: the study as it is; right: judgments in all. Colours: the facet that changes; diamonds: the best buys."
    )

    def chart() -> Spec:
        colours = {**palette(analysis.judgments.names), "": CORRECTED}
        buys = {cut(one.label) for one in best}
        drawn = [
            {**row, "why_not": "", "colour": colours.get(row["facet"], NAIVE)}
            | {"shape": "diamond" if row["change"] in buys else "circle", "from": half, "text": f"{row['calls']:,}"}
            for row in sorted(known, key=lambda row: row["half"])
        ]
        base = marks.chart(drawn, marks.labels("change"), step=marks.step(drawn))
        title = axis(analysis, "half a 95% interval of the mean of")
        x = marks.axis("half", title, marks.span([row["half"] for row in drawn]))
        line = base.mark("rule", strokeWidth=2.5, opacity=0.85)
        dots = base.mark("point", filled=True, opacity=1, size=110).encode(x=x, shape=channel("shape:N", scale=None))
        calls = base.mark("text", align="left", dx=8, fontSize=11, color=INK).encode(
            x={"value": "width"}, text="text:N"
        )
        layers = [
            marks.line_at(half, x),
            line.encode(x=marks.like(x, "from"), x2="half", color=marks.own_colour()),
            dots.encode(color=marks.own_colour()),
            calls,
        ]
        return marks.finish(layers)

    shown = [{name: value for name, value in row.items() if name != "facet"} for row in rows]
    caption = Caption(finding, (f"{line}{scope(analysis)}.", key))
    columns = {"change": "change", "half": "half interval", "gain": "of it", "calls": "judgments"}
    heads = {**columns, "more_cost": "more USD"}
    titles = {"number": "no.", "half": "half a 95% interval", "gain": "change of it", "calls": "judgments"}
    titles |= {"more_calls": "more judgments", "more_cost": "more to pay, USD"}
    return Figure.of("what-if", caption, shown, heads, chart, titles=titles, unfolded=True, most=6)


def changed(base: Projection, other: Projection) -> str:
    """The facet in which two projected designs differ; the judge where only the layout does."""
    for name, levels in other.design.items():
        if base.design[name] != levels:
            return str(name)
    filled = (base.layout, other.layout) == (PARTIAL, "factorial")
    return JUDGE if base.layout != other.layout and not filled else ""
