"""How a file is read: as scores, as votes, or as whichever of the two it is."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar, cast

import typer

from quorate.cli.options.groups import (
    Group,
    columns_by_role,
    families,
    names,
    numbers_of_words,
    only,
    option,
    options_of,
    pairs,
    spelled,
)
from quorate.cli.spelling import in_options
from quorate.errors import InvalidInput, UnknownColumn, UnknownTerm
from quorate.frozen import dataclass
from quorate.roles import MEANING
from quorate.wording import safe

if TYPE_CHECKING:
    from quorate.table.exchange.format import Kind
    from quorate.table.exchange.rows import Rows as Opening
    from quorate.table.judgments import Judgments
    from quorate.table.measured import MeasuredFile
    from quorate.table.notes import Note
    from quorate.table.votes import Votes


Read = TypeVar("Read", bound="Judgments | Votes")

ScoresFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; one row per judgment.")
]
VotesFile = Annotated[
    Path, typer.Argument(metavar="VOTES", help="CSV, TSV, JSON lines or Parquet; one row per vote, or counted.")
]
File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON lines or Parquet; one row per judgment; or a ledger. It is read as votes if it has the "
        "columns of --model-a and --model-b or names two systems, or if an option of votes is given.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Rows(Group):
    """Which rows of a file are read."""

    where: str | None = option(
        "SQL",
        "A condition over the columns of the file, such as \"language = 'de' AND turn <= 2\"; other rows are not read.",
    )
    only: list[str] | None = option("ROLE=LEVEL", "One level of a facet, such as prompt=p1; repeat for each facet.")
    partitions: bool = option(
        "",
        "The file is a folder of Parquet or JSON lines, whose own folders name columns: judge=gpt/part.pq.",
        default=False,
    )

    part: str | None = option(
        "NAME",
        "Which of the scores that the log of another tool holds: a scorer, a metric, a filter; several with commas.",
    )
    file_format: str | None = option(
        "NAME", "The format of the file, where nothing in it tells, such as csv or inspect."
    )

    roles: Path | None = option("FILE", "How the file is read, as --save of quorate doctor wrote it.")

    def saved(self, file: Path, kind: str | None) -> Judgments | Votes:
        """The file as ``--roles`` says.

        Raises
        ------
        InvalidInput
            If an option says how it is read too.
        """
        from quorate.table.read import read
        from quorate.table.reading.taken import options_in

        for name in self.given().keys() - {one.name for one in fields(Rows)}:
            raise InvalidInput(f"{spelled(type(self), name)}: --roles says how the file is read; leave one of them out")
        given: dict[str, Any] = {"recognise": True, **options_in(cast("Path", self.roles)), **self.arguments()}
        if kind is not None:
            given["kind"] = kind
        return read(file, announce=False, **given)

    def said(self) -> bool:
        """Whether an option says what columns are, and not only what their scores mean."""
        return bool(self.given().keys() - {one.name for one in fields(Rows)} - {*MEANING})

    def taken(
        self,
        file: Path,
        kind: Kind | None,
        read: Callable[[Kind | None, Mapping[str, Any]], Read],
        *,
        about: str = "",
    ) -> Read:
        """A file that no option explains, read by itself; what was taken for granted is said before anything else."""
        from quorate.table.reading.reading import Unsure
        from quorate.table.reading.taken import taken

        try:
            table, granted = taken(file, kind, self.opening(), read, about=about)
        except Unsure as open_:  # of which an option that is given may be the answer
            table, granted = read(open_.kind, open_.meant_by(self.given())), ""
        if granted:
            sys.stderr.write(f"quorate: {safe(in_options(granted))}\n")
        return table

    def alike(self) -> Self:
        """How another file is read alike: all its rows, and not as a folder."""
        return replace(self, where=None, only=None, partitions=False)

    def arguments(self, kind: Kind | None = None) -> dict[str, Any]:
        """What the options say, as arguments of `quorate.read`; with ``kind`` without those of the other."""
        others = self.given({"scores": "votes", "votes": "scores"}[kind]) if kind is not None else {}
        given = {name: value for name, value in self.given().items() if name not in (*others, "roles")}
        return {
            _NAMED.get(name, name): _MEANT[name](value) if name in _MEANT else value for name, value in given.items()
        }

    def opening(self) -> Opening:
        """As files are opened with them."""
        from quorate.table.exchange.rows import Rows as Opening

        return Opening(self.where, self.partitions, self.part, self.file_format)


@dataclass(frozen=True, kw_only=True)
class ScoreReading(Rows):
    """How a file of scores is read."""

    score: str = option("COLUMN", "Column of the scores; A/B is the share of A in B.", default="score", of="scores")
    facet: list[str] | None = option(
        "ROLE=COLUMN",
        "Which column plays which role, such as judge=judge_model; repeat for each facet. "
        "Columns not named are recognised by their names; judge= leaves a recognised role out.",
        of="scores",
    )
    object_: str = option("ROLE", "What is measured.", "--object", default="item", of="scores")
    nested: list[str] | None = option(
        "CHILD=PARENT", "A facet inside another, such as item=category; repeat for each.", of="scores"
    )
    fixed: str | None = option(
        "ROLES",
        'Facets whose levels were chosen, with commas; "" for none. '
        "Default: those of judge,temperature,turn with at most 500 levels.",
        of="scores",
    )
    status: str | None = option(
        "COLUMN",
        'Column that says ok, unparsed, refused, error or truncated of each row; "" for none. '
        "Default: one named status.",
    )
    missing: list[str] | None = option(
        "VALUE", 'A score that means no score, such as "N/A"; repeat for each.', of="scores"
    )
    scale: str | None = option(
        "LOW,HIGH",
        "Least and greatest score that there can be, such as 1,5. Default: those given, where they are marks.",
        of="scores",
    )
    wide: list[str] | None = option(
        "ROLE=COLUMNS",
        "A file with a column for each judge, prompt or criterion: the role and its columns, with commas, "
        "such as judge=gpt,claude; one column whose cells hold lists; score=low,high where columns count labels.",
        of="scores",
    )
    label: str | None = option(
        "WORD", "Of a column of words: 1 where a judge gave this one, 0 for another.", of="scores"
    )

    numbers: str | None = option(
        "WORD=NUMBER",
        "Of a column of words, the number that each stands for, with commas: bad=1,ok=2,good=3.",
        of="scores",
    )
    labels: bool = option(
        "",
        "The scores are labels, which are no numbers: for quorate analyze and quorate writeup.",
        default=False,
        of="scores",
    )

    less_is_better: bool = option("", "Less of the score is better, as of errors.", default=False, of="scores")

    families: str | None = option(
        "JUDGE=FAMILY",
        "Families of judges, who may err together, with commas: gpt-4o=openai,gpt-4.1=openai; auto takes the "
        "makers that names tell. A column of families: --nested judge=COLUMN.",
        of="scores",
    )

    def judgments(self, file: Path, *, also: tuple[str, ...] = (), about: str = "") -> Judgments:
        """The file as judgments; ``also`` are facets beyond those declared, ``about`` the role that is asked about."""
        if self.roles is not None:
            return cast("Judgments", self.saved(file, "scores"))
        if self.said() or also:
            return self.completed(file, also)
        try:
            return self.taken(file, "scores", lambda _, found: self.as_scores(file, found), about=about)
        except UnknownColumn as error:
            from quorate.table.columns.vote_roles import has_pairs

            if not has_pairs(error.columns):
                raise
            says = f"quorate compare {shlex.quote(str(file))} says which is better, and what more would decide"
            raise InvalidInput(f"{file.name}: holds votes, and scores are asked for; {says}") from None

    def completed(self, file: Path, also: tuple[str, ...] = ()) -> Judgments:
        """The file as judgments, as the options say, and where these leave open what is judged, as its columns do."""
        from quorate.table.reading.item import completing

        options = self.arguments("scores")
        facets = options.get("facets")
        return completing(lambda found: self.as_scores(file, found, also), file, self.opening(), options, facets)

    def as_scores(self, file: Path, found: Mapping[str, Any], also: tuple[str, ...] = ()) -> Judgments:
        """The file as judgments, read as the options say and as was ``found``."""
        from quorate.table.columns.roles import ALIASES
        from quorate.table.read_scores import read_scores

        options = self.arguments("scores")
        facets = options.get("facets", {})
        facets |= {name: name for name in also if name not in (*ALIASES, *facets)}
        options |= {"facets": facets or None, **found}
        return read_scores(file, recognise=True, announce=False, **options)


UNSCALED = only(*(name for name in options_of(ScoreReading) if name != "scale"))
"""Of commands whose ``--scale`` is another."""


@dataclass(frozen=True, kw_only=True)
class VoteReading(Rows):
    """How a file of votes is read."""

    model_a: str = option(
        "COLUMN", "Column of the first model, or :NAME for one that no column names.", default="model_a", of="votes"
    )
    model_b: str = option(
        "COLUMN",
        "Column of the second model; several with commas, each of one: cells count how often the first beat it.",
        default="model_b",
        of="votes",
    )
    winner: str = option(
        "COLUMN", "Column of the outcome; several with commas, each of one judge.", default="winner", of="votes"
    )
    wins: str | None = option(
        "A,B[,TIES]", "Instead of --winner: columns that count votes for each, and ties.", of="votes"
    )
    rank: str | None = option(
        "COLUMN",
        "Of rankings, whose rows are systems: column of the place, 1 the best. --model-a is the column of the "
        "system, --role cluster=COLUMN that of the ranking, cluster=A*B two together. Several with commas: each of "
        "one system; one with a comma behind it: lists of systems, the best first; A>B>C: columns of who is first, "
        "second and third.",
        of="votes",
    )
    outcome: list[str] | None = option(
        "MEANING=LABEL",
        'What a label of the outcome means: a, b, tie, "both bad" or missing; repeat for each label.',
        of="votes",
    )
    role: list[str] | None = option(
        "ROLE=COLUMN",
        "Columns of prompt, prompt_type, judge, cluster, propensity, order, time, count, and of a covariate, "
        "such as length_a=len_a; repeat for each. Columns not named are recognised by their names; judge= leaves a "
        "recognised role out.",
        of="votes",
    )
    status: str | None = option("COLUMN", "Column that says ok, refused or error of each row.")

    def votes(self, file: Path, *, facet: list[str] | None = None, **changed: Any) -> Votes:
        """The file as votes; ``facet`` are other roles than those of ``--role``, ``changed`` other arguments."""
        if self.roles is not None:
            return cast("Votes", self.saved(file, "votes"))
        if self.said() or facet or {"winner", "prompt"} & changed.keys():
            return self.as_votes(file, {}, facet=facet, **changed)
        return self.taken(file, "votes", lambda _, found: self.as_votes(file, found, **changed))

    def as_votes(
        self, file: Path, found: Mapping[str, Any], *, facet: list[str] | None = None, **changed: Any
    ) -> Votes:
        """The file as votes, read as the options say and as was ``found``."""
        from quorate.table.read import by_role
        from quorate.table.read_votes import read_votes

        options = self.arguments("votes")
        roles = options.pop("facets", {})
        sides = {f"{name}{side}" for name in changed.get("covariates", ()) for side in ("", "_a", "_b")}
        further = {role: roles.pop(role) for role in sides & {*roles}}
        options["facets"] = {**pairs("--facet", facet, "variant=prompt_id"), **further} or None
        own = {**found, **by_role(found["facets"])} if "facets" in found else found
        return read_votes(file, announce=False, **{**options, **roles, **own, **changed})

    def has_votes(self, file: Path) -> bool:
        """Whether a file has the columns of both models, or is a ledger or log of votes."""
        from quorate.table.read import kind_of

        return kind_of(file, None, {}, self.opening()) == "votes"


@dataclass(frozen=True, kw_only=True)
class Reading(ScoreReading, VoteReading):
    """How a file of scores or of votes is read: as the options say that are given, else as its columns do."""

    def kept(self) -> dict[str, Any]:
        """What the options say beside their defaults, as arguments of `quorate.read`."""
        return self.arguments("votes" if self.given("votes") else "scores")

    def measured(self, file: Path, *groups: Group, **asked: Any) -> Judgments | Votes | MeasuredFile:
        """The file as `table` has it, or once for each of its measures, where which is meant is all that is open."""
        from quorate.table.measured import MeasuredFile
        from quorate.table.reading.reading import Unsure

        try:
            return self.table(file, *groups, **asked)
        except Unsure as open_:

            def as_meant(kind: Kind, found: Mapping[str, Any]) -> Judgments | Votes:
                if self.where and "where" in found:
                    found = {**found, "where": f"({self.where}) AND ({found['where']})"}
                return self.as_votes(file, found) if kind == "votes" else self.as_scores(file, found)

            table = MeasuredFile.of(open_, as_meant)
        for group in groups:
            group.refuse_other(table.question.kind)
        return table

    def table(
        self, file: Path, *groups: Group, covariates: Sequence[str] = (), counted: bool = False, about: str = ""
    ) -> Judgments | Votes:
        """The file as judgments or as votes; ``covariates`` are those of votes, which may be read as counts.

        What the question is ``about``, systems or judges, is asked or taken for them where nothing says it.

        Raises
        ------
        InvalidInput
            If options of both kinds are given.
        """
        from quorate.table.votes import Votes

        scores, votes = self.given("scores"), self.given("votes")
        if scores and votes:
            one, other = (spelled(type(self), next(iter(given))) for given in (scores, votes))
            raise InvalidInput(f"{one}: for scores, and {other} is for votes; give options of one of the two")
        if self.roles is not None:
            table = self.saved(file, None)
        else:
            of_votes = bool(votes) or not (scores or not self.has_votes(file))

            def as_said(kind: Kind | None, found: Mapping[str, Any]) -> Judgments | Votes:
                if kind == "votes" or (kind is None and of_votes):
                    return self.as_votes(file, found, covariates=covariates, counted=counted)
                return self.as_scores(file, found)

            if not (self.said() or covariates):
                table = self.taken(file, None, as_said, about=about)
            else:
                table = as_said("votes", {}) if of_votes else self.completed(file)
        of_votes = isinstance(table, Votes)
        for group in groups:
            group.refuse_other("votes" if of_votes else "scores")
        return table


# What the text of options stands for.


def ends(scale: str) -> tuple[float, float]:
    """Least and greatest score, from ``--scale 1,5``."""
    try:
        low, high = map(float, scale.split(","))
    except ValueError:
        raise InvalidInput(f'--scale: expects the least and the greatest score, such as 1,5, got "{scale}"') from None
    return low, high


def _meanings(texts: list[str]) -> dict[str, list[str]]:
    """Labels by what they mean, from ``--outcome tie=draw``."""
    meanings: dict[str, list[str]] = {}
    for text in texts:
        for meaning, label in pairs("--outcome", [text], "tie=draw").items():
            meanings.setdefault(meaning, []).append(label)
    return meanings


def _one_or_more(text: str) -> str | tuple[str, ...]:
    return names(text) if "," in text else text


_NAMED = {"facet": "facets", "role": "facets", "object_": "object", "outcome": "outcomes", "file_format": "format"}
"""Arguments of `quorate.read` that have another name than their option."""
_MEANT: Mapping[str, Callable[[Any], Any]] = {
    "only": lambda texts: pairs("--only", texts, "prompt=p1"),
    "facet": lambda texts: pairs("--facet", texts, "judge=judge_model", empty=True),
    "role": lambda texts: pairs("--role", texts, "judge=annotator", empty=True),
    "nested": lambda texts: pairs("--nested", texts, "item=category"),
    "outcome": _meanings,
    "scale": ends,
    "wide": columns_by_role,
    "numbers": numbers_of_words,
    "families": families,
    "model_b": _one_or_more,
    "rank": _one_or_more,
    "fixed": names,
    "winner": names,
    "wins": names,
}


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


def with_column(notes: Sequence[Note], role: str, column: str | None) -> list[Note]:
    """What reading took for granted, with a column that it left as one that is used."""
    from quorate.table.notes import left_unused, not_used, read_as

    unused = not_used(notes)
    if column is None or column not in unused:
        return list(notes)
    kept = [note for note in notes if not not_used([note])]
    return [*kept, read_as(role, [column]), *left_unused([name for name in unused if name != column])]


# How a file is read, kept in a file: the arguments of `quorate.read` in YAML.


def save_options(options: Mapping[str, Any], path: Path) -> None:
    """Write arguments into a file that `options_in` reads.

    Raises
    ------
    InvalidInput
        If it cannot be written.
    """
    import yaml

    from quorate.reporting.print.files import MARKS, writable
    from quorate.writing import write_file

    writable(path, (".yaml", ".yml"), "--save")
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    plain |= {"wide": {role: list(columns) for role, columns in options["wide"].items()}} if "wide" in options else {}
    mark = MARKS[".yaml"]
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    write_file(path, mark + b"\n" + text.encode("utf-8"), "--save", mark=mark)
