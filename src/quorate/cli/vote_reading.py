"""The options that say how a file of votes is read, common to every command that reads one."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.reading import names, pairs
from quorate.errors import InvalidInput
from quorate.wording import listed

if TYPE_CHECKING:
    from quorate.table.votes import Votes

MOST_NAMED = 5
"""Systems that a message names."""
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
    facets: list[str] | None = None,
) -> Votes:
    """The file as votes, read as the options say; ``facets`` are of other roles than those of ``--role``."""
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
        facets=pairs("--facet", facets, "variant=prompt_id") or None,
        status=status,
        announce=False,
        **others,
    )


def check_systems(votes: Votes, pair: tuple[str, str] | None) -> None:
    """Refuse systems that are not there; the message names one that is written alike, and a few of all.

    Parameters
    ----------
    votes : Votes
    pair : (str, str) or None
        What ``--a`` and ``--b`` say.
    """
    for option, name in zip(("--a", "--b"), pair or (), strict=False):
        if name not in votes.models:
            raise InvalidInput(f'{option}: no system "{name}"{_meant(name, votes.models)}')


def check_facet(votes: Votes, option: str, name: str | None) -> None:
    """Refuse a facet that these votes do not have.

    Parameters
    ----------
    votes : Votes
    option : str
        The option that names it.
    name : str or None
        The facet; None where the option was not given.
    """
    if name is not None and name not in votes.names:
        have = f"have {listed(votes.names)}" if votes.names else "have none"
        fix = f"; name its column: --role {name}=COLUMN" if name.isidentifier() else ""
        raise InvalidInput(f'{option}: no facet "{name}" in these votes, which {have}{fix}')


def _meant(name: str, models: tuple[str, ...]) -> str:
    same = [model for model in models if model.casefold() == name.casefold()]
    close = same or get_close_matches(name, models, 1)
    question = f'; did you mean "{close[0]}"?' if close else ";"
    few = ", ".join(f'"{model}"' for model in models[:MOST_NAMED])
    more = f" and {len(models) - MOST_NAMED:,} more" if len(models) > MOST_NAMED else ""
    return f"{question} there are {few}{more}"
