"""The options that say how a file of votes is read, common to every command that reads one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.reading import names, pairs

if TYPE_CHECKING:
    from quorate.table.votes import Votes

File = Annotated[
    Path, typer.Argument(metavar="VOTES", help="CSV, TSV, JSON lines or Parquet; one row per vote, or counted.")
]
ModelA = Annotated[str, typer.Option(metavar="COLUMN", help="Column of the first model.")]
ModelB = Annotated[str, typer.Option(metavar="COLUMN", help="Column of the second model.")]
Winner = Annotated[str, typer.Option(metavar="COLUMN", help="Column of the outcome.")]
Wins = Annotated[
    str | None,
    typer.Option(metavar="A,B[,TIES]", help="Instead of --winner: columns that count votes for each, and ties."),
]
Outcomes = Annotated[
    list[str] | None,
    typer.Option(
        "--outcome",
        metavar="MEANING=LABEL",
        help='What a label of the outcome means: a, b, tie, "both bad" or missing; repeat for each label.',
    ),
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE=COLUMN",
        help="Columns of prompt, prompt_type, judge, cluster, order, time or count; repeat for each. Columns not named "
        "are recognised by their names; judge= leaves a recognised role out.",
    ),
]
Status = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column that says ok, refused or error of each row.")
]


def votes(
    file: Path,
    model_a: str,
    model_b: str,
    winner: str,
    wins: str | None,
    outcomes: list[str] | None,
    roles: list[str] | None,
    status: str | None,
) -> Votes:
    """The file as votes, read as the options say."""
    from quorate.table.read_votes import read_votes

    meanings: dict[str, list[str]] = {}
    for value in outcomes or ():
        for meaning, label in pairs("--outcome", [value], "tie=draw").items():
            meanings.setdefault(meaning, []).append(label)
    others: dict[str, Any] = dict(pairs("--role", roles, "judge=annotator", empty=True))
    return read_votes(
        file,
        model_a=model_a,
        model_b=model_b,
        winner=winner,
        wins=names(wins or ""),
        outcomes=meanings or None,
        status=status,
        announce=False,
        **others,
    )
