"""One file argument for commands that take scores as well as votes, and the files that they write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quorate.cli import reading, vote_reading
from quorate.cli.console import console
from quorate.cli.parts import show_files
from quorate.errors import InvalidInput, UnknownTerm

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Table = Judgments | Votes

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON lines or Parquet; one row per judgment; or a ledger. It is read as votes if it has the "
        "columns of --model-a and --model-b or names two systems, or if an option of votes is given.",
    ),
]
Report = Annotated[Path | None, typer.Option(metavar="PATH", help="Write a report: .html, .md or .json.")]
Charts = Annotated[Path | None, typer.Option(metavar="DIR", help="Write every chart as a file into this folder.")]
ChartFormat = Annotated[Literal["svg", "png"], typer.Option(help="Format of these files.")]

_SCORES = {"score": "score", "facet": None, "object": "item", "nested": None, "fixed": None, "missing": None}
_VOTES = {
    "model_a": "model_a",
    "model_b": "model_b",
    "winner": "winner",
    "wins": None,
    "outcome": None,
    "role": None,
}


def table_of(file: Path, status: str | None, scores: Mapping[str, Any], votes: Mapping[str, Any]) -> Table:
    """The file as votes or as judgments, by the options that are given, else by its columns.

    Parameters
    ----------
    file : Path
    status : str or None
        Column of statuses.
    scores : mapping
        Options of `quorate.cli.reading`: score, facet, object, nested, fixed, missing.
    votes : mapping
        Options of `quorate.cli.vote_reading`: model_a, model_b, winner, wins, outcome, role.

    Raises
    ------
    InvalidInput
        If options of both are given.
    """
    of_scores, of_votes = _given(scores, _SCORES), _given(votes, _VOTES)
    if of_scores and of_votes:
        one, other = (_option(names[0]) for names in (of_scores, of_votes))
        raise InvalidInput(f"{one}: for scores, and {other} is for votes; give options of one of the two")
    if of_votes or (not of_scores and has_votes(file, votes)):
        return vote_reading.votes(file, **_renamed(votes, {"outcome": "outcomes", "role": "roles"}), status=status)
    return reading.judgments(file, **_renamed(scores, {"facet": "facets", "object": "object_"}), status=status)


def write_files(
    result: object,
    table: Table | None,
    report: Path | None,
    charts: Path | None,
    chart_format: Literal["svg", "png"],
    command: str | None,
    *,
    seed: int | None = None,
    quiet: bool,
) -> None:
    """Write the report and the charts that are asked for, and say where they are unless ``quiet``.

    The report names ``seed``, the root of the random numbers that were drawn.
    """
    if report is None and charts is None:
        return
    from quorate.reporting.paper.reproduce import Provenance
    from quorate.reporting.print.charts import write_charts
    from quorate.reporting.report import page_of, write

    page = page_of(result, source=table, origin=Provenance(command, seed))
    written = [] if report is None else [write(page, report)]
    drawn = () if charts is None else write_charts(page, charts, chart_format)
    if not quiet:
        show_files(console(), written, drawn)


def refuse(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Nothing, if none of these options is given.

    Raises
    ------
    InvalidInput
        If one is.
    """
    for name, value in options.items():
        if value not in (None, False):
            raise InvalidInput(f"{_option(name)}: {kind}; leave it out")
    return {}


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are given."""
    return {name: value for name, value in options.items() if value is not None}


def role_of(name: str | None, table: object) -> str | None:
    """The role that a name stands for, which may be that of the column that was read as the role.

    Raises
    ------
    UnknownTerm
        If votes have neither.
    """
    from quorate.table.votes import Votes

    if name is None or not isinstance(table, Votes) or name in table.names:
        return name
    read_as = [note.role for note in table.notes if name in note.columns and note.role in table.names]
    if not read_as:
        raise UnknownTerm(name, table.names, "role")
    return read_as[0]


def has_votes(file: Path, votes: Mapping[str, Any]) -> bool:
    """Whether a file has the columns of both models."""
    from quorate.table.files import opened

    with opened(file) as source:
        return source.pairs or {votes["model_a"], votes["model_b"]} <= set(source.columns)


def _given(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    return [name for name, default in defaults.items() if options[name] != default]


def _renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in options.items()}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
