"""Pages as HTML: one file that opens offline, on a phone and on paper."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import LONGEST, visible
from quorate.reporting.print.cells import cell, columns, csv_table, is_number
from quorate.reporting.print.charts import WIDTHS, panel

if TYPE_CHECKING:
    from jinja2 import Template

    from quorate.reporting.page import Figure, Page

MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def as_html(page: Page) -> str:
    """The page as HTML."""
    from markupsafe import escape

    page = page.whole
    lead = _lead(page)
    sections = [
        {**vars(one), "figures": [_figure(figure) for figure in one.figures if figure is not lead]}
        for one in page.sections
    ]
    own = _own("page.js")
    return _template().render(
        title=page.title,
        note=visible(page.origin.note or "", LONGEST),
        sentence=visible(page.sentence, LONGEST),
        lead=None if lead is None else _figure(lead),
        next_step=page.next_step,
        tiles=page.tiles,
        caveats=[visible(caveat, LONGEST) for caveat in page.caveats],
        sections=[one for one in sections if one["text"] or one["figures"]],
        methods=page.methods,
        checklist=_figure(page.facts),
        prompts=[(label, escape("\n".join(map(visible, text.splitlines())))) for label, text in page.prompts],
        provenance=page.provenance,
        style=_own("page.css"),
        script=own,
        hash=_hash(own),
    )


def _lead(page: Page) -> Figure | None:
    """The picture of the answer, which stands under it: the first of the page, unless it is shown on demand only."""
    first = next((figure for figure in page.figures if figure.chart), None)
    return None if first is None or first.folded else first


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
    widths = [max((len(row[i][0]) for row in rows), default=0) for i in range(len(titles))]
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
    panels = {name: panel(figure, width) for name, width in WIDTHS.items()}
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
