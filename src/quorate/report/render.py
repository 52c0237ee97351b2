"""The report: one file to share."""

from __future__ import annotations

import base64
import contextlib
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from quorate.errors import InvalidInput
from quorate.estimate.decomposition import Decomposition
from quorate.report.captions import places
from quorate.report.cells import as_csv, cell, columns, is_number
from quorate.report.document import Figure, Provenance, Section, provenance, sections, title
from quorate.report.labels import shown
from quorate.report.markdown import markdown
from quorate.report.summary import Analysis, analyze, of_fit
from quorate.report.words import decimals, number
from quorate.report.writeup import methods_paragraph
from quorate.table.judgments import Judgments

if TYPE_CHECKING:
    from quorate.report.marks import Chart

MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def report(
    result: Judgments | Decomposition | Analysis,
    path: str | Path = "report.html",
    *,
    command: str | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Path:
    """Write everything there is to say about judgments into one file to share.

    The page opens offline, on a phone and on paper: charts with their numbers and a download of them, caveats, a
    paragraph for a methods section, and what is needed to do it again.

    Parameters
    ----------
    result : Judgments, Decomposition or Analysis
        What to report; the first two are analysed with default options.
    path : path
        File to write, replaced if it exists: ``.html``, ``.md`` or ``.json``.
    command, seed : str and int, optional
        Command line and seed that led here, for the record.
    note : str, optional
        What a reader must know before anything else, such as that the data are simulated.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidInput
        If the ending is not known, or the file cannot be written.
    NotEstimable
        If the judgments support no interval for the mean.

    Examples
    --------
    >>> import polars, tempfile
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     q.report(q.read(polars.DataFrame(demo_table())), f"{folder}/demo.md").name
    'demo.md'
    """
    path = Path(path)
    writers = {".html": _html, ".htm": _html, ".md": markdown, ".markdown": markdown, ".json": _json}
    if path.suffix.lower() not in writers:
        raise InvalidInput(f'path: must end in .html, .md or .json, got "{path.name}"')
    text = writers[path.suffix.lower()](_analysis(result), Provenance(command, seed, note))
    _write(path, text)
    return path


def _analysis(result: object) -> Analysis:
    if isinstance(result, Analysis):
        return result
    if isinstance(result, Decomposition):
        return of_fit(result)
    if isinstance(result, Judgments):
        return analyze(result)
    raise InvalidInput(f"result: judgments, a decomposition or an analysis is needed, got {type(result).__name__}")


def _json(analysis: Analysis, origin: Provenance) -> str:
    content = {"title": title(analysis), **analysis.to_dict(), "methods": methods_paragraph(analysis)}
    content["provenance"] = provenance(analysis, origin) | ({"note": origin.note} if origin.note else {})
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _html(analysis: Analysis, origin: Provenance) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("quorate.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    parts = sections(analysis)
    return environment.get_template("report.html.jinja").render(
        title=title(analysis),
        note=origin.note and shown(origin.note, 1000),
        sentence=shown(analysis.sentence, 1000),
        tiles=_tiles(analysis),
        caveats=[shown(caveat.sentence, 1000) for caveat in analysis.caveats],
        sections=[_section(part) for part in parts],
        methods=methods_paragraph(analysis),
        provenance=provenance(analysis, origin),
        style=_own("report.css"),
        script=_own("report.js"),
        bundle=_bundle(),
        charts=_embedded({one.name: _spec(one.chart) for part in parts for one in part.figures if one.chart}),
    )


def _tiles(analysis: Analysis) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    p = places(analysis)
    out = [{"value": number(analysis.headline.value, p), "label": f"mean of {shown(analysis.judgments.score, 30)}"}]
    out += [{"value": f"±{number(one.half_width, p)}", "label": one.scope or "corrected"} for one in analysis.readings]
    naive = analysis.naive_reading.half_width
    value = f"±{number(naive, max(p, decimals(naive / 2)))}"
    return [*out, {"value": value, "label": "naive: every judgment independent"}]


def _section(part: Section) -> dict[str, Any]:
    return {**vars(part), "figures": [_figure(figure) for figure in part.figures]}


def _figure(figure: Figure) -> dict[str, Any]:
    titles = columns(figure.rows, figure.headers)
    rows = [[(cell(key, row.get(key)), is_number(row.get(key))) for key in titles] for row in figure.rows[:MOST_ROWS]]
    data = base64.b64encode(as_csv(figure.rows, figure.headers).encode("utf-8", "replace")).decode("ascii")
    return {
        **vars(figure),
        "titles": [shown(title_) for title_ in titles.values()],
        "sides": [all(is_number(row.get(key)) for row in figure.rows) for key in titles],
        "rows": rows,
        "long": [any(len(row[i][0]) > 14 for row in rows) for i in range(len(titles))],
        "hidden": len(figure.rows) - len(rows),
        "csv": data,
    }


def _spec(chart: Chart) -> dict[str, Any]:
    """A chart without its title, which the page has as a heading."""
    spec = chart.to_dict()
    return {name: value for name, value in spec.items() if name not in ("title", "width")}


def _embedded(content: Mapping[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(content, allow_nan=False)  # all but ASCII is escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script, to draw charts without a network."""
    from vl_convert import javascript_bundle

    return str(javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")


def _own(name: str) -> str:
    return files("quorate.report").joinpath("page", name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    """Write whole or not at all."""
    temporary = None
    try:
        with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(text.encode("utf-8", "replace"))
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise InvalidInput(f"path: {path} cannot be written ({error.strerror}); choose another place") from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
