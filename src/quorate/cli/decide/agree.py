"""`quorate judges --agree`: how often judges decide battles as people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from quorate.cli.console import caveats, heading, say, table
from quorate.cli.options import (
    File,
    Files,
    For,
    Group,
    Level,
    Output,
    People,
    Reading,
    SeedOrNone,
    command,
    names,
    role_of,
)
from quorate.cli.options.reading import with_column

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.agreement import AgreementAnalysis
    from quorate.estimate.agreement.agreement import PipelineDifference, Rate
    from quorate.estimate.agreement.cells import CellAccuracies
    from quorate.estimate.agreement.position import PositionBias

Of = TypeVar("Of", "Rate", "PipelineDifference")
MOST_ROWS = 40
"""Rows of a table on the terminal; the report and the JSON have all."""
MOST_CELLS = 120


@dataclass(frozen=True, kw_only=True)
class Asked(Group):
    """What is compared, and how."""

    each: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE", help="Also every level of this role alone, such as judge; repeat for single cells."
        ),
    ] = None
    by: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Also within every level of this role of people's votes.")
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="Role of people's votes whose battles may resemble each other. Default: battles of one --key, if "
            "several.",
        ),
    ] = None
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Move thresholds to where judges tie as often as people do.")
    ] = False
    cells: Annotated[
        str | None,
        For("votes"),
        typer.Option(
            metavar="ROLES",
            help="Votes: also how often single votes are right in every cell of these roles, such as judge,variant.",
        ),
    ] = None
    position: Annotated[
        bool,
        For("votes"),
        typer.Option("--position", help="Votes with an order: also whether each judge prefers what is shown first."),
    ] = False
    level: Level = 0.95
    resamples: Annotated[int, typer.Option(metavar="N", help="Bootstrap samples, of differences.")] = 2000
    seed: SeedOrNone = None


@command
def agree(file: File, people: People, asked: Asked, reading: Reading, files: Files, out: Output) -> int:
    """How often judges decide battles as people do.

    Votes of all judges on a battle are averaged, or their scores of its two responses, and compared with what people
    said of it: with ties, and among battles that neither calls a tie. For leaderboards by judges see quorate pipelines.
    """
    from quorate.analysis.agreement import agreement_view
    from quorate.table.votes import Votes

    judged, theirs = people.sources(file, reading, needed=True)
    if not isinstance(judged, Votes):
        asked.refuse("votes", "for votes, and this file has scores; leave it out")
    view = agreement_view(
        judged,
        theirs or [],
        key=people.key,
        threshold=people.threshold,
        each=asked.each or None,
        by=asked.by,
        cluster=role_of(asked.cluster, judged if isinstance(theirs, list) else theirs),
        calibrated=asked.calibrated,
        cells=names(asked.cells),
        positions=asked.position,
        level=asked.level,
        resamples=asked.resamples,
        rng=asked.seed,
    )
    out.typeset(view, show, notes=with_column(judged.notes, "people", None if people.people else people.human_label))
    files.write(view, judged, out, seed=asked.seed)
    return 0


def show(out: Console, view: AgreementAnalysis) -> None:
    """Print how often pipelines agree with people, which does so more often, and what else was asked."""
    from quorate.analysis.agreement import KINDS
    from quorate.analysis.words import number, share

    found = view.found
    say(out, found.sentence, style="bold")
    interval = f"{100 * found.level:.4g}% interval"
    heading(out, "Battles decided as people do")
    heads = {"judged by": "left", "of": "left", "ties": "left", "battles": "right", "share": "right", interval: "right"}
    clusters = {} if found.cluster is None else {"clusters": "right"}
    rows: list[tuple[str, ...]] = []
    for rate in all_first(found.rates):
        values = (f"{rate.n:,}", share(rate.value), span(rate.low, rate.high)) if rate.n else ("0", "-", "-")
        many = "-" if rate.clusters is None or not rate.n else f"{rate.clusters:,}"
        rows.append((rate.pipeline, rate.category, KINDS[rate.kind], *values, many))
    listed(out, heads | clusters, rows)
    if found.differences:
        heading(out, "Differences, on the same battles")
        heads = {"first": "left", "less": "left", "of": "left", "ties": "left", "points": "right"}
        rows = []
        for one in all_first(found.differences):
            value, low, high = (number(100 * end, 1) for end in (one.value, one.low, one.high))
            ends = "-" if isnan(one.low) else f"{low} to {high}"
            rows.append((one.first, one.second, one.category, KINDS[one.kind], value, ends, chance(one.p)))
        listed(out, heads | {interval: "right", "p": "right"}, rows)
    heading(out, "Ties")
    rows = [
        (name, share(value), share(found.human_ties[name]), f"{found.thresholds[name]:.3g}")
        for name, value in found.ties.items()
    ]
    listed(out, {"judged by": "left", "share": "right", "people": "right", "threshold": "right"}, rows)
    if view.positions:
        show_positions(out, view.positions, interval)
    if view.cells is not None:
        show_cells(out, view.cells, interval)
    caveats(out, (one.sentence for one in view.caveats))


def all_first(rows: Sequence[Of]) -> list[Of]:
    """Rows on all battles before those of categories."""
    return sorted(rows, key=lambda one: one.category != "all")


def listed(out: Console, heads: Mapping[str, str], rows: Sequence[tuple[str, ...]], most: int = MOST_ROWS) -> None:
    """Print the first rows, and how many more there are."""
    table(out, heads, (row[: len(heads)] for row in rows[:most]))
    if len(rows) > most:
        say(out, f"  And {len(rows) - most:,} more rows; --report and --json have all.")


def show_positions(out: Console, positions: Sequence[PositionBias], interval: str) -> None:
    """Print whether judges prefer what they are shown first."""
    from quorate.analysis.words import share

    heading(out, "Position bias: choices that were shown first, in battles judged in both orders")
    rows: list[tuple[str, ...]] = []
    for one in positions:
        if not one.battles:
            rows.append((one.judge, "0", "-", "-", "-", "-"))
            continue
        ends = "-" if isnan(one.low) else f"{0.5 + one.low:.1%} to {0.5 + one.high:.1%}"
        first = f"{0.5 + one.bias:.1%}"
        rows.append((one.judge, f"{one.battles:,}", first, ends, chance(one.p), share(one.consistent)))
    heads = {"judge": "left", "battles": "right", "share": "right", interval: "right", "p": "right"}
    listed(out, heads | {"same winner": "right"}, rows)


def show_cells(out: Console, cells: CellAccuracies, interval: str) -> None:
    """Print how often single judgments are right, cell by cell."""
    from quorate.analysis.words import share
    from quorate.estimate.agreement.cells import named

    heading(out, "Single judgments that are right, cell by cell")
    say(out, cells.sentence)
    rows = []
    for one in sorted(cells.cells, key=lambda one: -one.value):
        ends = span(one.low, one.high), span(one.all_low, one.all_high)
        rows.append((named(one), f"{one.n:,}", f"{one.clusters:,}", share(one.value), *ends))
    heads = {", ".join(cells.roles): "left", "n": "right", f"{cells.cluster}s": "right", "right": "right"}
    listed(out, heads | {interval: "right", "for all at once": "right"}, rows, MOST_CELLS)


def span(low: float, high: float) -> str:
    """An interval of a share."""
    from quorate.analysis.words import share

    return "-" if isnan(low) else f"{share(low)} to {share(high)}"


def chance(p: float) -> str:
    """A p-value, without its name."""
    from quorate.analysis.words import p_text

    return "-" if isnan(p) else p_text(p)
