"""Which systems are compared, and what their votes or scores share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from quorate.cli.options.fit import Level
from quorate.cli.options.groups import For, Group
from quorate.cli.options.reading import role_of
from quorate.cli.options.values import names, pairs

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes


NO_CLUSTER = "none"
"""What takes votes as independent."""

Clustering = Annotated[
    str | None,
    typer.Option(
        metavar="ROLES",
        help="Votes: facets whose votes resemble each other, with commas, such as prompt,judge; none takes votes as "
        "independent. Default: prompt, judge and cluster, as far as they are there and repeat.",
    ),
]


def clusters_of(text: str | None, table: object) -> tuple[str, ...] | None:
    """Roles that clusters are by, as named with commas; none of them for "none", None without a name."""
    if text is None:
        return None
    roles = () if text == NO_CLUSTER else names(text)
    return tuple(role_of(name, table) or name for name in roles)


@dataclass(frozen=True, kw_only=True)
class Systems(Group):
    """Systems of a file of scores or of votes."""

    level: Level = 0.95
    cluster: Annotated[Clustering, For("votes")] = None
    within: Annotated[
        str | None,
        For("votes"),
        typer.Option(metavar="ROLE", help="Votes: tell systems of the same name apart by this facet."),
    ] = None
    system: Annotated[
        str | None,
        For("scores"),
        typer.Option(metavar="ROLE", help="Scores: the facet that is ranked. Default: system."),
    ] = None
    target: Annotated[
        list[str] | None,
        For("scores"),
        typer.Option(
            metavar="ROLE=TARGET",
            help="Scores: what a facet stands for, population or panel, such as judge=population; repeat for each.",
        ),
    ] = None

    def targets(self) -> dict[str, str] | None:
        """What facets stand for, where that is said."""
        return pairs("--target", self.target, "judge=population") or None

    def told_apart(self, votes: Votes) -> Votes:
        """Votes in which systems of one name are told apart as asked."""
        within = role_of(self.within, votes)
        return votes if within is None else votes.within(within)

    def clusters(self, table: Judgments | Votes) -> tuple[str, ...] | None:
        """The roles whose votes resemble each other."""
        return clusters_of(self.cluster, table)
