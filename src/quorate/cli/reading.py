"""The options that say how a file of judgments is read, common to every command that reads one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments

File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per judgment.")]
Score = Annotated[str, typer.Option(metavar="COLUMN", help="Column of the scores.")]
Facets = Annotated[
    list[str] | None,
    typer.Option(
        "--facet",
        metavar="ROLE=COLUMN",
        help="Which column plays which role, such as judge=judge_model; repeat for each facet. "
        "Columns not named are recognised by their names; judge= leaves a recognised role out.",
    ),
]
Object = Annotated[str, typer.Option("--object", metavar="ROLE", help="What is measured.")]
Nested = Annotated[
    list[str] | None,
    typer.Option(metavar="CHILD=PARENT", help="A facet inside another, such as item=category; repeat for each."),
]
Fixed = Annotated[
    str | None,
    typer.Option(
        metavar="ROLES",
        help='Facets whose levels were chosen, not drawn; with commas, "" for none. Default: judge,temperature.',
    ),
]
Status = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help='Column that says ok, unparsed, refused, error or truncated of each row; "" for none. '
        "Default: one named status.",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(metavar="VALUE", help='A score that means no score, such as "N/A"; repeat for each.'),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def judgments(
    file: Path,
    score: str,
    facets: list[str] | None,
    object_: str,
    nested: list[str] | None,
    fixed: str | None,
    status: str | None,
    missing: list[str] | None,
) -> Judgments:
    """The file as judgments, read as the options say."""
    from quorate.table.columns.roles import FIXED
    from quorate.table.read import read

    return read(
        file,
        score=score,
        facets=pairs("--facet", facets, "judge=judge_model", empty=True) or None,
        object=object_,
        nested=pairs("--nested", nested, "item=category"),
        fixed=FIXED if fixed is None else names(fixed),
        status=status,
        missing=missing or (),
        recognise=True,
        announce=False,
    )


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them; an empty text has none."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def pairs(option: str, values: Iterable[str] | None, example: str, *, empty: bool = False) -> dict[str, str]:
    """What ``name=value`` options say; ``empty`` allows ``name=`` too.

    Raises
    ------
    InvalidInput
        If one has no name, no value, or a name that was given before.
    """
    out: dict[str, str] = {}
    for value in values or ():
        name, sign, rest = (part.strip() for part in value.partition("="))
        if not name or not (rest or (empty and sign)):
            raise InvalidInput(f'{option}: expects a pair such as {example}, got "{value}"')
        if name in out:
            raise InvalidInput(f'{option}: "{name}" is given twice, as {out[name]} and {rest}; give it once')
        out[name] = rest
    return out
