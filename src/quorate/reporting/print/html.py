"""Pages as HTML: one file that opens offline, on a phone and on paper."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.words import LONGEST, visible
from quorate.reporting.print.cells import cell, columns, csv_table, is_number
from quorate.reporting.print.charts import specification

if TYPE_CHECKING:
    from jinja2 import Template

    from quorate.reporting.page import Figure, Page


# Vega, Vega-Lite and vega-embed as one script, kept beside the page that it draws charts in.
#
# Putting the script together takes longer than the rest of a page, and it is the same for one version of vl-convert; it
# is a file of the package. ``python -m quorate.reporting.print.html`` writes it anew, as ``make pins`` does.


NAME = "vega.js"
NOTICE = (
    "/* Vega {0}, Vega-Lite and vega-embed {1}, as bundled by vl-convert. BSD-3-Clause, Copyright (c) University of "
    "Washington Interactive Data Lab and contributors. */\n"
)


@cache
def script() -> str:
    """The script of the package, to stand in a page."""
    return files("quorate.reporting").joinpath("print", NAME).read_text(encoding="utf-8")


def made() -> str:
    """The script as the installed vl-convert makes it; nothing in it ends a script element."""
    import vl_convert

    notice = NOTICE.format(vl_convert.get_vega_version(), vl_convert.get_vega_embed_version())
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return notice + str(bundle).replace("</script", "<\\/script")


if __name__ == "__main__":
    Path(__file__).with_name(NAME).write_text(made(), encoding="utf-8", newline="")


MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def as_html(page: Page) -> str:
    """The page as HTML."""
    from markupsafe import escape

    sections = [{**vars(one), "figures": [_figure(figure) for figure in one.figures]} for one in page.sections]
    drawn = {figure.name: specification(figure) for figure in page.figures if figure.chart}
    outer = ("title", "width")  # the page has the title as a heading, and is as wide as it is
    charts = {name: {key: value for key, value in spec.items() if key not in outer} for name, spec in drawn.items()}
    embedded = json.dumps(charts, allow_nan=False)  # all but ASCII is escaped already
    for letter in "<>&":  # so that nothing ends the script element it stands in
        embedded = embedded.replace(letter, f"\\u{ord(letter):04x}")
    own, bundle = _own("page.js"), script() if charts else ""
    return _template().render(
        title=page.title,
        note=visible(page.origin.note or "", LONGEST),
        sentence=visible(page.sentence, LONGEST),
        tiles=page.tiles,
        caveats=[visible(caveat, LONGEST) for caveat in page.caveats],
        sections=sections,
        methods=page.methods,
        checklist=_figure(page.facts),
        prompts=[(label, escape("\n".join(map(visible, text.splitlines())))) for label, text in page.prompts],
        provenance=page.provenance,
        style=_own("page.css"),
        script=own,
        charts=embedded,
        bundle=bundle,
        hashes=" ".join(_hash(one) for one in (bundle, own)),
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
    }


@cache
def _hash(text: str) -> str:
    """What a policy names a script by that stands in the page: no other one is run."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _own(name: str) -> str:
    return files("quorate.reporting").joinpath("print", name).read_text(encoding="utf-8")
