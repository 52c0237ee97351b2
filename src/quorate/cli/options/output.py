"""What a command prints, as JSON or as text, and the files that it writes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from quorate.cli.console import console, print_json, put, whole
from quorate.cli.options.groups import Group, option
from quorate.cli.spelling import in_options
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from quorate.analysis.certify import Certificate
    from quorate.reporting.page import Page, Section, Step
    from quorate.reporting.paper.record import Record
    from quorate.table.judgments import Judgments
    from quorate.table.measured import MeasuredFile
    from quorate.table.notes import Note
    from quorate.table.votes import Votes


ENDINGS = (".html", ".htm", ".md", ".markdown", ".json")


@dataclass(frozen=True, kw_only=True)
class Output(Group):
    """How a result is printed."""

    as_json: bool = option("", "Print the result as JSON and nothing else.", "--json", default=False)
    full: bool = option("", "Print every table and caveat, not what fits a screen.", default=False)

    def show(
        self,
        result: Any,
        files: Files | None = None,
        source: Judgments | Votes | MeasuredFile | None = None,
        *,
        notes: Sequence[Note] | None = None,
        also: Iterable[Section] = (),
        seed: int | None = None,
        note: str | None = None,
        record: Record | None = None,
        plain: object = None,
        next_step: Step | None = None,
        **more: Any,
    ) -> None:
        """Print a result, then write the files that are asked for: what is printed is never lost to one of these.

        As JSON its ``plain`` values and ``more``; else its page with the sections that come ``also``, in the place of
        those of the same names.
        """
        if self.as_json:
            print_json({**result.to_dict(), **more} if plain is None else plain)
            if files is None or not files.wanted:
                return
        from quorate.reporting.paper.reproduce import Provenance
        from quorate.reporting.report import page_of

        origin = Provenance(None if files is None else files.context.obj, seed, note)
        page = page_of(result, source=source, record=record, origin=origin)
        added = [*map(_on_every_screen, also)]
        instead = {one.name: one for one in added}
        kept = [instead.pop(one.name, one) for one in page.sections]
        sections = (*kept, *(one for one in added if one.name in instead))
        page = replace(page, sections=sections, next_step=next_step or page.next_step)
        if page.next_step and source is not None:
            command = page.next_step.command.replace("FILE", shlex.join(source.source.files or [source.source.name]))
            page = replace(page, next_step=replace(page.next_step, command=command))
        if not self.as_json:
            self.show_page(page, source.notes if notes is None and source is not None else notes or ())
        if files is not None:
            self.say_files(*files.write(page))

    def typeset(self, result: Any, text: Callable[[Console, Any], None], **more: Any) -> None:
        """Print what has no page, such as a study that is collected: plain values as JSON, or what ``text`` prints."""
        if self.as_json:
            print_json({**result.to_dict(), **more})
        else:
            text(console(), result)

    def show_page(self, page: Page, notes: Sequence[Note] = ()) -> None:
        """Print a page, and how the file was read."""
        from quorate.reporting.print.terminal import as_text

        out, read = console(), "; ".join(one.brief for one in notes)
        put(out, as_text(page, out, full=self.full, spelled=in_options, read=read))

    def say_files(self, written: Sequence[Path], drawn: Sequence[Path] = ()) -> None:
        """Print where reports and charts are, unless JSON is printed."""
        if self.as_json:
            return
        for path in written:
            whole(console(), f"Report: {path}")
        if drawn:
            whole(console(), f"Charts: {len(drawn)} files in {drawn[0].parent}")


def _on_every_screen(section: Section) -> Section:
    """A section that was asked for: its figures are never left to ``--full``."""
    figures = (replace(one, short=one.short and replace(one.short, first=True)) for one in section.figures)
    return replace(section, figures=tuple(figures))


@dataclass(frozen=True, kw_only=True)
class Files(Group):
    """The files that are written; places that cannot be are refused before anything is read."""

    context: typer.Context
    report: list[Path] | None = option("PATH", "Write a report: .html, .md or .json; repeat for others.", writable=True)
    charts: Path | None = option("DIR", "Write every chart as SVG into this folder.", writable=True)

    def __post_init__(self) -> None:
        """Refuse places that cannot be written."""
        from quorate.reporting.print.files import directory, writable

        for path in self.report or ():
            writable(path, ENDINGS, "--report")
        if self.charts is not None:
            directory(self.charts, "--charts")

    @property
    def wanted(self) -> bool:
        """Whether anything is written."""
        return bool(self.report) or self.charts is not None

    def write(self, page: Page) -> tuple[Sequence[Path], Sequence[Path]]:
        """Write the reports and the charts that are asked for; where they are."""
        from quorate.reporting.print.files import write_charts
        from quorate.reporting.report import write

        said = tuple(in_options(one) for one in page.caveats)
        page = replace(page, sentence=in_options(page.sentence), caveats=said)
        written = [write(page, path) for path in self.report or ()]
        return written, () if self.charts is None else write_charts(page, self.charts)


@dataclass(frozen=True, kw_only=True)
class StudyRecord(Group):
    """What a paper states that judgments cannot say."""

    study: Path | None = option(
        "FILE", "Study record in YAML: what the judgments cannot say, for the checklist.", of="scores"
    )

    def record(self) -> Record:
        """The record, checked."""
        from quorate.reporting.paper.record import study_record

        return study_record(self.study)


# Certificate of an answer: studies drawn like its own.


@dataclass(frozen=True, kw_only=True)
class Certifying(Group):
    """How many studies are drawn to see what such intervals do."""

    certify: int | None = option(
        "N", "Draw N studies like this one, 2000 say, and tell how often such intervals hold the truth.", of="scores"
    )

    def certificate(self, answer: Any) -> Certificate | None:
        """The certificate of an answer; None where none is asked for."""
        if self.certify is None:
            return None
        from quorate.analysis.certify import certify

        return certify(answer, self.certify)


def certified(found: Certificate | None) -> list[Section]:
    """A certificate as a section of the page."""
    if found is None:
        return []
    from quorate.reporting.pages.validated import certificate

    return [certificate(found)]


def as_more(found: Certificate | None) -> dict[str, Any]:
    """A certificate as an entry of JSON."""
    return {} if found is None else {"certificate": found.to_dict()}
