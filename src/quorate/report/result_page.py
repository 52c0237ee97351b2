"""A result as a page: its sections, the facts under the methods, and what is said around them."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from quorate.report.export import ChartFormat, chart_folder, slug, write_chart
from quorate.report.labels import shown
from quorate.report.markdown_page import markdown_page
from quorate.report.plain import plain
from quorate.report.reproduce import scrubbed

if TYPE_CHECKING:
    from quorate.report.reproduce import Provenance
    from quorate.report.section import Figure, Section
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Table = Judgments | Votes


@dataclass(frozen=True, eq=False)
class ResultPage:
    """The report of one result.

    Parameters
    ----------
    sections : tuple of Section
        All but the last, the methods' own.
    facts : Figure
        What was read, for the section on methods.
    said : mapping
        What else the page says: title, note, sentence, tiles, caveats, methods, prompts, provenance.
    content : mapping
        The result as plain values, for JSON.
    """

    sections: tuple[Section, ...]
    facts: Figure
    said: Mapping[str, Any]
    content: Mapping[str, Any]


def result_markdown(made: ResultPage) -> str:
    """The report as Markdown."""
    return markdown_page(made.sections, made.facts, made.said)


def result_json(made: ResultPage) -> str:
    """The report as JSON; what is not known or not finite is null."""
    kept = {name: made.said[name] for name in ("title", "note", "methods", "provenance") if made.said[name]}
    return json.dumps(plain({**kept, **made.content}), indent=2, allow_nan=False) + "\n"


def write_result_charts(made: ResultPage, place: str | Path, chart_format: ChartFormat = "svg") -> tuple[Path, ...]:
    """Write every chart of the report as a file named after its figure, black on white, with its title.

    Parameters
    ----------
    made : ResultPage
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
    figures = [one for section in made.sections for one in section.figures]
    return tuple(write_chart(one.chart, where / f"{slug(one.name)}.{chart_format}") for one in figures if one.chart)


def title_of(table: Table | None, otherwise: str) -> str:
    """The name of the file, or what it is without one."""
    if table is None:
        return otherwise
    source = table.source
    return shown(PurePath(scrubbed(source.name)).name) if source.sha256 else f"{otherwise}, from a {shown(source.name)}"


def provenance_of(table: Table | None, origin: Provenance, seed: int | None, options: str) -> dict[str, str]:
    """Everything needed to do it again, by name.

    Parameters
    ----------
    table : Judgments or Votes, optional
        What was read.
    origin : Provenance
        How it was called.
    seed : int, optional
        Root of the random numbers; that of ``origin`` goes first.
    options : str
        What was chosen.
    """
    own = origin.seed if origin.seed is not None else seed
    return {
        "software": f"quorate {version('quorate')}",
        "run with": f"Python {platform.python_version()}, numpy {version('numpy')}, scipy {version('scipy')}",
        "date of the analysis": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        **_read(table),
        "options": shown(options, 1000),
        "command": shown(scrubbed(origin.command), 1000) if origin.command else "not run from the command line",
        "seed": "no random numbers were used" if own is None else str(own),
    }


def _read(table: Table | None) -> dict[str, str]:
    if table is None:
        return {}
    return {
        "input": shown(scrubbed(table.source.name), 300),
        "SHA-256 of the input": table.source.sha256 or "none: not read from a file",
        "columns": "; ".join(shown(one, 300) for one in table.notes) or "as declared",
    }
