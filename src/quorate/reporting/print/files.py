"""Pages as files in HTML, Markdown and JSON: their printers, endings and marks, and folders of charts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import LONGEST, visible
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.reporting.draw.marks import INK
from quorate.reporting.draw.svg import BLACK, Panel
from quorate.reporting.print.cells import cell, columns, csv_table, is_number, markdown_table, plain_markdown
from quorate.table.results import plain
from quorate.writing import check_folder, check_place, write_file

if TYPE_CHECKING:
    from quorate.reporting.page import Figure, Page, Step


def as_json(page: Page) -> str:
    """The page as JSON: what is said around the figures, then the result; what is not known or not finite is null."""
    note = {"note": page.origin.note} if page.origin.note else {}
    around = {"title": page.title, **note, "methods": page.methods, "provenance": {**page.provenance, **note}}
    return json.dumps(plain({**around, **page.content()}), indent=2, allow_nan=False) + "\n"


MARKDOWN_MOST_ROWS = 100
"""Rows of a table in Markdown."""


def as_markdown(page: Page) -> str:
    """The page as Markdown."""
    page = page.whole
    note, caveats = page.origin.note, [plain_markdown(visible(caveat, LONGEST)) for caveat in page.caveats]
    blocks = [
        f"# {plain_markdown(page.title)}",
        *([f"> {plain_markdown(visible(note, LONGEST))}"] if note else []),
        f"**{plain_markdown(visible(page.sentence, LONGEST))}**",
        *([] if page.next_step is None else _step(page.next_step)),
        *(["\n".join(f"- {caveat}" for caveat in caveats)] if caveats else []),
    ]
    for section in page.sections:
        blocks.append(f"## {plain_markdown(section.title)}")
        if section.text:
            blocks.append("\n".join(f"{'- ' * (len(section.text) > 1)}{plain_markdown(line)}" for line in section.text))
        blocks += [block for figure in section.figures for block in _markdown_figure(figure)]
    entries = "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in page.provenance.items())
    blocks += ["## Methods", plain_markdown(page.methods), *_markdown_figure(page.facts), "### To do it again", entries]
    return "\n\n".join(blocks) + "\n"


def _step(step: Step) -> list[str]:
    command = " ".join(visible(step.command, LONGEST).split())
    shown = plain_markdown(command) if set("`<") & set(command) else f"`{command}`"
    return [plain_markdown(visible(step.sentence, LONGEST)), *([shown] if command else [])]


def _markdown_figure(figure: Figure) -> Iterator[str]:
    yield f"### {plain_markdown(figure.caption.finding)}"
    yield markdown_table(figure.rows[:MARKDOWN_MOST_ROWS], figure.headers)
    if len(figure.rows) > MARKDOWN_MOST_ROWS:
        yield f"And {len(figure.rows) - MARKDOWN_MOST_ROWS:,} more rows."
    if figure.caption.lines:
        yield plain_markdown(" ".join(figure.caption.lines))


MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def as_html(page: Page) -> str:
    """The page as HTML."""
    from markupsafe import escape

    from quorate.reporting.print.html import html

    page = page.whole
    lead = _lead(page)
    sections = [
        {**vars(one), "figures": [_figure(figure) for figure in one.figures if figure is not lead]}
        for one in page.sections
    ]
    own = _own("page.js")
    return html(
        page,
        sentence=visible(page.sentence, LONGEST),
        lead=None if lead is None else _figure(lead),
        sections=[one for one in sections if one["text"] or one["figures"]],
        checklist=_figure(page.facts),
        note=visible(page.origin.note or "", LONGEST),
        caveats=[visible(caveat, LONGEST) for caveat in page.caveats],
        prompts=[(label, escape("\n".join(map(visible, text.splitlines())))) for label, text in page.prompts],
        style=_own("page.css"),
        script=own,
        hash=_hash(own),
    )


def _lead(page: Page) -> Figure | None:
    """The picture of the answer, which stands under it: the first of the page, unless it is shown on demand only."""
    first = next((figure for figure in page.figures if figure.chart and not figure.part), None)
    return None if first is None or first.folded else first


def _figure(figure: Figure) -> dict[str, Any]:
    titles = columns(figure.rows, figure.headers)
    rows = [tuple(cell(key, row.get(key)) for key in titles) for row in figure.rows[:MOST_ROWS]]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(titles))]
    data = base64.b64encode(csv_table(figure.rows, figure.headers).encode("utf-8", "replace")).decode("ascii")
    return {
        **vars(figure),
        "titles": list(titles.values()),
        "sides": [all(is_number(row.get(key)) for row in figure.rows) for key in titles],
        "rows": rows,
        "kinds": ["short" if width <= 14 else "long" if width <= 60 else "text" for width in widths],
        "hidden": len(figure.rows) - len(rows),
        "csv": data,
        "drawings": _drawings(figure) if figure.chart else None,
    }


def _drawings(figure: Figure) -> dict[str, Any]:
    """A chart for a desk and for a phone, and what a pointer over its marks shows."""
    from markupsafe import Markup

    label = f"{visible(figure.caption.finding)}. The numbers are in the table below."
    spec = specification(figure)
    panels = {name: Panel(spec, width) for name, width in WIDTHS.items()}
    drawn = {name: one.svg(label, alone=False) for name, one in panels.items()}
    tips = [
        [heads[1:], {place: [cell(key, value) for key, value in row] for place, row in rows.items()}]
        for heads, rows in panels["wide"].tips.items()
    ]
    told = json.dumps(tips, separators=(",", ":"))  # all but ASCII is escaped already
    for letter in "<>&":  # so that nothing ends the script element it stands in
        told = told.replace(letter, f"\\u{ord(letter):04x}")
    safe = {name: Markup(text) for name, text in drawn.items()}  # noqa: S704 - every text in it is escaped
    return {**safe, "tips": Markup(told)}  # noqa: S704 - nothing in it ends an element


@cache
def _hash(text: str) -> str:
    """What a policy names a script by that stands in the page: no other one is run."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _own(name: str) -> str:
    return files("quorate.reporting").joinpath("print", name).read_text(encoding="utf-8")


MARKS = {
    ".html": b'<meta name="generator" content="quorate ',
    ".htm": b'<meta name="generator" content="quorate ',
    ".md": b"\n### To do it again\n",
    ".markdown": b"\n### To do it again\n",
    ".json": b'\n  "provenance": {\n    "',
    ".svg": b"<!-- Drawn by quorate -->",
    ".yaml": b"# How quorate reads a file",
    ".yml": b"# How quorate reads a file",
}
"""Of files that this program writes, by their endings."""


def writable(path: Path, endings: Sequence[str], argument: str = "path") -> None:
    """Whether a report could be written, so that an analysis is not lost to a place that cannot be.

    Raises
    ------
    InvalidInput
        If it could not.
    """
    if path.suffix.lower() not in endings:
        named = [ending for ending in endings if ending not in (".htm", ".markdown")]
        *first, last = named
        shown = f"{', '.join(first)} or {last}" if first else last
        raise InvalidInput(f'{argument}: must end in {shown}, got "{path.name}"')
    check_place(path, argument, MARKS[path.suffix.lower()])


def directory(place: Path, argument: str) -> None:
    """Make sure of a folder into which files can be written; a new one is made where its parent exists.

    Raises
    ------
    InvalidInput
        If there is none and none can be made.
    """
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{argument}: {place} cannot be written ({error.strerror}); choose another place") from error
    check_folder(place, argument)


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
