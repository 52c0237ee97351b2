"""The files of an analysis, of which a page is written unless that is not wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from quorate.cli.options import Files, Output
from quorate.cli.options.output import ENDINGS


@dataclass(frozen=True, kw_only=True)
class AnalysisFiles(Files):
    """The files of an analysis, of which the page is written unless that is not wanted."""

    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            writable=True,
            help="Write a report: .html, .md or .json; repeat for others. Default: <file>-quorate.html in this folder, "
            "of the demo quorate-demo.html; with --json, none.",
        ),
    ] = None

    def by_default(self, page: str, out: Output) -> AnalysisFiles:
        """With the page that is written unless it is said otherwise."""
        from quorate.reporting.print.files import writable

        reports = [*(self.report or ())]
        if not (reports or self.no_report or out.as_json):
            writable(Path(page), ENDINGS, "--report")
            reports.append(Path(page))
        return replace(self, report=reports)
