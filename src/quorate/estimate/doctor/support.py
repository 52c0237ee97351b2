"""Support for analyses in a table of judgments or votes: its facts, what can be done, pilot floors, findings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from quorate.arguments import Argument
from quorate.errors import QuorateError
from quorate.estimate.components.decompose import is_default
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.doctor.analyses import COMPONENTS, MEAN, Supported, analyses
from quorate.estimate.doctor.findings import (
    Finding,
    by_severity,
    findings,
    of_source,
    repeats_findings,
    unsaid_findings,
)
from quorate.estimate.doctor.vote_findings import MARGINS
from quorate.estimate.means.effects import configuration_facets
from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT, REPLICATE, SYSTEM, TEMPERATURE
from quorate.table.columns.languages import plain
from quorate.table.columns.roles import ALIASES
from quorate.table.exchange.format import Kind
from quorate.table.exchange.rows import Rows
from quorate.table.facts.describe import Description
from quorate.table.facts.profile import looked_at
from quorate.table.judgments import Judgments, table_of
from quorate.table.notes import Note
from quorate.table.read import read, read_first
from quorate.table.reading.reading import Confidence, Meant, Unsure, arguments, call
from quorate.table.reading.taken import NOTHING, reading_of
from quorate.table.results import Result, Row
from quorate.table.votes import Votes
from quorate.wording import brief, counted

if TYPE_CHECKING:
    from quorate.table.facts.vote_facts import VoteFacts


@dataclass(frozen=True, repr=False)
class Proposal(Result):
    """How a table can be read.

    Parameters
    ----------
    kind : {"scores", "votes"} or None
        What its rows are; None if nothing in it looks like either.
    options : mapping of str to object
        Arguments of `quorate.read`; empty where none is needed.
    reasons : tuple of str
        Why, a sentence each.
    problem : str
        What stands in the way even so; empty if the table was read with these options and can be analysed.
    source : str
        The file, or the kind of frame.
    confidence : {"sure", "likely", "unsure"}
        How sure that is: a table is read so by itself, read so and said, or asked about.
    ways : tuple of Meant
        Where that is asked about: what the table may be, the likeliest first.
    """

    kind: Kind | None
    options: Mapping[str, Any]
    reasons: tuple[str, ...]
    problem: str
    source: str
    confidence: Confidence = "unsure"
    ways: tuple[Meant, ...] = ()

    entries = "kind options reasons problem confidence python"

    def __repr__(self) -> str:
        return brief("Proposal", self.python)

    @property
    def python(self) -> str:
        """The call of `quorate.read`."""
        return call(self.source, self.options)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The options one by one, for an interface to spell."""
        return tuple(arguments(self.kind, self.options))

    def rows(self) -> list[Row]:
        """Every option with its value."""
        return [{"option": one.name, "value": one.value} for one in self.arguments]


def propose(
    source: Any,
    *,
    where: str | None = None,
    partitions: bool = False,
    part: str | None = None,
    format: str | None = None,
) -> Proposal:
    """How to read a table whose columns have names of their own: looked at, then tried.

    Columns are candidates by name, by what they hold, and by which of them tell rows apart. What is proposed has been
    read that way; it is for a person to say whether it is meant so.

    Parameters
    ----------
    source : path or frame
        As of `quorate.read`.
    where, partitions, part, format
        As of `quorate.read`.

    Returns
    -------
    Proposal

    Raises
    ------
    InvalidInput, InvalidData
        If the source cannot be opened at all.

    Examples
    --------
    >>> import polars
    >>> columns = {"plate": list("aabbcc"), "dose": list("xyxyxy"), "diameter": [27, 23, 26, 22, 29, 24]}
    >>> frame = polars.DataFrame(columns)
    >>> found = propose(frame)
    >>> found.kind, found.options
    ('scores', {'score': 'diameter', 'facets': {'item': 'plate', 'dose': 'dose'}})
    """
    rows = Rows(where, partitions, part, format)
    given = {key: value for key, value in vars(rows).items() if value and key != "shape"}
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "frame"
    with looked_at(source, rows) as table:
        try:
            found = reading_of(table)
        except Unsure as open_:
            if not open_.ways:
                raise
            options = {**open_.ways[0].options, **given}
            return Proposal(open_.kind, options, (open_.problem,), "", name, "unsure", open_.ways)
        if found is None:
            return Proposal(None, {}, (), NOTHING, name)
        kind = found.kind

        def problem_of(options: Mapping[str, Any]) -> str:
            # a frame must hold places as numbers, which text in a file may stand for
            return (
                _problem(table.frame, kind, options)
                if table.held and "rank" not in options
                else _problem(source, kind, {**options, **given})
            )

        options, reasons = dict(found.options), list(found.reasons)
        problem = problem_of(options)
        if problem and kind == "scores" and any(plain(name) in ALIASES[TEMPERATURE] for name in table.names):
            # Temperatures go with judges, so that their effects cannot be told apart.
            facets = {**options.get("facets", {}), TEMPERATURE: ""}
            others = (
                ({**options, "fixed": (JUDGE,)}, "judges never meet all temperatures: these are taken as drawn"),
                (
                    {**options, "facets": facets},
                    "each temperature goes with some judges only: it is left out, as a property of the judge",
                ),
            )
            for other, reason in others:
                if not problem_of(other):
                    options, problem = other, ""
                    reasons.append(reason)
                    break
    return Proposal(kind, options | given, tuple(reasons), problem, name, found.confidence, found.ways)


def _problem(source: Any, kind: Kind, options: Mapping[str, Any]) -> str:
    """What stands in the way of an analysis of a table that is read so; empty if nothing does."""
    by_name = {"recognise": True} if kind == "scores" else {}  # as the command does by itself
    given: dict[str, Any] = {**options, **by_name}
    try:
        table = read(source, kind=kind, announce=False, **given)
        if isinstance(table, Judgments) and table.labels:
            from quorate.estimate.labels import label_means, label_shares

            label_means(table, label_shares(table), targets={})
            return ""
        support = doctor(table)
    except QuorateError as error:
        return str(error)
    errors = [finding.sentence for finding in support.errors]
    needed = (support.analysis(name) for name in ((COMPONENTS, MEAN) if kind == "scores" else (MARGINS,)))
    return next(iter((*errors, *(entry.reason for entry in needed if not entry.possible))), "")


ITEMS, PROMPTS, REPLICATES, JUDGES = 30, 3, 3, 2
"""Fewest items, prompts, replicates per cell and judges of a pilot whose components are worth planning with."""

_SHORT = {
    PROMPT: "below that they hardly show how far prompts differ",
    JUDGE: "with one, nothing tells how another would score",
}


@dataclass(frozen=True)
class Floor:
    """One number that a pilot needs.

    Parameters
    ----------
    facet : str
        Role, or ``replicate``.
    levels : float
        Levels in the data; answers per cell, the median, for ``replicate``; 1 where there is no such facet.
    floor : int
        Fewest needed.
    met : bool
        Whether there are enough.
    sentence : str
        What it means, on one line.
    """

    facet: str
    levels: float
    floor: int
    met: bool
    sentence: str


class Supports(Result):
    """Which analyses a table supports, and what was found in it."""

    analyses: tuple[Supported, ...]
    findings: tuple[Finding, ...]

    def analysis(self, name: str) -> Supported:
        """The analysis of this name; a KeyError if there is none."""
        return {entry.name: entry for entry in self.analyses}[name]

    def finding(self, code: str) -> Finding | None:
        """The finding with this code; None if it was not found."""
        return next((finding for finding in self.findings if finding.code == code), None)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What is wrong."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def rows(self) -> list[Row]:
        """Analyses, each with whether it is possible and why."""
        return [asdict(entry) for entry in self.analyses]

    def _sound(self, *names: str) -> bool:
        """Whether one of these analyses is possible, and nothing is wrong."""
        return any(self.analysis(name).possible for name in names) and not self.errors


@dataclass(frozen=True)
class Support(Supports):
    """What judgments support.

    Parameters
    ----------
    facts : Description
        Facets, crossing, balance, statuses.
    analyses : tuple of Supported
        Every analysis, possible or not, with the reason and what would make it possible.
    floors : tuple of Floor
        What a pilot needs.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of Note
        What reading took for granted.
    labels : tuple of str
        Labels, where answers are no scores.
    """

    facts: Description
    analyses: tuple[Supported, ...]
    floors: tuple[Floor, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    labels: tuple[str, ...] = ()

    entries = "ok facts analyses floors findings notes"

    @property
    def ok(self) -> bool:
        """Whether components, a mean or shares of labels can be estimated and nothing found is an error."""
        from quorate.estimate.doctor.analyses import MEAN, SHARES

        return self._sound(*([SHARES] if self.labels else [COMPONENTS, MEAN]))

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries, lists, numbers and text, ready for JSON."""
        return super().to_dict() | ({"labels": list(self.labels)} if self.labels else {})


@dataclass(frozen=True)
class VotesSupport(Supports):
    """What votes support.

    Parameters
    ----------
    facts : VoteFacts
        Votes by outcome, pair, judge and prompt type; what repeats, gathers and hangs together.
    analyses : tuple of Supported
        Every analysis, possible or not, with the reason and what would make it possible.
    findings : tuple of Finding
        What is wrong or worth knowing, errors first.
    notes : tuple of Note
        What reading took for granted.
    """

    facts: VoteFacts
    analyses: tuple[Supported, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]

    entries = "ok facts analyses findings notes"

    @property
    def ok(self) -> bool:
        """Whether the margin of some pair, or ratings, can be estimated and nothing found is an error."""
        from quorate.estimate.doctor.vote_findings import MARGINS, RATINGS

        return self._sound(MARGINS, RATINGS)


@overload
def doctor(judgments: Judgments) -> Support: ...


@overload
def doctor(judgments: Votes) -> VotesSupport: ...


@read_first
def doctor(judgments: Judgments | Votes) -> Support | VotesSupport:
    """Which analyses the judgments support, why not the others, and what is wrong with the judgments.

    The judgments are decomposed once, with the default terms, labels each by itself; an analysis that is possible can
    still be imprecise.

    Parameters
    ----------
    judgments : Judgments or Votes
        From `quorate.read`, of scores or of labels, or `quorate.read_votes`.

    Returns
    -------
    Support or VotesSupport

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> frame = polars.DataFrame({"item": [1, 1, 2, 2, 3, 3], "judge": list("xyxyxy"), "score": [1, 2, 2, 4, 3, 4]})
    >>> support = doctor(q.read(frame))
    >>> support.ok, support.analysis("component replicate").reason
    (True, 'no cell was judged twice, so it is part of the cell component')
    """
    if isinstance(judgments, Votes):
        from quorate.estimate.doctor.vote_findings import vote_analyses, vote_findings

        facts_of_votes = judgments.describe()
        problems = by_severity([*of_source(judgments.source), *vote_findings(facts_of_votes)])
        return VotesSupport(facts_of_votes, vote_analyses(facts_of_votes), problems, judgments.notes)
    return support_of(judgments)


def support_of(judgments: Judgments, fit: Decomposition | None = None) -> Support:
    """`doctor` of judgments; one of their fits saves another one, if it is that with default options."""
    facts, labels = table_of(judgments).describe(), judgments.labels
    problems = [*findings(judgments, facts)]
    if labels:
        from quorate.estimate.doctor.analyses import label_analyses, label_findings

        possible = label_analyses(judgments, facts)
        problems += label_findings(judgments, facts)
    else:
        possible = analyses(judgments, facts, fit if fit is not None and is_default(fit) else None)
    if fit is None:  # rows are read again, for which an analysis does not wait
        problems += islice(repeats_findings(judgments), 1)
    found = by_severity([*problems, *unsaid_findings(judgments)])
    return Support(facts, possible, _floors(judgments, facts), found, judgments.notes, labels)


def _floors(judgments: Judgments, facts: Description) -> tuple[Floor, ...]:
    """Floors of the object, of the facets it is measured with, and of the replicates; answered cells only."""
    answered = judgments.keep(judgments.n > 0) if judgments.n.any() else judgments
    item, sampled = answered.object, configuration_facets(answered)
    random = [name for name in sampled if name not in (PROMPT, JUDGE, SYSTEM) and not answered.facet(name).fixed]
    floors = [_floor(answered, item, ITEMS, f"fewer leave every component that contains {item} unstable")]
    for name, floor in ((PROMPT, PROMPTS), (JUDGE, JUDGES)):
        if name in sampled:
            floors.append(_floor(answered, name, floor, _SHORT[name]))
        elif not random:
            sentence = f"no facet has the role {name}: it counts as 1, a pilot needs {floor}; {_SHORT[name]}"
            floors.append(Floor(name, 1, floor, met=False, sentence=sentence))
    floors += [_floor(answered, name, PROMPTS, _SHORT[PROMPT].replace(PROMPT, name)) for name in random]
    balance = facts.balance
    met = balance.median >= REPLICATES
    short = f"a pilot needs {REPLICATES}; with fewer the noise of a repeated judgment is unknown or barely known"
    meaning = f"enough for a pilot ({REPLICATES})" if met else short
    size = counted(balance.most, "answer")
    if balance.least < balance.most:
        size = f"{balance.least:,} to {balance.most:,} answers"
        meaning = f"half have {balance.median:g} or more; {meaning}"
    return (*floors, Floor(REPLICATE, balance.median, REPLICATES, met, f"{size} per cell: {meaning}"))


def _floor(judgments: Judgments, name: str, floor: int, short: str) -> Floor:
    levels = judgments.n_levels(name)
    met = levels >= floor
    meaning = f"enough for a pilot ({floor})" if met else f"a pilot needs {floor}; {short}"
    return Floor(name, levels, floor, met, f"{counted(levels, name)}: {meaning}")
