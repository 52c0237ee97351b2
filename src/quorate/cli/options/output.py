"""What a command prints, as JSON or as text, and the files that it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import typer
from rich.console import Console

from quorate.cli.console import console, print_json, read_as, whole
from quorate.cli.options.groups import For, Group
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.reporting.paper.record import Record
    from quorate.table.judgments import Judgments
    from quorate.table.notes import Note
    from quorate.table.votes import Votes


ENDINGS = (".html", ".htm", ".md", ".markdown", ".json")


class Plain(Protocol):
    """A result that has plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""


Result = TypeVar("Result", bound=Plain)
Shown = TypeVar("Shown")


@dataclass(frozen=True, kw_only=True)
class Output(Group):
    """How a result is printed."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False

    def show(
        self, result: Result, text: Callable[[Console, Result], None], *, notes: Sequence[Note] = (), **more: Any
    ) -> None:
        """Print a result: its plain values and ``more`` as JSON, or what ``text`` prints of it and how it was read."""
        if self.as_json:
            print_json({**result.to_dict(), **more})
        else:
            text(console(), result)
            read_as(console(), notes)

    def say_files(self, written: Sequence[Path], drawn: Sequence[Path] = ()) -> None:
        """Print where reports and charts are, unless JSON is printed."""
        if self.as_json or not (written or drawn):
            return
        out = console()
        out.print()
        for path in written:
            whole(out, f"Report: {path}")
        if drawn:
            whole(out, f"Charts: {len(drawn)} files in {drawn[0].parent}")


@dataclass(frozen=True, kw_only=True)
class Files(Group):
    """The files that are written; places that cannot be are refused before anything is read."""

    context: typer.Context
    report: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", writable=True, help="Write a report: .html, .md or .json; repeat for others."),
    ] = None
    charts: Annotated[
        Path | None, typer.Option(metavar="DIR", writable=True, help="Write every chart as a file into this folder.")
    ] = None
    chart_format: Annotated[Literal["svg", "png"], typer.Option(help="Format of these files.")] = "svg"

    def __post_init__(self) -> None:
        """Refuse places that cannot be written."""
        from quorate.reporting.print.files import directory, writable

        for path in self.report or ():
            writable(path, ENDINGS, "--report")
        if self.charts is not None:
            directory(self.charts, "--charts")
        elif self.chart_format != "svg":
            raise InvalidInput("--chart-format: is that of the files of --charts; give it too")

    def write(self, result: Any, table: Judgments | Votes | None, out: Output, *, seed: int | None = None) -> None:
        """Write the report and the charts that are asked for, and say where they are unless JSON is printed."""
        if not self.report and self.charts is None:
            return
        from quorate.reporting.paper.reproduce import Provenance
        from quorate.reporting.print.charts import write_charts
        from quorate.reporting.report import page_of, write

        page = page_of(result, source=table, origin=Provenance(self.context.obj, seed))
        written = [write(page, path) for path in self.report or ()]
        drawn = () if self.charts is None else write_charts(page, self.charts, self.chart_format)
        self.said(out, written, drawn)

    def said(self, out: Output, written: Sequence[Path], drawn: Sequence[Path]) -> None:
        """Print where they are, unless JSON is printed."""
        out.say_files(written, drawn)


@dataclass(frozen=True, kw_only=True)
class StudyRecord(Group):
    """What a paper states that judgments cannot say."""

    study: Annotated[
        Path | None,
        For("scores"),
        typer.Option(
            metavar="FILE",
            help="Study record in YAML: what the judgments cannot say, for the checklist.",
        ),
    ] = None

    def record(self) -> Record:
        """The record, checked."""
        from quorate.reporting.paper.record import study_record

        return study_record(self.study)
