"""`quorate adaptive`: what spending judge calls where scores vary would save."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from quorate.cli import reading
from quorate.cli.adaptive_parts import show
from quorate.cli.console import console, print_json
from quorate.cli.parts import show_files
from quorate.cli.places import check_places
from quorate.errors import InvalidInput

_MOST_SCORES = 100_001
Budget = Annotated[int, typer.Option(metavar="CALLS", min=1, help="Judge calls that could be paid for.")]
By = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Facet with a study for every level, such as the dimension that is scored."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=LEVEL", help="Look at one level of a facet, such as prompt=base; repeat for each."),
]
Human = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column with a human score of every item, to correlate with.")
]
Cycle = Annotated[
    str | None,
    typer.Option(
        metavar="FACET",
        help="Ask every level of this facet in each pull, such as every judge; compared with single ones.",
    ),
]
Delta = Annotated[
    float, typer.Option(metavar="P", help="Chance of failure of ROBIN-HOOD; a smaller one has a longer warm-up.")
]
Constants = Annotated[
    Literal["experiment", "theory"], typer.Option("--variant", help="Constants of its experiments or of its theorems.")
]
Runs = Annotated[
    int, typer.Option(metavar="N", min=1, help="Replays; intervals take 20, and hold as often as they say from 50 on.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="Root of the random numbers.")]
NoFloor = Annotated[
    bool, typer.Option("--no-floor", help="Take an arm whose answers were all equal so far as one that never varies.")
]
Scale = Annotated[
    str | None,
    typer.Option(
        metavar="SCORES",
        help="Possible scores, for the floor: 1:5 for whole numbers, or a list such as 0,0.5,1. Default: those given.",
    ),
]
Sweep = Annotated[bool, typer.Option("--sweep", help="Replay with other constants too.")]
Report = Annotated[
    Path | None, typer.Option(metavar="PATH", help="Write a report: .html, .md or .json. It has a sweep.")
]
Charts = Annotated[Path | None, typer.Option(metavar="DIR", help="With --report: write its charts as files as well.")]
ChartFormat = Annotated[Literal["svg", "png"], typer.Option(help="Format of these files.")]


def adaptive(
    context: typer.Context,
    file: reading.File,
    budget: Budget,
    by: By = None,
    only: Only = None,
    human: Human = None,
    cycle: Cycle = None,
    delta: Delta = 0.007,
    variant: Constants = "experiment",
    runs: Runs = 50,
    seed: Seed = 1,
    no_floor: NoFloor = False,
    scale: Scale = None,
    sweep: Sweep = False,
    report: Report = None,
    charts: Charts = None,
    chart_format: ChartFormat = "svg",
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
    """What asking more where scores vary would save, replayed.

    Uniform allocation, ROBIN-HOOD and ROBIN are replayed on the repeated answers of a file. Ends with exit code 2 if
    ROBIN-HOOD does not surely save calls, or runs are too few to tell.
    """
    from quorate.analysis.allocation import allocation_view

    if charts is not None and report is None:
        raise InvalidInput("--charts: they are those of the report; give --report too")
    check_places(report, charts=charts)
    if by is not None and "=" in by:
        raise InvalidInput(
            f'--by: the name of a facet, got "{by}"; give that column a name: --facet NAME="{by}" --by NAME'
        )
    levels = reading.pairs("--only", only, "prompt=base")
    facets = _with(facet, [*([by] if by else []), *levels])
    found = allocation_view(
        reading.judgments(file, score, facets, object_, nested, fixed, status, missing),
        budget,
        by=by,
        only=levels,
        human=human,
        cycle=cycle,
        sweep=sweep or report is not None,
        delta=delta,
        variant=variant,
        runs=runs,
        seed=seed,
        floor=not no_floor,
        scale=_possible(scale),
    )
    if as_json:
        print_json(found.to_dict())
    else:
        show(console(), found)
    if report is not None:
        from quorate.reporting.report import report as write_report

        written = write_report(found, report, charts=charts, chart_format=chart_format, command=context.obj)
        if not as_json:
            show_files(console(), [written])
    return found.exit_code


def _possible(scale: str | None) -> list[float] | None:
    """Possible scores from ``LOW:HIGH``, or from a list."""
    if scale is None:
        return None
    low, colon, high = scale.partition(":")
    try:
        if not colon:
            return [float(score) for score in scale.split(",")]
        whole = range(int(low), int(high) + 1)
    except ValueError:
        whole = range(0)
    if 2 <= len(whole) <= _MOST_SCORES:
        return list(map(float, whole))
    raise InvalidInput(f'--scale: possible scores such as 1:5, or 0,0.5,1, got "{scale}"')


def _with(facets: list[str] | None, columns: Iterable[str]) -> list[str]:
    """Facets as declared, and further columns that play no role yet."""
    from quorate.table.columns.roles import ALIASES

    known = {*ALIASES, *(pair.partition("=")[0].strip() for pair in facets or ())}
    return [*(facets or ()), *(f"{name}={name}" for name in dict.fromkeys(columns) if name not in known)]
