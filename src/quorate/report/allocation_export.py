"""The report of adaptive allocation as files: its page in every format, and its charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from quorate.report.allocation_report import allocation_said
from quorate.report.allocation_section import allocation_facts, allocation_sections
from quorate.report.export import ChartFormat, chart_folder, slug, write_chart
from quorate.report.markdown_page import markdown_page

if TYPE_CHECKING:
    from quorate.report.allocation_view import AllocationView
    from quorate.report.reproduce import Provenance


def allocation_markdown(view: AllocationView, origin: Provenance) -> str:
    """The report as Markdown."""
    return markdown_page(allocation_sections(view), allocation_facts(view), allocation_said(view, origin))


def allocation_json(view: AllocationView, origin: Provenance) -> str:
    """The report as JSON."""
    said = allocation_said(view, origin)
    kept = {name: said[name] for name in ("title", "methods", "provenance")} | (
        {"note": origin.note} if origin.note else {}
    )
    return json.dumps({**kept, **view.to_dict()}, indent=2, allow_nan=False) + "\n"


def write_allocation_charts(
    view: AllocationView, place: str | Path, chart_format: ChartFormat = "svg"
) -> tuple[Path, ...]:
    """Write every chart of the report as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    view : AllocationView
        What to draw.
    place : path
        Folder, made where its parent exists. Files of the same name are replaced, others are left alone.
    chart_format : {"svg", "png"}
        Drawing, or picture with 300 dots per inch.

    Returns
    -------
    tuple of Path
        The files, in the order of the report.

    Raises
    ------
    InvalidInput
        If the folder is not there or cannot be written, or the format is not known.
    """
    where = chart_folder(place, chart_format)
    figures = [one for section in allocation_sections(view) for one in section.figures]
    return tuple(write_chart(one.chart, where / f"{slug(one.name)}.{chart_format}") for one in figures if one.chart)
