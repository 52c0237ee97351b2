"""Votes watched and replayed: pairs as votes come in, what smaller studies found, and all votes on two systems."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from quorate.analysis.allocation import PairReplay, VerdictReplay
from quorate.analysis.votes import PairAnalysis
from quorate.analysis.words import cut
from quorate.caveats import weightiest_first
from quorate.decide.stop import Standings
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, Spec
from quorate.reporting.page import (
    Caption,
    Figure,
    Page,
    Row,
    Section,
    Short,
    Table,
    particulars,
    source_of,
    title_of,
)
from quorate.reporting.pages.verdict import SHORT, axis, by_type, methods, options, sections, told_apart
from quorate.reporting.pages.votes import page as votes
from quorate.reporting.pages.votes.page import health, read, used
from quorate.reporting.pages.votes.page import methods as words_methods
from quorate.reporting.pages.votes.page import options as words_options
from quorate.reporting.paper.reproduce import read_from, titled
from quorate.simulate.verdicts import VerdictRates
from quorate.wording import at_level, counted, listed, percent, whole_percent

if TYPE_CHECKING:
    from collections.abc import Sequence


METHODS = "Studies were drawn from the votes at hand, whose whole stands for the truth."


def smaller_page(result: VerdictReplay, table: Table | None = None) -> Page:
    """How often verdicts of smaller studies are wrong, over all pairs."""
    last = result.rates[-1]
    lines = (
        f"Each row: {drawn(result.rates)}.",
        "Wrong: a difference the other way, or equal where all votes say not.",
        f"Size: differences found where there is none; it should be {100 * (1 - result.level):.4g}% or less.",
    )
    shares = ("different", "equivalent", "undecided", "wrong", "false_alarm")
    heads = {"n": "votes", "method": "taken as", **{name: name for name in shares}, "false_alarm": "size"}
    figure = Figure.of("verdicts", Caption("Verdicts of smaller studies", lines), result.rows(), heads, percent=shares)
    return Page(
        title=title_of(table, "Smaller studies of votes"),
        sentence=(
            f"Verdicts of smaller studies against all votes, equal within {result.margin:g}: with {last.n:,} votes "
            f"{percent(last.wrong)} are wrong and {percent(last.undecided)} undecided."
        ),
        sections=(Section("verdicts", "Verdicts", tuple(result.notes), (figure,)),),
        facts=particulars("drawn", "What was drawn", {"studies": drawn(result.rates), "level": result.level}),
        methods=METHODS,
        content=lambda: {"rates": result.rows()},
        source=partial(source_of, table),
    )


def smaller_pair_page(result: PairReplay, table: Table | None = None) -> Page:
    """How often ways to spend votes over types of prompts find the difference between two systems."""
    study = result.study
    budgets = study.budgets.tolist()
    rows: list[Row] = [
        {"n": n, "test": test, "found": float(power[at])}
        for at, n in enumerate(budgets)
        for test, power in study.power.items()
    ]
    captured = zip(budgets, study.captured.tolist(), strict=True)
    kept = listed(f"{whole_percent(part)} with {n:,} votes" for n, part in captured)
    signal = f"Signal in the types that screening keeps: {kept}; by chance {whole_percent(study.expected_captured)}."
    heads = {"n": "votes", "test": "spent and tested", "found": "found"}
    figure = Figure.of("found", Caption("How often the difference is found"), rows, heads, percent="found")
    best = max(rows, key=lambda row: row["found"])
    return Page.of(
        result,
        table,
        "Ways to spend votes",
        sentence=f"The difference is found most often, in {percent(best['found'])} of studies, by {best['test']} with "
        f"{best['n']:,} votes.",
        sections=(Section("found", "Found", (signal, *result.notes), (figure,)),),
        facts=particulars("drawn", "What was drawn", {"studies": study.studies}),
        methods=METHODS,
    )


def drawn(rates: Sequence[VerdictRates]) -> str:
    """How many studies each row is over, and of how many pairs."""
    sizes: dict[tuple[int, int], dict[int, None]] = {}
    for one in rates:
        sizes.setdefault((one.studies, one.pairs), {})[one.n] = None
    parts = []
    for (studies, pairs), at in sizes.items():
        where = f" with {listed(f'{n:,}' for n in at)} votes" if len(sizes) > 1 else ""
        parts.append(f"{counted(studies, 'study')} of {counted(pairs, 'pair')}{where}")
    return "; ".join(parts)


def page(result: Standings, table: Table | None = None) -> Page:
    """The page of standings."""
    facts: dict[str, object] = {"systems": len(result.models), "pairs that share the level": result.pairs}
    facts |= {"pairs with enough votes to be decided": len(result.monitors), "level of all together": result.level}
    own = 1 - (1 - result.level) / max(result.pairs, 1)
    how = (
        "Every pair of systems was tested while votes came in, by a test whose error holds at all looks together "
        f"(Robbins, 1970; Ville, 1939), at level {own:.6g}, or at what decided pairs leave of it (Holm, 1979), so that "
        f"with a chance of {result.level:g} none of the orders of {result.pairs:,} pairs that were ever stated is "
        "false."
    )
    return Page.of(
        result,
        table,
        "Standings while votes come in",
        sections=(
            Section("ranks", "Ranks", figures=(ranks(result),)),
            Section("pairs", "Pairs", figures=(pairs(result),)),
        ),
        facts=particulars("watched", f"What was watched: {counted(len(result.models), 'system')}", facts),
        methods=how,
        options=f"level {result.level:g} of all together, at all times",
    )


def ranks(result: Standings) -> Figure:
    """The ranks that the orders leave open for every system."""
    rows: list[Row] = [{**row, "system": cut(str(row["system"]), SHORT)} for row in result.rows()]
    known = sum(row["best"] == row["worst"] for row in rows)

    def chart() -> Spec:
        ends = [
            row | {"middle": (row["best"] + row["worst"]) / 2, "low": row["best"], "high": row["worst"]} for row in rows
        ]
        window = (0.5, len(rows) + 0.5)
        return marks.dots(marks.spread(ends), "system", "middle", "rank", CORRECTED, window=window, tall=24)

    line = (
        "Every system is below those that are surely preferred to it, and above those that it is surely preferred to."
    )
    finding = f"{counted(known, 'system')} of {len(rows):,} {'has' if known == 1 else 'have'} a known rank"
    heads = Short.titles("system", best="best rank", worst="worst", above="surely above", below="below")
    titles = {"worst": "worst rank", "below": "surely below"}
    return Figure.of("standings", Caption(finding, (line,)), rows, heads, chart, titles=titles, unfolded=True)


def pairs(result: Standings) -> Figure:
    """Every pair with enough votes to be decided, with the interval that holds at all times."""
    rows: list[Row] = [
        {"pair": f"{cut(row['a'], SHORT)} against {cut(row['b'], SHORT)}", **row}
        for row in sorted(result.pair_rows(), key=lambda row: -abs(row["share"] - 0.5))
    ]
    shown: list[Row] = [{name: value for name, value in row.items() if name not in ("a", "b")} for row in rows]
    drawn = marks.spread(shown)
    lines = (
        "Share of votes for the first when it was decided, or so far, with the interval of this pair by itself.",
        "In colour: the order is stated.",
    )
    finding = f"{counted(len(rows), 'pair')} {'has' if len(rows) == 1 else 'have'} enough votes to be decided"
    caption = Caption(finding, lines)
    heads = Short.titles("pair", "outcome", "share", low="interval")
    title = "share of votes for the first"
    titles = {"pair": "first against second", "share": title, "stopped": "looks until decided"}
    how: dict[str, Any] = {"look": told_apart(drawn), "at": 0.5, "tall": 24}
    return marks.dotted(
        "watched-pairs", caption, shown, heads, title, titles=titles, drawn=drawn, percent="share", **how
    )


def pair_page(view: PairAnalysis, _table: Table | None = None) -> Page:
    """The page on votes on two systems."""
    first = sections(view.verdict, ways(view))
    if view.every is None:
        reason = f"All pairs are not compared: {view.every_reason}."
        others: tuple[Section, ...] = (Section("margins", "All pairs", (reason,)), health(view.support))
    else:
        others = votes.sections(view.every)
    every = "" if view.every is None else f" For comparison, all pairs: {words_methods(view.every)}"
    of_all = [] if view.every is None else [f"all pairs: {words_options(view.every)}"]
    return Page(
        title=titled(view.votes.source, "Votes from a"),
        sentence=cut(view.verdict.sentence, 2000),
        sections=(*first, *types(view), *others),
        facts=read(view.support) if view.every is None else used(view.every),
        methods=f"{methods(view.verdict)}{every}",
        content=view.to_dict,
        caveats=weightiest_first(view.caveats),
        source=partial(read_from, view.votes),
        options="; ".join([options(view.verdict), *of_all]),
        seed=votes.SEED,
    )


def types(view: PairAnalysis) -> tuple[Section, ...]:
    """The margin on each type of prompts, and whether few of them hold most of the signal; nothing without types."""
    found, signal = view.verdict.types, view.concentration
    text = [signal.sentence] if signal else []
    why = view.concentration_reason
    text += [f"Not known whether few types hold the signal: {why}."] if why else []
    figures = () if found is None else (by_type(found, view.verdict),)
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
        f"{axis(asked).capitalize()}, with {at_level(asked.level)} intervals.",
        "First row: as asked; grey: the same votes counted in other ways.",
        "Where outcomes differ, the verdict rests on how votes are counted.",
    )

    def chart() -> Spec:
        edges = [] if asked.margin is None else [0.5 - asked.margin, 0.5 + asked.margin]
        known = marks.known(rows, "wins", "low", "high")
        return marks.dots(known, "way", "wins", axis(asked), marks.first(known), at=0.5, edges=edges, tall=30)

    drawable = chart if marks.known(rows, "low", "high") else None
    heads = {"way": "votes counted as", "p": "p of no difference", "p_equal": "p of a margin that large"}
    heads["wins"] = f"share for {cut(asked.a, SHORT)}"
    return Figure("ways", Caption(finding, lines), rows, drawable, heads, unfolded=True)
