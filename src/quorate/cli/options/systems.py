"""Which systems are compared, and what their votes or scores share."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar, cast

from quorate.cli.options.groups import ALL, TWO, Group, names, option
from quorate.cli.options.reading import role_of
from quorate.errors import InvalidInput
from quorate.frozen import dataclass
from quorate.wording import listed

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.measured import MeasuredFile
    from quorate.table.votes import Votes

Divided = TypeVar("Divided", bound="Judgments | Votes | MeasuredFile")

NO_CLUSTER = "none"
"""What takes votes as independent."""


@dataclass(frozen=True, kw_only=True)
class Within(Group):
    """What tells systems of one name apart."""

    within: str | None = option(
        "ROLE", "Votes: tell systems of one name apart by this facet, such as prompt_type.", of="votes"
    )

    def told_apart(self, table: Divided) -> Divided:
        """Votes in which systems of one name are told apart as asked; scores as they are."""
        from quorate.table.votes import Votes

        within = role_of(self.within, table)
        return table if within is None or not isinstance(table, Votes) else cast("Divided", table.within(within))


# What commands ask of votes: two systems or all pairs, and the names that they check before anything is done.


MOST_NAMED = 5
"""Systems that a message names."""


@dataclass(frozen=True, kw_only=True)
class Pair(Within):
    """Two systems, or none for all pairs."""

    a: str | None = option("NAME", "Votes: a system; with --b, of these two instead of all pairs.", of="votes")
    b: str | None = option("NAME", "Votes: the system it is compared with.", of="votes")

    def __post_init__(self) -> None:
        """Refuse one system alone."""
        if (self.a is None) != (self.b is None):
            raise InvalidInput("--a, --b: give both systems, or neither")

    @property
    def systems(self) -> tuple[str, str] | None:
        """The two that are named."""
        return None if self.a is None or self.b is None else (self.a, self.b)

    def completed(self, votes: Votes) -> Pair:
        """With both systems named where votes are on two alone."""
        if self.systems is not None or len(votes.models) != 2 or self.within is not None:
            return self
        return replace(self, a=votes.models[0], b=votes.models[1])

    def check(self, asked: Group) -> None:
        """Refuse what goes with all pairs where two systems are named, and the reverse."""
        if self.systems is None:
            asked.refuse(TWO, "is for two systems; name them with --a and --b")
        else:
            asked.refuse(ALL, "is for all pairs; leave out --a and --b")

    def of(self, votes: Votes, named: tuple[str, str] = ("--a", "--b")) -> Votes:
        """Votes in which systems are told apart as asked, and the two, as they were ``named``, are there.

        Raises
        ------
        InvalidInput
            If there is no such facet or system; the message names one that is written alike, and a few of all.
        """
        check_facet(votes, "--within", self.within)
        told = votes if self.within is None else votes.within(self.within)
        for word, name in zip(named, self.systems or (), strict=False):
            if name not in told.models:
                same = [model for model in told.models if model.casefold() == name.casefold()]
                close = same or get_close_matches(name, told.models, 1)
                question = f'; did you mean "{close[0]}"?' if close else ";"
                few = ", ".join(f'"{model}"' for model in told.models[:MOST_NAMED])
                more = f" and {len(told.models) - MOST_NAMED:,} more" if len(told.models) > MOST_NAMED else ""
                raise InvalidInput(f'{word}: no system "{name}"{question} there are {few}{more}')
        return told


def check_facet(votes: Votes, option: str, name: str | None) -> None:
    """Refuse a facet that these votes do not have."""
    if name is not None and name not in votes.names:
        have = f"have {listed(votes.names)}" if votes.names else "have none"
        fix = f"; name its column: --role {name}=COLUMN" if name.isidentifier() else ""
        raise InvalidInput(f'{option}: no facet "{name}" in these votes, which {have}{fix}')


def clustered_by(votes: Votes, text: str | None) -> dict[str, tuple[str, ...]]:
    """The argument that names the facets to cluster by, if they are named."""
    if text is None:
        return {}
    roles = () if text == NO_CLUSTER else names(text)
    for role in roles:
        check_facet(votes, "--cluster", role)
    return {"cluster": roles}
