"""`quorate analyze`: from a file of judgments to honest error bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading
from quorate.cli.console import console, print_json
from quorate.cli.parts import show, show_files, show_origin, show_reading
from quorate.cli.places import check_places

if TYPE_CHECKING:
    from rich.console import Console

    from quorate.analysis.judgments import Analysis

UNDECIDED = 2
LEVEL = 0.95

Random = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TERM", help="A random term, such as item:judge; repeat for each. Default: all up to two-way."
    ),
]
Covariate = Annotated[
    list[str] | None,
    typer.Option(metavar="FACET", help="A facet that shifts the mean, such as answer order; repeat for each."),
]
Method = Annotated[Literal["reml", "ml", "anova"], typer.Option(help="How components are estimated.")]
ResidualBy = Annotated[
    str | None, typer.Option(metavar="FACET", help="Fixed facet whose levels each have their own noise.")
]
Level = Annotated[float, typer.Option(metavar="LEVEL", help="Coverage of the intervals.")]
Price = Annotated[float | None, typer.Option(metavar="USD", help="Price of one call.")]
HalfWidth = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Ask whether the interval is at most ±X: the one for judges like these where there are two or more. "
        "Exit code 2 if it is not.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="HTML report. Default: <file>-quorate.html in this folder; with --json, none."),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no HTML report.")]
Markdown = Annotated[Path | None, typer.Option(metavar="PATH", help="Write a Markdown report as well.")]
Study = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Study record in YAML: what the judgments cannot say, for the checklist."),
]
Charts = Annotated[Path | None, typer.Option(metavar="DIR", help="Write every chart as a file into this folder.")]
ChartFormat = Annotated[Literal["svg", "png"], typer.Option(help="Format of these files.")]


def analyze(
    context: typer.Context,
    file: reading.File,
    half_width: HalfWidth = None,
    level: Level = LEVEL,
    price: Price = None,
    report: Report = None,
    no_report: NoReport = False,
    markdown: Markdown = None,
    study: Study = None,
    charts: Charts = None,
    chart_format: ChartFormat = "svg",
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
    """Honest error bars for the mean, and what to buy next.

    Of a ledger that holds votes: the verdict on its two systems, as quorate votes analyze.
    """
    from quorate.analysis.judgments import analyze_judgments
    from quorate.cli import ledger_votes
    from quorate.reporting.paper.record import study_record

    page = report or (None if no_report or as_json else report_path(file))
    if ledger_votes.holds_votes(file):
        of_scores: dict[str, Any] = {"half_width": half_width, "markdown": markdown, "study": study, "random": random}
        of_scores |= {"covariate": covariate, "residual_by": residual_by, "facet": facet, "nested": nested}
        of_scores |= {"fixed": fixed, "missing": missing}
        of_scores |= {"score": score != "score", "object": object_ != "item", "method": method != "reml"}
        written: dict[str, Any] = {"report": page, "charts": charts, "chart_format": chart_format, "as_json": as_json}
        of_scores["level"] = level != LEVEL
        return ledger_votes.analyze(context, file, price=price, status=status, of_scores=of_scores, **written)
    record = study_record(study)
    check_places(page, markdown, charts)
    found = analyze_judgments(
        reading.judgments(file, score, facet, object_, nested, fixed, status, missing),
        random=random or None,
        covariates=covariate or (),
        method=method,
        residual_by=residual_by,
        level=level,
        price=price,
        half_width=half_width,
    )
    origin = {"command": context.obj, "record": record}
    deliver(
        found,
        as_json=as_json,
        report=page,
        markdown=markdown,
        charts=charts,
        chart_format=chart_format,
        origin=origin,
    )
    return UNDECIDED if found.answer is not None and not found.answer.met else 0


def report_path(file: Path) -> Path:
    """Where the report goes unless it is said: named after the file, in the current folder."""
    return Path(f"{file.name.removesuffix('.gz').rsplit('.', 1)[0]}-quorate.html")


def deliver(
    found: Analysis,
    *,
    as_json: bool,
    report: Path | None,
    markdown: Path | None = None,
    charts: Path | None = None,
    chart_format: Literal["svg", "png"] = "svg",
    origin: Mapping[str, Any],
    more: Mapping[str, Any] | None = None,
    after: Callable[[Console], None] | None = None,
) -> None:
    """Print an analysis, then write its report; what is printed is never lost to a report that cannot be written.

    Parameters
    ----------
    found : Analysis
        What to show.
    as_json : bool
        Whether to print JSON and nothing else.
    report, markdown : Path, optional
        Files to write.
    charts : Path, optional
        Folder for charts, in ``chart_format``.
    origin : mapping
        What the report says of its origin: ``command``, ``seed``, ``note``, and the study ``record``.
    more : mapping, optional
        Further content of the JSON.
    after : callable, optional
        Prints a further part on the terminal.
    """
    out = console()
    if as_json:
        print_json({**found.to_dict(), **_reporting(found, origin), **(more or {})})
    else:
        show(out, found)
        if after is not None:
            after(out)
        show_reading(out, found)
        show_origin(out, found, origin)
    written = _write(found, [path for path in (report, markdown) if path is not None], origin)
    drawn = _draw(found, charts, chart_format)
    if not as_json:
        show_files(out, written, drawn)


def _reporting(found: Analysis, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Methods paragraph, checklist and what is needed to do it again."""
    from quorate.reporting.paper.writeup import writeup

    said = {name: value for name, value in origin.items() if name != "note"}
    return writeup(found, **said).to_dict()


def _draw(found: Analysis, charts: Path | None, chart_format: Literal["svg", "png"]) -> Sequence[Path]:
    if charts is None:
        return ()
    from quorate.reporting.print.charts import write_charts
    from quorate.reporting.report import page_of

    return write_charts(page_of(found), charts, chart_format)


def _write(found: Analysis, paths: Sequence[Path], origin: Mapping[str, Any]) -> list[Path]:
    if not paths:
        return []
    from quorate.reporting.report import report

    return [report(found, path, **origin) for path in paths]
