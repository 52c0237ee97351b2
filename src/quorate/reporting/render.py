"""The report: one file to share."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.allocation import AllocationView, view_of
from quorate.analysis.judgments import Analysis
from quorate.analysis.labels import shown
from quorate.analysis.words import number
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.reporting import tables
from quorate.reporting.allocation_export import allocation_json, allocation_markdown
from quorate.reporting.allocation_report import allocation_said
from quorate.reporting.allocation_section import allocation_facts, allocation_sections
from quorate.reporting.captions import places
from quorate.reporting.cells import as_csv, cell, columns, is_number
from quorate.reporting.checklist import checklist
from quorate.reporting.document import caveats, reporting, sections, title
from quorate.reporting.export import ChartFormat, chart_folder, write_charts, write_section_charts
from quorate.reporting.files import writable, write
from quorate.reporting.markdown import markdown
from quorate.reporting.record import MOST_CHARACTERS, Record, study_record
from quorate.reporting.reproduce import Provenance, provenance
from quorate.reporting.result_page import ResultPage, result_json, result_markdown
from quorate.reporting.results import RESULTS, Sourced, page_of
from quorate.reporting.section import Figure, Section
from quorate.reporting.writeup import analysed, methods_paragraph
from quorate.simulate.allocation.result import Allocation
from quorate.table.judgments import Judgments
from quorate.table.results import plain
from quorate.wording import decimals

if TYPE_CHECKING:
    from quorate.reporting.marks import Chart
    from quorate.reporting.results import Result

MOST_ROWS = 200
"""Rows of a table in the page; the download has all."""


def report(
    result: Judgments | Decomposition | Analysis | Allocation | AllocationView | Result | Sourced,
    path: str | Path = "report.html",
    *,
    record: Mapping[str, Any] | str | Path | Record | None = None,
    charts: str | Path | None = None,
    chart_format: ChartFormat = "svg",
    command: str | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Path:
    """Write everything there is to say about judgments into one file to share.

    The page opens offline, on a phone and on paper: charts with their numbers and a download of them, caveats, items to
    send to people, a paragraph for a methods section with the reporting checklist, and what is needed to do it again.

    Parameters
    ----------
    result : Judgments, Decomposition, Analysis, Allocation, Ratings, Leaderboard, Verdict, Gaming, Agreement, Pipelines
        What to report; the first two are analysed with default options. The reports of an allocation, from
        `quorate.simulate_allocation`, and of what `quorate.rank`, `quorate.compare`, `quorate.gaming`,
        `quorate.agreement` and `quorate.pipelines` return, have no checklist.
    path : path
        File to write, replaced if it exists: ``.html``, ``.md`` or ``.json``.
    record : mapping or path, optional
        The study record that fills the checklist, as for `quorate.writeup`.
    charts : path, optional
        Folder for every chart as a file of its own, named after the figure, such as ``components.svg``.
    chart_format : {"svg", "png"}
        Format of these files; PNG has 300 dots per inch at 6 inches.
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
        If the ending is not known, a place cannot be written, or the record breaks a rule; all before the analysis.
    NotEstimable
        If the judgments support no interval for the mean.

    Examples
    --------
    >>> import polars, tempfile
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     q.report(q.read(polars.DataFrame(demo_table()), announce=False), f"{folder}/demo.md").name
    'demo.md'
    """
    path = Path(path)
    writable(path, tuple(_WRITERS))
    place = None if charts is None else chart_folder(charts, chart_format)
    if isinstance(result, (Allocation, AllocationView)):
        if record is not None:
            raise InvalidInput("record: the report of an allocation has no checklist to fill; leave it out")
        view = view_of(result) if isinstance(result, Allocation) else result
        text = _ALLOCATION_WRITERS[path.suffix.lower()](view, Provenance(command, seed, note))
        write(path, text.encode("utf-8", "replace"))
        if place is not None:
            write_section_charts(allocation_sections(view), place, chart_format)
        return path
    if isinstance(result, (Sourced, *RESULTS)):
        if record is not None:
            raise InvalidInput("record: the report of this result has no checklist to fill; leave it out")
        made = page_of(result, Provenance(command, seed, note))
        write(path, _RESULT_WRITERS[path.suffix.lower()](made).encode("utf-8", "replace"))
        if place is not None:
            write_section_charts(made.sections, place, chart_format)
        return path
    written = study_record(record)
    analysis = analysed(result)
    text = _WRITERS[path.suffix.lower()](analysis, Provenance(command, seed, note), written)
    write(path, text.encode("utf-8", "replace"))
    if place is not None:
        write_charts(analysis, place, chart_format)
    return path


def _json(analysis: Analysis, origin: Provenance, record: Record) -> str:
    content = {"title": title(analysis), **analysis.to_dict(), "methods": methods_paragraph(analysis)}
    content["checklist"] = plain(checklist(analysis, record))
    content["rows_of_flagged"] = [row["rows"] for row in tables.flagged(analysis)]
    content["provenance"] = provenance(analysis, origin, record) | ({"note": origin.note} if origin.note else {})
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _html(analysis: Analysis, origin: Provenance, record: Record) -> str:
    said = {
        "title": title(analysis),
        "note": origin.note and shown(origin.note, 1000),
        "sentence": shown(analysis.sentence, 1000),
        "tiles": _tiles(analysis),
        "caveats": [shown(caveat.sentence, 1000) for caveat in caveats(analysis)],
        "methods": methods_paragraph(analysis),
        "prompts": _texts(record),
        "provenance": provenance(analysis, origin, record),
    }
    return page(sections(analysis), reporting(checklist(analysis, record)), said)


def _allocation_html(view: AllocationView, origin: Provenance) -> str:
    return page(allocation_sections(view), allocation_facts(view), allocation_said(view, origin))


def _result_html(made: ResultPage) -> str:
    return page(made.sections, made.facts, made.said)


def page(parts: Sequence[Section], last: Figure, said: Mapping[str, Any]) -> str:
    """The page as HTML.

    Parameters
    ----------
    parts : sequence of Section
        All sections but the last, the methods' own.
    last : Figure
        The table under the paragraph on methods.
    said : mapping
        What else the page says: title, note, sentence, tiles, caveats, methods, prompts, provenance.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("quorate.reporting", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.jinja").render(
        **said,
        sections=[_section(part) for part in parts],
        checklist=_figure(last),
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
        "kinds": [_kind(max((len(row[i][0]) for row in rows), default=0)) for i in range(len(titles))],
        "hidden": len(figure.rows) - len(rows),
        "csv": data,
    }


def _kind(characters: int) -> str:
    """How much room a column of text is given."""
    return "short" if characters <= 14 else "long" if characters <= 60 else "text"


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
    return files("quorate.reporting").joinpath("page", name).read_text(encoding="utf-8")


def _texts(record: Record) -> list[tuple[str, str]]:
    """Prompt texts of the record, each with its label."""
    texts, system = record.says("prompts"), record.says("system_prompt")
    out = [] if system is None else _labelled(system, "system prompt")
    return out + ([] if texts is None else _labelled(texts, "prompt"))


def _labelled(texts: Any, name: str) -> list[tuple[str, str]]:
    if isinstance(texts, Mapping):
        return [(shown(str(label)), _lines(text)) for label, text in texts.items()]
    if isinstance(texts, str):
        return [(name, _lines(texts))]
    return [(f"{name} {number_}", _lines(text)) for number_, text in enumerate(texts, 1)]


def _lines(text: object) -> str:
    """Text with its lines, without controls and marks that reorder it."""
    return "\n".join(shown(line, MOST_CHARACTERS) for line in str(text).splitlines())


_WRITERS: Mapping[str, Callable[[Analysis, Provenance, Record], str]] = {
    ".html": _html,
    ".htm": _html,
    ".md": markdown,
    ".markdown": markdown,
    ".json": _json,
}

_ALLOCATION_WRITERS: Mapping[str, Callable[[AllocationView, Provenance], str]] = {
    ".html": _allocation_html,
    ".htm": _allocation_html,
    ".md": allocation_markdown,
    ".markdown": allocation_markdown,
    ".json": allocation_json,
}

_RESULT_WRITERS: Mapping[str, Callable[[ResultPage], str]] = {
    ".html": _result_html,
    ".htm": _result_html,
    ".md": result_markdown,
    ".markdown": result_markdown,
    ".json": result_json,
}
