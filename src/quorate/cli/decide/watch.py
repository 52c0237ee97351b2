"""`quorate rank --watch`: a leaderboard whose orders hold however often one looks while votes come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quorate.cli.options import For, Group
from quorate.cli.options.groups import spelled
from quorate.errors import InvalidInput

if TYPE_CHECKING:
    from quorate.decide.standings import Standings
    from quorate.table.votes import Votes

TIES = ("drop", "half")
"""How ties may count."""


@dataclass(frozen=True, kw_only=True)
class Watched(Group):
    """Whether votes are still coming in, and what they are watched for."""

    watch: Annotated[
        bool,
        For("votes"),
        typer.Option(
            "--watch",
            help="Votes that still come in, such as a ledger's: which order is sure already, in the order of time or "
            "of rows; look as often as you like.",
        ),
    ] = False
    margin: Annotated[
        float | None,
        For("votes"),
        typer.Option(metavar="D", help="With --watch: shares within .5 +- D count as equal; stated before looking."),
    ] = None
    tuned: Annotated[
        float,
        For("votes"),
        typer.Option(metavar="D", help="With --watch: margin that the test of independent votes finds soonest."),
    ] = 0.1
    systems: Annotated[
        int | None,
        For("votes"),
        typer.Option(metavar="N", min=2, help="With --watch: systems that there may come to be. Default: those there."),
    ] = None

    def standings(self, votes: Votes, ties: str | None, **options: Any) -> Standings:
        """All pairs of systems, watched as asked."""
        from quorate.decide.standings import monitor_all

        named = {name: value for name, value in self.given().items() if name != "watch"}
        return monitor_all(votes, ties="half" if ties == "half" else "drop", **named, **options)

    def check(self, ranking: Group) -> None:
        """Refuse what a board that is watched does not have, and what only such a board has.

        Raises
        ------
        InvalidInput
            If an option is given that does not go with the other.
        """
        if not self.watch:
            for name in self.given():
                raise InvalidInput(f"{spelled(type(self), name)}: is for votes that still come in; give --watch too")
            return
        for name, value in ranking.given().items():
            if name != "ties":
                why = "a board that is watched is of orders of pairs, not of ratings; leave out one of the two"
                raise InvalidInput(f"{spelled(type(ranking), name)}: not with --watch: {why}")
            if value not in TIES:
                raise InvalidInput(f'--ties: with --watch expects one of {", ".join(TIES)}, got "{value}"')
