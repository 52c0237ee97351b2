"""An analysis on the terminal, in five parts: verdict, sources, purchases, caveats, and where the report is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.cli.console import heading, points, say, table, whole
from quorate.cli.spelling import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.judgments import Analysis
    from quorate.plan.designs.dstudy import Projection
    from quorate.plan.search.whatif import WhatIf
    from quorate.table.notes import Note

MOST_SOURCES = 6


def show(out: Console, found: Analysis) -> None:
    """Print the first four parts; the caller adds where the report was written."""
    say(out, found.sentence, style="bold")
    if found.answer is not None:
        heading(out, f"Is that precise enough{_scope(found)}?")
        say(out, found.answer.sentence)
    _sources(out, found)
    _purchases(out, found)
    _caveats(out, found)


def show_reading(out: Console, found: Analysis) -> None:
    """Print which columns were recognised, if any were."""
    show_columns(out, found.judgments.notes)


def show_columns(out: Console, notes: Sequence[Note]) -> None:
    """Print what reading took for granted, if anything."""
    if notes:
        out.print()
        say(out, f"Columns: {'; '.join(note.brief for note in notes)}")


def with_column(notes: Sequence[Note], role: str, column: str | None) -> list[Note]:
    """What reading took for granted, with a column that it left as one that is used.

    Parameters
    ----------
    notes : sequence of Note
        From reading.
    role : str
        What the column is used for.
    column : str or None
        Its name; None where there is none.
    """
    from quorate.table.notes import left_unused, not_used, read_as

    unused = not_used(notes)
    if column is None or column not in unused:
        return list(notes)
    kept = [note for note in notes if not not_used([note])]
    return [*kept, read_as(role, [column]), *left_unused([name for name in unused if name != column])]


def show_origin(out: Console, found: Analysis, origin: Mapping[str, Any]) -> None:
    """Print what did it, to what, in one line."""
    from quorate.reporting.paper.reproduce import Provenance, in_one_line

    whole(out, f"Made by: {in_one_line(found, Provenance(seed=origin.get('seed')))}")


def show_files(out: Console, written: Sequence[Path], drawn: Sequence[Path] = ()) -> None:
    """Print the fifth part."""
    if written or drawn:
        out.print()
    for path in written:
        whole(out, f"Report: {path}")
    if drawn:
        whole(out, f"Charts: {len(drawn)} files in {drawn[0].parent}")


def dollars(amount: float | None) -> str:
    """A price in dollars, with cents where they matter; "unknown" where there is none."""
    if amount is None:
        return "unknown"
    if 0 < amount < 0.095:
        return f"${amount:.2g}"
    return f"${amount:,.2f}" if amount < 1000 else f"${amount:,.0f}"


def _sources(out: Console, found: Analysis) -> None:
    from quorate.wording import whole_percent

    rows = [(source.component, whole_percent(source.share), source.advice) for source in found.sources[:MOST_SOURCES]]
    rest = found.sources[MOST_SOURCES:]
    if rest:
        rows[-1:] = [
            (f"{len(rest) + 1} others", whole_percent(sum(s.share for s in found.sources[MOST_SOURCES - 1 :])), "")
        ]
    heading(out, f"Where the uncertainty comes from{_scope(found)}")
    table(out, {"source": "left", "share": "right", "what makes it smaller": "left"}, rows)


def _purchases(out: Console, found: Analysis) -> None:
    if not found.what_if:
        heading(out, "What to do next")
        points(out, ["These data do not say what a change to the design would give."])
        return
    heading(out, f"What to do next{_scope(found)}: most precision per call first")
    show_changes(out, (found.what_if[0], *found.purchases), priced=found.price is not None)
    _anew(out, found)


def _anew(out: Console, found: Analysis) -> None:
    """The best designs from nothing: what the study's price could have bought, and what its precision could cost."""
    from quorate.analysis.words import number
    from quorate.wording import counted, decimals

    best = found.optimum
    if best is None or best.own is None or best.own.se == 0:
        return
    scale = "price" if found.priced else "number of calls"
    wanted = {f"for the same {scale}": best.same_cost, "as precise for least": best.same_se}
    said = [
        f"{label}: {in_words(plan)}; {counted(plan.calls, 'call')}, SE {number(plan.se, 1 + decimals(plan.se))}"
        for label, plan in wanted.items()
        if plan is not None
    ]
    if said:
        out.print()
        say(out, "  A design from nothing (quorate optimize has prices and limits):")
        points(out, said)


def in_words(plan: Projection) -> str:
    """A design in words."""
    from quorate.analysis.designs import layout_in_words
    from quorate.wording import counted

    parts = [counted(count, name) for name, count in plan.design.items() if count > 1]
    return ", ".join(parts) + layout_in_words(plan)


def show_changes(out: Console, changes: Sequence[WhatIf], *, priced: bool) -> None:
    """Print one row per change: what it is, the standard error, how that differs, calls and, where known, the price."""
    from quorate.wording import decimals

    places = 1 + max((decimals(change.projection.se) for change in changes if change.projection), default=2)
    header = {"change": "left", "SE": "right", "difference": "right", "calls": "right"}
    rows = (_change(change, places, priced) for change in changes)
    table(out, header | ({"price": "right"} if priced else {}), rows)


def _change(change: WhatIf, places: int, priced: bool) -> tuple[str, ...]:
    from quorate.analysis.words import number

    plan = change.projection
    if plan is None:
        return change.label, "not known"
    difference = f"{change.change:+.0%}" if abs(change.change) >= 0.005 else "<1%" if change.change else ""
    cost = (dollars(plan.cost),) if priced else ()
    return change.label, number(plan.se, places), difference, f"{plan.calls:,}", *cost


def _caveats(out: Console, found: Analysis) -> None:
    sentences = [caveat.sentence for caveat in found.caveats]
    said = {sentence.partition(":")[0] for sentence in sentences}
    views = {"judges like these": found.population_reason, "this panel": found.panel_reason}
    for scope, reason in views.items():
        if reason and reason.partition(":")[0] not in said:
            sentences.append(f"no interval for {scope} (" + reason + ")")
    if sentences:
        heading(out, "Caveats")
        points(out, map(in_options, sentences))


def _scope(found: Analysis) -> str:
    return ", for judges like these" if found.population is not None else ""
