"""Agreement with people: the page on how often pipelines of judges decide as people do."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

from quorate.analysis.words import cut, distinct, number, p_value, share
from quorate.estimate.agreement.agreement import Agreement
from quorate.estimate.agreement.labelled import does
from quorate.reporting.draw import marks
from quorate.reporting.draw.marks import CORRECTED, NAIVE, Spec
from quorate.reporting.page import Caption, Figure, Page, Row, Section, Short, Table, Tile, particulars
from quorate.table.results import picked
from quorate.wording import at_level, counted

KINDS = {"overall": "with ties", "decisive": "without"}
"""Words for the two kinds of agreement."""
ALL = "all"
_SHORT = 40
_STEP = 24
_DECIDED = "share of battles decided as people do"


def page(result: Agreement, table: Table | None = None) -> Page:
    """The page on agreement with people."""
    best, decisive = result.best, result.rate(result.best.pipeline, "decisive")
    tiles = [Tile(share(best.value), f"of {best.n:,} battles decided by {cut(best.pipeline, _SHORT)} as by people")]
    tiles += [Tile(share(decisive.value), f"of {decisive.n:,} that neither calls a tie")] if decisive.n else []
    people = share(result.human_ties[best.pipeline])
    tiles.append(Tile(share(result.ties[best.pipeline]), f"called a tie, {people} by people"))
    parts = tuple(sections(result))
    rests = compared(result)
    how = methods(result)
    return Page.of(
        result, table, "Agreement with people", parts, rests, how, tiles=tuple(tiles), options=f"level {result.level:g}"
    )


def rates(result: Agreement) -> Figure:
    """Agreement of every pipeline on all battles, with ties and without; which agrees most."""
    rows = [row for row in _rates(result) if row["of"] == ALL]
    best = result.best
    where = "" if best.clusters is None else f" in {best.clusters:,} clusters by {result.cluster}"
    who = does(cut(best.pipeline, _SHORT), "decide")
    finding = f"{who} {share(best.value)} of {best.n:,} battles{where} as people do"
    lines = (
        f"Share of battles with the verdict of people, with {at_level(result.level)} intervals for each.",
        "Circles: a tie is right where people tie. Diamonds: only battles that neither calls a tie.",
    )
    labelled = [{"pipeline": f"{row['judged_by']}, {row['ties']}", **row} for row in marks.known(rows, "agreement")]
    how = _looks(labelled) | {"label": "pipeline", "percent": "agreement"}
    heads = Short.titles("judged_by", "ties", "battles", agreement="share", low=f"{at_level(result.level)} interval")
    caption = Caption(finding, lines)
    return marks.dotted("agreement", caption, rows, heads, _DECIDED, unfolded=True, **how)


def categories(result: Agreement) -> Figure:
    """Agreement of every pipeline by category, ties included; where the best agrees least and most."""
    rows = [row for row in _rates(result) if row["of"] != ALL]
    parts = [one for one in result.rates if one.category != ALL and one.kind == "overall" and one.n]
    parts = [one for one in parts if one.pipeline == result.best.pipeline]
    ends = (choose(parts, key=lambda one: one.value) for choose in (min, max))
    span = " to ".join(f"{share(one.value)} of {cut(one.category, _SHORT)}" for one in ends)
    line = f"By category, ties included, with {at_level(result.level)} intervals for each."
    known = [row for row in marks.known(rows, "agreement") if row["ties"] == KINDS["overall"]]
    labelled = [{"part": f"{row['judged_by']}, {row['of']}", **row} for row in known]
    how = _looks(labelled) | {"label": "part", "percent": "agreement"}
    caption = Caption(f"{does(cut(result.best.pipeline, _SHORT), 'agree')} in {span}", (line,))
    heads = Short.titles("judged_by", "of", "ties", agreement="share", low=f"{at_level(result.level)} interval")
    return marks.dotted("categories", caption, rows, heads, _DECIDED, **how)


def differences(result: Agreement) -> Figure:
    """Every two pipelines, by category and kind, in points of percent; which difference is surest."""
    name = _names(result)
    rows: list[Row] = [
        {"first": name[one.first], "less": name[one.second], "of": cut(one.category), "ties": KINDS[one.kind]}
        | {"battles": one.n, "points": 100 * one.value, "low": 100 * one.low, "high": 100 * one.high}
        | {"p": one.p}
        for one in result.differences
    ]
    whole = [one for one in result.differences if one.category == ALL and one.kind == "overall"]
    tested = [one for one in whole if not isnan(one.p)]
    finding = "No two pipelines can be compared"
    lines = ["Points of percent, on the battles that people and both pipelines decided; each interval for itself."]
    if tested:
        first = min(tested, key=lambda one: (one.p, -abs(one.value)))
        more, less = (first.first, first.second) if first.value >= 0 else (first.second, first.first)
        points = f"{number(100 * abs(first.value), 1)} points more than {cut(less, _SHORT)} ({p_value(first.p)})"
        finding = f"{does(cut(more, _SHORT), 'agree')} in {points}"
    if len(tested) > 1:
        lines.append(f"The title has the smallest of {len(tested)} p-values, which is not corrected for the choice.")
    known = [row for row in marks.known(rows, "points", "low", "high") if row["of"] == ALL]
    known = [row for row in known if row["ties"] == KINDS["overall"]]
    caption = Caption(finding, tuple(lines))
    heads = Short.titles("first", "less", "of", "points", low=f"{at_level(result.level)} interval", p="p")
    drawn = [{"pair": f"{row['first']} less {row['less']}", **row} for row in marks.furthest(known, "points")]
    title = "difference of agreement, points of percent"
    return marks.dotted("differences", caption, rows, heads, title, drawn=drawn, label="pair", at=0.0)


def ties(result: Agreement) -> Figure:
    """How often every pipeline ties, beside people on the same battles."""
    name, best = _names(result), result.best.pipeline
    rows: list[Row] = [
        {"judged_by": name[one], "ties": value, "people": result.human_ties[one], "threshold": result.thresholds[one]}
        for one, value in result.ties.items()
    ]
    people = share(result.human_ties[best])
    finding = f"{does(cut(best, _SHORT), 'call')} {share(result.ties[best])} of the battles a tie, people {people}"
    line = "Threshold: the least margin at which a pipeline prefers a model."
    heads = Short.titles("judged_by", "ties", people="people's ties", threshold="threshold")
    return Figure.of("ties", Caption(finding, (line,)), rows, heads, percent="ties people")


def positions(result: Agreement) -> Figure:
    """Share of choices that were shown first, of every judge, in battles judged in both orders."""
    names = distinct([one.judge for one in result.positions])
    rows: list[Row] = [
        {"judge": name, "battles": one.battles, "shown_first": 0.5 + one.bias, "low": 0.5 + one.low}
        | {"high": 0.5 + one.high, "p": one.p, "consistent": one.consistent}
        for name, one in zip(names, result.positions, strict=True)
    ]
    sure = sum(one.p < 0.05 for one in result.positions)
    finding = f"{sure} of {counted(len(result.positions), 'judge')} surely prefer a position"
    lines = (
        "Share of choices that were shown first, in battles judged in both orders; dashed: one half, no bias.",
        "Consistent: the same response wins in both orders.",
    )
    how = _looks(marks.known(rows, "shown_first")) | {"at": 0.5, "percent": "shown_first consistent"}
    heads = Short.titles("judge", "battles", "shown_first", low=f"{at_level(result.level)} interval")
    heads |= {"consistent": "same winner"}
    caption, titles, title = (
        Caption(finding, lines),
        {"battles": "battles in both orders"},
        "share of choices shown first",
    )
    return marks.dotted("positions", caption, rows, heads, title, titles=titles, first=True, **how)


def cells(result: Agreement) -> Figure:
    """Share of right judgments in every cell, best first."""
    found = result.cells
    order = [] if found is None else sorted(found.cells, key=lambda one: -one.value)
    rows: list[Row] = [
        {"cell": label} | picked(one, "judgments=n items=clusters right=value low high all_low all_high")
        for label, one in zip(distinct([", ".join(one.levels) for one in order]), order, strict=True)
    ]
    caption = Caption("No cells")
    if found is not None and rows:
        ends = " to ".join(f"{share(row['right'])} ({row['cell']})" for row in (rows[-1], rows[0]))
        level = at_level(found.level)
        lines = (
            f"Right judgments by {' and '.join(found.roles)}, clustered by {found.cluster}.",
            f"Thick: {level} interval of a cell chosen beforehand; thin: for all {len(rows)} cells at once.",
        )
        caption = Caption(f"Judgments are right in {ends}", lines)
    known = marks.known(rows, "low", "high")

    def chart() -> Spec:
        both = [
            {name: value for name, value in row.items() if not name.startswith("all_")}
            | {"low": row["all_low"], "high": row["all_high"], "alone_low": row["low"], "alone_high": row["high"]}
            for row in marks.spread(known)
        ]
        title, wide = "share of right judgments", ("alone", CORRECTED)
        return marks.dots(both, "cell", "right", title, CORRECTED, tall=17, thickness=1.2, wide=wide)

    heads = Short.titles("cell", "judgments", "right", low=f"{at_level(result.level)} interval")
    titles = {"all_low": "low, all at once", "all_high": "high, all at once"}
    return Figure.of(
        "cells", caption, rows, heads, chart if known else None, titles=titles, of="right", percent="right", first=True
    )


def compared(result: Agreement) -> Figure:
    """What was compared."""
    values: dict[str, object] = {"pipelines": len(result.ties), "battles decided by both": result.best.n}
    values |= {} if result.cluster is None else {f"clusters ({result.cluster})": result.best.clusters}
    values |= {"categories": len(result.categories)} if result.categories else {}
    finding = f"What was compared: {counted(len(result.ties), 'pipeline')} of judges with people"
    return particulars("compared", finding, values, head="number")


def sections(result: Agreement) -> Iterator[Section]:
    """All sections but the last, the methods' own."""
    parts = (rates(result), categories(result)) if result.categories else (rates(result),)
    yield Section("agreement", "How often judges decide as people do", figures=parts)
    if result.differences:
        yield Section("differences", "Which pipeline agrees more", figures=(differences(result),))
    yield Section("ties", "Ties", figures=(ties(result),))
    if result.positions:
        text = tuple(cut(one.sentence, 1000) for one in result.positions) if len(result.positions) <= 1 else ()
        yield Section("positions", "Position bias", text, (positions(result),))
    if result.cells is not None:
        yield Section("cells", "Single judgments, cell by cell", (cut(result.cells.sentence, 1000),), (cells(result),))


def methods(result: Agreement) -> str:
    """The paragraph for a methods section."""
    how = (
        "Intervals of agreement are Wilson's (1927) with Student's quantile; those of differences are percentiles of a "
        "bootstrap of battles within categories, with McNemar's exact test."
        if result.cluster is None
        else f"Battles are clustered by {result.cluster}: intervals of agreement are Wilson's (1927), those of "
        "differences Student's, both with cluster-robust standard errors and Satterthwaite's degrees of freedom (Bell "
        "and McCaffrey, 2002)."
    )
    text = (
        f"Judgments of a battle were made one verdict by each of {counted(len(result.ties), 'pipeline')} and compared "
        f"with that of people: overall, where ties count, and on battles that neither calls a tie. {how} Pipelines are "
        "compared on the battles that people and both of them decided."
    )
    if result.positions:
        text += (
            " Position bias is the share of choices shown first less one half in battles judged in both orders, with "
            "an exact sign-flip test."
        )
    if result.cells is not None:
        text += (
            f" Right judgments of {len(result.cells.cells)} cells have such intervals by {result.cells.cluster}, "
            "and intervals for all cells at once by Bonferroni's inequality."
        )
    return text


def _rates(result: Agreement) -> list[Row]:
    """One row for every pipeline, category and kind."""
    name = _names(result)
    return [
        {"judged_by": name[one.pipeline], "of": cut(one.category), "ties": KINDS[one.kind]}
        | picked(one, "battles=n clusters agreement=value low high")
        for one in result.rates
    ]


def _names(result: Agreement) -> dict[str, str]:
    """Pipelines fit to be shown, told apart."""
    names = list(result.ties)
    return dict(zip(names, distinct(names), strict=True))


def _looks(rows: list[Row]) -> dict[str, Any]:
    """How shares are drawn: what leaves out ties as grey diamonds."""
    drawn = marks.spread(rows)
    grey = [row.get("ties") == KINDS["decisive"] for row in drawn]
    looks = [(NAIVE, "diamond") if decisive else (CORRECTED, "circle") for decisive in grey]
    return {"drawn": drawn, "look": looks, "tall": _STEP}
