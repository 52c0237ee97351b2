"""Charts as files of their own, for papers and slides."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quorate.errors import InvalidInput
from quorate.reporting.document import sections
from quorate.reporting.files import directory, write
from quorate.reporting.theme import INK
from quorate.reporting.writeup import analysed

if TYPE_CHECKING:
    from quorate.analysis.judgments import Analysis
    from quorate.estimate.components.decomposition import Decomposition
    from quorate.reporting.marks import Chart
    from quorate.reporting.section import Section
    from quorate.table.judgments import Judgments

ChartFormat = Literal["svg", "png"]
DOTS_PER_INCH = 300
SCALE = 0.72
"""A drawing has 72 units to the inch; 600 of them then make 6 inches."""
_BLACK = "#14181D"
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_LINE = 78


def write_charts(
    result: Judgments | Decomposition | Analysis, place: str | Path, chart_format: ChartFormat = "svg"
) -> tuple[Path, ...]:
    """Write every chart of the report as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    result : Judgments, Decomposition or Analysis
        What to draw; the first two are analysed with default options.
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
    where = chart_folder(place, chart_format)  # refused before the analysis
    return write_section_charts(sections(analysed(result)), where, chart_format)


def write_section_charts(
    parts: Iterable[Section], place: str | Path, chart_format: ChartFormat = "svg"
) -> tuple[Path, ...]:
    """Write every chart of these sections as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    parts : iterable of Section
        What to draw.
    place, chart_format
        As for `write_charts`.

    Returns
    -------
    tuple of Path
        The files, in the order of the sections.

    Raises
    ------
    InvalidInput
        If the folder is not there or cannot be written, or the format is not known.
    """
    where = chart_folder(place, chart_format)
    figures = [one for section in parts for one in section.figures]
    return tuple(write_chart(one.chart, where / f"{slug(one.name)}.{chart_format}") for one in figures if one.chart)


def chart_folder(place: str | Path, chart_format: str) -> Path:
    """The folder for charts, if they can be written there in this format.

    Raises
    ------
    InvalidInput
        If not.
    """
    if chart_format not in ("svg", "png"):
        raise InvalidInput(f'chart_format: must be svg or png, got "{chart_format}"')
    where = Path(place)
    directory(where, "charts")
    return where


def slug(name: str) -> str:
    """A name that every file system takes: letters, digits and hyphens.

    Examples
    --------
    >>> slug("effects-judge"), slug("../<b>\u202e")
    ('effects-judge', 'b')
    """
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "chart"


def on_paper(chart: Chart) -> dict[str, Any]:
    """The specification of a chart that stands alone: no colour taken from a page, title lines that fit."""
    spec: dict[str, Any] = _inked(chart.to_dict())
    title: dict[str, Any] = spec["title"]
    title["text"] = textwrap.wrap(str(title["text"]), _LINE) or [""]
    title["subtitle"] = [part for line in title["subtitle"] for part in textwrap.wrap(line, _LINE + 14)]
    title |= {"offset": 14, "limit": 0}
    spec["config"] |= {"background": "white", "font": _FONT}
    return {**spec, "title": title, "padding": 12}


def _inked(part: Any) -> Any:
    """The specification in black where it would take the colour of the page; data as they are."""
    if isinstance(part, dict):
        return {name: value if name in ("data", "datasets") else _inked(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_inked(one) for one in part]
    return _BLACK if part == INK else part


def write_chart(chart: Chart, path: Path) -> Path:
    """Write one chart as the ending of the path says, black on white, with its title.

    Parameters
    ----------
    chart : Chart
    path : Path
        Ends in ``.svg`` or ``.png``.
    """
    import vl_convert

    spec = on_paper(chart)
    if path.suffix == ".svg":
        content = str(vl_convert.vegalite_to_svg(spec)).encode("utf-8", "replace")
    else:
        content = bytes(vl_convert.vegalite_to_png(spec, scale=SCALE, ppi=DOTS_PER_INCH))
    write(path, content, "charts")
    return path
