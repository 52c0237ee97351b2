"""Charts as files of their own, for papers and slides."""

from __future__ import annotations

import re
import textwrap
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quorate.analysis.words import visible
from quorate.errors import InvalidInput
from quorate.reporting.draw.marks import INK
from quorate.reporting.print.files import MARKS, directory
from quorate.writing import write_file

if TYPE_CHECKING:
    from quorate.reporting.page import Figure, Page

ChartFormat = Literal["svg", "png"]
DOTS_PER_INCH = 300
SCALE = 0.72
"""A drawing has 72 units to the inch; 600 of them then make 6 inches."""
_BLACK = "#14181D"
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_LINE = 78


def write_charts(page: Page, place: str | Path, chart_format: ChartFormat = "svg") -> tuple[Path, ...]:
    """Write every chart of a page as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    page : Page
        What to draw.
    place : path
        Folder, made where its parent exists. Files of the same name are replaced, others are left alone.
    chart_format : {"svg", "png"}
        Drawing, or picture with 300 dots per inch.

    Returns
    -------
    tuple of Path
        The files, in the order of the page.

    Raises
    ------
    InvalidInput
        If the folder is not there or cannot be written, or the format is not known.
    """
    folder = chart_folder(place, chart_format)
    drawn = [figure for figure in page.figures if figure.chart]
    return tuple(write_chart(figure, folder / f"{slug(figure.name)}.{chart_format}") for figure in drawn)


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


def specification(figure: Figure) -> dict[str, Any]:
    """The chart of a figure in Vega-Lite, with its title."""
    spec: dict[str, Any] = _visible(figure.chart()) if figure.chart else {}
    title = {"text": visible(figure.caption.finding), "subtitle": [visible(line) for line in figure.caption.lines]}
    return {**spec, "title": title}


def _visible(part: Any) -> Any:
    """The specification with all its texts fit to be shown."""
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_visible(one) for one in part]
    return visible(part) if isinstance(part, str) else part


def on_paper(figure: Figure) -> dict[str, Any]:
    """The specification of a chart that stands alone: no colour taken from a page, title lines that fit."""
    spec: dict[str, Any] = _inked(specification(figure))
    title = {
        "text": textwrap.wrap(spec["title"]["text"], _LINE) or [""],
        "subtitle": [part for line in spec["title"]["subtitle"] for part in textwrap.wrap(line, _LINE + 14)],
        "offset": 14,
        "limit": 0,
    }
    config = {**spec["config"], "background": "white", "font": _FONT}
    return {**spec, "config": config, "title": title, "padding": 12}


def _inked(part: Any) -> Any:
    """The specification in black where it would take the colour of the page; data as they are."""
    if isinstance(part, dict):
        return {name: value if name in ("data", "datasets") else _inked(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_inked(one) for one in part]
    return _BLACK if part == INK else part


def svg(figure: Figure, width: int) -> str:
    """One chart as an image for a page that has its title: black on white, as wide as said."""
    import vl_convert

    spec = on_paper(figure)
    del spec["title"]
    return str(
        vl_convert.vegalite_to_svg({**spec, "width": width, "autosize": {"type": "fit-x", "contains": "padding"}})
    )


def write_chart(figure: Figure, path: Path) -> Path:
    """Write one chart as the ending of the path says, black on white, with its title."""
    import vl_convert

    spec = on_paper(figure)
    if path.suffix == ".svg":
        content = str(vl_convert.vegalite_to_svg(spec)).encode("utf-8", "replace") + MARKS[".svg"]
    else:
        content = _marked(bytes(vl_convert.vegalite_to_png(spec, scale=SCALE, ppi=DOTS_PER_INCH)))
    return write_file(path, content, "charts", mark=MARKS[path.suffix])


def _marked(png: bytes) -> bytes:
    """An image that says what drew it, in a chunk of text before its last chunk, which has 12 bytes."""
    chunk = MARKS[".png"]
    size, check = len(chunk) - 4, zlib.crc32(chunk)
    return png[:-12] + size.to_bytes(4, "big") + chunk + check.to_bytes(4, "big") + png[-12:]
