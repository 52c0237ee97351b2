"""What a file holds and supports, of scores, labels or votes, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorate.estimate.doctor.support import Support, VotesSupport
from quorate.reporting.page import WHAT, Caption, Figure, Page, Row, Section, Short, Table, particulars, title_of
from quorate.table.facts.describe import Description
from quorate.table.results import picked
from quorate.wording import counted, listed, percent

MOST_LEVELS = 5
"""Levels that are named where scores are missing."""
TERM = "component "
PLAIN = {"what": " ", "value": " "}


def page(result: Support | VotesSupport, table: Table | None = None) -> Page:
    """The page of what a file supports."""
    name = title_of(table, "This file")
    found = [Section("findings", "Findings", figures=(findings(result),))] if result.findings else []
    held, pilot = [], []
    if isinstance(result, Support):
        held = [_held_by(result)]
        pilot = [Section("pilot", "Enough for a pilot?", figures=(floors(result),))]
    possible, every = sum(one.possible for one in result.analyses), len(result.analyses)
    holds = "can be analysed" if held else "holds votes"
    verdict = f"{name} {holds}: {possible} of {every} analyses are possible."
    if not result.ok:
        wrong = [one.sentence for one in result.findings if one.severity == "error"]
        wrong += [one.reason for one in result.analyses if not one.possible]
        verdict = f"{name} cannot be analysed as it is: " + wrong[0] + "."
    parts = (*held, *found, *pilot, Section("analyses", "What is possible", figures=(analyses(result),)))
    rests = particulars("read", "How it was read", {"columns": "; ".join(note.brief for note in result.notes)})
    how = "What a table supports follows from its facets, how they cross, and what is missing."
    return Page.of(result, table, "This file", parts, rests, how, sentence=verdict)


def _held_by(support: Support) -> Section:
    """How many judgments there are, their facets, how these meet, and what has no score."""
    facts, balance = support.facts, support.facts.balance
    every = "all" if facts.answers == facts.rows else f"{facts.answers:,}"
    scores = f"score, from {facts.scores.low:g} to {facts.scores.high:g}" if facts.answers else "score"
    if support.labels:
        scores = f"label of {len(support.labels)}: {listed(support.labels, most=8)}"
    span = "" if balance.least == balance.most else f"{balance.least} to "
    text = (
        f"{counted(facts.rows, 'judgment')}, {every} with a usable {scores}. {facts.cells:,} of {balance.full:,.0f} "
        f"cells of the full crossing, {span}{counted(balance.most, 'answer')} each"
        f"{': balanced' if balance.balanced else ''}."
    )
    return Section("data", "What it holds", (text,), (facets(facts), *meetings(facts), *without(facts)))


def facets(facts: Description) -> Figure:
    """Every facet with its column, its levels and what it is taken as."""
    rows: list[Row] = [
        picked(one, "role=name column levels")
        | {"as": ("fixed" if one.fixed else "random") + (f", inside {one.parent}" if one.parent else "")}
        for one in facts.facets
    ]
    heads = {"role": "role", "column": "column", "levels": "levels", "as": "taken as"}
    return Figure.of("facets", Caption(counted(len(rows), "facet")), rows, heads, first=True)


def meetings(facts: Description) -> Iterator[Figure]:
    """How pairs of facets with two levels or more meet, those crossed completely together."""
    complete = [f"{one.a} × {one.b}" for one in facts.crossings if one.kind == "complete"]
    said = [("crossed completely", ", ".join(complete))] if complete else []
    said += [("nested", f"{one.a} in {one.b}") for one in facts.crossings if one.kind == "nested"]
    said += [
        (one.kind, f"{one.a} × {one.b}, {one.pairs:,} pairs ({percent(one.share)})")
        for one in facts.crossings
        if one.kind not in ("complete", "nested", "one level")
    ]
    if said:
        yield _listed("meetings", "How facets meet", said)


def without(facts: Description) -> Iterator[Figure]:
    """Rows without a usable score, by status, and the levels of each facet at which most are."""
    if facts.answers == facts.rows:
        return
    said = [("by status", ", ".join(f"{one.rows:,} {one.name}" for one in facts.statuses))]
    for one in facts.missing:
        some = [level for level in range(len(one.levels)) if one.missing[level]]
        worst = sorted(some, key=lambda level, share=one.share: -share[level])[:MOST_LEVELS]  # type: ignore[misc]
        named = ", ".join(f"{one.levels[level]} ({percent(one.share[level])})" for level in worst)
        rest = f" and {len(some) - len(worst):,} more" if len(some) > len(worst) else ""
        said += [(f"by {one.facet}", named + rest)] if len(one.levels) > 1 else []
    yield _listed("missing", f"{counted(facts.rows - facts.answers, 'row')} without a usable score or label", said)


def findings(support: Support | VotesSupport) -> Figure:
    """What is wrong or worth knowing, errors first."""
    rows: list[Row] = [{"severity": one.severity, "finding": one.sentence} for one in support.findings]
    heads = {"severity": "", "finding": ""}
    return Figure.of("findings", Caption(counted(len(rows), "finding")), rows, heads, first=True, whole=True)


def floors(support: Support) -> Figure:
    """What a pilot needs, and whether it is there."""
    rows: list[Row] = [{"met": one.met, "what": one.sentence} for one in support.floors]
    met = sum(one.met for one in support.floors)
    caption = Caption(f"Enough for a pilot? {met} of {len(rows)} say yes")
    titles = {"met": "enough", "what": " "}
    return Figure.of("floors", caption, rows, {"met": "", "what": ""}, titles=titles, whole=True)


def analyses(support: Support | VotesSupport) -> Figure:
    """What is not possible, what would make it so, and what is; terms of the model in one row."""
    reasons: dict[str, list[str]] = {}
    for one in support.analyses:
        if not one.possible:
            reasons.setdefault(one.reason + (" (" + one.fix + ")" if one.fix else ""), []).append(one.name)
    rows: list[Row] = [{"possible": "no", "analysis": ", ".join(names), "why": why} for why, names in reasons.items()]
    possible = [one for one in support.analyses if one.possible]
    terms = [one.name.removeprefix(TERM) for one in possible if one.name.startswith(TERM)]
    rows += [
        {"possible": "yes", "analysis": one.name, "why": one.reason}
        for one in possible
        if not one.name.startswith(TERM)
    ]
    rows += [{"possible": "yes", "analysis": "components", "why": ", ".join(terms)}] if terms else []
    caption = Caption(f"{len(possible)} of {len(support.analyses)} analyses are possible")
    return Figure.of("analyses", caption, rows, Short.titles(possible="", analysis="analysis", why="why"), whole=True)


def _listed(name: str, finding: str, values: Iterable[tuple[str, str]]) -> Figure:
    rows: list[Row] = [{"what": what, "value": value} for what, value in values]
    return Figure(name, Caption(finding), rows, headers=PLAIN, short=WHAT)
