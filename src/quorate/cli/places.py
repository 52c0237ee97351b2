"""Where commands write: refused before anything is read, if that cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def check_places(
    report: Path | None,
    markdown: Path | None = None,
    charts: Path | None = None,
    *,
    endings: Sequence[str] = (".html", ".htm", ".md", ".markdown", ".json"),
) -> None:
    """Refuse places that cannot be written before anything is read.

    Parameters
    ----------
    report, markdown : Path, optional
        Files to write.
    charts : Path, optional
        Folder for charts.
    endings : sequence of str
        Those that the name of the report may have.

    Raises
    ------
    InvalidInput
        If one cannot.
    """
    from quorate.reporting.print.files import directory, writable

    if report is not None:
        writable(report, endings, "--report")
    if markdown is not None:
        writable(markdown, (".md", ".markdown"), "--markdown")
    if charts is not None:
        directory(charts, "--charts")
