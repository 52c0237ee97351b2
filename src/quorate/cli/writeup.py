"""`quorate writeup`: what a methods section needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quorate.cli import reading
from quorate.cli.analyze import Covariate, Level, Method, Price, Random, ResidualBy, Study
from quorate.cli.console import console, heading, points, print_json, say, table, whole
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.reporting.paper.writeup import Writeup

Format = Annotated[
    Literal["text", "markdown", "json"], typer.Option("--format", help="How it is printed; --json is json.")
]


def writeup(
    context: typer.Context,
    file: reading.File,
    study: Study = None,
    format_: Format = "text",
    level: Level = 0.95,
    price: Price = None,
    as_json: reading.Json = False,
    random: Random = None,
    covariate: Covariate = None,
    method: Method = "reml",
    residual_by: ResidualBy = None,
    score: reading.Score = "score",
    facet: reading.Facets = None,
    object_: reading.Object = "item",
    nested: reading.Nested = None,
    fixed: reading.Fixed = None,
    status: reading.Status = None,
    missing: reading.Missing = None,
    _debug: reading.Debug = False,
) -> int:
    """A paragraph for a methods section, and the reporting checklist."""
    if as_json and format_ == "markdown":
        raise InvalidInput("--json: contradicts --format markdown; give one of them")
    from quorate.analysis.judgments import analyze_judgments
    from quorate.reporting.paper.record import study_record
    from quorate.reporting.paper.writeup import writeup as written

    record = study_record(study)
    found = analyze_judgments(
        reading.judgments(file, score, facet, object_, nested, fixed, status, missing),
        random=random or None,
        covariates=covariate or (),
        method=method,
        residual_by=residual_by,
        level=level,
        price=price,
    )
    _print(written(found, record=record, command=context.obj), "json" if as_json else format_)
    return 0


def _print(found: Writeup, format_: Literal["text", "markdown", "json"]) -> None:
    if format_ == "json":
        print_json(found.to_dict())
    elif format_ == "markdown":
        out = console()
        for line in found.to_markdown().splitlines():
            whole(out, line)
    else:
        _show(console(), found)


def _show(out: Console, found: Writeup) -> None:
    say(out, found.paragraph)
    heading(out, f"Reporting checklist: {len(found.missing)} of {len(found.checklist)} missing")
    rows = [(one.tier, one.name, one.status) for one in found.checklist]
    table(out, {"tier": "left", "what to state": "left", "status": "left"}, rows)
    if found.missing:
        heading(out, "Missing")
        points(out, [in_options(f"{one.name}: " + one.text) for one in found.missing])
    heading(out, "To do it again")
    table(out, {" ": "left", "  ": "left"}, list(found.reproduction.items()))
