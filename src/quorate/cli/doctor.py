"""`quorate doctor`: what a file supports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from quorate.cli import reading
from quorate.cli.console import console, heading, points, print_json, say, table, whole
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.estimate.doctor.support import Support
    from quorate.table.facts.describe import Description, MissingByLevel
    from quorate.table.notes import Note

FOUND = 2
MOST_LEVELS = 5
COMPLETE, NESTED, ONE_LEVEL = "complete", "nested", "one level"
TERM = "component "
COLUMNS = {" ": "left", "  ": "left"}


def doctor(
    context: typer.Context,
    file: reading.File,
    as_json: reading.Json = False,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    _debug: reading.Debug = False,
) -> int:
    """What a file supports, and what stands in the way."""
    from quorate.estimate.doctor.support import doctor as support

    found = support(reading.judgments(file, score, facet, object_, nested, fixed, status, missing))
    if as_json:
        print_json(found.to_dict())
    else:
        _show(console(), found, file.name, next_step=context.obj.replace("quorate doctor", "quorate analyze", 1))
    return 0 if found.ok else FOUND


def _show(out: Console, found: Support, name: str, *, next_step: str) -> None:
    say(out, in_options(_verdict(found, name)), style="bold")
    say(out, _size(found.facts))
    _facets(out, found.facts, found.notes)
    _missing(out, found.facts)
    if found.findings:
        heading(out, "Findings")
        table(out, COLUMNS, [(one.severity, in_options(one.sentence)) for one in found.findings])
    heading(out, "Enough for a pilot?")
    table(out, COLUMNS, [("yes" if one.met else "no", one.sentence) for one in found.floors])
    _analyses(out, found)
    if found.ok:
        out.print()
        whole(out, f"Next: {next_step}")


def _verdict(found: Support, name: str) -> str:
    possible = [one for one in found.analyses if one.possible]
    if found.ok:
        return f"{name} can be analysed: {len(possible)} of {len(found.analyses)} analyses are possible."
    errors = [one.sentence for one in found.findings if one.severity == "error"]
    reasons = errors or [one.reason for one in found.analyses if not one.possible]
    return f"{name} cannot be analysed as it is: {reasons[0]}."


def _size(facts: Description) -> str:
    from quorate.wording import counted

    all_of_them = facts.answers == facts.rows
    balance = facts.balance
    span = "" if balance.least == balance.most else f"{balance.least} to "
    return (
        f"{counted(facts.rows, 'judgment')}, {'all' if all_of_them else f'{facts.answers:,}'} with a usable score"
        f"{f', from {facts.scores.low:g} to {facts.scores.high:g}' if facts.answers else ''}. {facts.cells:,} of "
        f"{balance.full:,.0f} cells of the full crossing, {span}{counted(balance.most, 'answer')} each"
        f"{': balanced' if balance.balanced else ''}."
    )


def _facets(out: Console, facts: Description, notes: Sequence[Note]) -> None:
    rows = [
        (
            facet.name,
            facet.column,
            f"{facet.levels:,}",
            ("fixed" if facet.fixed else "random") + (f", inside {facet.parent}" if facet.parent else ""),
        )
        for facet in facts.facets
    ]
    heading(out, "Facets")
    table(out, {"role": "left", "column": "left", "levels": "right", "taken as": "left"}, rows)
    roles = {facet.name for facet in facts.facets}
    others = [note.brief for note in notes if note.role not in roles]
    if others:
        points(out, [f"other columns: {'; '.join(others)}"])
    meetings = list(_meetings(facts))
    if meetings:
        heading(out, "How they meet")
        points(out, meetings)


def _meetings(facts: Description) -> Iterator[str]:
    """Pairs of facets with two levels or more, those crossed completely together."""
    from quorate.wording import percent

    complete = [f"{one.a} × {one.b}" for one in facts.crossings if one.kind == COMPLETE]
    if complete:
        yield f"crossed completely: {', '.join(complete)}"
    for one in facts.crossings:
        if one.kind == NESTED:
            yield f"nested: {one.a} in {one.b}"
        elif one.kind not in (COMPLETE, ONE_LEVEL):
            yield f"{one.kind}: {one.a} × {one.b}, {one.pairs:,} pairs ({percent(one.share)})"


def _missing(out: Console, facts: Description) -> None:
    if facts.answers == facts.rows:
        return
    heading(out, "Without a usable score")
    statuses = ", ".join(f"{one.rows:,} {one.name}" for one in facts.statuses)
    several = [one for one in facts.missing if len(one.levels) > 1]
    points(out, [f"by status: {statuses}", *(_by_level(one) for one in several)])


def _by_level(one: MissingByLevel) -> str:
    """Shares at the levels where most is missing."""
    from quorate.wording import percent

    some = [level for level in range(len(one.levels)) if one.missing[level]]
    worst = sorted(some, key=lambda level: -one.share[level])[:MOST_LEVELS]
    listed = ", ".join(f"{one.levels[level]} ({percent(one.share[level])})" for level in worst)
    rest = len(some) - len(worst)
    return f"by {one.facet}: {listed}{f' and {rest:,} more' if rest else ''}"


def _analyses(out: Console, found: Support) -> None:
    """What is possible, with the components on one line, and what is not, with shared reasons said once."""
    possible = [one for one in found.analyses if one.possible]
    terms = [one.name.removeprefix(TERM) for one in possible if one.name.startswith(TERM)]
    rows = [(one.name, one.reason) for one in possible if not one.name.startswith(TERM)]
    if possible:
        heading(out, "Possible")
        table(out, COLUMNS, [*rows, *([("components", ", ".join(terms))] if terms else [])])
    reasons: dict[str, list[str]] = {}
    for one in found.analyses:
        if not one.possible:
            reasons.setdefault(one.reason + (" (" + one.fix + ")" if one.fix else ""), []).append(one.name)
    if reasons:
        heading(out, "Not possible")
        points(out, (f"{', '.join(names)}: {in_options(reason)}" for reason, names in reasons.items()))
