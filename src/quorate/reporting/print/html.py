"""Pages as HTML: one file that opens offline, on a phone and on paper."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from quorate.analysis.labels import LONGEST, visible
from quorate.reporting.print.bundle import script
from quorate.reporting.print.cells import cell, columns, csv_table, is_number
from quorate.reporting.print.charts import specification

if TYPE_CHECKING:
    from jinja2 import Template

    from quorate.reporting.page import Figure, Page

MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def as_html(page: Page) -> str:
    """The page as HTML.

    Parameters
    ----------
    page : Page
    """
    sections = [{**vars(one), "figures": [_figure(figure) for figure in one.figures]} for one in page.sections]
    charts = {figure.name: _drawing(figure) for figure in page.figures if figure.chart}
    return _template().render(
        title=page.title,
        note=visible(page.origin.note or "", LONGEST),
        sentence=visible(page.sentence, LONGEST),
        tiles=page.tiles,
        caveats=[visible(caveat, LONGEST) for caveat in page.caveats],
        sections=sections,
        methods=page.methods,
        checklist=_figure(page.facts),
        prompts=[(label, _lines(text)) for label, text in page.prompts],
        provenance=page.provenance,
        style=_own("page.css"),
        script=_own("page.js"),
        charts=_embedded(charts),
        bundle=script() if charts else "",
    )


@cache
def _template() -> Template:
    """The page with holes; whatever fills them is made fit to be shown, then escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("quorate.reporting", "print"),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,  # what is markup already stays
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _figure(figure: Figure) -> dict[str, Any]:
    titles = columns(figure.rows, figure.headers)
    rows = [[(cell(key, row.get(key)), is_number(row.get(key))) for key in titles] for row in figure.rows[:MOST_ROWS]]
    data = base64.b64encode(csv_table(figure.rows, figure.headers).encode("utf-8", "replace")).decode("ascii")
    return {
        **vars(figure),
        "titles": list(titles.values()),
        "sides": [all(is_number(row.get(key)) for row in figure.rows) for key in titles],
        "rows": rows,
        "kinds": [_kind(max((len(row[i][0]) for row in rows), default=0)) for i in range(len(titles))],
        "hidden": len(figure.rows) - len(rows),
        "csv": data,
    }


def _kind(characters: int) -> str:
    """How much room a column of text is given."""
    return "short" if characters <= 14 else "long" if characters <= 60 else "text"


def _drawing(figure: Figure) -> dict[str, Any]:
    """A chart without its title, which the page has as a heading."""
    return {name: value for name, value in specification(figure).items() if name not in ("title", "width")}


def _embedded(content: Mapping[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(content, allow_nan=False)  # all but ASCII is escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _own(name: str) -> str:
    return files("quorate.reporting").joinpath("print", name).read_text(encoding="utf-8")


def _lines(text: str) -> object:
    """Text with its lines."""
    from markupsafe import escape

    return escape("\n".join(map(visible, text.splitlines())))
