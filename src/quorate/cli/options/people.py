"""Who the people are that judges are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from quorate.cli.options.groups import Group, option
from quorate.cli.options.reading import Reading, VoteReading
from quorate.errors import InvalidInput, UnknownColumn
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT

if TYPE_CHECKING:
    from quorate.table.judgments import Judgments
    from quorate.table.votes import Votes

    Table = Judgments | Votes

Column = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Instead of --human: column of FILE with what people said, once or repeated."),
]
Named = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A judge, or the column of one, that is a person; repeat for each person."),
]


@dataclass(frozen=True, kw_only=True)
class People(Group):
    """People: some of the judges, a column beside those of judges, or a file of their own."""

    human: Named = None
    human_label: Column = None
    people: Path | None = option("FILE", "Instead of --human: a file of what people said, read alike.")

    def beside(
        self, file: Path, reading: Reading, read: Callable[[], Table], *, key: str | None, **people: Any
    ) -> tuple[Table, Table | list[str]]:
        """What judges said, and what people said or who they are, as `said` gives it.

        Naming people answers whether somebody is a person. A name is that of a column where it is no judge's and
        its column is left over.

        Parameters
        ----------
        file, reading, key, **people
            As of `said`.
        read : callable
            Reads what judges said.

        Raises
        ------
        Unsure
            If the people who are named are no answer to what is open.
        """
        from quorate.table.judgments import Judgments
        from quorate.table.notes import not_used
        from quorate.table.reading.reading import Unsure

        named = self.human or [name for name in (self.human_label,) if name is not None]
        try:
            judged = read()
        except Unsure as error:
            for way in error.ways:
                if named and {*named} == {*way.people.get("human", ())}:
                    return reading.as_scores(file, way.options), named
                if named and [way.people.get("human_label")] == named:
                    judged = reading.as_scores(file, way.options)
                    return judged, _column(file, reading, judged, named[0], way.options)
            raise
        if isinstance(judged, Judgments) and len(named) == 1 and named[0] in not_used(judged.notes):
            return judged, _column(file, reading, judged, named[0], {})
        return judged, self.said(file, reading, judged, key=key, **people)

    def said(
        self, file: Path, reading: VoteReading, judged: Table, *, key: str | None = None, **people: Any
    ) -> Table | list[str]:
        """What people said, a table of the kind that ``judged`` is, or the judges who are people.

        Parameters
        ----------
        file : Path
            Where the judges are.
        reading : VoteReading
            How it is read; that of scores too where ``judged`` may have scores.
        judged : Votes or Judgments
            What judges said.
        key : str, optional
            Role of what the two systems of a vote answered.
        **people
            How votes of people are read otherwise, as for `VoteReading.votes`.

        Raises
        ------
        InvalidInput
            If people are not named, or named twice.
        """
        from quorate.table.reading.reading import Unsure
        from quorate.table.votes import Votes

        self.refuse_unless_named(self.human, self.human_label, self.people)
        if self.human_label is not None:
            if isinstance(judged, Votes):
                return _in_column(file, reading, self.human_label, key, **people)
            return _column(file, cast("Reading", reading), judged, self.human_label, {})
        if self.people is None:
            return list(self.human or ())
        alike = reading.alike()
        try:
            if isinstance(judged, Votes):
                return alike.votes(self.people, **people)
            return cast("Reading", alike).judgments(self.people)
        except (UnknownColumn, Unsure) as error:
            why = error.problem if isinstance(error, Unsure) else error
            raise InvalidInput(f"--people: {self.people} is read as the judges are, and {why}") from None

    def sources(
        self, file: Path, reading: Reading, key: str, *, needed: bool = False
    ) -> tuple[Votes | Judgments, Votes | list[str] | None]:
        """What judges said of battles, and what people said, or which judges are people; None where nobody names them.

        Votes of people may be in a file of their own where judges have scores, in the column ``--human-label`` of it.

        Parameters
        ----------
        file : Path
            Votes, or scores where people have a file of their own, or are not needed.
        reading : Reading
            How it is read; facets are of scores and of votes.
        key : str
            Role of what the two systems of a vote answered.
        needed : bool
            Whether there must be people.

        Raises
        ------
        InvalidInput
            If people are named twice, or needed and not named.
        """
        winner: dict[str, Any] = {} if self.human_label is None else {"winner": self.human_label}
        if needed or self.given():
            self.refuse_unless_named(self.human, self.people or self.human_label)
        people = None if self.people is None else reading.alike().votes(self.people, **winner)
        asked = people is not None or not (needed or self.given())
        if asked and not reading.has_votes(file):
            if people is None:
                reading.refuse_other("scores")
            return reading.judgments(file), people
        reading.refuse_other("votes", but=("facet",))
        judged = reading.votes(file, facet=reading.facet)
        if people is None and winner:
            people = _in_column(file, reading, winner["winner"], key, facet=reading.facet)
        return judged, people or self.human or None

    def refuse_unless_named(self, *ways: object) -> None:
        """Refuse people who are named in none of these ways, or in several.

        Raises
        ------
        InvalidInput
            If they are.
        """
        if sum(map(bool, ways)) != 1:
            raise InvalidInput(
                "--human: name the judges who are people, or give --human-label, the column of what people said, or "
                "--people, their file; one of the three"
            )


def _column(file: Path, reading: Reading, judged: Judgments, column: str, found: Mapping[str, Any]) -> Judgments:
    """Scores that people gave, in a column beside those of judges, of which one may be named judge and is no role."""
    if reading.roles is not None:
        return replace(reading, score=column).judgments(file)
    given = reading.arguments("scores")
    facets = {**given.get("facets", {}), **found.get("facets", {})}
    if JUDGE not in judged.names:
        facets.setdefault(JUDGE, "")
    if judged.object not in given.get("wide", {}):
        facets.setdefault(judged.object, judged.facet(judged.object).column)  # it may be told by its values
    return reading.as_scores(file, {**found, "score": column, "facets": facets or None})


def _in_column(file: Path, reading: VoteReading, column: str, key: str | None, **people: Any) -> Votes:
    """People's votes that stand in a column beside those of judges, each once."""
    from quorate.estimate.agreement.labelled import beside

    return beside(reading.votes(file, winner=column, wins=(), **people), key or PROMPT)
