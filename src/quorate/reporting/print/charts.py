"""Charts as drawings in pages, and as files of their own for papers and slides."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import visible
from quorate.errors import InvalidInput
from quorate.reporting.draw.marks import INK
from quorate.reporting.draw.svg import BLACK, Panel
from quorate.reporting.print.files import MARKS, directory
from quorate.writing import write_file

if TYPE_CHECKING:
    from quorate.reporting.page import Figure, Page

WIDTHS = {"wide": 720, "narrow": 340}
"""Pixels of a drawing on a desk and on a phone."""
SIZES = (16, 12)
"""Pixels of the letters of a title, and of the lines under it."""
_LETTERS = 84


def write_charts(page: Page, place: str | Path) -> tuple[Path, ...]:
    """Write every chart of a page as an SVG named after its figure, black on white, with its title.

    Parameters
    ----------
    page : Page
        What to draw.
    place : path
        Folder, made where its parent exists. Files of the same name are replaced, others are left alone.

    Returns
    -------
    tuple of Path
        The files, in the order of the page.

    Raises
    ------
    InvalidInput
        If the folder is not there or cannot be written.
    """
    folder = Path(place)
    directory(folder, "charts")
    drawn = [figure for figure in page.whole.figures if figure.chart]
    return tuple(write_chart(figure, folder / f"{slug(figure.name)}.svg") for figure in drawn)


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


def panel(figure: Figure, width: int, *, titled: bool = False) -> Panel:
    """The chart of a figure at a width, with its title over it if that is asked for."""
    spec = specification(figure)
    lines = [(spec["title"]["text"], SIZES[0]), *((line, SIZES[1]) for line in spec["title"]["subtitle"])]
    letters = {SIZES[0]: _LETTERS * SIZES[1] // SIZES[0], SIZES[1]: _LETTERS}
    above = [(part, size) for line, size in lines for part in textwrap.wrap(line, letters[size])]
    return Panel(spec, width, above if titled else ())


def svg(figure: Figure, width: int, *, titled: bool = False) -> str:
    """One chart as an image, black on white, as wide as said; without its title for a page that has it."""
    return panel(figure, width, titled=titled).svg(visible(figure.caption.finding), alone=True)


@dataclass(frozen=True)
class Drawing:
    """An SVG that a notebook shows.

    Parameters
    ----------
    svg : str
        Black on white, with its title.
    """

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


def plot(page: Page, name: str = "") -> Any:
    """A chart of a page: Altair's where that is installed, else a drawing.

    Parameters
    ----------
    page : Page
    name : str
        Of the figure; without one the first that has a chart.

    Raises
    ------
    InvalidInput
        If there is no such chart.
    """
    figures = {figure.name: figure for figure in page.whole.figures if figure.chart}
    figure = figures.get(name or next(iter(figures), ""))
    if figure is None:
        there = f"there are {', '.join(figures)}" if figures else "there is none for this result"
        raise InvalidInput(f'name: no chart "{name}"; {there}')
    if find_spec("altair") is None:
        return Drawing(svg(figure, WIDTHS["wide"], titled=True))
    import altair as alt

    spec = json.loads(json.dumps(specification(figure)).replace(f'"{INK}"', f'"{BLACK}"'))
    return alt.LayerChart.from_dict(spec)


def write_chart(figure: Figure, path: Path) -> Path:
    """Write one chart as SVG, black on white, with its title."""
    content = svg(figure, WIDTHS["wide"], titled=True).encode("utf-8", "replace") + MARKS[".svg"]
    return write_file(path, content, "charts", mark=MARKS[".svg"])
